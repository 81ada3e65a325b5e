"""Deliveries as telemetry: a log record, or a span of no duration for backends that take nothing else."""

from __future__ import annotations

import re
from hashlib import blake2b

from toolscore_otel.emit import log_event
from toolscore_otel.emit.log_events import LogEvent
from toolscore_otel.model import InstrumentationScope, LogRecord, Span, SpanKind
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.own_resource import SCOPE

_SCOPE = InstrumentationScope(SCOPE)
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_SPAN_ID = re.compile(r"(?!0{16})[0-9a-f]{16}")


def log_record_of(delivery: Delivery) -> LogRecord:
    """The log record of a delivery, under the resource of the span that it is about."""
    event = _event(delivery)
    return LogRecord(
        trace_id=event.trace_id if _TRACE_ID.fullmatch(event.trace_id) else None,
        span_id=event.span_id if _SPAN_ID.fullmatch(event.span_id or "") else None,
        event_name=event.name,
        time_ns=delivery.time_ns,
        severity_number=event.severity_number,
        severity_text=event.severity_text,
        attributes=event.attributes,
        resource=delivery.resource,
        scope=_SCOPE,
    )


def span_of(delivery: Delivery) -> Span | None:
    """The same as a child of the span at fault; of the trace's first one, where it sits on none.

    Its id follows from the finding (or the score) and its revision, so that what is delivered twice is one span.

    Returns:
        None where it stands in no trace.
    """
    event = _event(delivery)
    if not _TRACE_ID.fullmatch(event.trace_id):
        return None
    parent = event.span_id or delivery.span_id or ""
    time_ns = delivery.at_ns or delivery.time_ns
    return Span(
        trace_id=event.trace_id,
        span_id=span_id_of(delivery),
        parent_span_id=parent if _SPAN_ID.fullmatch(parent) else None,
        name=event.name,
        kind=SpanKind.INTERNAL,
        start_ns=time_ns,
        end_ns=time_ns,
        attributes=event.attributes,
        resource=delivery.resource,
        scope=_SCOPE,
    )


def span_id_of(delivery: Delivery) -> str:
    """16 hex digits that follow from a finding, or a score, and its revision."""
    told = _event(delivery).attributes
    key = told.get("toolscore.finding.id") or told["toolscore.score.id"]
    text = f"{key} {told['toolscore.revision']}"
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _event(delivery: Delivery) -> LogEvent:
    if delivery.score is not None:
        return delivery.score
    assert delivery.finding is not None  # noqa: S101 - for the type checker
    return log_event(
        delivery.finding, contract_hash=delivery.contract_hash, closed_by=delivery.closed_by
    )
