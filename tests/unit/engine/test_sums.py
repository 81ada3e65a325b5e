"""Budgets of an agent invocation and of a session, the time at work, and what attributes decide."""

import pytest
from msgspec import structs

from toolscore_otel.assembly import Place
from toolscore_otel.conventions import read
from toolscore_otel.model import Label, Scope


def budget(of, **limits):
    return {"budget": [{"of": of, **limits}]}


def told(span, **attributes):
    return structs.replace(span, attributes={**span.attributes, **attributes})


def said(findings):
    return [f.explanation.partition(",")[0] for f in findings]


LIMITS = {"latency_ms": 100, "tokens": 100, "calls": 1, "cost_usd": 1, "active_ms": 30}


@pytest.mark.parametrize("limit", LIMITS)
def test_an_invocation_answers_for_what_is_its_own(*, limit, contract, fed, agent, model, tool):
    engine = fed(contract(**budget("agent", **{limit: LIMITS[limit]})))
    engine.feed(agent("a1", "desk", took=90), agent("a2", "helper", parent="a1", took=90))
    engine.feed(model("m1", 80, cost=0.8, parent="a1"), model("m2", 80, cost=0.8, parent="a2"))
    engine.feed(tool("s1", parent="a1", at=20), tool("s2", parent="a2", at=20))
    engine.close()
    assert (engine.fails, engine.standing(Label.CANNOT_CHECK)) == ([], [])
    engine.feed(model("m3", 80, cost=0.8, parent="a2", at=40), tool("s3", parent="a2", at=95))
    (finding,) = engine.said[-1:]
    assert (finding.scope, finding.agent) == (Scope.AGENT, "helper")
    engine.close()
    assert engine.fails == ["budget.1"]


def test_two_invocations_of_one_agent_have_a_budget_each(contract, fed, agent, model):
    engine = fed(contract(**budget("agent", tokens=100)))
    engine.feed(model("m1", 80, parent="a1"), model("m2", 80, parent="a2", at=50))
    assert engine.fails == ["budget.1"]  # as long as no invocation is known, the trace is one
    engine.feed(agent("a1"), agent("a2", at=50))
    assert engine.fails == []
    engine.close()
    assert engine.fails == []


def test_what_is_outside_of_all_invocations_has_no_budget(contract, fed, agent, model):
    engine = fed(contract(**budget("agent", tokens=100)))
    engine.feed(agent("a1", took=10), model("m1", 120, at=50))
    engine.close()
    assert engine.fails == []


def test_a_cost_that_a_tool_reports_stands_for_its_sub_agent_too(contract, fed, agent, model, tool):
    engine = fed(contract(**budget("agent", cost_usd=0.85)))
    engine.feed(agent("a1", "desk"), agent("a2", "helper", parent="s1", took=40))
    engine.feed(model("m1", 5, cost=0.8, parent="a2"))
    span = tool("s1", "delegate", parent="a1", took=50)
    reading = read(span)
    assert reading is not None
    calls = tuple(structs.replace(call, cost_usd=0.9) for call in reading.calls)
    engine.engine.add(Place.of_span(span), structs.replace(reading, calls=calls), 0)
    engine.close()
    (finding,) = engine.engine.report().findings
    assert (finding.agent, said([finding])) == ("desk", ["the agent invocation cost $0.90"])


def test_a_price_of_the_registry_stands_for_what_is_inside_and_its_own(
    contract, fed, agent, model, tool
):
    tools = {"delegate": {"cost_usd": 0.3}}
    engine = fed(contract(tools=tools, **budget("agent", cost_usd=0.25)))
    inner = told(model("m1", 1_000_000, parent="a2"), **{"gen_ai.request.model": "gpt-4o-mini"})
    own = told(model("m2", 1_000_000, parent="s1"), **{"gen_ai.request.model": "gpt-4o-mini"})
    engine.feed(agent("a1", "desk"), tool("s1", "delegate", parent="a1", took=50))
    engine.feed(agent("a2", "helper", parent="s1", took=40), inner, own)
    engine.close()
    (finding,) = engine.engine.report().findings
    assert (finding.agent, said([finding])) == ("desk", ["the agent invocation cost $0.30"])


@pytest.mark.parametrize("limit", LIMITS)
def test_a_session_answers_for_all_its_traces(limit, contract, fed, model, tool):
    engine = fed(contract(**budget("session", **{limit: LIMITS[limit]})))
    for trace, at in (("t", 0), ("u", 95)):
        assert engine.fails == []
        engine.feed(model("m1", 80, cost=0.8, trace=trace, talk="x", at=at))
        engine.feed(tool("s1", trace=trace, talk="x", at=at))
        engine.feed(tool("s1", trace=f"other {trace}", talk=f"y {trace}", at=at))
    assert engine.fails == ([] if limit == "active_ms" else ["budget.1"])
    engine.feed(tool("s2", trace="v", talk="x", at=300, took=11))
    engine.close()
    assert engine.fails == ["budget.1"]


def test_a_span_that_moves_to_another_session_takes_its_sums_along(contract, fed, model):
    engine = fed(contract(**budget("session", tokens=100)))
    engine.feed(model("m1", 80, trace="t", talk="x"), model("m1", 80, trace="u"))
    assert engine.fails == []
    engine.feed(model("m2", trace="u", talk="x"))
    assert engine.fails == ["budget.1"]


