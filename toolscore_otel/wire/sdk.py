"""Spans and log records of the OpenTelemetry SDK -> ours. Nothing of the SDK is imported: its objects are only read.

Most spans of an application say nothing of agents or tools. `attributes_of_interest` tells them apart before anything is
unpacked; what a span of interest shares with others (resource, scope) is converted once.

Source:
    opentelemetry-sdk 1.36 to 1.45, `ReadableSpan`; `LogData` (to 1.38), `ReadableLogRecord` and `ReadWriteLogRecord`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from toolscore_otel.conventions import is_of_interest
from toolscore_otel.model import (
    EMPTY,
    InstrumentationScope,
    Json,
    Link,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
    SpanKind,
    SpanStatus,
)
from toolscore_otel.wire.fields import MAX_DEPTH, event_name

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

Made = TypeVar("Made")

SHARED = 64
"""How many resources and scopes are kept converted; past it all are converted anew."""

_KINDS = tuple(SpanKind)
_STATUSES = tuple(SpanStatus)
_PLAIN = frozenset({str, int, float, bool, type(None)})


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    """A copy of a span's attributes, as the SDK holds them."""
    return dict(span.attributes or EMPTY)


def attributes_of_interest(span: ReadableSpan) -> dict[str, Any] | None:
    """A copy of a span's attributes; None where the span can say nothing about agents, models or tools.

    `copy()` of the SDK's own mapping takes a tenth of the time of walking it.
    """
    given: Any = span.attributes
    try:
        copied: Any = given.copy()
    except AttributeError:  # some other mapping, in a span that somebody built
        copied = attributes_of(span)
    if not is_of_interest(span.name, copied):
        return None
    return cast("dict[str, Any]", copied) if type(copied) is dict else dict(copied)


class SdkReader:
    """Converts what the SDK hands out. One belongs to one thread at a time."""

    def __init__(self) -> None:
        self._resources: dict[int, tuple[object, Resource]] = {}
        self._scopes: dict[int, tuple[object, InstrumentationScope]] = {}
        self._trace = (0, trace_id(0))

    def span(self, span: ReadableSpan, attributes: dict[str, Any] | None = None) -> Span:
        """A span with all that it carries.

        Args:
            span: ended.
            attributes: its own, where they were asked for before; they are changed in place.

        Raises:
            AttributeError: it has no context.
        """
        context: Any = span.context
        parent = span.parent
        status: Any = span.status
        events, links = span.events, span.links
        return Span(
            trace_id=self._trace_id(context.trace_id),
            span_id=span_id(context.span_id),
            parent_span_id=span_id(parent.span_id) if parent is not None else None,
            name=span.name,
            kind=_KINDS[span.kind.value + 1],
            start_ns=span.start_time or None,
            end_ns=span.end_time or None,
            attributes=_in_json(attributes_of(span) if attributes is None else attributes),
            events=tuple(map(_event, events)) if events else (),
            links=tuple(map(_link, links)) if links else (),
            status=_STATUSES[cast("int", status.status_code.value)],
            status_message=status.description or "",
            resource=self.resource(span.resource),
            scope=self.scope(span.instrumentation_scope),
            dropped_attributes=span.dropped_attributes,
            trace_state=context.trace_state.to_header() if context.trace_state else "",
        )

    def log_record(self, data: Any) -> LogRecord:
        """A log record, as a processor is given it.

        Args:
            data: `LogData`, `ReadableLogRecord` or `ReadWriteLogRecord`: the record, its scope and its resource.
        """
        record = data.log_record
        attributes = _in_json(dict(record.attributes or {}))
        severity = record.severity_number
        return LogRecord(
            trace_id=trace_id(record.trace_id) if record.trace_id else None,
            span_id=span_id(record.span_id) if record.span_id else None,
            event_name=event_name(record.event_name or "", attributes),
            time_ns=record.timestamp or record.observed_timestamp or None,
            severity_number=severity.value if severity is not None else 0,
            body=_value(record.body, 0),
            attributes=attributes,
            resource=self.resource(getattr(data, "resource", None) or record.resource),
            scope=self.scope(data.instrumentation_scope),
        )

    def _trace_id(self, number: int) -> str:
        """As `trace_id`; the same object for spans of one trace that come after one another."""
        if number != self._trace[0]:
            self._trace = (number, trace_id(number))
        return self._trace[1]

    def resource(self, resource: Any) -> Resource:
        """Who sent a span; the same object for the same resource."""
        if (known := self._resources.get(id(resource))) and known[0] is resource:
            return known[1]
        made = Resource(_in_json(dict(resource.attributes)))
        return _remembered(self._resources, resource, made)

    def scope(self, scope: Any) -> InstrumentationScope:
        """Which instrumentation wrote a span; the same object for the same scope."""
        if scope is None:
            return InstrumentationScope()
        if (known := self._scopes.get(id(scope))) and known[0] is scope:
            return known[1]
        made = InstrumentationScope(scope.name or "", scope.version or "")
        return _remembered(self._scopes, scope, made)


def trace_id(number: int) -> str:
    """A trace id as 32 hex digits."""
    return f"{number:032x}"


def span_id(number: int) -> str:
    """A span id as 16 hex digits."""
    return f"{number:016x}"


def _remembered(known: dict[int, tuple[object, Made]], foreign: object, made: Made) -> Made:
    """By identity: comparing resources costs more than converting them."""
    if len(known) >= SHARED:
        known.clear()
    known[id(foreign)] = (foreign, made)
    return made


def _event(event: Any) -> SpanEvent:
    return SpanEvent(
        name=event.name,
        time_ns=event.timestamp or None,
        attributes=_in_json(dict(event.attributes or EMPTY)),
    )


def _link(link: Any) -> Link:
    return Link(
        trace_id=trace_id(link.context.trace_id),
        span_id=span_id(link.context.span_id),
        attributes=_in_json(dict(link.attributes or EMPTY)),
    )


def _in_json(attributes: dict[str, Any]) -> dict[str, Json]:
    for key, value in attributes.items():
        if type(value) not in _PLAIN:
            attributes[key] = _value(value, 0)
    return attributes


def _value(value: object, depth: int) -> Json:
    """What it would be read as, had it gone over the wire; None for what cannot go there."""
    if type(value) in _PLAIN:
        return value
    if depth >= MAX_DEPTH:
        return None
    match value:
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return {str(key): _value(entry, depth + 1) for key, entry in entries.items()}
        case bytes():
            return base64.b64encode(value).decode()
        case str():  # of a class of its own, such as an enum
            return str.__str__(value)
        case int() | float():
            return int(value) if isinstance(value, int) else float(value)
        case Sequence():
            return [_value(entry, depth + 1) for entry in cast("Sequence[object]", value)]
        case _:
            return None
