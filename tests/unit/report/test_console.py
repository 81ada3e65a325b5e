from typing import Any

from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from rich.cells import cell_len

from tests.unit.report.conftest import Shown
from toolscore_otel.engine.report import Coverage, Report
from toolscore_otel.model import (
    Finding,
    FindingKind,
    Label,
    Score,
    Severity,
    Stage,
    Trajectory,
)
from toolscore_otel.report.console import print_report

TRACE = "826e4fa5971e24679e6268a0ab2e212a"


def found(
    rule: str, severity: Severity = Severity.ERROR, label: Label = Label.FAIL, **given: Any
) -> Finding:
    known: dict[str, Any] = {
        "kind": FindingKind.FORBIDDEN_CALL,
        "contract": "desk",
        "explanation": f"what {rule} says",
        "trace_id": TRACE,
    } | given
    return Finding(id=rule, rule=rule, severity=severity, label=label, **known)


FINDINGS = (
    found("two-searches", Severity.WARNING, kind=FindingKind.LIMIT_EXCEEDED, tool="search_web", agent="researcher",
          call_id="call_5", count=3, first="call_3", last="call_5"),
    found("no-deletion", Severity.CRITICAL, tool="delete_customer", agent="support", call_id="call_14",
          explanation="`delete_customer` was called by agent `support`: support never deletes a customer, the privacy team does"),
    found("new-rule", Severity.CRITICAL, shadow=True, stage=Stage.REQUESTED, span_id="93392b18231a7177"),
    found("secrets", kind=FindingKind.SECRET_EXPOSED, path="args.body", fingerprint="044c306544febad7", runbook="rotate it"),
    found("cost", label=Label.CANNOT_CHECK, count=12, explanation="`cost_usd` of the trace cannot be checked: cost not observed"),
    found("gone", Severity.CRITICAL, Label.PASS),
)  # fmt: skip

REPORT = Report(
    findings=FINDINGS,
    trajectories=(Trajectory(trace_id=TRACE, cost_usd=0.252), Trajectory(trace_id="b")),
    coverage=Coverage(requested=14, executed=13, ratio=13 / 14, gaps={"result_not_observed": 3}),
    outcomes={Label.PASS: 3, Label.FAIL: 4, Label.CANNOT_CHECK: 1},
    unjudged=1,
    errors={"desk/odd: ValueError": 2},
)


def test_findings_come_worst_first_then_what_could_not_be_checked_then_sums(shown):
    print_report(REPORT, shown.console, fail_on=Severity.ERROR)

    assert shown.text == snapshot("""\
CRITICAL  desk/no-deletion  forbidden call
  `delete_customer` was called by agent `support`: support never deletes a
  customer, the privacy team does
  trace 826e4fa5971e24679e6268a0ab2e212a, call call_14, agent support,
  tool delete_customer

ERROR  desk/secrets  secret exposed
  what secrets says
  trace 826e4fa5971e24679e6268a0ab2e212a, at args.body,
  fingerprint 044c306544febad7
  what to do: rotate it

WARNING  desk/two-searches  limit exceeded
  what two-searches says
  trace 826e4fa5971e24679e6268a0ab2e212a, call call_5, agent researcher,
  tool search_web, first call_3, last call_5, 3 calls

CRITICAL  desk/new-rule  forbidden call  in shadow: fails nothing
  what new-rule says
  trace 826e4fa5971e24679e6268a0ab2e212a, span 93392b18231a7177,
  asked for, not seen to run

Could not be checked
  desk/cost  12 calls in 1 trace
    `cost_usd` of the trace cannot be checked: cost not observed

traces  2, no contract applies to 1 of them
calls   13 seen to run, 14 asked for (93%)
cost    at least $0.2520: not all costs are known
rules   3 held, 4 failed, 1 could not be checked
gaps    result not observed 3
broken  desk/odd: ValueError, 2 times: this rule judged nothing there

2 findings at error or worse: 1 critical, 1 error.\
""")


def test_a_correction_is_not_shown(shown):
    print_report(Report(findings=(FINDINGS[-1],)), shown.console, fail_on=Severity.ERROR)

    assert "gone" not in shown.text


def test_nothing_known_is_shown_as_not_known(shown):
    report = Report(trajectories=(Trajectory(trace_id="b"),))

    print_report(report, shown.console, fail_on=Severity.CRITICAL)

    assert shown.text == snapshot("""\
traces  1
calls   0 seen to run, 0 asked for
cost    not known
rules   0 held, 0 failed, 0 could not be checked

No finding at critical.\
""")


def test_findings_of_one_rule_are_written_out_thrice_and_then_counted(shown):
    many = tuple(found("no", call_id=f"call_{n}", explanation="the same") for n in range(10))

    print_report(Report(findings=many), shown.console, fail_on=Severity.ERROR)

    assert shown.text.count("the same") == 1
    assert shown.text.count("call_") == 3
    assert "and 7 more of this rule" in shown.text


def test_shadow_comes_after_what_counts_and_fails_nothing(shown):
    report = Report(findings=(FINDINGS[2], FINDINGS[0]))

    print_report(report, shown.console, fail_on=Severity.WARNING)

    assert shown.text.index("two-searches") < shown.text.index("new-rule")
    assert shown.text.endswith("1 finding at warning or worse: 1 warning.")


@given(st.text(max_size=200), st.text(max_size=60), st.sampled_from(Label))
def test_no_line_is_wider_than_the_terminal(text, name, label):
    shown = Shown()
    finding = found("r", label=label, explanation=text, agent=name, tool=name, call_id=name)
    print_report(Report(findings=(finding,)), shown.console, fail_on=Severity.ERROR)

    assert all(cell_len(line) <= 80 for line in shown.lines)


def test_scores_are_one_line_a_contract(shown: Shown) -> None:
    scores = (
        Score(name="f1", value=0.5, contract="desk"),
        Score(name="f1", value=1.0, contract="desk"),
        Score(name="order", value=None, contract="desk"),
        Score(name="error_rate", value=0.25, contract="other"),
    )
    print_report(Report(scores=scores), shown.console, fail_on=Severity.ERROR)

    assert "scores  desk, means of up to 2: f1 0.750" in shown.lines
    assert "scores  other: error_rate 0.250" in shown.lines
