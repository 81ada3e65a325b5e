import json

import msgspec
from inline_snapshot import snapshot

from toolscore_otel.engine.report import Coverage, Report
from toolscore_otel.model import (
    ClosedBy,
    CostSource,
    Finding,
    FindingKind,
    Gap,
    Label,
    Score,
    Severity,
    Status,
    Tokens,
    ToolCall,
    Trajectory,
    Turn,
)
from toolscore_otel.report.score_json import report_object
from toolscore_otel.secrets.samples import make_sample

FINDING = Finding(
    id="f1",
    rule="no-deletion",
    kind=FindingKind.FORBIDDEN_CALL,
    severity=Severity.CRITICAL,
    contract="desk",
    label=Label.FAIL,
    explanation="why",
    labels={"team": "support"},
)
TRAJECTORY = Trajectory(
    trace_id="t",
    start_ns=1,
    end_ns=2,
    calls=(ToolCall(tool="a", status=Status.ERROR), ToolCall(tool="b")),
    tokens=Tokens(input=0, output=3),
    cost_usd=0.5,
    cost_source=CostSource.REPORTED,
    closed_by=ClosedBy.END_OF_INPUT,
    gaps=(Gap.COST_NOT_KNOWN,),
)


def test_a_report_is_one_object_of_plain_data():
    report = Report(
        findings=(FINDING,),
        scores=(Score(name="error_rate", value=None, contract="desk"),),
        trajectories=(TRAJECTORY,),
        coverage=Coverage(requested=2, executed=1, ratio=0.5, gaps={"cost_not_known": 1}),
    )

    assert report_object(report) == snapshot(
        {
            "findings": [
                {
                    "id": "f1",
                    "rule": "no-deletion",
                    "kind": "forbidden_call",
                    "severity": "critical",
                    "contract": "desk",
                    "scope": "trace",
                    "trace_id": None,
                    "conversation_id": None,
                    "span_id": None,
                    "call_id": None,
                    "tool": None,
                    "agent": None,
                    "service": None,
                    "environment": None,
                    "path": None,
                    "label": "fail",
                    "count": 1,
                    "first": None,
                    "last": None,
                    "stage": None,
                    "shadow": False,
                    "secret_kind": None,
                    "fingerprint": None,
                    "contract_version": None,
                    "labels": {"team": "support"},
                    "runbook": None,
                    "explanation": "why",
                    "revision": 1,
                }
            ],
            "scores": [
                {
                    "name": "error_rate",
                    "value": None,
                    "label": None,
                    "contract": "desk",
                    "trace_id": None,
                    "conversation_id": None,
                    "explanation": "",
                }
            ],
            "trajectories": [
                {
                    "scope": "trace",
                    "trace_id": "t",
                    "conversation_id": None,
                    "agent": None,
                    "service": None,
                    "start_unix_nano": 1,
                    "end_unix_nano": 2,
                    "latency_s": None,
                    "active_s": None,
                    "calls": 2,
                    "errors": 1,
                    "tokens": {
                        "input": 0,
                        "output": 3,
                        "cached": None,
                        "reasoning": None,
                        "cache_write": None,
                    },
                    "cost_usd": 0.5,
                    "cost_source": "reported",
                    "closed_by": "end_of_input",
                    "incomplete": False,
                    "gaps": ("cost_not_known",),
                    "turns": [],
                    "agent_totals": [],
                    "by_agent": [],
                    "by_model": [],
                }
            ],
            "coverage": {
                "requested": 2,
                "executed": 1,
                "ratio": 0.5,
                "gaps": {"cost_not_known": 1},
            },
        }
    )


def test_a_finding_gives_all_that_the_model_knows():
    (given,) = report_object(Report(findings=(FINDING,)))["findings"]

    assert set(given) == {field.name for field in msgspec.structs.fields(Finding)}


def test_corrections_are_kept():
    corrected = msgspec.structs.replace(FINDING, label=Label.PASS, revision=2)

    assert [f["label"] for f in report_object(Report(findings=(corrected,)))["findings"]] == [
        "pass"
    ]


def test_nothing_observed_is_null_and_not_zero():
    (given,) = report_object(Report(trajectories=(Trajectory(),)))["trajectories"]

    assert [
        given[key] for key in ("trace_id", "latency_s", "active_s", "cost_usd", "cost_source")
    ] == [None] * 5
    assert set(given["tokens"].values()) == {None}


def test_it_can_be_written_as_json():
    assert json.loads(json.dumps(report_object(Report())))["coverage"]["ratio"] is None


def test_a_secret_in_the_name_of_a_model_or_an_agent_does_not_leave():
    secret = make_sample("github_token_classic", 2)
    turn = Turn(id="m", agent=secret, model=secret, provider=secret)
    given = json.dumps(report_object(Report(trajectories=(Trajectory(turns=(turn, turn)),))))
    assert given.count("[REDACTED:") == 8
    assert secret not in given
