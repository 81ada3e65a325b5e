import pytest
from dirty_equals import IsPartialDict
from msgspec import structs

from toolscore_otel.engine import Engine
from toolscore_otel.model import ClosedBy, FindingKind, Label, LogRecord, Severity, Trajectory
from toolscore_otel.secrets.samples import make_sample

SECOND = 1_000_000_000


def brief(findings):
    return [(f.rule, f.label.value, f.revision) for f in findings]


def test_a_forbidden_call_is_said_when_it_arrives(contract, fed, tool):
    engine = fed(contract(forbid=["rm"]))
    (finding,) = engine.feed(tool("s1", "rm", call_id="c1", service="desk", environment="prod"))
    assert structs.asdict(finding) == IsPartialDict(
        contract="c",
        rule="forbid.1",
        kind=FindingKind.FORBIDDEN_CALL,
        label=Label.FAIL,
        severity=Severity.ERROR,
        trace_id="t",
        span_id="s1",
        call_id="c1",
        tool="rm",
        service="desk",
        environment="prod",
        stage="executed",
        shadow=False,
        revision=1,
    )


def test_a_forbidden_call_is_known_before_it_runs(contract, fed, asked, executed):
    engine = fed(contract(forbid=["rm"]))
    (before,) = engine.feed(asked("s1", "rm"))
    assert (before.stage, before.explanation) == (
        "requested",
        "`rm` was asked for, which is forbidden",
    )
    (after,) = engine.feed(executed("s2", "s1"))
    assert (before.id, 2, "executed") == (after.id, after.revision, after.stage)


def test_what_a_contract_says_goes_out_with_its_findings(contract, fed, tool):
    keys = {
        "version": "3",
        "labels": {"team": "pay"},
        "runbook": "call Ann",
        "severity": "critical",
    }
    (finding,) = fed(contract(**keys, forbid=["rm"])).feed(tool("s1", "rm"))
    assert (finding.contract_version, finding.labels, finding.runbook) == (
        "3",
        {"team": "pay"},
        "call Ann",
    )
    assert finding.severity is Severity.CRITICAL


def test_a_rule_has_its_own_severity_and_shadow(contract, fed, tool):
    rules = [{"tool": "rm", "severity": "info"}, {"tool": "rm", "shadow": True, "id": "quiet"}]
    first, second = fed(contract(forbid=rules)).feed(tool("s1", "rm"))
    assert (first.severity, first.shadow) == (Severity.INFO, False)
    assert (second.rule, second.severity, second.shadow) == ("quiet", Severity.ERROR, True)


def test_a_contract_in_shadow_shadows_its_rules(contract, fed, tool):
    rules = ["rm", {"tool": "rm", "shadow": False}]
    engine = fed(contract(shadow=True, forbid=rules))
    assert [f.shadow for f in engine.feed(tool("s1", "rm"))] == [True, False]
    assert [f.rule for f in engine.engine.report().failing()] == ["forbid.2"]


def test_the_same_span_again_says_nothing_more(contract, fed, tool):
    engine = fed(contract(forbid=["rm"], limit=[{"tool": "rm", "max": 0}]))
    assert len(engine.feed(tool("s1", "rm"))) == 2
    assert engine.feed(tool("s1", "rm"), tool("s1", "rm")) == []


def test_ids_are_the_same_each_time_and_differ_where_they_should(contract, fed, tool):
    def ids(**keys):
        rules = {"forbid": ["rm", "rm*"]}
        engine = fed(contract(**rules | keys))
        return [
            f.id
            for f in engine.feed(tool("s1", "rm"), tool("s2", "rm"), tool("s1", "rm", trace="u"))
        ]

    assert ids() == ids()
    assert len({*ids(), *ids(contract="d")}) == 12
    assert all(len(each) == 32 for each in ids())


def test_what_cannot_be_checked_is_one_finding_at_closing(contract, fed, tool):
    engine = fed(contract(forbid=[{"tool": "rm", "args": {"path": "/"}}]))
    assert engine.feed(tool("s1", "rm"), tool("s2", "rm", at=20), tool("s3", "rm", {}, at=40)) == []
    (finding,) = engine.close()
    assert (finding.label, finding.count, finding.span_id) == (Label.CANNOT_CHECK, 2, "s1")
    assert finding.explanation == (
        "whether this call of `rm` is a forbidden one cannot be checked, nor of 1 more call: arguments not observed "
        "(switch on content capture of the instrumentation to record arguments)"
    )


