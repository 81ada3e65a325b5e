"""Hand-made calls of several traces: sessions, agents that make no call, and calls that ran in another trace."""

import pytest

from toolscore_otel.conventions.attributes import SCENARIOS
from toolscore_otel.engine import judge_calls
from toolscore_otel.model import Scope, Stage, ToolCall

MS = 1_000_000


def call(tool, trace="t", at=0, **fields):
    times = {"start_ns": at * MS, "end_ns": (at + 10) * MS}
    return ToolCall(tool=tool, trace_id=trace, **{**times, **fields})


def said(findings):
    return [(f.rule, f.label.value, f.trace_id) for f in findings]


def test_calls_of_one_conversation_are_one_session(contract):
    rules = contract(scope="session", limit=[{"tool": "ls", "max": 1}], require=["log"])
    calls = [
        call("ls", conversation_id="x"),
        call("ls", "u", 20, conversation_id="x"),
        call("ls", "v", conversation_id="y"),
    ]
    findings = judge_calls(rules, calls)
    assert sorted(said(findings)) == [
        ("limit.1", "fail", "u"),
        ("require.1", "fail", "t"),
        ("require.1", "fail", "v"),
    ]
    assert {f.scope for f in findings} == {Scope.SESSION}
    assert [f.conversation_id for f in findings] == ["x", "x", "y"]


def test_a_conversation_of_two_services_is_two_sessions(contract):
    rules = contract(limit=[{"tool": "ls", "max": 1, "per": "session"}])
    calls = [call("ls", str(n), conversation_id="x", service=f"s{n}") for n in range(2)]
    assert judge_calls(rules, calls) == ()


def test_no_call_at_all_is_a_session_without_calls(contract):
    (finding,) = judge_calls(contract(scope="session", require=["log"]), [])
    assert (finding.rule, finding.scope) == ("require.1", Scope.SESSION)
    rules = contract(scope="session", require=["log"], applies_to={"service": "a"})
    assert judge_calls(rules, [call("ls", service="b")]) == ()
    assert len(judge_calls(rules, [call("ls", service="a")])) == 1


@pytest.mark.parametrize(
    "limits", [{"calls": 1}, {"latency_ms": 30}, {"cost_usd": 0.5}, {"active_ms": 15}]
)
def test_a_session_has_a_budget_over_its_traces(contract, limits):
    rules = contract(budget=[{"of": "session", **limits}])
    calls = [
        call("ls", t, at, conversation_id="x", cost_usd=0.3) for t, at in (("t", 0), ("u", 50))
    ]
    assert said(judge_calls(rules, calls)) == [("budget.1", "fail", "t")]
    assert judge_calls(rules, calls[:1]) == ()


def test_what_ran_in_another_trace_of_the_conversation_is_one_call(contract):
    asked = call("rm", "t", stage=Stage.REQUESTED, call_id="c1", args={"q": 1}, conversation_id="x")
    ran = call("rm", "u", 50, call_id="c1", conversation_id="x")
    rules = contract(forbid=[{"tool": "rm", "args": {"q": 1}}], require=["rm"])
    assert said(judge_calls(rules, [asked, ran])) == [
        ("require.1", "cannot_check", "t"),
        ("forbid.1", "fail", "u"),
    ]
    of_session = contract(limit=[{"tool": "rm", "max": 0, "stage": "any", "per": "session"}])
    (finding,) = judge_calls(of_session, [asked, ran])
    assert (finding.count, finding.trace_id) == (1, "u")


def test_without_a_conversation_two_traces_have_a_call_each(contract):
    asked = call("rm", "t", stage=Stage.REQUESTED, call_id="c1")
    rules = contract(forbid=["rm"])
    assert len(judge_calls(rules, [asked, call("rm", "u", 50, call_id="c1"), call("ls", "u")])) == 2


def test_an_agent_without_a_call_of_its_own_is_a_trajectory(contract):
    rules = contract(scope="agent", require=["log"], budget=[{"of": "agent", "calls": 0}])
    calls = [call("log", agent="desk", invocation_id="a1")]
    agents = {"a0": ("t", "boss"), "b0": ("other", "boss")}
    found = [(f.rule, f.agent) for f in judge_calls(rules, calls, agents=agents)]
    assert sorted(found) == [("budget.1", "desk"), ("require.1", "boss")]


def test_the_scenario_of_calls_is_that_of_their_trace(contract):
    rules = contract(expect=[{"when": {"scenario": "refund"}, "calls": ["log"]}])
    for scenario in ("refund", "other"):
        one = call("ls", attributes={SCENARIOS[0]: scenario})
        assert len(judge_calls(rules, [one])) == (scenario == "refund")
