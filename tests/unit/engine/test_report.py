from msgspec import structs

from toolscore_otel.assembly import Limits
from toolscore_otel.engine import Coverage, Report, merged, score
from toolscore_otel.engine.report import coverage_of
from toolscore_otel.model import (
    CallKind,
    Finding,
    FindingKind,
    Label,
    LogRecord,
    Scope,
    Severity,
    ToolCall,
    Trajectory,
)


def test_a_report_is_in_a_stable_order(contract, fed, tool):
    rules = contract(forbid=["rm", "rm*"], budget=[{"of": "trace", "calls": 0}])
    engine = fed(rules)
    engine.feed(
        tool("s9", "rm", trace="v", at=500), tool("s3", "rm", at=40), tool("s2", "rm", at=20)
    )
    engine.feed(tool("s1", "rm", trace="u", at=40))
    report = engine.engine.report()
    assert [(f.trace_id, f.span_id, f.rule) for f in report.findings] == [
        ("t", "s2", "forbid.1"),
        ("t", "s2", "forbid.2"),
        ("t", "s3", "forbid.1"),
        ("t", "s3", "forbid.2"),
        ("t", None, "budget.1"),
        ("u", "s1", "forbid.1"),
        ("u", "s1", "forbid.2"),
        ("u", None, "budget.1"),
        ("v", "s9", "forbid.1"),
        ("v", "s9", "forbid.2"),
        ("v", None, "budget.1"),
    ]
    assert [t.trace_id for t in report.trajectories] == ["t", "u", "v"]


def test_outcomes_count_each_rule_on_each_trajectory(contract, fed, tool, agent):
    rules = contract(
        forbid=["rm", {"tool": "ls", "args": {"a": 1}}, "never"], require=["ls"], scope="agent"
    )
    engine = fed(rules)
    engine.feed(agent("a1"), tool("s1", "rm", parent="a1"), tool("s2", "ls", parent="a1", at=20))
    engine.feed(agent("a2"), tool("s3", "ls", {}, parent="a2"))
    engine.close()
    outcomes = engine.engine.report().outcomes
    assert outcomes == {Label.FAIL: 1, Label.CANNOT_CHECK: 1, Label.PASS: 6}


def test_a_place_that_calls_only_passed_through_is_no_trajectory(contract, fed, tool, agent):
    engine = fed(contract(forbid=["rm"], scope="agent"))
    engine.feed(tool("s1", "rm", parent="a1"), agent("a1"))
    engine.close()
    assert engine.engine.report().outcomes == {Label.FAIL: 1}


def test_an_open_trajectory_is_reported_as_it_stands(contract, fed, tool):
    engine = fed(contract(forbid=["rm", "ls"]))
    engine.feed(tool("s1", "rm"), tool("s2", "ls", agent="x", trace="u"))
    report = engine.engine.report()
    assert report.outcomes == {Label.FAIL: 2}
    assert [t.closed_by for t in report.trajectories] == [None, None]


def test_a_span_that_is_seen_makes_a_contract_apply_at_once(contract, fed, model):
    engine = fed(contract(applies_to={"service": "desk"}, forbid=["rm"]))
    engine.feed(model("m1", service="shop"), model("m2", service="desk"), model("m3"))
    assert engine.engine.report().unjudged == 0


def test_a_call_that_is_seen_makes_a_contract_apply_at_once(contract, fed, tool):
    engine = fed(contract(applies_to={"agent": "desk"}, forbid=["rm"]))
    engine.feed(tool("s1", "rm", agent="desk"))
    report = engine.engine.report()
    assert (report.unjudged, report.outcomes) == (0, {Label.FAIL: 1})


def test_trajectories_that_no_contract_applies_to_are_counted(contract, fed, tool):
    engine = fed(contract(applies_to={"service": "desk"}, forbid=["rm"]))
    engine.feed(tool("s1", "rm", service="desk"), tool("s2", "rm", service="shop", trace="u"))
    engine.close()
    report = engine.engine.report()
    assert (report.unjudged, len(report.findings)) == (1, 1)
    without = fed()
    without.feed(tool("s1"))
    assert without.engine.report().unjudged == 1


def test_coverage_is_what_ran_over_what_was_asked_for(fed, asked, executed, tool):
    engine = fed()
    engine.feed(asked("s1", "rm", "c1"), executed("s2", "s1", "c1"), asked("s3", "ls", "c2", at=20))
    coverage = engine.engine.report().coverage
    assert (coverage.requested, coverage.executed, coverage.ratio) == (2, 1, 0.5)
    assert coverage.gaps["requested_not_run"] == 1
    assert Coverage().ratio is None