def test_what_cannot_be_checked_sits_on_the_first_call(contract, fed, tool):
    engine = fed(contract(forbid=[{"tool": "rm", "args": {"path": "/"}}]))
    engine.feed(tool("s3", "rm", at=None), tool("s1", "rm", at=40), tool("s2", "rm", at=20))
    (finding,) = engine.close()
    assert (finding.span_id, finding.count) == ("s2", 3)


def test_a_finding_names_the_conversation_of_its_trace(contract, fed, tool, model):
    engine = fed(contract(forbid=["rm"], require=["log"]))
    own = {"gen_ai.conversation.id": "talk"}
    talking = tool("s1", "rm")
    engine.feed(structs.replace(talking, attributes={**talking.attributes, **own}))
    engine.feed(tool("s2", "rm", at=20))
    assert [f.conversation_id for f in engine.said] == ["talk", None]
    engine.close()
    assert {f.conversation_id for f in engine.engine.report().findings} == {"talk"}


def test_all_evidence_that_was_missing_is_named_once(contract, fed, tool):
    rules = [{"tool": "rm", "args": {"path": "/"}, "agent": "x"}]
    engine = fed(contract(forbid=rules))
    engine.feed(tool("s1", "rm"))
    (finding,) = engine.close()
    assert "agent and arguments not observed" in finding.explanation


def test_a_rule_can_fail_for_one_call_and_not_see_another(contract, fed, tool):
    engine = fed(contract(forbid=[{"tool": "rm", "args": {"path": "/"}}]))
    engine.feed(tool("s1", "rm", {"path": "/"}), tool("s2", "rm", at=20))
    engine.close()
    assert engine.fails == engine.standing(Label.CANNOT_CHECK) == ["forbid.1"]
    assert engine.engine.report().outcomes == {Label.FAIL: 1}


def test_a_secret_and_what_could_not_be_scanned_of_one_call_count_it_once(contract, fed, tool):
    engine = fed(contract(secrets={}))
    engine.feed(tool("s1", "rm"))
    (finding,) = engine.close()
    assert (finding.count, "arguments and result not observed" in finding.explanation) == (1, True)


def test_what_is_seen_late_corrects_what_could_not_be_checked(contract, fed, tool, plain):
    rule = contract(forbid=[{"tool": "rm", "args": {"path": "/"}}])
    engine = fed(rule)
    engine.feed(tool("s1", "rm", scope="a"))
    engine.close()
    assert engine.feed(tool("s1", "rm", {"path": "/"}, scope="a"))[0].label is Label.FAIL
    assert brief(engine.close()) == [("forbid.1", "pass", 2)]
    assert engine.standing(Label.CANNOT_CHECK) == []


def test_a_verdict_that_no_longer_stands_is_corrected(contract, fed, tool):
    engine = fed(contract(require=[{"tool": "log", "max": 1}]))
    engine.feed(tool("s1", "search"))
    assert brief(engine.close()) == [("require.1", "cannot_check", 1)]
    assert engine.feed(tool("s2", "log", at=20)) == []
    (finding,) = engine.close()
    assert (finding.label, finding.revision) == (Label.PASS, 2)
    assert finding.explanation == "corrected: by what is known now this does not stand"
    assert engine.close() == []


def test_a_finding_that_was_corrected_can_stand_again(contract, fed, agent, tool):
    engine = fed(contract(forbid=[{"tool": "rm", "unless": {"agent": "janitor"}}]))
    engine.feed(agent("a0", "desk"))
    (first,) = engine.feed(tool("s1", "rm", parent="a1"))
    (second,) = engine.feed(agent("a1", "janitor", parent="a0"))
    assert (first.id, Label.PASS, 2) == (second.id, second.label, second.revision)


def test_revisions_grow_only_with_a_change(contract, fed, tool):
    engine = fed(contract(limit=[{"tool": "search", "max": 1}]))
    spans = [tool(f"s{n}", at=n * 20) for n in range(4)]
    assert brief(engine.feed(*spans)) == [("limit.1", "fail", number) for number in (1, 2, 3)]
    (last,) = {f.id: f for f in engine.said}.values()
    assert (last.count, last.span_id, last.first, last.last) == (4, "s1", "s0", "s3")
    assert engine.feed(*spans) == engine.close() == []


