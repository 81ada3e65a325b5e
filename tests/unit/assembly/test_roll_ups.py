"""What agent invocations add up, and where that stands for their model calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler
from toolscore_otel.assembly.roll_ups import DEEPEST
from toolscore_otel.conventions.reading import ModelReading, RollUp, SpanReading
from toolscore_otel.model import AgentTotal, Gap, Tokens

TRACE = "a" * 32
TOTALS = Gap.ONLY_TOTALS_OBSERVED


@pytest.fixture
def run(say) -> Callable[..., Any]:
    """An invocation that adds up its run."""

    def make(span_id: str, parent: str | None = None, *, so_far: bool = False, **used: Any) -> Any:
        where = {key: used.pop(key) for key in ("name", "at") if key in used}
        place, reading = say.agent(span_id, parent, **where)
        told = RollUp(used=ModelReading(convention="genai", **used), is_cost_so_far=so_far)
        return place, structs.replace(reading, agent=structs.replace(reading.agent, roll_up=told))

    return make


def test_it_stands_where_no_model_call_tells_anything(say, run, rebuilt):
    found = rebuilt(
        run("a", name="desk", input_tokens=30, output_tokens=4, cached_tokens=9, cost_usd=0.5),
        say.model("m", "a"),
        say.tool("t", "a"),
    )
    assert found.tokens == Tokens(input=30, output=4, cached=9)
    assert (found.cost_usd, found.whole_cost_usd, found.gaps) == (0.5, 0.5, (TOTALS,))
    assert found.agent_totals == (
        AgentTotal(id="a", agent="desk", tokens=Tokens(input=30, output=4, cached=9), cost_usd=0.5),
    )


def test_no_turn_and_no_call_has_a_part_of_it(say, run, rebuilt):
    found = rebuilt(
        run("a", input_tokens=30, cost_usd=0.5), say.model("m", "a"), say.tool("t", "a")
    )
    (turn,), (call,) = found.turns, found.calls
    assert (turn.tokens, turn.cost_usd, call.cost_usd, call.turn_tokens) == (
        Tokens(),
        None,
        None,
        None,
    )


@pytest.mark.parametrize("told", [{"input_tokens": 7}, {"cost_usd": 0.1}])
def test_a_model_call_that_tells_goes_first_whatever_comes_first(say, run, rebuilt, told):
    found = rebuilt(
        run("a", input_tokens=30, cost_usd=0.5),
        say.plain("p", "a"),
        say.model("m", "p", **told),
        say.model("silent", "a"),
    )
    assert found.tokens == Tokens(input=told.get("input_tokens"))
    assert (found.cost_usd, found.agent_totals) == (told.get("cost_usd"), ())
    assert TOTALS not in found.gaps


def test_what_a_model_call_told_and_cannot_be_read_is_no_silence(say, run, rebuilt):
    found = rebuilt(run("a", input_tokens=30), say.model("m", "a", is_unclear=True))
    assert (found.tokens, found.agent_totals) == (Tokens(), ())


def test_of_runs_around_each_other_the_outermost_counts_and_there_was_at_least_as_much(
    say, run, rebuilt
):
    found = rebuilt(
        run("outer", name="desk", input_tokens=30, cost_usd=0.5),
        say.tool("t", "outer"),
        run("inner", "t", name="helper", input_tokens=20, cost_usd=0.2, at=(3, 5)),
    )
    assert (found.tokens.input, found.cost_usd, found.whole_cost_usd) == (30, 0.5, None)
    assert [(one.agent, one.at_least) for one in found.agent_totals] == [
        ("desk", True),
        ("helper", False),
    ]


def test_runs_inside_one_that_adds_nothing_up_are_added(say, run, rebuilt):
    found = rebuilt(
        say.agent("outer"),
        run("one", "outer", input_tokens=20, cost_usd=0.2),
        run("two", "outer", input_tokens=3, cost_usd=0.1),
    )
    assert (found.tokens.input, found.cost_usd) == (23, 0.3)
    assert Gap.COST_NOT_KNOWN not in found.gaps


def test_a_run_is_counted_beside_model_calls_of_another_one(say, run, rebuilt):
    found = rebuilt(
        run("outer", input_tokens=99, cost_usd=9),
        say.model("m", "outer", input_tokens=5, cost_usd=0.1),
        run("inner", "outer", input_tokens=20, cost_usd=0.2),
    )
    assert (found.tokens.input, found.cost_usd) == (25, 0.3)
    assert [one.id for one in found.agent_totals] == ["inner"]


def test_each_of_tokens_and_cost_is_of_the_outermost_run_that_tells_it(run, rebuilt):
    found = rebuilt(
        run("outer", cost_usd=0.5),
        run("inner", "outer", input_tokens=20, cost_usd=0.2),
    )
    assert (found.tokens.input, found.cost_usd) == (20, 0.5)
    found = rebuilt(run("outer", input_tokens=30), run("inner", "outer", cost_usd=0.2))
    assert (found.tokens.input, found.cost_usd, found.whole_cost_usd) == (30, 0.2, None)


def test_a_run_inside_that_of_the_same_agent_is_no_sub_agent(say, run, rebuilt):
    place, reading = say.agent("inner", "outer", "desk")
    same = structs.replace(reading, agent=structs.replace(reading.agent, runs_outer=True))
    found = rebuilt(run("outer", input_tokens=30, cost_usd=0.5), (place, same))
    assert (found.whole_cost_usd, found.agent_totals[0].at_least) == (0.5, False)


def test_a_call_that_reports_a_cost_may_be_in_that_of_the_run_or_not(say, run, rebuilt):
    found = rebuilt(
        run("a", input_tokens=30, cost_usd=0.5), say.tool("t", "a", "pay", cost_usd=0.2)
    )
    assert (found.tokens.input, found.cost_usd, found.whole_cost_usd) == (30, 0.2, None)
    assert found.agent_totals[0].cost_usd is None


def test_a_run_that_tells_no_cost_has_none(run, rebuilt):
    found = rebuilt(run("a", input_tokens=30, model="gpt-4o-mini"))
    assert (found.cost_usd, found.gaps) == (None, (Gap.COST_NOT_KNOWN, TOTALS))


def test_a_run_whose_tokens_are_unclear_says_so(run, rebuilt):
    found = rebuilt(run("a", input_tokens=30, cost_usd=0.1, is_unclear=True))
    assert found.gaps == (TOTALS, Gap.TOKENS_UNCLEAR)


def test_a_call_around_a_run_cost_what_that_cost(say, run, rebuilt):
    found = rebuilt(say.tool("t", None, "ask"), run("a", "t", input_tokens=3, cost_usd=0.2))
    assert (found.calls[0].cost_usd, found.cost_usd) == (0.2, 0.2)


def test_costs_so_far_of_several_runs_may_hold_each_other(run, rebuilt):
    runs = [run(f"a{n}", input_tokens=10, cost_usd=n / 10, so_far=True) for n in (1, 2, 3)]
    assert (rebuilt(runs[0]).cost_usd, rebuilt(*runs).cost_usd) == (0.1, None)
    assert rebuilt(*runs).tokens.input == 30


def test_a_cost_so_far_is_known_again_when_the_other_run_is_gone(say, run, fed_in_order):
    one = run("a1", input_tokens=10, cost_usd=0.1, so_far=True)
    place, _ = other = run("a2", input_tokens=10, cost_usd=0.2, so_far=True)
    assembler = fed_in_order(one, other)
    assert assembler.trajectory(TRACE).cost_usd is None
    assembler.add(place, SpanReading(agent=say.agent("a2")[1].agent, is_twin=True), now=0)
    assert assembler.trajectory(TRACE).cost_usd == 0.1


def test_a_span_that_is_a_call_and_a_run_reports_as_a_call(say, run, rebuilt):
    place, reading = say.tool("t", None, "Task", invokes="helper", cost_usd=0.3)
    told = run("t", input_tokens=9, cost_usd=0.7)[1].agent
    found = rebuilt((place, structs.replace(reading, agent=told)))
    assert (found.tokens, found.cost_usd, found.agent_totals) == (Tokens(), 0.3, ())


def test_what_is_nested_too_deep_is_not_looked_for(say, run, fed_in_order):
    deep = [say.agent(f"s{n}", f"s{n - 1}" if n else None) for n in range(DEEPEST + 6)]
    deep[0] = run("s0", input_tokens=30)
    innermost = say.model("m", f"s{DEEPEST + 5}", input_tokens=7)
    found = fed_in_order(*deep, innermost).trajectory(TRACE)
    assert found.tokens.input == 37


@pytest.mark.parametrize("fed", ["together", "one by one"])
def test_a_run_whose_span_comes_again_with_more_is_counted_once(say, run, fed):
    assembler = Assembler()
    bare, whole = say.agent("a", name="desk"), run("a", name="desk", input_tokens=30, cost_usd=0.5)
    items = (bare, say.model("m", "a"), whole, say.tool("t", "a"))
    if fed == "together":
        assembler.add_all(TRACE, items, now=0)
    else:
        for place, reading in items:
            assembler.add(place, reading, now=0)
    found = assembler.trajectory(TRACE)
    assert (found.tokens.input, found.cost_usd, len(found.agent_totals)) == (30, 0.5, 1)
