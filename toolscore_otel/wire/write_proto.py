"""Spans and log records -> a request in protobuf, as the OTLP services take it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar, cast

from toolscore_otel.model import Json, Link, LogRecord, Span, SpanEvent, SpanKind, SpanStatus
from toolscore_otel.wire.proto_messages import MESSAGES
from toolscore_otel.wire.proto_values import Message

Item = TypeVar("Item", Span, LogRecord)

_KINDS = tuple(SpanKind)
_STATUSES = tuple(SpanStatus)


def traces_request(spans: Iterable[Span]) -> bytes:
    """An `ExportTraceServiceRequest` with these spans; reading it gives them back.

    Neighbours that share resource and scope share one group.
    """
    return _request(spans, _span)


def logs_request(records: Iterable[LogRecord]) -> bytes:
    """An `ExportLogsServiceRequest` with these log records, grouped likewise; observed when they happened."""
    return _request(records, _log_record)


def pairs_of(attributes: Mapping[str, Json]) -> list[Message]:
    """Attributes as `KeyValue` messages."""
    return [MESSAGES["KeyValue"](key=key, value=_value(value)) for key, value in attributes.items()]


def _request(items: Iterable[Item], write: Callable[[Item], Message]) -> bytes:
    groups: list[Message] = []
    for (resource, scope), group in groupby(items, lambda item: (item.resource, item.scope)):
        part = MESSAGES["Part"](
            scope=MESSAGES["Scope"](name=scope.name, version=scope.version).SerializeToString(),
            items=[write(item).SerializeToString() for item in group],
        )
        said = MESSAGES["Resource"](attributes=pairs_of(resource.attributes))
        groups.append(MESSAGES["Group"](resource=said.SerializeToString(), parts=[part]))
    request: bytes = MESSAGES["Request"](groups=groups).SerializeToString()
    return request


def _span(span: Span) -> Message:
    return MESSAGES["Span"](
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_span_id or ""),
        trace_state=span.trace_state,
        name=span.name,
        kind=_KINDS.index(span.kind),
        start_time_unix_nano=span.start_ns or 0,
        end_time_unix_nano=span.end_ns or 0,
        attributes=pairs_of(span.attributes),
        dropped_attributes_count=span.dropped_attributes,
        events=[_event(event) for event in span.events],
        links=[_link(link) for link in span.links],
        status=_status(span),
    )


def _status(span: Span) -> Message | None:
    if span.status is SpanStatus.UNSET and not span.status_message:
        return None
    return MESSAGES["Status"](code=_STATUSES.index(span.status), message=span.status_message)


def _event(event: SpanEvent) -> Message:
    return MESSAGES["Event"](
        name=event.name,
        time_unix_nano=event.time_ns or 0,
        attributes=pairs_of(event.attributes),
    )


def _link(link: Link) -> Message:
    return MESSAGES["Link"](
        trace_id=bytes.fromhex(link.trace_id),
        span_id=bytes.fromhex(link.span_id),
        attributes=pairs_of(link.attributes),
    )


def _log_record(record: LogRecord) -> Message:
    return MESSAGES["LogRecord"](
        time_unix_nano=record.time_ns or 0,
        observed_time_unix_nano=record.time_ns or 0,
        severity_number=record.severity_number,
        severity_text=record.severity_text,
        event_name=record.event_name or "",
        body=None if record.body is None else _value(record.body),
        attributes=pairs_of(record.attributes),
        trace_id=bytes.fromhex(record.trace_id or ""),
        span_id=bytes.fromhex(record.span_id or ""),
    )


def _value(value: Json) -> Message:
    any_value = MESSAGES["AnyValue"]
    match value:
        case None:
            return any_value()
        case str():
            return any_value(string_value=value)
        case bool():
            return any_value(bool_value=value)
        case int():
            return any_value(int_value=value)
        case float():
            return any_value(double_value=value)
        case list() | tuple():
            entries = [_value(entry) for entry in cast("Sequence[Json]", value)]
            return any_value(array_value=_bytes("ArrayValue", entries))
        case _:
            return any_value(kvlist_value=_bytes("KeyValueList", pairs_of(value)))


def _bytes(name: str, values: list[Message]) -> bytes:
    written: bytes = MESSAGES[name](values=values).SerializeToString()
    return written