def test_a_lowered_finding_is_one_step_less_severe(contract, fed, tool):
    engine = fed(contract(loop={"same_call": {"n": 2, "severity": "warning"}}))
    (finding,) = engine.feed(tool("s1", args={}), tool("s2", args={}, at=20))
    assert finding.severity is Severity.INFO


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([{"tool": "rm"}], {"args": {"path": "/"}}),
        (["rm"], {}),
    ],
)
def test_two_contracts_judge_by_themselves(one, other, contract, fed, tool):
    contracts = [contract(contract="a", forbid=one), contract(contract="b", forbid=["rm"])]
    assert [f.contract for f in fed(*contracts).feed(tool("s1", "rm", **other))] == ["a", "b"]


def test_a_rule_about_another_tool_is_never_asked(contract, fed, tool, monkeypatch):
    asked = []
    rules = contract(forbid=["rm", "ls", "rm*"])
    for number, rule in enumerate(rules.rules):
        start = rule.start

        def noting(context, start=start, number=number):
            asked.append(number)
            return start(context)

        structs.force_setattr(rule, "start", noting)
    fed(rules).feed(tool("s1", "rm"))
    assert asked == [0, 2]


def test_a_dispatched_call_that_was_not_observed_may_be_about_any_rule(contract, fed, tool):
    tools = {"exec": {"name_from": "args.command"}}
    engine = fed(contract(tools=tools, forbid=["exec:rm", "ls"]))
    engine.feed(tool("s1", "exec"), tool("s2", "exec", {"command": "rm x"}, at=20))
    engine.close()
    assert engine.fails == engine.standing(Label.CANNOT_CHECK) == ["forbid.1"]


def test_names_that_are_past_the_cache_are_still_looked_up(contract, fed, tool, monkeypatch):
    monkeypatch.setattr("toolscore_otel.engine.plan.KNOWN_NAMES", 0)
    engine = fed(contract(forbid=["rm"]))
    engine.feed(tool("s1", "rm"), tool("s2", "rm", at=20))
    assert engine.fails == ["forbid.1", "forbid.1"]


class Broken:
    """Stands in for a rule's state and raises."""

    def __init__(self, state, what):
        self._state = state
        self._what = what

    def __getattr__(self, name):
        if name == self._what:
            raise ValueError(name)
        return getattr(self._state, name)


@pytest.mark.parametrize("what", ["put", "drop", "changes", "total", "close"])
def test_a_rule_that_raises_is_counted_and_stops_no_other(what, contract, fed, tool):
    rules = contract(forbid=["rm", "rm"], budget=[{"of": "trace", "calls": 0}])
    for rule in (rules.rules[0], rules.rules[2]):
        start = rule.start
        structs.force_setattr(rule, "start", lambda c, start=start: Broken(start(c), what))
    engine = fed(rules)
    engine.feed(tool("s1", "rm", scope="a"), tool("s1", "rm", {}, scope="a"))
    engine.close()
    assert "forbid.2" in engine.fails
    errors = engine.engine.report().errors
    assert errors
    assert {"c/forbid.1: ValueError", "c/budget.1: ValueError"} >= set(errors)
    assert errors == engine.engine.rule_errors


def test_a_rule_that_raises_when_an_agent_comes_is_counted(contract, fed, tool, agent):
    rules = contract(forbid=["rm"])
    start = rules.rules[0].start
    structs.force_setattr(rules.rules[0], "start", lambda c: Broken(start(c), "renew"))
    engine = fed(rules)
    engine.feed(tool("s1", "rm", parent="a"), agent("a", "desk"))
    assert engine.engine.rule_errors == {"c/forbid.1: ValueError": 1}


