"""Parsed protobuf messages -> what the model holds. Whatever stands around them is somebody else's.

A value that cannot be read costs its own value, not its span: it becomes None, and is counted.
"""

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
from toolscore_otel.wire.stats import ReadStats

Message = Any
"""The classes are made at import, and have no static type."""

_PLAIN = frozenset({"string_value", "bool_value", "int_value", "double_value"})
_NO_TRACE, _NO_SPAN = bytes(TRACE_ID_BYTES), bytes(SPAN_ID_BYTES)

Ids = tuple[str, str, str | None]
"""Trace, span and parent span."""


def parse(name: str, data: bytes) -> Message:
    """The message of that name in `MESSAGES`.

    Raises:
        Unreadable: the bytes are none.
    """
    try:
        return MESSAGES[name].FromString(data)
    except DecodeError as error:
        raise Unreadable(f"broken protobuf, or cut off: no `{name}`") from error


def ids_of(raw: Message) -> Ids:
    """The ids of a span, as hex.

    Raises:
        Unreadable: a missing or an impossible one.
    """
    trace_id, span_id, parent = raw.trace_id, raw.span_id, raw.parent_span_id
    is_usual = len(trace_id) == TRACE_ID_BYTES and len(span_id) == SPAN_ID_BYTES == len(parent)
    if is_usual and trace_id != _NO_TRACE and _NO_SPAN not in (span_id, parent):
        return trace_id.hex(), span_id.hex(), parent.hex()
    trace = identifier(trace_id, TRACE_ID_BYTES)
    own = identifier(span_id, SPAN_ID_BYTES)
    if trace is None or own is None:
        raise Unreadable("a span without a trace id or a span id")
    return trace, own, identifier(parent, SPAN_ID_BYTES) if parent else None


def span(
    raw: Message,
    ids: Ids,
    resource: Resource,
    scope: InstrumentationScope,
    stats: ReadStats,
) -> Span:
    """A span with all that it carries.

    Args:
        raw: `Span`.
        ids: its own.
        resource: of its group.
        scope: of its part.
        stats: counts what could not be read.
    """
    trace_id, span_id, parent_span_id = ids
    status = raw.status
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent_span_id,
        name=raw.name,
        kind=span_kind(raw.kind),
        start_ns=raw.start_time_unix_nano or None,
        end_ns=raw.end_time_unix_nano or None,
        attributes=attributes(raw.attributes, stats),
        events=tuple([_event(event, stats) for event in events]) if (events := raw.events) else (),
        links=tuple(_links(links, stats)) if (links := raw.links) else (),
        status=span_status(status.code),
        status_message=status.message,
        resource=resource,
        scope=scope,
        dropped_attributes=raw.dropped_attributes_count,
        trace_state=raw.trace_state,
    )


def log_record(
    raw: Message, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> LogRecord:
    """A log record with all that it carries.

    Raises:
        Unreadable: an impossible id.
    """
    found = attributes(raw.attributes, stats)
    return LogRecord(
        trace_id=identifier(raw.trace_id, TRACE_ID_BYTES),
        span_id=identifier(raw.span_id, SPAN_ID_BYTES),
        event_name=event_name(raw.event_name, found),
        time_ns=raw.time_unix_nano or raw.observed_time_unix_nano or None,
        severity_number=raw.severity_number,
        severity_text=raw.severity_text,
        body=_value_or_none(raw.body, stats),
        attributes=found,
        resource=resource,
        scope=scope,
    )


def resource(data: bytes, stats: ReadStats) -> Resource:
    """Who sent a group; an unknown one where it cannot be read."""
    try:
        return Resource(attributes=attributes(parse("Resource", data).attributes, stats))
    except Unreadable:
        stats.unreadable_values += 1
        return Resource()


def scope(data: bytes, stats: ReadStats) -> InstrumentationScope:
    """Which instrumentation wrote a part; an unknown one where it cannot be read."""
    try:
        raw = parse("Scope", data)
    except Unreadable:
        stats.unreadable_values += 1
        return InstrumentationScope()
    return InstrumentationScope(raw.name, raw.version)


def attributes(pairs: Message, stats: ReadStats) -> dict[str, Json]:
    """A list of pairs as a flat dict; of a key that comes twice, the later value."""
    found: dict[str, Json] = {}
    for pair in pairs:
        value = pair.value  # most are texts: those are had without asking which field it is
        found[pair.key] = value.string_value or _value_or_none(value, stats)
    stats.repeated_keys += len(pairs) - len(found)
    return found


def identifier(raw: bytes, size: int) -> str | None:
    """An id as hex; None where it is absent or all zero.

    Raises:
        Unreadable: it has another size.
    """
    if not any(raw):
        return None
    if len(raw) != size:
        raise Unreadable(f"an id of {len(raw)} bytes, where {size} belong")
    return raw.hex()


def _event(raw: Message, stats: ReadStats) -> SpanEvent:
    return SpanEvent(
        name=raw.name,
        time_ns=raw.time_unix_nano or None,
        attributes=attributes(raw.attributes, stats),
    )


def _links(raws: Message, stats: ReadStats) -> Iterator[Link]:
    """A link that names no span says nothing: it is left out and counted, and its span stays."""
    for raw in raws:
        try:
            trace_id = identifier(raw.trace_id, TRACE_ID_BYTES)
            span_id = identifier(raw.span_id, SPAN_ID_BYTES)
        except Unreadable:
            trace_id = span_id = None
        if trace_id is None or span_id is None:
            stats.unreadable_values += 1
        else:
            yield Link(trace_id, span_id, attributes(raw.attributes, stats))


def _value_or_none(raw: Message, stats: ReadStats) -> Json:
    kind = raw.WhichOneof("value")
    if kind in _PLAIN:
        return getattr(raw, kind)
    try:
        return _value(raw, 0, stats)
    except (Unreadable, RecursionError):
        stats.unreadable_values += 1
        return None


def _value(raw: Message, depth: int, stats: ReadStats) -> Json:
    name = raw.WhichOneof("value")
    if name is None:
        return None
    content = getattr(raw, name)
    if name in _PLAIN:
        return content
    if name == "bytes_value":
        stats.bytes_values += 1
        return base64.b64encode(content).decode()
    if depth >= MAX_DEPTH:
        raise Unreadable
    if name == "array_value":
        return [_value(entry, depth + 1, stats) for entry in parse("ArrayValue", content).values]
    pairs = parse("KeyValueList", content).values
    found = {pair.key: _value(pair.value, depth + 1, stats) for pair in pairs}
    stats.repeated_keys += len(pairs) - len(found)
    return found
