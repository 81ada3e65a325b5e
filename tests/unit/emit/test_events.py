"""Findings as log records and span events."""

import pytest

from toolscore_otel.emit import log_event, span_event
from toolscore_otel.model import ClosedBy, Finding, FindingKind, Label, Severity

BARE = Finding(
    id="f1",
    rule="forbid.1",
    kind=FindingKind.FORBIDDEN_CALL,
    severity=Severity.ERROR,
    contract="support",
    label=Label.FAIL,
    explanation="`rm` was called, which is forbidden",
)


def bare(**fields):
    """The same with something else in it."""
    return Finding(**({name: getattr(BARE, name) for name in BARE.__struct_fields__} | fields))


def test_what_is_not_known_is_left_out():
    assert log_event(BARE).attributes == {
        "gen_ai.evaluation.name": "support/forbid.1",
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.explanation": "`rm` was called, which is forbidden",
        "toolscore.finding.id": "f1",
        "toolscore.rule.id": "forbid.1",
        "toolscore.rule.kind": "forbidden_call",
        "toolscore.severity": "error",
        "toolscore.contract.id": "support",
        "toolscore.revision": 1,
        "toolscore.count": 1,
        "toolscore.shadow": False,
    }


@pytest.mark.parametrize(
    ("severity", "number", "text"),
    [
        (Severity.INFO, 9, "INFO"),
        (Severity.WARNING, 13, "WARNING"),
        (Severity.ERROR, 17, "ERROR"),
        (Severity.CRITICAL, 21, "CRITICAL"),
    ],
)
def test_the_severity_number_is_that_of_the_rule(severity, number, text):
    event = log_event(bare(severity=severity))
    assert (event.severity_number, event.severity_text) == (number, text)


def test_a_correction_alarms_nobody():
    event = log_event(bare(severity=Severity.CRITICAL, label=Label.PASS))
    assert event.severity_number == 9
    assert event.attributes["gen_ai.evaluation.score.value"] == 1.0


def test_what_could_not_be_checked_has_no_score():
    attributes = log_event(bare(label=Label.CANNOT_CHECK)).attributes
    assert attributes["gen_ai.evaluation.score.label"] == "cannot_check"
    assert "gen_ai.evaluation.score.value" not in attributes


def test_labels_of_the_contract_are_attributes_of_their_own():
    attributes = log_event(bare(labels={"team": "payments", "severity": "odd"})).attributes
    assert attributes["toolscore.label.team"] == "payments"
    assert attributes["toolscore.label.severity"] == "odd"
    assert attributes["toolscore.severity"] == "error"


def test_why_a_trajectory_was_closed_is_told_where_it_is_known():
    event = log_event(BARE, closed_by=ClosedBy.IDLE)
    assert event.attributes["toolscore.close.reason"] == "idle"


def test_a_rule_without_a_contract_stands_for_itself():
    attributes = log_event(bare(contract="", rule="coverage")).attributes
    assert attributes["gen_ai.evaluation.name"] == "coverage"
    assert "toolscore.contract.id" not in attributes


@pytest.mark.parametrize("label", [Label.PASS, Label.CANNOT_CHECK])
def test_only_what_stands_at_fail_is_an_event_on_a_span(label):
    assert span_event(bare(label=label)) is None


@pytest.mark.parametrize("kind", [FindingKind.MISSING_CALL, FindingKind.COVERAGE_GAP])
def test_what_is_decided_at_closing_is_no_event_on_a_span(kind):
    assert span_event(bare(kind=kind)) is None


def test_a_span_event_is_named_by_the_kind_and_carries_the_same():
    attributes = log_event(BARE, contract_hash="cd34").attributes
    assert span_event(BARE, contract_hash="cd34") == ("toolscore.forbidden_call", attributes)
