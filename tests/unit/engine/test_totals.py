"""Budgets of a trace: what counts, what a contract sees of it, and what its registry adds."""

import pytest
from msgspec import structs

from toolscore_otel.model import Label


def cost(limit, **more):
    return {"budget": [{"of": "trace", "cost_usd": limit}], **more}


def told(span, **attributes):
    """A span that tells more."""
    return structs.replace(span, attributes={**span.attributes, **attributes})


def said(findings):
    return [f.explanation.partition(",")[0] for f in findings]


def test_a_budget_speaks_as_soon_as_the_sum_passes(contract, fed, model):
    engine = fed(contract(budget=[{"of": "trace", "tokens": 100}]))
    assert engine.feed(model("m1", 60)) == []
    (finding,) = engine.feed(model("m2", 60, at=20))
    assert finding.explanation == "the trace used 120 tokens, more than the budget of 100 tokens"
    assert engine.close() == []


def test_the_length_of_a_trace_is_last_end_minus_first_start(contract, fed, tool, agent, plain):
    engine = fed(contract(budget=[{"of": "trace", "latency_ms": 100}]))
    assert engine.feed(plain("p1", took=900), tool("s1", at=500), tool("s2", at=590)) == []
    assert said(engine.feed(tool("s3", at=591))) == ["the trace took 101 ms"]


def test_only_executed_calls_of_kind_tool_are_counted(contract, fed, tool, asked):
    engine = fed(contract(budget=[{"of": "trace", "calls": 1}]))
    assert engine.feed(tool("s1"), asked("s2", "x", at=20)) == []
    assert said(engine.feed(tool("s3", at=40))) == ["the trace made 2 calls"]


def test_each_model_call_is_counted_once(contract, fed, model):
    engine = fed(contract(budget=[{"of": "trace", "cost_usd": 1, "tokens": 100}]))
    engine.feed(model("m1", 80, cost=0.8), model("m2", 80, cost=0.8, parent="m1"))
    engine.close()
    assert engine.fails == []
    engine.feed(model("m3", 80, cost=0.8))
    assert engine.fails == ["budget.1", "budget.1"]


def test_prices_of_the_registry_come_on_top(contract, fed, tool, model):
    tools = {"pay": {"cost_usd": 0.3}}
    engine = fed(contract(**cost(1, tools=tools)))
    assert engine.feed(model("m1", cost=0.5), tool("s1", "pay")) == []
    (finding,) = engine.feed(tool("s2", "pay", at=20))
    assert finding.explanation == "the trace cost $1.10, more than the budget of $1.00"
    assert engine.close() == []


def test_a_price_of_the_registry_stands_for_what_is_priced_inside(contract, fed, tool, model):
    tools = {"pay": {"cost_usd": 0.3}}
    engine = fed(contract(**cost(0.35, tools=tools)))
    inside = model("m1", 1_000_000, parent="s1")
    engine.feed(tool("s1", "pay"), told(inside, **{"gen_ai.request.model": "gpt-4o-mini"}))
    engine.close()
    assert engine.fails == []


def test_a_call_that_goes_takes_its_price_along(contract, fed, tool):
    tools = {"pay": {"cost_usd": 0.3}}
    engine = fed(contract(**cost(0.5, tools=tools)))
    engine.feed(tool("s2", "pay", parent="s1", at=2, took=5, scope="mcp"))
    engine.feed(tool("s1", "pay", scope="framework"))
    assert engine.fails == []


def test_unknown_costs_count_as_nothing_and_are_said(contract, fed, tool, model):
    engine = fed(contract(**cost(0.4)))
    (finding,) = engine.feed(tool("s1"), model("m1", cost=0.5, at=20))
    assert finding.explanation.startswith("the trace cost at least $0.50")
    engine = fed(contract(**cost(1)))
    engine.feed(tool("s1"), model("m1", cost=0.5, at=20), model("m2", 5, at=40))
    assert engine.close() == []


def test_where_no_cost_is_known_at_all_it_cannot_be_checked(contract, fed, tool, model, agent):
    for spans in ([tool("s1")], [model("m1", 5)]):
        engine = fed(contract(**cost(1)))
        engine.feed(*spans)
        (finding,) = engine.close()
        assert (finding.label, "cost not observed" in finding.explanation) == (
            Label.CANNOT_CHECK,
            True,
        )
    engine = fed(contract(**cost(1)))
    engine.feed(agent("a1"))
    assert engine.close() == []


@pytest.mark.parametrize(
    ("tokens", "checked"), [([60], True), ([60, None], False), ([None], False), ([], False)]
)
def test_tokens_that_were_not_reported_cannot_be_checked(
    *, tokens, checked, contract, fed, model, agent
):
    engine = fed(contract(budget=[{"of": "trace", "tokens": 100}]))
    engine.feed(agent("a1"), *(model(f"m{n}", used) for n, used in enumerate(tokens)))
    assert engine.close() == [] or not checked
    assert engine.standing(Label.CANNOT_CHECK) == ([] if checked else ["budget.1"])


