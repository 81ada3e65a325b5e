"""Laminar: spans of type tool, decorated or of openai-agents, and the agent of a turn. Model calls are read by the GenAI readers.

Its instrumentations of browsers and sandboxes give the type to methods of these, whose names are dotted: they are no tools.

Source:
    lmnr for Python 0.8, recorded, and its code.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import Gap, Json, Span, Stage, Status

CONVENTION = "laminar"

_SCOPE = "lmnr.tracer"
_INPUT = "lmnr.span.input"
_OUTPUT = "lmnr.span.output"
_TURN_OF = "openai.agents.turn.agent_name"


def read(span: Span) -> SpanReading | None:
    """Read a tool span, and whose turn a span is; None for every other span."""
    attributes = span.attributes
    if span.scope.name != _SCOPE or names.MCP_METHOD in attributes:
        return None
    if attributes.get(names.LAMINAR_TYPE) == "TOOL":
        return SpanReading(calls=(_call(span),)) if _is_tool(span) else None
    name = text(attributes, _TURN_OF)
    if name is None:
        return None
    return SpanReading(agent=AgentReading(convention=CONVENTION, name=name, is_step=True))


def _is_tool(span: Span) -> bool:
    return names.TOOL_NAME in span.attributes or (bool(span.name) and "." not in span.name)


def _call(span: Span) -> CallReading:
    asked, recorded = span.attributes.get(_INPUT), span.attributes.get(_OUTPUT)
    message = content.fields(recorded)
    is_message = message.get("type") == "tool" and "tool_call_id" in message  # LangChain's
    answer: Json = message.get("content") if is_message else recorded
    failed = is_message and message.get("status") == "error"
    end = outcome(span, failed=failed, message=message_in(answer))
    # openai-agents, which writes arguments as text in text: one that waits for approval ends so, too.
    is_quoted = isinstance(asked, str) and asked.startswith('"')
    is_open = is_quoted and recorded is None and end.status is Status.OK
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.TOOL_NAME) or span.name,
        stage=Stage.REQUESTED if is_open else Stage.EXECUTED,
        args=content.arguments(asked),
        result=content.result(answer),
        call_id=text(message, "tool_call_id") if is_message else None,
        status=Status.UNKNOWN if is_open else end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        gaps=(Gap.MAY_HAVE_WAITED,) if is_open else (),
    )
