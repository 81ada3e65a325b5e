"""Spans and log records as they come from files."""

from typing import Any

import pytest

from toolscore_otel.assembly import Assembler
from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions import read_log
from toolscore_otel.model import ClosedBy, LogRecord, Resource, Span, SpanKind

DONE = {
    "event.name": "codex.tool_result",
    "tool_name": "shell",
    "call_id": "c1",
    "success": "true",
    "duration_ms": 2,
    "conversation.id": "talk",
}


def record(attributes: Any = None, **fields: Any) -> LogRecord:
    known: dict[str, Any] = {"time_ns": 5_000_000}
    return LogRecord(attributes=DONE | (attributes or {}), **(known | fields))


@pytest.fixture
def calls():
    """All calls of what was fed."""

    def rebuild(*items):
        assembler = Assembler()
        for item in items:
            assembler.feed(item, 0)
        assembler.close(ClosedBy.END_OF_INPUT)
        traces = [assembler.trajectory(trace_id) for trace_id in assembler.trace_ids()]
        return [call for trace in traces for call in trace.calls]

    return rebuild


def test_a_record_is_written_when_the_call_ends(calls):
    (call,) = calls(record(trace_id="a" * 32, span_id="b" * 16))
    assert (call.start_ns, call.end_ns, call.trace_id) == (3_000_000, 5_000_000, "a" * 32)
    assert [(source.what, source.span_id) for source in call.sources] == [("log", "b" * 16)]


def test_a_record_delivered_twice_is_one_call(calls):
    assert len(calls(record({"call_id": None}), record({"call_id": None}))) == 1
    assert len(calls(record({"call_id": None}), record({"call_id": None}, time_ns=6))) == 2


def test_records_without_a_trace_stand_in_one_of_their_conversation(calls):
    shop = Resource({"service.name": "shop"})
    found = calls(
        record(),
        record({"call_id": "c2"}),
        record({"conversation.id": "other"}),
        record(resource=shop),
    )
    assert len(found) == 4
    assert len({call.trace_id for call in found}) == 3
    assert all(len(call.trace_id) == 32 and call.span_id is None for call in found)


def test_a_record_of_nothing_is_no_call(calls):
    fed = Assembler().feed(record({"conversation.id": None}), 0)
    assert fed.trace_id == ""
    assert calls(record({"conversation.id": None}), LogRecord(body="hello")) == []


def test_a_record_without_a_time_has_none():
    lone = record(time_ns=None)
    reading = read_log(lone)
    assert reading is not None
    place = Place.of_log(lone, reading)
    assert place is not None
    assert (place.start_ns, place.end_ns) == (None, None)


def test_an_exception_as_a_record_is_a_failure_of_its_tool_span(calls):
    tool = Span(
        trace_id="a" * 32,
        span_id="b" * 16,
        start_ns=1,
        end_ns=9,
        attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
    )
    raised = LogRecord(
        trace_id="a" * 32,
        span_id="b" * 16,
        event_name="exception",
        attributes={"exception.type": "ValueError", "exception.message": "no"},
        time_ns=5,
    )
    for order in ((tool, raised), (raised, tool)):
        (call,) = calls(*order)
        assert (call.status, call.error_type, call.start_ns) == ("error", "ValueError", 1)
    assert calls(raised) == []
    inside = Span(trace_id="a" * 32, span_id="c" * 16, parent_span_id="b" * 16)
    elsewhere = LogRecord(
        trace_id="a" * 32, span_id="c" * 16, event_name="exception", attributes=raised.attributes
    )
    assert [call.status for call in calls(tool, inside, elsewhere)] == ["ok"]


def test_an_exception_as_a_record_does_not_tell_that_a_tool_was_reached(calls):
    """The span of pydantic-ai says that the arguments were turned down."""
    turned_down = Span(
        trace_id="a" * 32,
        span_id="b" * 16,
        start_ns=1,
        end_ns=9,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "pydantic_ai.tool.failure_stage": "validation",
        },
    )
    raised = LogRecord(
        trace_id="a" * 32,
        span_id="b" * 16,
        event_name="exception",
        attributes={"exception.type": "ValidationError"},
    )
    for order in ((turned_down, raised), (raised, turned_down)):
        (call,) = calls(*order)
        assert (call.stage, call.status) == ("requested", "error")


def test_a_tool_told_twice_in_two_traces_is_one_call(calls):
    agent = Span(
        trace_id="a" * 32,
        span_id="b" * 16,
        start_ns=1,
        end_ns=9,
        attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "mcp__shop__buy"},
    )
    server = Span(
        trace_id="c" * 32,
        span_id="d" * 16,
        kind=SpanKind.SERVER,
        start_ns=2,
        end_ns=8,
        attributes={"mcp.method.name": "tools/call", "gen_ai.tool.name": "buy"},
    )
    for order in ((agent, server), (server, agent)):
        assert [call.tool for call in calls(*order)] == ["mcp__shop__buy"]


def test_messages_without_a_trace_stand_in_one_of_their_call(calls):
    asked = {"tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": {}}}]}
    answer = [{"type": "tool_result", "tool_use_id": "c1", "content": "18"}]
    found = calls(
        LogRecord(event_name="gen_ai.choice", body=asked, time_ns=1),
        LogRecord(event_name="gen_ai.user.message", body={"content": answer}, time_ns=2),
        LogRecord(event_name="gen_ai.user.message", body={"content": "Go."}, time_ns=3),
    )
    assert [(call.tool, call.call_id, call.result) for call in found] == [("weather", "c1", 18)]