def test_a_model_call_inside_one_that_tells_its_tokens_lacks_nothing(contract, fed, model, tool):
    engine = fed(contract(budget=[{"of": "trace", "tokens": 100}]))
    engine.feed(model("m1", 60), model("m2", parent="m1"), model("m3", parent="m2"))
    engine.feed(model("m4", parent="m3"))
    assert engine.close() == []


def test_a_span_that_has_not_ended_may_have_taken_longer(contract, fed, tool):
    engine = fed(contract(budget=[{"of": "trace", "latency_ms": 100}]))
    engine.feed(tool("s1"), tool("s2", took=None))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["budget.1"]
    engine.feed(tool("s3", at=200))
    engine.close()
    assert (engine.fails, engine.standing(Label.CANNOT_CHECK)) == (["budget.1"], [])


@pytest.mark.parametrize("whole", ["trace", "agent", "session"])
@pytest.mark.parametrize("later", [True, False])
def test_a_span_without_an_end_reaches_at_least_to_its_start(whole, later, contract, fed, tool):
    spans = [tool("s1"), tool("s2", at=101, took=None)]
    engine = fed(contract(budget=[{"of": whole, "latency_ms": 100}]))
    engine.feed(*(spans if later else reversed(spans)))
    engine.close()
    (finding,) = engine.engine.report().findings
    assert (finding.label, finding.explanation.partition(" took ")[2]) == (
        Label.FAIL,
        "at least 101 ms, more than the budget of 100 ms",
    )


def test_a_span_without_a_start_began_by_its_end(contract, fed, tool):
    engine = fed(contract(budget=[{"of": "trace", "latency_ms": 100}]))
    engine.feed(structs.replace(tool("s1"), start_ns=None), tool("s2", at=100))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["budget.1"]
    engine.feed(tool("s3", at=101))
    assert said(engine.said[-1:]) == ["the trace took at least 101 ms"]


LIMITS = {"latency_ms": 100, "tokens": 100, "calls": 1, "cost_usd": 1}


@pytest.mark.parametrize("limit", LIMITS)
def test_what_a_contract_does_not_see_does_not_count(limit, contract, fed, tool, model):
    rules = [{"of": "trace", limit: LIMITS[limit]}]
    engine = fed(contract(applies_to={"service": "mine"}, budget=rules))
    mine, other = {"service": "mine"}, {"service": "other"}
    engine.feed(model("m1", 80, cost=0.8, at=490, **mine), tool("s1", at=480, **mine))
    engine.feed(model("m2", 80, cost=0.8, at=20, **other), tool("s2", at=500, **other))
    engine.close()
    assert (engine.fails, engine.standing(Label.CANNOT_CHECK)) == ([], [])
    engine.feed(model("m3", 80, cost=0.8, at=500, **mine), tool("s3", at=571, **mine))
    engine.close()
    assert engine.fails == ["budget.1"]


@pytest.mark.parametrize("limit", ["cost_usd", "tokens", "latency_ms"])
def test_what_a_contract_sees_may_lack_what_others_have(limit, contract, fed, model):
    rules = [{"of": "trace", limit: LIMITS[limit]}]
    engine = fed(contract(applies_to={"service": "mine"}, budget=rules))
    engine.feed(model("m1", took=None, service="mine"), model("m2", 5, cost=0.1, service="other"))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["budget.1"]


def test_what_was_said_before_a_span_that_is_not_seen_came_still_stands(contract, fed, model):
    rules = [{"of": "trace", "tokens": 100}]
    engine = fed(contract(applies_to={"service": "mine"}, budget=rules))
    assert engine.feed(model("m1", 120, service="mine"))
    assert engine.feed(model("m2", 120, service="other", at=20)) == engine.close() == []


def test_calls_of_other_agents_do_not_count(contract, fed, agent, model, tool):
    rules = [{"of": "trace", "tokens": 100, "calls": 1, "cost_usd": 1, "latency_ms": 1000}]
    engine = fed(contract(applies_to={"agent": "desk"}, budget=rules))
    engine.feed(tool("s1", parent="a1"), model("m1", 80, cost=0.8, parent="a1"), agent("a1"))
    engine.feed(tool("s2", parent="a2"), model("m2", 80, cost=0.8, parent="a2"))
    engine.feed(agent("a2", "helper", parent="a1"), tool("s4", parent="a2", at=2000))
    engine.close()
    assert (engine.fails, engine.standing(Label.CANNOT_CHECK)) == ([], [])
    engine.feed(tool("s3", parent="a1", at=991), model("m3", 80, cost=0.8, parent="a1", at=20))
    engine.close()
    assert engine.fails == ["budget.1"] * 4


def test_a_reported_cost_stands_for_all_that_is_inside(contract, fed, tool, model):
    for applies_to in ({}, {"service": "m*"}):
        engine = fed(contract(applies_to=applies_to, **cost(1)))
        outer = tool("s1", service="mine", agent="x")
        reporting = told(outer, **{"gen_ai.usage.cost": 0.9})
        engine.feed(reporting, model("m1", 5, cost=0.8, parent="s1", service="mine"))
        engine.feed(tool("s2", service="other"))
        engine.close()
        assert engine.fails == []