def test_who_called_is_told_as_soon_as_it_is_known(contract, fed, tool, agent):
    clauses = {
        "forbid": ["rm"],
        "limit": [{"tool": "rm", "max": 0}],
        "require": [{"tool": "rm", "min": 0, "max": 0}],
        "budget": [{"of": "tool", "tool": "rm", "latency_ms": 1}],
    }
    engine = fed(contract(**clauses))
    assert {f.agent for f in engine.feed(tool("s1", "rm", parent="a"))} == {None}
    found = engine.feed(agent("a", "desk"))
    assert {(f.rule, f.agent, f.revision) for f in found} == {
        (f"{clause}.1", "desk", 2) for clause in clauses
    }


def test_a_registry_that_raises_is_counted_and_stops_no_other(contract, fed, tool, monkeypatch):
    def fail(_, call):
        raise RecursionError(call.tool)

    broken = contract(contract="broken", forbid=["rm"])
    structs.force_setattr(broken, "registry", type("Broken", (), {"judge": fail})())
    engine = fed(broken, contract(forbid=["rm"]))
    assert [(f.contract, f.rule) for f in engine.feed(tool("s1", "rm"))] == [("c", "forbid.1")]
    assert engine.engine.rule_errors == {"broken/tools: RecursionError": 1}


def test_a_deferred_verdict_waits_for_the_end(contract, fed, tool):
    rule = contract(forbid=[{"tool": "pay", "unless": {"before": "ask"}}])
    engine = fed(rule, settle_ns=60 * SECOND)
    assert engine.feed(tool("s1", "pay", at=50)) == []
    assert engine.tick(10 * SECOND) == []
    assert brief(engine.close()) == [("forbid.1", "fail", 1)]


def test_a_deferred_verdict_waits_no_longer_than_lateness(contract, fed, tool):
    rule = contract(forbid=[{"tool": "pay", "unless": {"before": "ask"}}])
    engine = fed(rule, lateness_ns=5 * SECOND, settle_ns=60 * SECOND)
    assert engine.feed(tool("s1", "pay", at=50), now=1 * SECOND) == []
    assert engine.tick(5 * SECOND) == []
    (finding,) = engine.tick(6 * SECOND)
    assert (finding.label, finding.trace_id, finding.span_id) == (Label.FAIL, "t", "s1")
    assert engine.tick(7 * SECOND) == engine.close() == []


def test_without_lateness_a_deferred_verdict_is_said_at_once(contract, fed, tool):
    rule = contract(forbid=[{"tool": "pay", "unless": {"before": "ask"}}])
    assert brief(fed(rule, lateness_ns=0).feed(tool("s1", "pay"))) == [("forbid.1", "fail", 1)]


def test_what_excuses_in_time_is_never_said(contract, fed, tool):
    rule = contract(forbid=[{"tool": "pay", "unless": {"before": "ask"}}])
    engine = fed(rule, lateness_ns=5 * SECOND, settle_ns=60 * SECOND)
    engine.feed(tool("s1", "pay", at=50), now=1 * SECOND)
    engine.feed(tool("s2", "ask", at=0), now=3 * SECOND)
    assert engine.tick(20 * SECOND) == engine.close() == engine.said == []


def test_what_excuses_later_than_that_is_a_correction(contract, fed, tool):
    rule = contract(forbid=[{"tool": "pay", "unless": {"before": "ask"}}])
    engine = fed(rule, lateness_ns=1 * SECOND, settle_ns=60 * SECOND)
    engine.feed(tool("s1", "pay", at=50), now=1 * SECOND)
    engine.tick(2 * SECOND)
    engine.feed(tool("s2", "ask", at=0), now=3 * SECOND)
    assert brief(engine.tick(4 * SECOND)) == [("forbid.1", "pass", 2)]


def test_what_is_said_again_has_waited_since_the_first_time(contract, fed, tool):
    rule = contract(
        forbid=[{"tool": "pay", "unless": {"before": {"tool": "ask", "args": {"a": 1}}}}]
    )
    engine = fed(rule, lateness_ns=5 * SECOND, settle_ns=60 * SECOND)
    engine.feed(tool("s1", "pay", at=50), now=1 * SECOND)
    engine.feed(tool("s2", "ask", {"a": 2}, at=0), now=4 * SECOND)
    engine.feed(tool("s1", "pay", {}, at=50), now=5 * SECOND)
    assert brief(engine.tick(6 * SECOND)) == [("forbid.1", "fail", 1)]


