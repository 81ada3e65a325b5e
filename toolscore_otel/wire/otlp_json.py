"""An OTLP/JSON request -> spans and log records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeGuard

from toolscore_otel.model import (
    InstrumentationScope,
    Json,
    Link,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
    SpanStatus,
)
from toolscore_otel.wire import json_fields as fields
from toolscore_otel.wire.fields import SPAN_ID_BYTES, TRACE_ID_BYTES, Unreadable, event_name
from toolscore_otel.wire.json_fields import as_list, as_object, is_list, is_object
from toolscore_otel.wire.json_shape import Pair, RawSpan, ResourceSpans, raw_span
from toolscore_otel.wire.json_values import attributes, value_or_none
from toolscore_otel.wire.stats import ReadStats

Object = dict[str, Json]

_NAMES = frozenset({"resourceSpans", "resourceLogs", "resourceMetrics"})
_SNAKE_NAMES = frozenset({"resource_spans", "resource_logs", "resource_metrics"})

_UNSET = SpanStatus.UNSET

_KNOWN_IDS = 1_024
"""How many ids of traces, and of parents, are not looked through again: spans that stand together share them."""

_trace_id = lru_cache(_KNOWN_IDS)(fields.required_identifier)
_parent_id = lru_cache(_KNOWN_IDS)(fields.identifier)


def is_request(document: Json) -> TypeGuard[Object]:
    """Whether a JSON value is an OTLP request; an empty object is one that holds nothing."""
    if not is_object(document):
        return False
    return not document or not document.keys().isdisjoint(_NAMES | _SNAKE_NAMES)


def read_request(request: Object, stats: ReadStats) -> Iterator[Span | LogRecord]:
    """The spans, then the log records of one request.

    Args:
        request: names in camelCase, as OTLP/JSON says, or all in snake_case, as some tools write; in that case it
            is changed in place.
        stats: counts what is given out, and what is not.
    """
    if not request.keys().isdisjoint(_SNAKE_NAMES):
        _to_camel_case(request)
    stats.metrics += len(_list_at(request, "resourceMetrics", stats))
    yield from _items(request, ("resourceSpans", "scopeSpans", "spans"), _plain_span, stats)
    yield from _items(request, ("resourceLogs", "scopeLogs", "logRecords"), _log_record, stats)


def read_spans(groups: Iterable[ResourceSpans], stats: ReadStats) -> Iterator[Span]:
    """The spans of a request of the usual shape.

    Args:
        groups: from `json_shape`.
        stats: counts what is given out, and what is not.
    """
    for group in groups:
        resource = _resource(group.resource, stats)
        for part in group.scope_spans or ():
            scope = _scope(part.scope, stats)
            for raw in part.spans or ():
                try:
                    span = _span(raw, resource, scope, stats)
                except Unreadable:
                    stats.unreadable += 1
                else:
                    yield span


def _items(
    request: Object,
    path: tuple[str, str, str],
    read: Callable[[Json, Resource, InstrumentationScope, ReadStats], Span | LogRecord],
    stats: ReadStats,
) -> Iterator[Span | LogRecord]:
    outer, middle, inner = path
    for group in _list_at(request, outer, stats):
        resource = _resource(_within(group, "resource"), stats)
        for part in _list_at(group, middle, stats):
            scope = _scope(_within(part, "scope"), stats)
            for raw in _list_at(part, inner, stats):
                try:
                    item = read(raw, resource, scope, stats)
                except Unreadable:
                    stats.unreadable += 1
                else:
                    yield item


def _plain_span(
    raw: Json, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> Span:
    return _span(raw_span(raw), resource, scope, stats)


def _span(raw: RawSpan, resource: Resource, scope: InstrumentationScope, stats: ReadStats) -> Span:
    status = raw.status
    span = Span(
        trace_id=_trace_id(raw.trace_id, TRACE_ID_BYTES),
        span_id=fields.required_identifier(raw.span_id, SPAN_ID_BYTES),
        parent_span_id=_parent_id(raw.parent_span_id, SPAN_ID_BYTES),
        name=raw.name or "",
        kind=fields.kind(raw.kind),
        start_ns=fields.nanoseconds(raw.start_time_unix_nano),
        end_ns=fields.nanoseconds(raw.end_time_unix_nano),
        attributes=_attributes(raw.attributes or (), stats),
        events=tuple([_event(as_object(each), stats) for each in raw.events or ()]),
        links=tuple(_links(raw.links, stats)) if raw.links else (),
        status=_UNSET if status is None else fields.status_code(status.code),
        status_message="" if status is None else status.message or "",
        resource=resource,
        scope=scope,
        dropped_attributes=fields.count(raw.dropped_attributes_count),
        trace_state=raw.trace_state or "",
    )
    stats.spans += 1
    return span


def _attributes(pairs: Iterable[Pair], stats: ReadStats) -> dict[str, Json]:
    """As `json_values.attributes`, which see."""
    found: dict[str, Json] = {}
    for pair in pairs:
        value = pair.value
        try:
            content = value.get("stringValue")
        except AttributeError:
            content = None
        found[pair.key or ""] = content if isinstance(content, str) else value_or_none(value, stats)
    return found


def _log_record(
    raw: Json, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> LogRecord:
    get = as_object(raw).get
    found = attributes(get("attributes"), stats)
    observed_ns = fields.nanoseconds(get("observedTimeUnixNano"))
    record = LogRecord(
        trace_id=fields.identifier(get("traceId"), TRACE_ID_BYTES),
        span_id=fields.identifier(get("spanId"), SPAN_ID_BYTES),
        event_name=event_name(fields.text(get("eventName")), found),
        time_ns=fields.nanoseconds(get("timeUnixNano")) or observed_ns,
        severity_number=fields.severity(get("severityNumber")),
        severity_text=fields.text(get("severityText")),
        body=value_or_none(get("body"), stats),
        attributes=found,
        resource=resource,
        scope=scope,
    )
    stats.logs += 1
    return record


def _event(raw: Object, stats: ReadStats) -> SpanEvent:
    return SpanEvent(
        name=fields.text(raw.get("name")),
        time_ns=fields.nanoseconds(raw.get("timeUnixNano")),
        attributes=attributes(raw.get("attributes"), stats),
    )


def _links(raws: list[Json], stats: ReadStats) -> Iterator[Link]:
    """A link that names no span says nothing: it is left out and counted, and its span stays."""
    for raw in raws:
        try:
            link = as_object(raw)
            yield Link(
                trace_id=fields.required_identifier(link.get("traceId"), TRACE_ID_BYTES),
                span_id=fields.required_identifier(link.get("spanId"), SPAN_ID_BYTES),
                attributes=attributes(link.get("attributes"), stats),
            )
        except Unreadable:
            stats.unreadable_values += 1


def _within(group: Json, name: str) -> Json:
    return group.get(name) if is_object(group) else None


def _resource(raw: Json, stats: ReadStats) -> Resource:
    if raw is None:
        return Resource()
    try:
        return Resource(attributes=attributes(as_object(raw).get("attributes"), stats))
    except Unreadable:
        stats.unreadable_values += 1
        return Resource()


def _scope(raw: Json, stats: ReadStats) -> InstrumentationScope:
    if raw is None:
        return InstrumentationScope()
    try:
        scope = as_object(raw)
        return InstrumentationScope(
            fields.text(scope.get("name")), fields.text(scope.get("version"))
        )
    except Unreadable:
        stats.unreadable_values += 1
        return InstrumentationScope()


def _list_at(holder: Json, name: str, stats: ReadStats) -> list[Json]:
    """The list under a name of an object; what is neither counts as one thing that could not be read."""
    try:
        return as_list(as_object(holder).get(name))
    except Unreadable:
        stats.unreadable += 1
        return []


def _to_camel_case(request: Object) -> None:
    """Rename all fields in place; attribute names are values in OTLP, and stay."""
    waiting: list[Json] = [request]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            for name in [name for name in node if "_" in name]:
                first, *others = name.split("_")
                node[first + "".join(map(str.capitalize, others))] = node.pop(name)
            waiting.extend(node.values())
        elif is_list(node):
            waiting.extend(node)
