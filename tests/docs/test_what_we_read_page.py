"""`docs/pages/what_we_read.md` is written from readers and recordings: `python -m tests.docs.what_we_read` writes it."""

from __future__ import annotations

from tests.docs.reading_found import EVERYWHERE, find_out
from tests.docs.what_we_read import COMMAND, PAGE, page
from toolscore_otel.model import Span


def test_the_page_is_what_readers_and_recordings_say() -> None:
    assert PAGE.read_text() == page(), f"run: {COMMAND}"


def made(**attributes: object) -> Span:
    return Span(trace_id="t", span_id="s", start_ns=1, end_ns=2, name="run", attributes=attributes)


def test_a_fact_is_found_where_changing_a_value_changes_it() -> None:
    span = made(
        **{
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "search",
            "ai.toolCall.args": '{"q": 1}',
            "session.id": "s-1",
            "unrelated": 5,
        }
    )
    found = find_out([span])

    assert found["vercel"].places == {
        "marks": {"`ai.operationId`"},
        "tool name": {"`ai.toolCall.name`"},
        "arguments": {"`ai.toolCall.args`"},
        "status": {"the span's status"},
    }
    assert "ai.toolCall.result" in found["vercel"].unseen
    assert "ai.toolCall.args" not in found["vercel"].unseen
    assert found[EVERYWHERE].places["conversation"] == {"`session.id`"}


def test_a_value_inside_a_structure_is_found_by_the_name_it_stands_under() -> None:
    asked = '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"x"}]}]'
    span = made(**{"gen_ai.operation.name": "chat", "gen_ai.output.messages": asked})

    places = find_out([span])[EVERYWHERE].places["calls in messages"]
    assert "`gen_ai.output.messages`" in places


def test_what_says_nothing_in_any_dialect_is_read_nowhere() -> None:
    assert all(not found.places for found in find_out([made(unrelated=1)]).values())
