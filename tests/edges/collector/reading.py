"""What arrived at the far end, as plain values."""

from __future__ import annotations

from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.parts.sink import Sink

MARK = "toolscore."
"""How names begin that are ours."""


def values(attributes: Any) -> dict[str, Any]:
    """Attributes that hold one value each, by key."""
    return {one.key: _value(one) for one in attributes}


def finding_logs(sink: Sink) -> list[LogRecord]:
    """The last revision of each finding that arrived as a log event."""
    last: dict[str, LogRecord] = {}
    for record in sink.logs():
        if finding_id := values(record.attributes).get("toolscore.finding.id"):
            last[finding_id] = record
    return list(last.values())


def rules_found(sink: Sink) -> dict[bytes, set[str]]:
    """Trace id -> the rules that findings arrived for, as log events with the label `fail`."""
    found: dict[bytes, set[str]] = {}
    for record in finding_logs(sink):
        if values(record.attributes)["gen_ai.evaluation.score.label"] == "fail":
            found.setdefault(record.trace_id, set()).add(rule_of(record))
    return found


def rule_of(record: LogRecord) -> str:
    """The rule that a finding is about."""
    return str(values(record.attributes)["toolscore.rule.id"])


def without_our_events(span: Span) -> Span:
    """A span as it was before findings were written on it."""
    plain = Span()
    plain.CopyFrom(span)
    kept = [event for event in span.events if not event.name.startswith(MARK)]
    del plain.events[:]
    plain.events.extend(kept)
    return plain


def our_events(span: Span) -> list[str]:
    """Names of the findings on a span."""
    return [event.name for event in span.events if event.name.startswith(MARK)]


def _value(pair: KeyValue) -> Any:
    kind = pair.value.WhichOneof("value")
    return None if kind is None else getattr(pair.value, kind)
