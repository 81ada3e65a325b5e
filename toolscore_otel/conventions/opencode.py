"""opencode's own tool spans, `Tool.execute`. With the AI SDK's telemetry on, an `ai.toolCall` span tells the same call.

Source:
    Telemetry of opencode 1.18, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import coding_agents as its
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Span

CONVENTION = "opencode"


def read(span: Span) -> SpanReading | None:
    """Read a tool span of opencode; None for every other span."""
    if span.name != its.OPENCODE_TOOL_SPAN or span.scope.name != its.OPENCODE_SCOPE:
        return None
    end = outcome(span)
    call = CallReading(
        convention=CONVENTION,
        name=text(span.attributes, its.OPENCODE_TOOL_NAME),
        call_id=text(span.attributes, its.OPENCODE_CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))
