"""Spans that say too little by themselves, as they are read, and what others make of them."""

import json
from typing import Any

import pytest

from toolscore_otel.assembly import Assembler
from toolscore_otel.model import ClosedBy, InstrumentationScope, Span, SpanKind, SpanStatus

ERROR = SpanStatus.ERROR


def span(number: int, parent: int | None, name: str, attributes: Any, **fields: Any) -> Span:
    defaults: dict[str, Any] = {"start_ns": number, "end_ns": 100 - number}
    return Span(
        trace_id="a" * 32,
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        name=name,
        attributes=attributes,
        scope=InstrumentationScope(fields.pop("scope", "")),
        **(defaults | fields),
    )


@pytest.fixture
def calls():
    """All calls of what was fed, in both orders."""

    def rebuild(*spans):
        found = []
        for order in (spans, spans[::-1]):
            assembler = Assembler()
            for each in order:
                assembler.feed(each, 0)
            assembler.close(ClosedBy.END_OF_INPUT)
            found.append(assembler.trajectory("a" * 32).calls)
        assert [str(call) for call in found[0]] == [str(call) for call in found[1]]
        return found[0]

    return rebuild


def test_client_server_and_handler_of_mcp_go_tell_of_one_call(calls):
    asked = {"mcp.method": "tools/call"}
    named = {"mcp.tool.name": "search"}
    client = span(1, None, "mcp.tools/call", asked, kind=SpanKind.CLIENT)
    server = span(2, 1, "mcp.tools/call", asked | named, kind=SpanKind.SERVER)
    handler = span(3, 2, "tool.search", named)
    (call,) = calls(client, server, handler)
    assert (call.tool, call.start_ns, call.end_ns, str(call.status)) == ("search", 1, 99, "ok")
    nameless = span(2, 1, "mcp.tools/call", asked, kind=SpanKind.SERVER)
    between = span(4, 2, "authorize", named)
    (call,) = calls(client, nameless, between, span(5, 4, "tool.search", named))
    assert (call.tool, len(call.sources)) == ("search", 3)
    assert calls(client) == ()


def test_a_failed_span_of_braintrust_is_the_call_that_was_asked_for_and_no_other(calls):
    asked = {"id": "c1", "function": {"name": "fetch", "arguments": "{}"}}
    said = [{"message": {"role": "assistant", "tool_calls": [asked]}}]
    parent = {"braintrust.parent": "project_name:shop"}
    of_services: dict[str, Any] = {"scope": "braintrust-langchain4j", "status": ERROR}
    service = span(1, None, "chat", parent, **of_services)
    model = span(
        2,
        1,
        "Chat Completion",
        {
            "braintrust.span_attributes": '{"type":"llm"}',
            "braintrust.output_json": json.dumps(said),
        },
        end_ns=3,
    )
    tool = span(4, 1, "fetch", parent, **of_services)
    (call,) = calls(service, model, tool)
    assert (call.tool, call.call_id, str(call.stage), str(call.status)) == (
        "fetch",
        "c1",
        "executed",
        "error",
    )
    assert (call.start_ns, call.end_ns) == (4, 96)
    assert calls(service, tool) == ()
