"""An OTLP/JSON request -> spans and log records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from toolscore_otel.wire.json_values import attributes, value_or_none
from toolscore_otel.wire.stats import ReadStats

Object = dict[str, Json]

_NAMES = frozenset({"resourceSpans", "resourceLogs", "resourceMetrics"})
_SNAKE_NAMES = frozenset({"resource_spans", "resource_logs", "resource_metrics"})


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
    yield from _items(request, ("resourceSpans", "scopeSpans", "spans"), _span, stats)
    yield from _items(request, ("resourceLogs", "scopeLogs", "logRecords"), _log_record, stats)


def _items(
    request: Object,
    path: tuple[str, str, str],
    read: Callable[[Object, Resource, InstrumentationScope, ReadStats], Span | LogRecord],
    stats: ReadStats,
) -> Iterator[Span | LogRecord]:
    outer, middle, inner = path
    for group in _list_at(request, outer, stats):
        resource = _resource(group, stats)
        for part in _list_at(group, middle, stats):
            scope = _scope(part, stats)
            for raw in _list_at(part, inner, stats):
                try:
                    item = read(as_object(raw), resource, scope, stats)
                except Unreadable:
                    stats.unreadable += 1
                else:
                    yield item


def _span(raw: Object, resource: Resource, scope: InstrumentationScope, stats: ReadStats) -> Span:
    get = raw.get
    status, status_message = _status(get("status"))
    span = Span(
        trace_id=fields.required_identifier(get("traceId"), TRACE_ID_BYTES),
        span_id=fields.required_identifier(get("spanId"), SPAN_ID_BYTES),
        parent_span_id=fields.identifier(get("parentSpanId"), SPAN_ID_BYTES),
        name=fields.text(get("name")),
        kind=fields.kind(get("kind")),
        start_ns=fields.nanoseconds(get("startTimeUnixNano")),
        end_ns=fields.nanoseconds(get("endTimeUnixNano")),
        attributes=attributes(get("attributes"), stats),
        events=tuple(_event(as_object(event), stats) for event in as_list(get("events"))),
        links=tuple(_links(as_list(get("links")), stats)),
        status=status,
        status_message=status_message,
        resource=resource,
        scope=scope,
        dropped_attributes=fields.count(get("droppedAttributesCount")),
        trace_state=fields.text(get("traceState")),
    )
    stats.spans += 1
    return span


def _log_record(
    raw: Object, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> LogRecord:
    get = raw.get
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


def _status(raw: Json) -> tuple[SpanStatus, str]:
    if raw is None:
        return SpanStatus.UNSET, ""
    status = as_object(raw)
    return fields.status_code(status.get("code")), fields.text(status.get("message"))


def _resource(group: Json, stats: ReadStats) -> Resource:
    raw = group.get("resource") if is_object(group) else None
    if raw is None:
        return Resource()
    try:
        return Resource(attributes=attributes(as_object(raw).get("attributes"), stats))
    except Unreadable:
        stats.unreadable_values += 1
        return Resource()


def _scope(part: Json, stats: ReadStats) -> InstrumentationScope:
    raw = part.get("scope") if is_object(part) else None
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
