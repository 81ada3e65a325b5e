"""The names under which anything leaves."""

import ast
import re
from pathlib import Path

import pytest

import toolscore_otel
from toolscore_otel.contracts import Contract
from toolscore_otel.emit import log_event, score_event, span_event, telemetry
from toolscore_otel.emit.log_events import EVENT
from toolscore_otel.emit.metrics import COVERAGE, DURATION, FOLDED, OF_SUMS
from toolscore_otel.emit.score_store import ScoreRevision
from toolscore_otel.emit.span_events import NAMES
from toolscore_otel.model import ClosedBy, Finding, FindingKind, Label, Score, Severity, Stage

PACKAGE = Path(toolscore_otel.__file__).parent


def finding(**fields):
    """A finding that has everything."""
    known = {
        "id": "f1",
        "rule": "forbid.1",
        "kind": FindingKind.FORBIDDEN_CALL,
        "severity": Severity.CRITICAL,
        "contract": "support",
        "label": Label.FAIL,
        "explanation": "`rm` was called, which is forbidden",
        "trace_id": "0" * 31 + "1",
        "conversation_id": "talk",
        "span_id": "0" * 15 + "2",
        "call_id": "c1",
        "tool": "rm",
        "agent": "ops",
        "path": "args.k",
        "stage": Stage.EXECUTED,
        "secret_kind": "token",
        "fingerprint": "ab12",
        "contract_version": "3",
        "labels": {"team": "payments"},
        "runbook": "call ops",
    }
    return Finding(**(known | fields))


@pytest.mark.parametrize("what", ["attribute", "event", "metric"])
def test_a_name_that_does_not_stand_in_the_file_is_refused(what):
    with pytest.raises(KeyError, match=r"`toolscore\.nothing` does not stand in telemetry\.yaml"):
        getattr(telemetry(), what)("toolscore.nothing")


def test_the_labels_of_a_contract_are_one_attribute_each():
    assert telemetry().attribute("toolscore.label.team").template


def test_an_attribute_is_no_template_for_what_stands_below_it():
    with pytest.raises(KeyError):
        telemetry().attribute("toolscore.severity.deep")


def test_everything_a_log_event_carries_stands_in_the_file():
    event = log_event(finding(), contract_hash="cd34")
    told = telemetry().event(event.name).attributes
    missing = {name for name in event.attributes if not name.startswith("toolscore.label.")} - {
        *told
    }
    assert missing == set()
    assert {*told} - {*event.attributes} == {
        "toolscore.label",
        "toolscore.close.reason",
        "toolscore.score.id",
    }


def test_everything_that_the_event_of_a_score_carries_stands_in_the_file():
    contract = Contract.from_dict(
        {
            "contract": "c",
            "language": 1,
            "version": "3",
            "runbook": "call",
            "labels": {"team": "a"},
            "forbid": ["rm"],
        }
    )
    score = Score(
        name="hard_fail",
        value=1.0,
        label=Label.FAIL,
        contract="c",
        conversation_id="talk",
        explanation="rule `e`",
    )
    revision = ScoreRevision(id="s1", revision=1, score=score)
    event = score_event(revision, contract, closed_by=ClosedBy.IDLE)
    told = {*telemetry().event(event.name).attributes}
    assert len(event.attributes) == 13
    assert {name for name in event.attributes if not name.startswith("toolscore.label.")} <= told


@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind in [*FindingKind]])
def test_every_span_event_stands_in_the_file(kind):
    event = span_event(finding(kind=FindingKind(kind)))
    assert event is not None
    assert telemetry().event(event[0]).form == "span"


def test_every_event_of_the_file_is_one_that_is_made():
    assert telemetry().events.keys() == {EVENT, *NAMES.values()}


def test_every_instrument_stands_in_the_file():
    assert [
        name for name in (*OF_SUMS, DURATION, COVERAGE, FOLDED) if name not in telemetry().metrics
    ] == []


def test_every_name_in_the_code_stands_in_the_file():
    literals = {
        node.value
        for part in ("emit", "sdk", "server")
        for path in (PACKAGE / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"toolscore(\.[a-z_]+)+", node.value)
    }
    names = telemetry()
    assert "toolscore.findings" in literals
    assert literals - {*names.attributes, *names.events, *names.metrics} == set()
