"""Codex CLI: the event `codex.tool_result`, on the span that dispatches a call and as a log record.

Arguments and output are never on spans, only their lengths; the log has both. To newer versions a command that ran and
exited with an error is a success.

Source:
    Telemetry of Codex CLI 0.61 and 0.171, recorded.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import outcome, said_to_end
from toolscore_otel.conventions.fields import a_number, text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Json, LogRecord, Span, SpanEvent, Stage

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
        name=_name(event.attributes),
        call_id=text(event.attributes, names.CODEX_CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _name(attributes: Mapping[str, Json]) -> str | None:
    name = text(attributes, names.CODEX_TOOL_NAME)
    namespace = text(attributes, names.CODEX_NAMESPACE)
    if name is None or namespace is None or namespace == _BUILT_IN or name.startswith(namespace):
        return name
    return f"{namespace}__{name}"


def read_result(record: LogRecord) -> SpanReading:
    """Read the log record of a call that came to an end."""
    attributes = record.attributes
    call = CallReading(
        convention=CONVENTION,
        what="log",
        name=_name(attributes),
        args=content.arguments(attributes.get(names.CODEX_ARGUMENTS)),
        result=content.result(attributes.get(names.CODEX_OUTPUT)),
        call_id=text(attributes, names.CODEX_CALL_ID),
        status=said_to_end(attributes.get(names.CODEX_SUCCESS)),
    )
    return SpanReading(calls=(call,), duration_ns=a_number(attributes, names.DURATION_MS, 10**6))


def read_decision(record: LogRecord) -> SpanReading:
    """Read the log record of a call that was approved or denied: either way it was asked for."""
    call = CallReading(
        convention=CONVENTION,
        what="request",
        stage=Stage.REQUESTED,
        name=_name(record.attributes),
        call_id=text(record.attributes, names.CODEX_CALL_ID),
    )
    return SpanReading(calls=(call,))