def test_who_waits_for_a_person_is_not_at_work(contract, fed, model, tool):
    tools = {"ask": {"labels": ["human_approval"]}}
    engine = fed(contract(tools=tools, **budget("trace", active_ms=50)))
    engine.feed(
        model("m1", took=20), tool("s1", took=40, at=10), tool("s2", "ask", at=50, took=900)
    )
    engine.close()
    assert engine.fails == []
    (finding,) = engine.feed(tool("s3", at=1000, took=1))
    assert finding.explanation == ("the trace was at work for 51 ms, more than the budget of 50 ms")
    engine.close()
    assert engine.fails == ["budget.1"]


def test_a_call_that_changes_is_at_work_once(contract, fed, tool):
    engine = fed(contract(**budget("trace", active_ms=15)))
    engine.feed(tool("s2", parent="s1", at=2, took=5, scope="mcp"))
    engine.feed(tool("s1", took=10, scope="framework"), tool("s3", at=20, took=5))
    engine.close()
    assert engine.fails == []


@pytest.mark.parametrize(
    ("tools", "missing"),
    [
        ({}, "times"),
        (
            {"exec": {"name_from": "args.command"}, "exec:ask": {"labels": ["human_approval"]}},
            "dispatch",
        ),
    ],
)
def test_time_at_work_that_was_not_observed_cannot_be_checked(tools, missing, contract, fed, tool):
    engine = fed(contract(tools=tools, **budget("trace", active_ms=15)))
    engine.feed(tool("s1", "exec", took=None if missing == "times" else 10))
    (finding,) = engine.close()
    assert (finding.label, f"{missing} not observed" in finding.explanation) == (
        Label.CANNOT_CHECK,
        True,
    )
    engine.feed(tool("s2", at=20, took=16))
    assert engine.fails == ["budget.1"]


def test_a_trace_that_got_shorter_is_measured_anew(contract, fed, tool):
    engine = fed(contract(applies_to={"agent": "desk"}, **budget("trace", latency_ms=100)))
    engine.feed(tool("s1", agent="desk"), tool("s2", agent="desk", at=200, parent="a1"))
    assert engine.fails == ["budget.1"]


def test_a_contract_sees_what_its_attributes_say(contract, fed, tool):
    rules = {"forbid": ["search"], "applies_to": {"attributes": {"tier": {"$gt": 1}}}}
    engine = fed(contract(**rules))
    engine.feed(told(tool("s1"), tier=2), told(tool("s2", at=20), tier=1), tool("s3", at=40))
    engine.close()
    assert [f.span_id for f in engine.engine.report().findings] == ["s1"]


def test_what_no_span_says_the_resource_may_say(contract, fed, tool):
    for wanted, seen in (("prod", 1), ("*", 1), ("dev", 0), ({"$exists": False}, 0)):
        rules = {"applies_to": {"attributes": {"deployment.environment.name": wanted}}}
        engine = fed(contract(forbid=["search"], **rules))
        engine.feed(tool("s1", environment="prod"))
        engine.close()
        assert len(engine.fails) == seen


@pytest.mark.parametrize(
    ("wanted", "seen"), [("*", 1), ({"$exists": False}, 1), ({"$not": "x"}, 0), ("x", 0)]
)
def test_an_attribute_that_is_absent_matches_only_what_asks_for_that(
    wanted, seen, contract, fed, tool
):
    engine = fed(contract(forbid=["search"], applies_to={"attributes": {"tier": wanted}}))
    engine.feed(tool("s1"))
    engine.close()
    assert len(engine.fails) == seen


def test_attributes_of_all_spans_of_a_call_count(contract, fed, tool):
    rules = {"forbid": ["search"], "applies_to": {"attributes": {"tier": 1, "team": "a"}}}
    engine = fed(contract(**rules))
    engine.feed(told(tool("s1", scope="framework"), tier=1))
    engine.feed(told(tool("s2", parent="s1", at=2, took=5, scope="mcp"), tier=2, team="a"))
    engine.close()
    assert engine.fails == ["forbid.1"]
    assert engine.engine.report().trajectories[0].calls[0].attributes == {"tier": 1, "team": "a"}


def test_sums_count_only_what_the_attributes_say(contract, fed, model):
    rules = {**budget("trace", tokens=100), "applies_to": {"attributes": {"tier": 1}}}
    engine = fed(contract(**rules))
    engine.feed(told(model("m1", 80), tier=1), told(model("m2", 80), tier=2))
    assert engine.fails == []
    engine.feed(told(model("m3", 80, at=20), tier=1))
    assert engine.fails == ["budget.1"]


def test_what_a_span_adds_is_looked_for_only_so_far_up(contract, fed, model):
    engine = fed(contract(**budget("trace", tokens=100)))
    engine.feed(model("m0", 50), *(model(f"m{n}", parent=f"m{n - 1}") for n in range(1, 70)))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["budget.1"]


def test_an_agent_around_a_model_call_tells_no_tokens_of_it(contract, fed, agent, model):
    engine = fed(contract(**budget("trace", tokens=100)))
    engine.feed(agent("a1"), model("m1", parent="a1"))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["budget.1"]


@pytest.mark.parametrize("first", ["outer", "inner"])
def test_a_part_of_which_nothing_is_left_is_as_if_nothing_came(*, first, contract, fed, plain):
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    outer = told(plain("s1", service="other"), **mcp)
    inner = told(plain("s2", parent="s1", service="shop"), tool_name="search")
    spans = {"outer": outer, "inner": structs.replace(inner, name="claude_code.tool")}
    engine = fed(contract(applies_to={"service": "shop"}, **budget("trace", tokens=100)))
    engine.feed(spans.pop(first))
    engine.feed(*spans.values())
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == []
