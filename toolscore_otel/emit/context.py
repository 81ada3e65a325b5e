"""Where something that we emit belongs, in the terms of the OpenTelemetry API."""

from __future__ import annotations

from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context


def context_of(trace_id: str, span_id: str | None) -> Context:
    """A context whose current span is that one, whether it has ended or not.

    Args:
        trace_id: 32 hex digits; empty for none.
        span_id: 16 hex digits; None for the trace as a whole.
    """
    span = SpanContext(
        trace_id=int(trace_id, 16) if trace_id else 0,
        span_id=int(span_id, 16) if span_id else 0,
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(span), Context())
