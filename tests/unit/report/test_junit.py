from xml.etree.ElementTree import Element, fromstring

from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from tests.unit.report.made import HOSTILE, TRACE, found, judged, report_of
from toolscore_otel.engine import Report
from toolscore_otel.model import Label, Scope, Score, Severity, Trajectory
from toolscore_otel.report.junit import report_junit
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample


def written(report, fail_on=Severity.ERROR):
    return report_junit(report, Scanner(), fail_on=fail_on).decode()


def test_each_rule_on_each_trajectory_is_a_test_case():
    report = report_of(
        found("no-deletion", Severity.CRITICAL, tool="rm", call_id="c1", runbook="call us"),
        found("slow", Severity.WARNING),
        found("cost", label=Label.CANNOT_CHECK, explanation="cost not observed"),
        found("coverage", Severity.WARNING, contract=""),
        judged=(
            judged("no-deletion", Label.FAIL, "no-deletion"),
            judged("slow", Label.FAIL, "slow"),
            judged("cost", Label.CANNOT_CHECK, "cost"),
            judged("fine", Label.PASS),
        ),
        errors={"desk/odd: ValueError": 2},
    )

    assert written(report) == snapshot("""\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="toolscore-otel" tests="6" failures="1" errors="1" skipped="1">
  <testsuite name="desk" tests="4" failures="1" errors="0" skipped="1">
    <testcase classname="desk" name="no-deletion: trace 826e4fa5971e24679e6268a0ab2e212a">
      <failure type="forbidden_call" message="what `no-deletion` says">critical: what `no-deletion` says
  trace 826e4fa5971e24679e6268a0ab2e212a, call c1, tool rm
  what to do: call us</failure>
    </testcase>
    <testcase classname="desk" name="slow: trace 826e4fa5971e24679e6268a0ab2e212a">
      <system-out>warning: what `slow` says
  trace 826e4fa5971e24679e6268a0ab2e212a</system-out>
    </testcase>
    <testcase classname="desk" name="cost: trace 826e4fa5971e24679e6268a0ab2e212a">
      <skipped message="cost not observed" />
    </testcase>
    <testcase classname="desk" name="fine: trace 826e4fa5971e24679e6268a0ab2e212a" />
  </testsuite>
  <testsuite name="coverage" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="coverage" name="coverage: trace 826e4fa5971e24679e6268a0ab2e212a">
      <system-out>warning: what `coverage` says
  trace 826e4fa5971e24679e6268a0ab2e212a</system-out>
    </testcase>
  </testsuite>
  <testsuite name="broken rules" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="broken rules" name="desk/odd: ValueError">
      <error message="raised 2 times" />
    </testcase>
  </testsuite>
</testsuites>
""")


def test_what_is_in_shadow_fails_no_test_case():
    report = report_of(
        found("new", Severity.CRITICAL, shadow=True), judged=(judged("new", Label.FAIL, "new"),)
    )

    assert "<failure" not in written(report)
    assert "critical, in shadow: fails nothing: what `new` says" in written(report)


def test_a_correction_is_no_test_case():
    assert "<testcase" not in written(report_of(found("gone", label=Label.PASS)))


def read_xml(text: bytes) -> Element:
    return fromstring(text)  # noqa: S314 - our own


def names(report):
    return [case.get("name") for case in read_xml(written(report).encode()).iter("testcase")]


def test_a_trajectory_is_called_by_its_scenario_and_its_ids():
    report = Report(
        trajectories=(Trajectory(trace_id=TRACE, scenario="refund"),),
        judged=(
            judged("r", Label.PASS),
            judged("r", Label.PASS, trajectory=(TRACE, "a1"), scope=Scope.AGENT),
            judged("r", Label.PASS, trajectory=("t", ""), scope=Scope.SESSION),
            judged("r", Label.PASS, trajectory=("", "desk\x1fc-1"), scope=Scope.SESSION),
            judged("r", Label.PASS, trajectory=("", "\x1fc-1"), scope=Scope.SESSION),
        ),
    )

    assert names(report) == [
        f"r: refund, trace {TRACE}",
        f"r: refund, trace {TRACE}, agent span a1",
        "r: trace t",
        "r: conversation c-1 of desk",
        "r: conversation c-1",
    ]


def test_a_secret_in_the_name_of_a_trajectory_stands_nowhere():
    secret = make_sample("github_token_classic", 3)
    report = Report(
        trajectories=(Trajectory(trace_id=TRACE, scenario=f"of {secret}"),),
        judged=(
            judged("r", Label.PASS),
            judged("r", Label.PASS, trajectory=("", f"desk\x1f{secret}"), scope=Scope.SESSION),
        ),
    )

    assert secret not in written(report)
    assert "REDACTED" in written(report)


@given(st.text(st.characters(exclude_categories=())) | st.just(HOSTILE))
def test_it_is_xml_whatever_a_finding_holds(text):
    report = report_of(
        found("r", explanation=text, tool=text, path=text, runbook=text),
        found("s", label=Label.CANNOT_CHECK, explanation=text),
        judged=(
            judged("r", Label.FAIL, "r"),
            judged("s", Label.CANNOT_CHECK, "s", trajectory=("", f"{text}\x1f{text}"), scope=Scope.SESSION),
        ),
        errors={text: 1},
    )  # fmt: skip

    read = read_xml(report_junit(report, Scanner(), fail_on=Severity.ERROR))

    assert len(list(read.iter("testcase"))) == 3
    assert len(list(read.iter("failure"))) == 1


def test_means_of_scores_are_properties_of_their_suite():
    report = report_of(
        judged=(judged("fine", Label.PASS),),
        scores=(
            Score(name="f1", value=0.5, contract="desk"),
            Score(name="f1", value=0.25, contract="desk"),
            Score(name="order", value=1.0, contract="desk"),
            Score(name="hard_fail", value=None, contract="desk"),
            Score(name="f1", value=1.0, contract="without a suite"),
        ),
    )
    (suite,) = fromstring(written(report))  # noqa: S314 - written here

    assert (suite.tag, suite.get("tests"), suite[0].tag) == ("testsuite", "1", "properties")
    assert [one.attrib for one in suite[0]] == [
        {"name": "score.f1", "value": "0.375"},
        {"name": "score.order", "value": "1"},
    ]
