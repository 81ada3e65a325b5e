"""Budgets where an agent's run adds up what no model call tells."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec import structs

from toolscore_otel.model import InstrumentationScope, Label


def told(span, tokens=None, cost=None, scope=""):
    """An invocation that adds up its run."""
    used = {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.cost": cost}
    known = {key: value for key, value in used.items() if value is not None}
    return structs.replace(
        span, attributes={**span.attributes, **known}, scope=InstrumentationScope(scope)
    )


def budget(of="trace", tokens=100, cost_usd=1):
    return {"budget": [{"of": of, "tokens": tokens, "cost_usd": cost_usd}]}


def outcome(engine):
    """What stands in the end: explanations of failures, and how much cannot be checked."""
    engine.close()
    found = [f for f in engine.engine.report().findings if f.label is not Label.PASS]
    return sorted(f.explanation.partition(",")[0] for f in found if f.label is Label.FAIL), len(
        [f for f in found if f.label is Label.CANNOT_CHECK]
    )


def all_orders(fed, contract_of, spans):
    found = []
    for order in permutations(spans):
        engine = fed(contract_of())
        engine.feed(*order)
        found.append(outcome(engine))
    assert all(other == found[0] for other in found)
    return found[0]


@pytest.mark.parametrize("of", ["trace", "agent", "session"])
def test_a_run_that_tells_is_held_against_the_budget(of, contract, fed, agent, model):
    spans = [told(agent("a1"), 120, 1.5), model("m1", parent="a1"), model("m2", parent="a1")]
    whole = {"trace": "the trace", "agent": "the agent invocation", "session": "the session"}[of]
    assert all_orders(fed, lambda: contract(**budget(of)), spans) == (
        [f"{whole} cost $1.50", f"{whole} used 120 tokens"],
        0,
    )


@pytest.mark.parametrize("of", ["trace", "agent", "session"])
def test_within_the_budget_nothing_is_open(of, contract, fed, agent, model):
    spans = [told(agent("a1"), 80, 0.5), model("m1", parent="a1"), model("m2", parent="a1")]
    assert all_orders(fed, lambda: contract(**budget(of)), spans) == ([], 0)


@pytest.mark.parametrize("of", ["trace", "agent", "session"])
def test_a_model_call_that_tells_replaces_the_run_whenever_it_comes(
    of, contract, fed, agent, model
):
    spans = [told(agent("a1"), 120, 1.5), model("m1", 60, cost=0.6, parent="a1")]
    assert all_orders(fed, lambda: contract(**budget(of)), spans) == ([], 0)


def test_what_was_said_of_the_run_is_taken_back(contract, fed, agent, model):
    engine = fed(contract(budget=[{"of": "trace", "tokens": 100}]))
    (finding,) = engine.feed(told(agent("a1"), 120))
    assert (finding.label, finding.explanation.partition(",")[0]) == (
        Label.FAIL,
        "the trace used 120 tokens",
    )
    (finding,) = engine.feed(model("m1", 60, parent="a1"))
    assert finding.label is Label.PASS


def test_of_runs_inside_each_other_the_outer_counts_once(contract, fed, agent):
    spans = [told(agent("a1"), 80, 0.5), told(agent("a2", "helper", parent="a1"), 60, 0.7)]
    assert all_orders(fed, lambda: contract(**budget()), spans) == ([], 1)
    spans[0] = told(agent("a1"), 120, 0.5)
    assert all_orders(fed, lambda: contract(**budget()), spans) == (
        ["the trace used at least 120 tokens"],
        0,
    )


def test_what_sub_agents_used_is_not_the_outer_agents(contract, fed, agent):
    """Whether it is in what that adds up, no span says."""
    spans = [told(agent("a1"), 120, 1.2), told(agent("a2", "helper", parent="a1"), 130, 1.3)]
    assert all_orders(fed, lambda: contract(**budget("agent")), spans) == (
        ["the agent invocation cost $1.30", "the agent invocation used 130 tokens"],
        1,
    )


def test_runs_without_one_around_them_that_tells_add_up(contract, fed, agent):
    spans = [
        agent("a0", "boss"),
        told(agent("a1", parent="a0"), 60, 0.6),
        told(agent("a2", parent="a0"), 60, 0.6),
    ]
    assert all_orders(fed, lambda: contract(**budget()), spans) == (
        ["the trace cost $1.20", "the trace used 120 tokens"],
        0,
    )


def test_a_run_that_tells_no_cost_leaves_that_open(contract, fed, agent):
    spans = [told(agent("a1"), 80)]
    assert all_orders(fed, lambda: contract(**budget()), spans) == ([], 1)


def test_a_run_that_tells_its_cost_alone_leaves_tokens_open(contract, fed, agent):
    spans = [told(agent("a1"), None, 0.5)]
    assert all_orders(fed, lambda: contract(**budget()), spans) == ([], 1)


def test_what_a_contract_sees_of_the_inside_alone_is_open(contract, fed, agent, model):
    spans = [told(agent("a1", "desk"), 120, 1.5), model("m1", parent="a2")]
    spans.append(agent("a2", "helper", parent="a1"))
    seen = {"applies_to": {"agent": "helper"}}
    assert all_orders(fed, lambda: contract(**seen, **budget()), spans) == ([], 1)


@pytest.mark.parametrize(("of", "open_"), [("trace", 0), ("session", 1)])
def test_a_cost_so_far_is_none_of_a_session(of, open_, contract, fed, agent):
    scope = "logfire.claude_agent_sdk"
    spans = [told(agent("a1", talk="t1"), 80, 0.5, scope)]
    assert all_orders(fed, lambda: contract(**budget(of)), spans) == ([], open_)