def test_time_closes_trajectories(contract, fed, tool, agent):
    engine = fed(contract(require=["log"]), settle_ns=2 * SECOND)
    engine.feed(agent("a1"), now=1 * SECOND)
    assert engine.tick(2 * SECOND) == []
    assert brief(engine.tick(3 * SECOND)) == [("require.1", "fail", 1)]
    (trajectory,) = engine.engine.report().trajectories
    assert trajectory.closed_by is ClosedBy.ROOT_ENDED


def test_a_late_span_reopens_its_trajectory_and_amends_it(contract, fed, tool, agent):
    engine = fed(contract(require=["log"]))
    engine.feed(agent("a1"))
    (missing,) = engine.close()
    engine.feed(tool("s1", "log", parent="a1"))
    (found,) = engine.close()
    assert (missing.id, Label.PASS, 2) == (found.id, found.label, found.revision)


def test_who_asks_is_told_of_each_trajectory_that_is_closed(fed, agent, plain):
    engine = fed()
    told: list[Trajectory] = []
    engine.engine.on_close = told.append
    engine.feed(agent("a1"), plain("p", trace="u"))
    engine.close()
    engine.feed(agent("a2", at=20))
    engine.close()
    assert [(t.trace_id, t.end_ns) for t in told] == [("t", 1_000_000_000), ("t", 1_020_000_000)]


def test_a_trajectory_that_is_evicted_is_closed(contract, fed, agent):
    engine = fed(contract(require=["log"]), open_trajectories=1)
    engine.feed(agent("a1"))
    assert brief(engine.feed(agent("a2", trace="u"))) == [("require.1", "fail", 1)]


def test_a_trajectory_that_is_forgotten_is_out_of_the_report(contract, fed, agent, tool):
    engine = fed(contract(forbid=["rm"]), open_trajectories=1, closed_trajectories=1)
    for number in range(4):
        engine.feed(agent("a", trace=f"t{number}"), tool("s", "rm", trace=f"t{number}"))
    report = engine.engine.report()
    assert [t.trace_id for t in report.trajectories] == ["t1", "t2", "t3"]
    assert {f.trace_id for f in report.findings} == {"t1", "t2", "t3"}


def test_past_the_cap_rules_about_single_calls_go_on(contract, fed, tool, agent):
    rules = {
        "forbid": ["rm"],
        "limit": [{"tool": "rm", "max": 1}],
        "require": ["log"],
        "secrets": {"in": ["error"]},
    }
    engine = fed(contract(**rules), spans_per_trajectory=2)
    engine.feed(agent("a1"), *(tool(f"s{n}", "rm", parent="a1", at=n * 20) for n in range(4)))
    engine.close()
    assert engine.fails == ["forbid.1"] * 4
    assert engine.standing(Label.CANNOT_CHECK) == ["require.1"]


def test_a_trace_without_agent_model_or_tool_is_no_trajectory(contract, fed, plain):
    engine = fed(contract(require=["log"]))
    engine.feed(plain("s1"))
    assert engine.close() == []
    report = engine.engine.report()
    assert (report.trajectories, report.unjudged, report.outcomes) == ((), 0, {})


def test_a_trajectory_may_hold_no_call(contract, fed, agent):
    engine = fed(contract(require=["log"]))
    engine.feed(agent("a1"))
    engine.close()
    assert engine.fails == ["require.1"]


def test_fingerprints_of_secrets_are_keyed(contract, fed, tool):
    span = tool("s1", args={"a": make_sample("jwt", 1)}, result=1)
    with_key, other, without = (
        fed(contract(secrets={}), **settings).feed(span)[0].fingerprint
        for settings in ({"fingerprint_key": b"1"}, {"fingerprint_key": b"2"}, {})
    )
    assert with_key != other
    assert without is None


def test_an_exception_that_was_logged_on_any_other_span_makes_no_trajectory(contract, plain):
    engine = Engine([contract(require=[{"tool": "log_case"}])])
    retracted: list[str] = []
    engine.on_retract = lambda trajectory: retracted.append(trajectory.trace_id)
    engine.feed(plain("a"), 0)
    engine.feed(LogRecord(trace_id="t", span_id="a", event_name="exception", time_ns=5), 0)

    assert engine.close() == []
    assert engine.report().trajectories == ()
    assert retracted == ["t"]
