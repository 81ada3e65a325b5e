"""Spans that are taken in together, as from a file."""

from typing import Any

import pytest

from toolscore_otel.assembly import Assembler, placed_all
from toolscore_otel.model import ClosedBy, InstrumentationScope, LogRecord, Span, SpanKind, ToolCall

OTHER = "b" * 32


def span(number: int, attributes: dict[str, Any], **fields: Any) -> Span:
    made: dict[str, Any] = {
        "trace_id": "a" * 32,
        "span_id": f"{number:016x}",
        "start_ns": 10,
        "end_ns": 20,
        "attributes": attributes,
    }
    return Span(**(made | fields))


def tool(number: int, name: str, **fields: Any) -> Span:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return span(number, attributes, **fields)


def mcp_server(number: int, **fields: Any) -> Span:
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    return span(number, attributes, kind=SpanKind.SERVER, trace_id=OTHER, **fields)


SPANS: list[Span | LogRecord] = [
    tool(1, "search"),
    tool(2, "refund", trace_id=OTHER, parent_span_id=f"{3:016x}"),
    span(3, {"gen_ai.operation.name": "invoke_agent"}, trace_id=OTHER, start_ns=5, end_ns=30),
    LogRecord(scope=InstrumentationScope("app"), attributes={"message": "nothing of tools"}),
    tool(1, "search"),
    mcp_server(4, start_ns=12, end_ns=18),
    tool(5, "mcp__shop__search", parent_span_id=f"{6:016x}"),
]


def calls(assembler: Assembler) -> dict[str, tuple[ToolCall, ...]]:
    assembler.close(ClosedBy.END_OF_INPUT)
    return {trace: assembler.trajectory(trace).calls for trace in sorted(assembler.trace_ids())}


@pytest.mark.parametrize(
    "order",
    [SPANS, SPANS[::-1], [*SPANS[1:], SPANS[0]]],
    ids=["in order", "backwards", "the other trace first"],
)
def test_what_is_fed_together_gives_the_calls_of_what_is_fed_one_by_one(order):
    together, one_by_one = Assembler(), Assembler()
    together.feed_all(order, now=0)
    for item in order:
        one_by_one.feed(item, now=0)
    found = calls(together)
    assert found == calls(one_by_one)
    assert [call.tool for call in found["a" * 32]] == ["search", "mcp__shop__search"]
    assert [call.tool for call in found[OTHER]] == ["refund"]
    assert together.counters["spans"] == one_by_one.counters["spans"] == 6


def test_what_is_said_stands_by_trace_in_order():
    found = placed_all(SPANS)
    assert {trace: [place.id[-1] for place, _ in items] for trace, items in found.items()} == {
        "a" * 32: ["1", "1", "5"],
        OTHER: ["2", "3", "4"],
    }
