"""ADK for Rust: spans of tools are named as in the GenAI conventions, and have no operation.

The span around a model call tells what that asked for, and what runs inside a tool span has the call id. No status is ever
set: that a tool failed is only said by an event, by the tool's name, of the agent's span around all calls.

Source:
    Telemetry of adk-rust 2.3, recorded; its `llm_agent.rs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import a_list, text
from toolscore_otel.conventions.messages import Asked
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.conventions.turns import request
from toolscore_otel.model import Span

_MARKS = frozenset({"gcp.vertex.agent.event_id", names.ADK_RUST_CALL_ID})
_TOOL, _AGENT, _AGENT_AS_TOOL = "tool.name", "agent.name", "agent_tool.name"
_AGENT_SPAN, _MODEL_SPAN, _INNER_SPAN = "agent.execute", "call_llm", "execute"
_ANSWER = "gcp.vertex.agent.llm_response"


def read(span: Span, convention: str) -> SpanReading | None:
    """Read a span of a tool, of what runs in it, of an agent, or around a model call; None for every other span.

    Args:
        span: without an operation.
        convention: of the readings.
    """
    if _MARKS.isdisjoint(span.attributes) or names.OI_KIND in span.attributes:
        return None
    if (call_id := text(span.attributes, names.ADK_RUST_CALL_ID)) is not None:
        return _inside(span, convention, call_id) if span.name == _INNER_SPAN else None
    if span.name == _AGENT_SPAN:
        name = text(span.attributes, _AGENT)
        return SpanReading(agent=AgentReading(convention=convention, name=name))
    if span.name == _MODEL_SPAN:
        calls = tuple(_asked(span, convention))
        return SpanReading(calls=calls) if calls else None
    tool = text(span.attributes, _TOOL)
    if tool is None or not span.name.startswith(names.TOOL_SPAN_PREFIX):
        return None
    end = outcome(span, unmarked=True)
    call = CallReading(
        convention=convention,
        name=tool,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))


def _asked(span: Span, convention: str) -> Iterator[CallReading]:
    """What the model asked for; the span inside this one is the model call."""
    parts = a_list(content.fields(span.attributes.get(_ANSWER)).get("parts")) or ()
    asked = [part for part in map(content.fields, parts) if "name" in part and "args" in part]
    for position, call in enumerate(asked):
        args = content.arguments(call["args"])
        yield request(convention, Asked(text(call, "name"), args, text(call, "id")), position)


def _inside(span: Span, convention: str, call_id: str) -> SpanReading:
    """What a tool span has inside it where the tool is a function, or another agent."""
    call = CallReading(convention=convention, call_id=call_id, fills=True)
    agent = text(span.attributes, _AGENT_AS_TOOL)
    return SpanReading(
        calls=(call,),
        agent=None if agent is None else AgentReading(convention=convention, name=agent),
    )
