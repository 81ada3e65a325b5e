"""Spans and log records -> one OTLP/JSON request, for tests, examples and whoever wants to keep what was read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar, cast

from toolscore_otel.model import (
    InstrumentationScope,
    Json,
    LogRecord,
    Span,
    SpanKind,
    SpanStatus,
)

Item = TypeVar("Item", Span, LogRecord)

_KINDS = tuple(SpanKind)
_STATUSES = tuple(SpanStatus)


def to_otlp_json(items: Iterable[Span | LogRecord]) -> dict[str, Json]:
    """One request with these spans and log records; reading it gives them back, spans first.

    Neighbours that share resource and scope share one group. What is None is left out. Values become what they are in
    JSON: bytes that were read as base64 text are written as text.

    Returns:
        An object for `json.dumps` or `msgspec.json.encode`; one of them a line makes a JSON lines file.
    """
    kept = list(items)
    spans = [item for item in kept if isinstance(item, Span)]
    records = [item for item in kept if isinstance(item, LogRecord)]
    request: dict[str, Json] = {}
    if spans:
        request["resourceSpans"] = _groups(spans, ("scopeSpans", "spans"), _span)
    if records:
        request["resourceLogs"] = _groups(records, ("scopeLogs", "logRecords"), _log_record)
    return request


def _groups(
    items: Sequence[Item], names: tuple[str, str], write: Callable[[Item], dict[str, Json]]
) -> list[Json]:
    middle, inner = names
    return [
        {
            "resource": {"attributes": _pairs(resource.attributes)},
            middle: [{"scope": _scope(scope), inner: [write(item) for item in group]}],
        }
        for (resource, scope), group in groupby(items, lambda item: (item.resource, item.scope))
    ]


def _scope(scope: InstrumentationScope) -> dict[str, Json]:
    return _known({"name": scope.name or None, "version": scope.version or None})


def _span(span: Span) -> dict[str, Json]:
    return _known(
        {
            "traceId": span.trace_id,
            "spanId": span.span_id,
            "parentSpanId": span.parent_span_id,
            "traceState": span.trace_state or None,
            "name": span.name,
            "kind": _KINDS.index(span.kind),
            "startTimeUnixNano": _time(span.start_ns),
            "endTimeUnixNano": _time(span.end_ns),
            "attributes": _pairs(span.attributes),
            "droppedAttributesCount": span.dropped_attributes or None,
            "events": [
                _known(
                    {
                        "timeUnixNano": _time(event.time_ns),
                        "name": event.name,
                        "attributes": _pairs(event.attributes),
                    }
                )
                for event in span.events
            ],
            "links": [
                {
                    "traceId": link.trace_id,
                    "spanId": link.span_id,
                    "attributes": _pairs(link.attributes),
                }
                for link in span.links
            ],
            "status": _known(
                {
                    "code": _STATUSES.index(span.status) or None,
                    "message": span.status_message or None,
                }
            ),
        }
    )


def _log_record(record: LogRecord) -> dict[str, Json]:
    return _known(
        {
            "timeUnixNano": _time(record.time_ns),
            "severityNumber": record.severity_number or None,
            "severityText": record.severity_text or None,
            "eventName": record.event_name,
            "body": None if record.body is None else _value(record.body),
            "attributes": _pairs(record.attributes),
            "traceId": record.trace_id,
            "spanId": record.span_id,
        }
    )


def _pairs(attributes: Mapping[str, Json]) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Json) -> dict[str, Json]:
    match value:
        case None:
            return {}
        case str():
            return {"stringValue": value}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": _double(value)}
        case list() | tuple():
            entries = cast("Sequence[Json]", value)
            return {"arrayValue": {"values": [_value(entry) for entry in entries]}}
        case _:
            return {"kvlistValue": {"values": _pairs(value)}}


def _double(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _time(time_ns: int | None) -> str | None:
    return None if time_ns is None else str(time_ns)


def _known(fields: dict[str, Json]) -> dict[str, Json]:
    """Without what is None or empty: absent means the same in OTLP."""
    return {name: value for name, value in fields.items() if value not in (None, [], {})}
