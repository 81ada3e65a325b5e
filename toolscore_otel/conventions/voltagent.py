"""VoltAgent's tool spans, `tool.execution:NAME`. Every span names the agent that it belongs to.

Source:
    Telemetry of @voltagent/core 2.10, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import first_text, text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Span

CONVENTION = "voltagent"

_SCOPE = "@voltagent/core"


def read(span: Span) -> SpanReading | None:
    """Read a tool span; None for every other span."""
    attributes = span.attributes
    if span.scope.name != _SCOPE or attributes.get("span.type") != "tool":
        return None
    end = outcome(span)
    is_of_agent = attributes.get("entity.type") == "agent"
    call = CallReading(
        convention=CONVENTION,
        name=text(attributes, "tool.name") or span.name.removeprefix(names.VOLTAGENT_TOOL_SPAN),
        args=content.arguments(attributes.get("input")),
        result=content.result(attributes.get("output")),
        call_id=text(attributes, "tool.call.id"),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        agent=first_text(attributes, ("subagent.name", "entity.name")) if is_of_agent else None,
    )
    return SpanReading(calls=(call,))
