"""Plain results that ended at the length limit of their span."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolscore_otel.conventions.length_limit import LEAST
from toolscore_otel.model import ContentState, Payload

ARGS, RESULT, OTHER = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "app.request"
LIMIT = 64
STRUCTURE = json.dumps({"q": "x" * 200})
WORDS = "It rains in Spain, and mainly in the plain. " * 9


def tool(told: dict[str, Any] | None = None, limit: int = LIMIT) -> dict[str, Any]:
    """Attributes of a tool's span, cut at a limit."""
    whole = {ARGS: STRUCTURE, RESULT: WORDS} | (told or {})
    cut = {key: value[:limit] if isinstance(value, str) else value for key, value in whole.items()}
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"} | cut


def test_a_text_as_long_as_a_structure_that_was_cut_was_cut_too(read_call) -> None:
    call = read_call(tool())
    assert call.result == Payload(ContentState.TRUNCATED, text=WORDS[:LIMIT])
    assert call.args.state is ContentState.TRUNCATED
    other = read_call(tool({ARGS: "{}", OTHER: STRUCTURE}))
    assert other.result.state is ContentState.TRUNCATED


@pytest.mark.parametrize(
    "told",
    [
        {RESULT: WORDS[: LIMIT - 1]},
        {ARGS: '{"q": "x"}'},
        {ARGS: "{}", OTHER: WORDS},
        {ARGS: "[see below " * 9},
        {RESULT: [WORDS]},
        {RESULT: json.dumps("x" * (LIMIT - 2))},
    ],
    ids=["shorter", "nothing cut", "texts", "brackets", "no text", "quoted"],
)
def test_without_such_a_structure_it_is_what_was_recorded(read_call, told: dict[str, Any]) -> None:
    assert read_call(tool(told)).result.state is ContentState.OBSERVED


def test_where_something_is_longer_there_is_no_limit_at_that_length(read_call) -> None:
    attributes = tool() | {OTHER: "x" * (LIMIT + 1)}
    assert read_call(attributes).result == Payload(ContentState.OBSERVED, WORDS[:LIMIT])


def test_below_a_least_length_two_are_as_long_by_chance(read_call) -> None:
    assert read_call(tool(limit=LEAST - 1)).result.state is ContentState.OBSERVED
    assert read_call(tool(limit=LEAST)).result.state is ContentState.TRUNCATED
