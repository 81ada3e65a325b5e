"""Scores of a thousand calls against a thousand expected ones, and the pairing of many calls of one tool.

Beside them, in the same run, what scorers do that compare names only: sets, and the table of the longest common subsequence. Where
pydantic-evals is installed, that table is its own.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.metrics import calculate_argument_f1, expected_calls, trajectory_scores
from toolscore_otel.model import ToolCall
from toolscore_otel.testing import make_call

try:
    from pydantic_evals.evaluators.agentic import (  # type: ignore[import-not-found]
        _longest_common_subsequence_length as table,
    )
except ImportError:

    def table(one: list[str], other: list[str]) -> int:
        """As the books have it."""
        above = [0] * (len(other) + 1)
        for name in one:
            row = [0]
            for at, (diagonal, over) in enumerate(pairwise(above)):
                row.append(diagonal + 1 if name == other[at] else max(over, row[-1]))
            above = row
        return above[-1]


COUNT = 1000
SECOND = 1_000_000_000
TOOLS = [f"tool_{number % 20}" for number in range(COUNT)]
EXPECTED = TOOLS[7:] + TOOLS[:7]


def _calls(tools: list[str]) -> list[JudgedCall]:
    return [
        JudgedCall(
            make_call(
                tool,
                {"id": number, "q": f"text {number % 7}"},
                start_ns=number * SECOND,
                end_ns=number * SECOND + 1,
            )
        )
        for number, tool in enumerate(tools)
    ]


def test_a_thousand_against_a_thousand(take_turns, ratio, tell, benchmark):
    calls, expected = _calls(TOOLS), expected_calls(EXPECTED)
    taken = take_turns(
        {
            "ours": lambda: trajectory_scores(calls, expected),
            "table": lambda: table(TOOLS, EXPECTED),
        },
        rounds=6,
        warmup=1,
    )
    tell(ours_ms=min(taken["ours"]) / 1e6, table_over_ours=ratio(taken["table"], taken["ours"]))
    scores = benchmark.pedantic(lambda: trajectory_scores(calls, expected), rounds=3)
    assert scores["selection_f1"] == 1.0


def test_a_thousand_against_a_thousand_of_one_tool_with_arguments(benchmark):
    pytest.importorskip("scipy")
    calls = _calls(["tool"] * COUNT)
    entries = [{"tool": "tool", "args": dict(call.call.args)} for call in reversed(calls)]
    expected = expected_calls(entries)
    scores = benchmark.pedantic(lambda: trajectory_scores(calls, expected), rounds=3)
    assert scores["argument_f1"] == 1.0


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_five_hundred_against_five_hundred_of_one_tool(nested, benchmark):
    pytest.importorskip("scipy")

    def made(step: int) -> list[ToolCall]:
        args = [{"id": number * step % 500, "q": number % step} for number in range(500)]
        return [make_call("tool", {"in": one} if nested else one) for one in args]

    gold, trace = made(3), made(7)
    f1 = benchmark.pedantic(lambda: calculate_argument_f1(gold, trace), rounds=3)["f1"]
    assert f1 > 0.5
