"""An OTLP request in protobuf -> spans and log records."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from toolscore_otel.model import (
    InstrumentationScope,
    Json,
    Link,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
)
from toolscore_otel.wire.fields import (
    MAX_DEPTH,
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    Unreadable,
    event_name,
    span_kind,
    span_status,
)
from toolscore_otel.wire.proto_messages import MESSAGES, DecodeError
from toolscore_otel.wire.proto_signal import Signal, signal_of
from toolscore_otel.wire.stats import ReadStats

Message = Any
"""The classes are made at import, and have no static type."""


def read_request(data: bytes, stats: ReadStats) -> Iterator[Span | LogRecord]:
    """The spans or log records of one request, in its order.

    Args:
        data: `ExportTraceServiceRequest`, `TracesData`, `ExportLogsServiceRequest`, `LogsData`, or several of them one
            after another; metrics are counted and skipped.
        stats: counts what is given out, and what is not.

    Raises:
        Unreadable: the outer structure is broken; nothing was given out.
    """
    for group in _parse("Request", data).groups:
        signals = [signal_of(part.items) for part in group.parts]
        stats.metrics += Signal.METRICS in signals
        resource = _resource(group.resource, stats)
        for part, signal in zip(group.parts, signals, strict=True):
            if signal is not Signal.METRICS:
                yield from _items(part, signal, resource, stats)


def _items(
    part: Message, signal: Signal, resource: Resource, stats: ReadStats
) -> Iterator[Span | LogRecord]:
    read = _span if signal is Signal.SPANS else _log_record
    scope = _scope(part.scope, stats)
    for data in part.items:
        try:
            item = read(data, resource, scope, stats)
        except Unreadable:
            stats.unreadable += 1
        else:
            yield item


def _span(data: bytes, resource: Resource, scope: InstrumentationScope, stats: ReadStats) -> Span:
    raw = _parse("Span", data)
    span = Span(
        trace_id=_required_identifier(raw.trace_id, TRACE_ID_BYTES),
        span_id=_required_identifier(raw.span_id, SPAN_ID_BYTES),
        parent_span_id=_identifier(raw.parent_span_id, SPAN_ID_BYTES),
        name=raw.name,
        kind=span_kind(raw.kind),
        start_ns=raw.start_time_unix_nano or None,
        end_ns=raw.end_time_unix_nano or None,
        attributes=_attributes(raw.attributes, stats),
        events=tuple(_event(event, stats) for event in raw.events),
        links=tuple(_links(raw.links, stats)),
        status=span_status(raw.status.code),
        status_message=raw.status.message,
        resource=resource,
        scope=scope,
        dropped_attributes=raw.dropped_attributes_count,
        trace_state=raw.trace_state,
    )
    stats.spans += 1
    return span


def _log_record(
    data: bytes, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> LogRecord:
    raw = _parse("LogRecord", data)
    attributes = _attributes(raw.attributes, stats)
    record = LogRecord(
        trace_id=_identifier(raw.trace_id, TRACE_ID_BYTES),
        span_id=_identifier(raw.span_id, SPAN_ID_BYTES),
        event_name=event_name(raw.event_name, attributes),
        time_ns=raw.time_unix_nano or raw.observed_time_unix_nano or None,
        severity_number=raw.severity_number,
        body=_value_or_none(raw.body, stats),
        attributes=attributes,
        resource=resource,
        scope=scope,
    )
    stats.logs += 1
    return record


def _event(raw: Message, stats: ReadStats) -> SpanEvent:
    return SpanEvent(
        name=raw.name,
        time_ns=raw.time_unix_nano or None,
        attributes=_attributes(raw.attributes, stats),
    )


def _links(raws: Message, stats: ReadStats) -> Iterator[Link]:
    """A link that names no span says nothing: it is left out and counted, and its span stays."""
    for raw in raws:
        try:
            yield Link(
                trace_id=_required_identifier(raw.trace_id, TRACE_ID_BYTES),
                span_id=_required_identifier(raw.span_id, SPAN_ID_BYTES),
                attributes=_attributes(raw.attributes, stats),
            )
        except Unreadable:
            stats.unreadable_values += 1


def _resource(data: bytes, stats: ReadStats) -> Resource:
    try:
        return Resource(attributes=_attributes(_parse("Resource", data).attributes, stats))
    except Unreadable:
        stats.unreadable_values += 1
        return Resource()


def _scope(data: bytes, stats: ReadStats) -> InstrumentationScope:
    try:
        raw = _parse("Scope", data)
    except Unreadable:
        stats.unreadable_values += 1
        return InstrumentationScope()
    return InstrumentationScope(raw.name, raw.version)


def _attributes(pairs: Message, stats: ReadStats) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for pair in pairs:
        value = pair.value  # most are texts: those are had without asking which field it is
        found[pair.key] = value.string_value or _value_or_none(value, stats)
    return found


def _value_or_none(raw: Message, stats: ReadStats) -> Json:
    try:
        return _value(raw, 0)
    except (Unreadable, RecursionError):
        stats.unreadable_values += 1
        return None


def _value(raw: Message, depth: int) -> Json:
    name = raw.WhichOneof("value")
    if name is None:
        return None
    content = getattr(raw, name)
    if name == "bytes_value":
        return base64.b64encode(content).decode()
    if name not in ("array_value", "kvlist_value"):
        return content
    if depth >= MAX_DEPTH:
        raise Unreadable
    if name == "array_value":
        return [_value(entry, depth + 1) for entry in _parse("ArrayValue", content).values]
    pairs = _parse("KeyValueList", content).values
    return {pair.key: _value(pair.value, depth + 1) for pair in pairs}


def _identifier(raw: bytes, size: int) -> str | None:
    if not any(raw):
        return None
    if len(raw) != size:
        raise Unreadable
    return raw.hex()


def _required_identifier(raw: bytes, size: int) -> str:
    found = _identifier(raw, size)
    if found is None:
        raise Unreadable
    return found


def _parse(name: str, data: bytes) -> Message:
    try:
        return MESSAGES[name].FromString(data)
    except DecodeError as error:
        raise Unreadable from error
