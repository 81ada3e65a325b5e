"""Codex CLI: the event `codex.tool_result`, on the span that dispatches a call and as a log record.

Arguments and output are never on spans, only their lengths; the log has both. To newer versions a command that ran and
exited with an error is a success.

Source:
    Telemetry of Codex CLI 0.61 and 0.171, recorded.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.conventions import coding_agents as its, content, usage, usage_names
from toolscore_otel.conventions.counts import Cached, counts, with_counts
from toolscore_otel.conventions.evidence import outcome, said_to_end
from toolscore_otel.conventions.fields import a_number, first, text
from toolscore_otel.conventions.reading import CallReading, ModelReading, SpanReading
from toolscore_otel.model import (
    ContentState,
    Json,
    LogRecord,
    Payload,
    Span,
    SpanEvent,
    Stage,
)

CONVENTION = "codex"

_BUILT_IN = "functions"


def read(span: Span) -> SpanReading | None:
    """Read the result event of a dispatching span, or the tokens of an answer; None for every other span."""
    if (
        span.name == its.CODEX_MODEL_SPAN
        and first(span.attributes, usage_names.INPUT_TOKENS) is not None
    ):
        return SpanReading(model=usage.model_call(CONVENTION, span, usage.GENAI))
    if span.name != its.CODEX_CALL_SPAN:
        return None
    for event in span.events:
        if event.attributes.get(its.CODEX_EVENT_NAME) == its.CODEX_RESULT_EVENT:
            return SpanReading(
                calls=(_call(span, event),),
                conversation_id=text(event.attributes, its.CODEX_CONVERSATION),
            )
    return None


def _call(span: Span, event: SpanEvent) -> CallReading:
    failed = event.attributes.get(its.CODEX_SUCCESS) in ("false", False)
    end = outcome(span, failed=failed)
    return CallReading(
        convention=CONVENTION,
        name=_name(event.attributes),
        call_id=text(event.attributes, its.CODEX_CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _name(attributes: Mapping[str, Json]) -> str | None:
    name = text(attributes, its.CODEX_TOOL_NAME)
    namespace = text(attributes, its.CODEX_NAMESPACE)
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
        args=content.arguments(attributes.get(its.CODEX_ARGUMENTS)),
        result=_result(attributes),
        call_id=text(attributes, its.CODEX_CALL_ID),
        status=said_to_end(attributes.get(its.CODEX_SUCCESS)),
    )
    return SpanReading(calls=(call,), duration_ns=a_number(attributes, its.DURATION_MS, 10**6))


def _result(attributes: Mapping[str, Json]) -> Payload:
    output = attributes.get(its.CODEX_OUTPUT)
    if isinstance(output, str) and attributes.get(its.CODEX_CUT) in ("true", True):
        return Payload(ContentState.TRUNCATED, text=output)
    return content.result(output)


def read_decision(record: LogRecord) -> SpanReading:
    """Read the log record of a call that was approved or denied: either way it was asked for."""
    call = CallReading(
        convention=CONVENTION,
        what="request",
        stage=Stage.REQUESTED,
        name=_name(record.attributes),
        call_id=text(record.attributes, its.CODEX_CALL_ID),
    )
    return SpanReading(calls=(call,))


def read_model_call(record: LogRecord) -> SpanReading | None:
    """Read the log record of an answer that is complete; of two such events one alone has the tokens."""
    found = counts(record.attributes, usage_names.CODEX_LOG)
    if found.input is None:
        return None
    call = ModelReading(convention=CONVENTION, model=text(record.attributes, its.MODEL))
    return SpanReading(model=with_counts(call, found, Cached.WITHIN))
