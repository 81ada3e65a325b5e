"""The recording's spans through the OpenTelemetry SDK and its OTLP exporter, as an application would send them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from toolscore_otel.errors import MissingExtraError
from toolscore_otel.model import Span, SpanStatus

try:
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
except ImportError as error:
    raise MissingExtraError("`demo --live`", "live") from error

BATCH_MS = 200
"""How long the SDK gathers spans; its own default is 5 s."""

_STATUSES = {
    SpanStatus.UNSET: StatusCode.UNSET,
    SpanStatus.OK: StatusCode.OK,
    SpanStatus.ERROR: StatusCode.ERROR,
}


@contextmanager
def exporting(port: int) -> Generator[Callable[[Span], None]]:
    """Sends spans as they are given; everything is sent when the `with` ends.

    Args:
        port: of this machine, where OTLP over gRPC is listened for.
    """
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{port}", insecure=True)
    processor: Any = BatchSpanProcessor(exporter, schedule_delay_millis=BATCH_MS)
    try:
        yield lambda span: processor.on_end(_of_sdk(span))
    finally:
        processor.shutdown()


def _of_sdk(span: Span) -> ReadableSpan:
    attributes: Any = span.attributes
    resource: Any = span.resource.attributes
    return ReadableSpan(
        name=span.name,
        context=_context(span.trace_id, span.span_id),
        parent=_context(span.trace_id, span.parent_span_id) if span.parent_span_id else None,
        resource=Resource(resource),
        attributes=attributes,
        events=[_event(event) for event in span.events],
        kind=SpanKind[span.kind.name]
        if span.kind.name in SpanKind.__members__
        else SpanKind.INTERNAL,
        status=Status(_STATUSES[span.status], span.status_message or None),
        start_time=span.start_ns,
        end_time=span.end_ns,
        instrumentation_scope=InstrumentationScope(span.scope.name, span.scope.version),
    )


def _event(event: Any) -> Event:
    return Event(event.name, event.attributes, event.time_ns)


def _context(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(
        int(trace_id, 16),
        int(span_id, 16),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
