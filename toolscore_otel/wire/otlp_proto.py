"""An OTLP request in protobuf, as it stands in a file -> spans and log records."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.model import InstrumentationScope, LogRecord, Resource, Span
from toolscore_otel.wire import proto_values as values
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.proto_signal import Signal, signal_of
from toolscore_otel.wire.proto_values import Message, parse
from toolscore_otel.wire.stats import ReadStats


def read_request(data: bytes, stats: ReadStats) -> Iterator[Span | LogRecord]:
    """The spans or log records of one request, in its order.

    Args:
        data: `ExportTraceServiceRequest`, `TracesData`, `ExportLogsServiceRequest`, `LogsData`, or several of them one
            after another; metrics are counted and skipped.
        stats: counts what is given out, and what is not.

    Raises:
        Unreadable: the outer structure is broken; nothing was given out.
    """
    for group in parse("Request", data).groups:
        signals = [signal_of(part.items) for part in group.parts]
        stats.metrics += Signal.METRICS in signals
        resource = values.resource(group.resource, stats)
        for part, signal in zip(group.parts, signals, strict=True):
            if signal is not Signal.METRICS:
                yield from _items(part, signal, resource, stats)


def _items(
    part: Message, signal: Signal, resource: Resource, stats: ReadStats
) -> Iterator[Span | LogRecord]:
    read = _span if signal is Signal.SPANS else _log_record
    scope = values.scope(part.scope, stats)
    for data in part.items:
        try:
            item = read(data, resource, scope, stats)
        except Unreadable:
            stats.unreadable += 1
        else:
            yield item


def _span(data: bytes, resource: Resource, scope: InstrumentationScope, stats: ReadStats) -> Span:
    raw = parse("Span", data)
    span = values.span(raw, values.ids_of(raw), resource, scope, stats)
    stats.spans += 1
    return span


def _log_record(
    data: bytes, resource: Resource, scope: InstrumentationScope, stats: ReadStats
) -> LogRecord:
    record = values.log_record(parse("LogRecord", data), resource, scope, stats)
    stats.logs += 1
    return record
