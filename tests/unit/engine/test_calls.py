import pytest
from msgspec import structs

from toolscore_otel.engine import judge_calls
from toolscore_otel.model import CallKind, CostSource, Label, Scope, Stage, ToolCall

MS = 1_000_000


def call(tool, args=None, at=None, took=100, **fields):
    times = {} if at is None else {"start_ns": at * MS, "end_ns": (at + took) * MS}
    return ToolCall(tool=tool, args=args, **times, **fields)


def said(findings):
    return [(f.rule, f.label.value) for f in findings]


def test_hand_made_calls_need_nothing_but_their_tool(contract):
    rules = contract(forbid=["rm"], limit=[{"tool": "ls", "max": 1}], require=["log"])
    found = judge_calls(rules, [call("rm"), call("ls"), call("ls")])
    assert sorted(said(found)) == [("forbid.1", "fail"), ("limit.1", "fail"), ("require.1", "fail")]


def test_findings_are_in_order_of_the_calls(contract):
    rules = contract(forbid=["rm", "ls"], require=["log"])
    calls = [call("ls", at=500), call("rm", at=0), call("ls", at=200)]
    found = judge_calls(rules, calls)
    assert [f.rule for f in found] == ["forbid.1", "forbid.2", "forbid.2", "require.1"]
    without = judge_calls(rules, [call("ls"), call("rm"), call("ls")])
    assert sorted(f.rule for f in without) == sorted(f.rule for f in found)


def test_what_was_not_given_was_not_observed(contract):
    rules = contract(forbid=[{"tool": "rm", "args": {"path": "/"}}])
    assert said(judge_calls(rules, [call("rm")])) == [("forbid.1", "cannot_check")]
    assert judge_calls(rules, [call("rm", {})]) == ()


def test_calls_without_times_are_in_the_order_given(contract):
    rules = contract(limit=[{"tool": "ls", "max": 1}])
    (finding,) = judge_calls(rules, [call("ls", call_id="b"), call("ls", call_id="a")])
    assert (finding.call_id, finding.first, finding.last) == ("a", "b", "a")


def test_calls_with_times_are_in_order_of_start(contract):
    rules = contract(limit=[{"tool": "ls", "max": 1}])
    calls = [call("ls", at=500, call_id="late"), call("ls", at=0, call_id="early")]
    assert judge_calls(rules, calls)[0].call_id == "late"


def test_traces_are_judged_by_themselves(contract):
    rules = contract(limit=[{"tool": "ls", "max": 1}])
    calls = [call("ls", trace_id="a"), call("ls", trace_id="b")]
    assert judge_calls(rules, calls) == ()
    (finding,) = judge_calls(rules, [*calls, call("ls", trace_id="b")])
    assert finding.trace_id == "b"


def test_calls_of_one_agent_are_one_invocation_unless_said(contract):
    rules = contract(scope="agent", limit=[{"tool": "ls", "max": 1}], require=["ls"])
    assert judge_calls(rules, [call("ls", agent="a"), call("ls", agent="b")]) == ()
    (finding,) = judge_calls(rules, [call("ls", agent="a"), call("ls", agent="a")])
    assert (finding.scope, finding.agent) == (Scope.AGENT, "a")
    two = [call("ls", agent="a", invocation_id=name) for name in "xy"]
    assert judge_calls(rules, two) == ()


def test_without_agents_the_trace_is_the_trajectory(contract):
    rules = contract(scope="agent", require=["log"])
    assert said(judge_calls(rules, [call("ls")])) == [("require.1", "fail")]


def test_calls_that_share_an_id_are_told_apart(contract):
    rules = contract(forbid=["rm"])
    calls = [call("rm", call_id="c1"), call("rm", call_id="c1"), call("rm", call_id="c2")]
    found = judge_calls(rules, calls)
    assert len({f.id for f in found}) == 3
    assert sorted(f.call_id or "" for f in found) == ["c1", "c1", "c2"]


def test_a_contract_sees_only_what_it_applies_to(contract):
    rules = contract(applies_to={"service": "desk"}, forbid=["rm"], require=["log"])
    assert judge_calls(rules, [call("rm"), call("rm", service="shop")]) == ()
    found = judge_calls(rules, [call("rm", service="desk"), call("rm", service="shop")])
    assert sorted(said(found)) == [("forbid.1", "fail"), ("require.1", "fail")]


