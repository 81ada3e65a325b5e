"""What one trajectory is, what a contract sees of it, and what a late agent changes."""

import pytest
from msgspec import structs

from toolscore_otel.model import Label, Scope

LIMIT = {"limit": [{"tool": "search", "max": 1}]}


def brief(findings):
    return [(f.rule, f.label.value, f.revision) for f in findings]


def test_calls_of_one_trace_are_counted_together(contract, fed, tool):
    engine = fed(contract(**LIMIT))
    engine.feed(tool("s1"), tool("s2", trace="u"))
    assert engine.fails == []
    assert brief(engine.feed(tool("s3", at=20))) == [("limit.1", "fail", 1)]


def test_two_invocations_of_one_name_are_two_trajectories(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", **LIMIT))
    engine.feed(agent("a1"), agent("a2", at=50))
    engine.feed(tool("s1", parent="a1"), tool("s2", parent="a2"))
    engine.close()
    assert engine.fails == []
    (finding,) = engine.feed(tool("s3", parent="a2", at=20))
    assert (finding.scope, finding.agent, finding.span_id) == (Scope.AGENT, "desk", "s3")


def test_calls_of_sub_agents_do_not_count(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", **LIMIT))
    engine.feed(agent("a1"), agent("a2", "helper", parent="a1"))
    engine.feed(tool("s1", parent="a1"), tool("s2", parent="a2"))
    assert engine.fails == []
    engine.feed(tool("s3", parent="a2", at=20))
    assert engine.fails == ["limit.1"]


def test_a_trace_without_invocation_is_the_trajectory_of_agent_rules_too(
    contract, fed, tool, model
):
    engine = fed(contract(scope="agent", require=["log"], **LIMIT))
    engine.feed(model("m1"), tool("s1"), tool("s2", at=20))
    engine.close()
    assert engine.fails == ["limit.1", "require.1"]


def test_every_invocation_must_do_what_is_required(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", require=["log"]))
    engine.feed(agent("a1", "one"), agent("a2", "two"), tool("s1", "log", parent="a1"))
    (finding,) = engine.close()
    assert (finding.agent, finding.scope) == ("two", Scope.AGENT)


def test_calls_outside_of_every_invocation_are_held_to_what_they_do(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", forbid=["rm"], require=["log"], **LIMIT))
    engine.feed(agent("a1"), tool("s0", "log", parent="a1"))
    engine.feed(tool("s1", "rm"), tool("s2"), tool("s3", at=20))
    engine.close()
    assert engine.fails == ["forbid.1", "limit.1"]


def test_what_was_missing_before_an_invocation_was_known_is_corrected(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", require=["log"]))
    engine.feed(agent("a0", None, trace="other"))
    engine.feed(tool("s1", "log", parent="a1"), tool("s2", parent="x"))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == []
    engine.feed(tool("s3", "log", parent="x", at=20), agent("a1"))
    engine.close()
    assert engine.fails == ["require.1"]


def test_a_late_agent_moves_its_calls_and_what_was_said(contract, fed, tool, agent):
    engine = fed(contract(scope="agent", forbid=["rm"], **LIMIT))
    (early,) = engine.feed(tool("s1", "rm", parent="a1", call_id="c1"))
    engine.feed(tool("s2", parent="a1", at=20))
    assert brief(engine.feed(tool("s3", parent="a2", at=40))) == [("limit.1", "fail", 1)]
    limit, first, second = sorted(engine.feed(agent("a1")), key=lambda f: (-f.revision, f.rule))
    first, limit = (limit, first) if first.rule == "limit.1" else (first, limit)
    assert (limit.rule, limit.label) == ("limit.1", Label.PASS)
    assert (first.id, first.label, first.explanation) == (
        early.id,
        Label.PASS,
        "now known as a call of agent `desk`",
    )
    assert (second.label, second.revision, second.agent) == (Label.FAIL, 1, "desk")
    corrected = engine.feed(agent("a2", "helper"))
    assert brief(corrected) == []
    engine.close()
    assert engine.fails == ["forbid.1"]


def test_a_rule_of_trace_scope_keeps_what_it_said_of_a_call_whose_agent_comes_late(
    contract, fed, tool, agent
):
    engine = fed(contract(forbid=["rm"]))
    (early,) = engine.feed(tool("s1", "rm", parent="a1"))
    (late,) = engine.feed(agent("a1"))
    assert (early.id, early.agent, late.id, late.agent, late.revision) == (
        late.id,
        None,
        early.id,
        "desk",
        2,
    )


def test_a_late_agent_turns_an_open_answer(contract, fed, tool, agent):
    rules = [{"tool": "rm", "agent": "desk"}, {"tool": "ls", "agent": "desk"}]
    engine = fed(contract(forbid=rules))
    assert engine.feed(tool("s1", "rm", parent="a1"), tool("s2", "ls", parent="x", at=20)) == []
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["forbid.1", "forbid.2"]
    assert brief(engine.feed(agent("a1"))) == [("forbid.1", "fail", 1)]
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == []


def test_the_first_agent_of_a_trace_turns_open_answers_about_other_calls(
    contract, fed, tool, agent
):
    rule = {"tool": "rm", "unless": {"agent": "janitor"}}
    for named in (agent("a1"), tool("s2", agent="desk", at=20)):
        engine = fed(contract(forbid=[rule]))
        assert engine.feed(tool("s1", "rm")) == []
        assert brief(engine.feed(named)) == [("forbid.1", "fail", 1)]


def test_an_agent_without_calls_is_one_that_the_trace_names(contract, fed, tool, agent):
    engine = fed(contract(forbid=[{"tool": "rm", "agent": "desk"}]))
    engine.feed(tool("s1", "rm"), agent("a1", "helper"))
    assert engine.close() == []


def test_an_agent_without_a_name_is_none(contract, fed, tool, agent):
    engine = fed(contract(forbid=[{"tool": "rm", "agent": "desk"}]))
    engine.feed(agent("a1", None), tool("s1", "rm", parent="a1"))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["forbid.1"]


@pytest.mark.parametrize(
    ("applies_to", "judged"),
    [
        ({"service": "desk"}, True),
        ({"service": "d*"}, True),
        ({"service": ["x", "desk"]}, True),
        ({"service": "shop"}, False),
        ({"environment": "prod"}, True),
        ({"environment": "test"}, False),
        ({"agent": "helper"}, True),
        ({"agent": "other"}, False),
        ({"service": "desk", "agent": "other"}, False),
    ],
)
def test_a_contract_sees_only_what_it_applies_to(*, applies_to, judged, contract, fed, tool, agent):
    rules = {"forbid": ["rm"], "require": ["log"]}
    engine = fed(contract(applies_to=applies_to, **rules))
    here = {"service": "desk", "environment": "prod"}
    engine.feed(agent("a1", "helper", **here), tool("s1", "rm", parent="a1", **here))
    engine.close()
    assert engine.fails == (["forbid.1", "require.1"] if judged else [])
    assert engine.engine.report().unjudged == (0 if judged else 1)
    assert (engine.engine.report().outcomes == {}) is not judged


@pytest.mark.parametrize("key", ["service", "environment", "agent"])
def test_an_absent_value_matches_only_a_star(key, contract, fed, tool):
    for glob, fails in (("*", ["forbid.1"]), ("?*", [])):
        engine = fed(contract(applies_to={key: glob}, forbid=["rm"]))
        engine.feed(tool("s1", "rm"))
        engine.close()
        assert engine.fails == fails


def test_a_call_that_turns_out_to_be_none_of_the_contracts_is_taken_back(contract, fed, tool):
    rules = contract(applies_to={"agent": "desk"}, forbid=["rm"], require=["log"])
    engine = fed(rules)
    engine.feed(tool("s1", "rm", agent="desk"))
    engine.close()
    assert engine.fails == ["forbid.1"]
    assert engine.standing(Label.CANNOT_CHECK) == ["require.1"]
    engine.feed(tool("s1", "rm", {}, agent="other"))
    said = engine.close()
    assert [f.explanation for f in said] == ["now known to be none of this contract's"]
    assert engine.fails == engine.standing(Label.CANNOT_CHECK) == []
    assert engine.engine.report().unjudged == 1


def test_a_call_is_seen_by_all_that_its_spans_say(contract, fed, tool):
    engine = fed(contract(applies_to={"service": "desk", "environment": "prod"}, forbid=["rm"]))
    engine.feed(tool("s1", "rm", service="desk", scope="framework"))
    engine.feed(tool("s2", "rm", parent="s1", at=2, took=5, environment="prod", scope="mcp"))
    engine.close()
    assert engine.fails == ["forbid.1"]


def test_a_contract_applies_for_a_call_past_the_cap_too(contract, fed, tool):
    engine = fed(contract(applies_to={"service": "desk"}, forbid=["rm"]), spans_per_trajectory=1)
    engine.feed(tool("s1", "ls", service="shop"), tool("s2", "rm", at=20, service="desk"))
    engine.close()
    assert engine.fails == ["forbid.1"]


def test_only_seen_invocations_are_held_against_a_contract(contract, fed, tool, agent, model):
    engine = fed(contract(scope="agent", applies_to={"agent": "desk"}, require=["log"]))
    engine.feed(agent("a1"), agent("a2", "other", parent="a1"), tool("s1", "x", parent="a2"))
    engine.feed(model("m1", parent="a2"), model("m2"), model("m3", parent="a1"))
    engine.close()
    assert [f.agent for f in engine.engine.report().findings if f.label is Label.FAIL] == ["desk"]


def test_a_model_call_is_its_agents(contract, fed, agent, model):
    rules = {"applies_to": {"agent": "desk", "service": "brain"}, "require": ["log"]}
    engine = fed(contract(**rules))
    engine.feed(model("m1", parent="a1", service="brain"), agent("a1", service="desk"))
    engine.close()
    assert engine.fails == ["require.1"]


def test_a_call_is_counted_once_when_its_outer_span_comes_later(contract, fed, tool):
    engine = fed(contract(forbid=["rm"], limit=[{"tool": "rm", "max": 1}]))
    (inner,) = engine.feed(tool("s2", "rm", parent="s1", at=2, took=5, scope="mcp"))
    corrected, outer = engine.feed(tool("s1", "rm", at=0, scope="framework"))
    assert (corrected.id, corrected.label, corrected.explanation) == (
        inner.id,
        Label.PASS,
        "now known as `s1`",
    )
    assert (outer.label, outer.revision, outer.span_id) == (Label.FAIL, 1, "s1")
    engine.close()
    assert engine.fails == ["forbid.1"]


def test_a_call_is_counted_once_when_its_id_is_learnt_later(contract, fed, tool):
    engine = fed(contract(forbid=["rm"]))
    engine.feed(tool("s1", "rm", scope="framework"))
    corrected, found = engine.feed(
        tool("s2", "rm", parent="s1", at=2, took=5, call_id="c1", scope="mcp")
    )
    assert (corrected.label, corrected.explanation) == (Label.PASS, "now known as `c1`")
    assert (found.label, found.call_id) == (Label.FAIL, "c1")
    assert engine.fails == ["forbid.1"]


def test_calls_that_share_an_id_are_told_apart(contract, fed, tool):
    engine = fed(contract(forbid=["rm"]))
    engine.feed(tool("s2", "rm", {"a": 1}, call_id="c1", at=20))
    said = engine.feed(tool("s1", "rm", {"a": 2}, call_id="c1", at=0))
    assert [f.label.value for f in said] == ["pass", "fail", "fail"]
    assert said[0].explanation == "now known as `c1#2`"
    assert engine.fails == ["forbid.1", "forbid.1"]
    assert len({f.id for f in engine.engine.report().findings}) == 3


def test_a_call_that_is_part_of_another_is_taken_back(contract, fed, tool):
    rules = contract(forbid=["rm"])
    engine = fed(rules)
    engine.feed(tool("s1", "rm", scope="framework"))
    (inner,) = engine.feed(tool("s2", "rm", parent="p", at=2, took=5, scope="mcp"))
    gone, *_ = engine.feed(tool("p", "rm", parent="s1", at=1, took=7, scope="other"))
    assert gone.id == inner.id
    assert gone.label is Label.PASS
    assert engine.fails == ["forbid.1"]


def test_what_comes_together_may_be_of_several_resources(contract, fed, tool):
    engine = fed(contract(budget=[{"of": "trace", "calls": 2}])).engine
    one, two, three = (tool(f"s{n}", at=n, service=s) for n, s in enumerate("bab"))
    shared = structs.replace(three, resource=one.resource)
    engine.feed(one, 0)
    (finding,) = engine.feed_all([shared, two], 0)
    assert finding.service == "a"


def test_findings_of_the_whole_name_the_least_service_at_first(contract, fed, tool):
    engine = fed(contract(budget=[{"of": "trace", "calls": 1}]))
    engine.feed(tool("s1", service="b", environment="y"))
    (finding,) = engine.feed(tool("s2", service="a", environment="z", at=20))
    assert (finding.service, finding.environment) == ("a", "y")
    assert engine.close() == []