def test_only_calls_of_kind_tool_are_covered():
    calls = (ToolCall(tool="a"), ToolCall(tool="b", kind=CallKind.HANDOFF))
    coverage = coverage_of([Trajectory(calls=calls)])
    assert (coverage.requested, coverage.executed) == (1, 1)


def finding(label=Label.FAIL, severity=Severity.ERROR, *, shadow=False):
    return Finding(
        id="1",
        rule="r",
        kind=FindingKind.FORBIDDEN_CALL,
        severity=severity,
        contract="c",
        label=label,
        explanation="x",
        shadow=shadow,
    )


def test_what_fails_is_severe_enough_and_out_of_shadow():
    counted = finding()
    report = Report(
        findings=(
            counted,
            finding(Label.CANNOT_CHECK),
            finding(Label.PASS),
            finding(severity=Severity.WARNING),
            finding(shadow=True),
        )
    )
    assert report.failing() == (counted,)
    assert len(report.failing(Severity.WARNING)) == 2
    assert report.failing(Severity.CRITICAL) == ()


def test_reports_are_merged_in_the_order_given(contract, fed, tool):
    reports = []
    for name in ("b", "a"):
        engine = fed(contract(forbid=["rm", "ls"]))
        engine.feed(tool("s1", "rm", trace=name))
        engine.close()
        reports.append(engine.engine.report())
    both = merged(reports)
    assert [f.trace_id for f in both.findings] == ["b", "a"]
    assert [t.trace_id for t in both.trajectories] == ["b", "a"]
    assert both.outcomes == {Label.FAIL: 2, Label.PASS: 2}
    assert (both.coverage.requested, both.counters["spans"], both.errors) == (2, 2, {})
    assert merged([]) == Report()


def test_a_recording_is_scored_in_one_call(contract, tool):
    log = LogRecord(trace_id="t")
    spans = [tool("s1", "rm"), log, tool("s2", "rm", at=20)]
    report = score(spans, [contract(forbid=["rm"])], limits=Limits(spans_per_trajectory=1))
    assert [f.label for f in report.findings] == ["fail", "fail"]
    assert report.counters["span_limit"] == 1
    assert report.trajectories[0].closed_by == "end_of_input"


def test_a_recording_may_name_the_scenario_of_traces_that_name_none(contract, tool, agent):
    expecting = contract(expect=[{"when": {"scenario": "refund"}, "calls": ["rm"]}])
    spans = [agent("root"), tool("ls", parent="root")]
    assert not score(spans, [expecting]).findings
    report = score(spans, [expecting], scenario="refund")
    assert [trajectory.scenario for trajectory in report.trajectories] == ["refund"]
    assert [finding.kind for finding in report.findings] == ["missing_call"]
    named = [structs.replace(spans[0], attributes={"toolscore.scenario": "other"}), *spans[1:]]
    assert score(named, [expecting], scenario="refund").trajectories[0].scenario == "other"


def test_an_expectation_may_be_about_what_spans_say(contract, tool, agent):
    when = {"attributes": {"tier": {"$regex": "^g"}, "team": "a"}}
    for scope in ("trace", "session"):
        expecting = contract(expect=[{"when": when, "calls": ["rm"], "scope": scope}])
        bare = agent("root")
        own = {**bare.attributes, "team": "a"}
        root = structs.replace(bare, attributes={**own, "tier": "gold"})
        assert score([root, tool("ls", parent="root")], [expecting]).findings
        poor = structs.replace(bare, attributes=own)
        assert not score([poor, tool("ls", parent="root")], [expecting]).findings


def test_what_was_judged_names_rule_trajectory_and_standing_findings(contract, fed, tool, agent):
    engine = fed(contract(forbid=["rm"], require=["ls"], scope="agent"))
    engine.feed(agent("a1"), tool("s1", "rm", parent="a1"))
    engine.close()
    report = engine.engine.report()
    ids = {finding.rule: finding.id for finding in report.findings}
    found = [
        (o.contract, o.rule, o.scope, o.trajectory, o.label, o.findings) for o in report.judged
    ]
    assert found == [
        ("c", "forbid.1", Scope.AGENT, ("t", "a1"), Label.FAIL, (ids["forbid.1"],)),
        ("c", "require.1", Scope.AGENT, ("t", "a1"), Label.FAIL, (ids["require.1"],)),
    ]
    assert merged([report, report]).judged == report.judged * 2


def test_a_rule_that_no_call_was_of_interest_to_held_without_a_finding(contract, fed, tool):
    engine = fed(contract(forbid=["rm"]))
    engine.feed(tool("s1", "ls"))
    engine.close()
    (outcome,) = engine.engine.report().judged
    assert (outcome.label, outcome.trajectory, outcome.findings) == (Label.PASS, ("t", ""), ())
