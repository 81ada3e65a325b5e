"""Our own findings, known again."""

from typing import Any

import pytest

from toolscore_otel.emit import span_event
from toolscore_otel.emit.log_events import log_event
from toolscore_otel.model import Finding, FindingKind, Label, LogRecord, Severity, Span, SpanEvent
from toolscore_otel.wire.marks import is_marked

FINDING = Finding(
    id="f",
    rule="forbid",
    kind=FindingKind.FORBIDDEN_CALL,
    severity=Severity.ERROR,
    contract="c",
    label=Label.FAIL,
    explanation="e",
)
IDS: Any = {"trace_id": "0a" * 16, "span_id": "0b" * 8}


def test_a_span_with_the_event_of_a_finding_is_marked():
    event = span_event(FINDING)
    assert event is not None
    assert is_marked(Span(**IDS, events=(SpanEvent("other"), SpanEvent(event[0], 5, event[1]))))


def test_what_tells_of_a_score_is_marked():
    attributes = {"toolscore.score.id": "s"}
    assert is_marked(LogRecord(attributes=attributes))
    assert is_marked(Span(**IDS, attributes=attributes))


def test_the_log_record_of_a_finding_is_marked():
    assert is_marked(LogRecord(attributes=log_event(FINDING).attributes))


@pytest.mark.parametrize("item", [Span(**IDS, events=(SpanEvent("toolscore.x"),)), LogRecord()])
def test_what_tells_of_no_finding_is_not(item):
    assert not is_marked(item)
