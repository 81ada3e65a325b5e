"""Codex CLI's spans: the event `codex.tool_result` on the span that dispatches a call.

Arguments and output are never on spans, only their lengths. A command that ran and exited with an error is a success to
Codex.

Source:
    Telemetry of Codex CLI 0.171, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Span, SpanEvent

CONVENTION = "codex"

_BUILT_IN = "functions"


def read(span: Span) -> SpanReading | None:
    """Read the result event of a dispatching span; None for every other span."""
    if span.name != names.CODEX_CALL_SPAN:
        return None
    for event in span.events:
        if event.attributes.get(names.CODEX_EVENT_NAME) == names.CODEX_RESULT_EVENT:
            return SpanReading(
                calls=(_call(span, event),),
                conversation_id=text(event.attributes, names.CODEX_CONVERSATION),
            )
    return None


def _call(span: Span, event: SpanEvent) -> CallReading:
    failed = event.attributes.get(names.CODEX_SUCCESS) in ("false", False)
    end = outcome(span, failed=failed)
    return CallReading(
        convention=CONVENTION,
        name=_name(event),
        call_id=text(event.attributes, names.CODEX_CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _name(event: SpanEvent) -> str | None:
    name = text(event.attributes, names.CODEX_TOOL_NAME)
    namespace = text(event.attributes, names.CODEX_NAMESPACE)
    if name is None or namespace is None or namespace == _BUILT_IN or name.startswith(namespace):
        return name
    return f"{namespace}__{name}"