def test_no_calls_are_a_trajectory_that_a_contract_for_some_service_does_not_see(contract):
    rules = contract(applies_to={"service": "desk"}, require=["log"])
    assert judge_calls(rules, []) == ()


def test_a_call_that_was_only_asked_for_may_be_what_is_missing(contract):
    rules = contract(require=["log"])
    calls = [call("ls"), call("log", stage=Stage.REQUESTED)]
    assert said(judge_calls(rules, calls)) == [("require.1", "cannot_check")]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ({"latency_ms": 299}, "fail"),
        ({"latency_ms": 300}, None),
        ({"calls": 1}, "fail"),
        ({"calls": 2}, None),
        ({"cost_usd": 0.29}, "fail"),
        ({"cost_usd": 0.3}, None),
        ({"tokens": 5}, "cannot_check"),
    ],
)
def test_budgets_of_the_whole_are_held_against_what_the_calls_say(budget, expected, contract):
    rules = contract(budget=[{"of": "trace", **budget}])
    calls = [
        call("a", at=0, cost_usd=0.1, cost_source=CostSource.REPORTED),
        call("b", at=200, cost_usd=0.2, cost_source=CostSource.REPORTED),
    ]
    assert said(judge_calls(rules, calls)) == ([("budget.1", expected)] if expected else [])


def test_costs_and_times_that_were_not_given_cannot_be_checked(contract):
    rules = contract(budget=[{"of": "trace", "cost_usd": 1}, {"of": "trace", "latency_ms": 1}])
    assert said(judge_calls(rules, [call("a")])) == [
        ("budget.1", "cannot_check"),
        ("budget.2", "cannot_check"),
    ]


def test_prices_and_failures_of_the_registry_count(contract):
    tools = {"pay": {"cost_usd": 0.6, "fails_when": "no"}}
    rules = contract(
        tools=tools, budget=[{"of": "trace", "cost_usd": 1}], limit=[{"status": "error", "max": 0}]
    )
    calls = [call("pay", result="no", call_id=name) for name in "ab"]
    assert sorted(said(judge_calls(rules, calls))) == [("budget.1", "fail"), ("limit.1", "fail")]


def test_calls_in_which_agents_are_named_leave_the_others_without(contract):
    rules = contract(forbid=[{"tool": "rm", "agent": "desk"}])
    assert said(judge_calls(rules, [call("rm")])) == [("forbid.1", "cannot_check")]
    assert judge_calls(rules, [call("rm"), call("ls", agent="x")]) == ()


def test_coverage_is_no_rule_of_a_contract(contract):
    assert judge_calls(contract(forbid=["x"]), [call("ls", stage=Stage.REQUESTED)]) == ()


def test_a_request_without_an_id_is_a_call_of_its_own(contract):
    rules = contract(forbid=["rm"])
    asked = call("rm", stage=Stage.REQUESTED)
    assert sorted(f.stage or "" for f in judge_calls(rules, [asked, call("rm")])) == [
        "executed",
        "requested",
    ]


def test_a_finding_is_named_by_what_is_known_best(contract):
    rules = contract(forbid=["rm"])

    def name(**fields):
        return judge_calls(rules, [call("rm", **fields)])[0].id

    assert (
        name(call_id="c1")
        == name(key="c1")
        == name(span_id="c1")
        == name(call_id="c1", span_id="s")
    )
    assert name(key="c1") == name(key="c1", call_id="other")
    assert name() == name(key="call 1")


def test_what_was_only_asked_for_leaves_gaps_only_where_it_is_a_tool(contract):
    rules = contract(require=[{"tool": "*", "kind": ["tool", "handoff"]}])
    for kind in (CallKind.TOOL, CallKind.HANDOFF):
        asked = call("x", stage=Stage.REQUESTED, kind=kind)
        assert said(judge_calls(rules, [asked])) == [("require.1", "cannot_check")]


def test_shadow_is_said(contract):
    (finding,) = judge_calls(contract(shadow=True, forbid=["rm"]), [call("rm")])
    assert (finding.shadow, finding.label) == (True, Label.FAIL)


def test_a_rule_that_raises_raises_here(contract):
    def start(_):
        raise ValueError("broken")

    class Broken:
        def put(self, _):
            raise ValueError("broken")

    rules = contract(forbid=["rm"])
    structs.force_setattr(rules.rules[0], "start", lambda _: Broken())
    with pytest.raises(ValueError, match="broken") as caught:
        judge_calls(rules, [call("rm")])
    assert caught.value.__notes__ == ["in rule c/forbid.1"]
