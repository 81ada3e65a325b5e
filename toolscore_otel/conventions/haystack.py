"""Haystack 3's own tracing: one span per tool call of an agent's step. The status stays UNSET; an attribute marks failures.

Source:
    Haystack 3.4 with opentelemetry-haystack 2.0, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import Span

CONVENTION = "haystack"


def read(span: Span) -> SpanReading | None:
    """Read a tool or agent span of Haystack; None for every other span."""
    if span.name == names.HAYSTACK_TOOL_SPAN:
        return SpanReading(calls=(_call(span),))
    if span.name == names.HAYSTACK_MODEL_SPAN:
        return SpanReading(model=ModelReading(convention=CONVENTION))
    if span.name == names.HAYSTACK_AGENT_SPAN:
        return SpanReading(agent=AgentReading(convention=CONVENTION))
    return None


def _call(span: Span) -> CallReading:
    result = content.result(span.attributes.get(names.HAYSTACK_OUTPUT))
    end = outcome(span, message=message_in(result.value))
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.HAYSTACK_TOOL_NAME),
        args=content.arguments(span.attributes.get(names.HAYSTACK_INPUT)),
        result=result,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
