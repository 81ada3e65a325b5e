"""Tokens and money of one trace, every model call once."""

from __future__ import annotations

import pytest

from toolscore_otel.assembly import Assembler
from toolscore_otel.assembly.spending import DEEPEST, MOST_TWINS
from toolscore_otel.model import CostSource, Gap, Tokens
from toolscore_otel.pricing import price

PRICED = {"model": "gpt-4o-mini", "input_tokens": 1000, "output_tokens": 10}
TRACE = "a" * 32


def list_price() -> float:
    found = price("gpt-4o-mini", None, 1000, 10)
    assert found is not None
    return found


def test_tokens_and_costs_of_all_model_calls_are_added_up(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a"),
        say.model("m1", "a", cost_usd=0.1, input_tokens=10, output_tokens=1, cached_tokens=4),
        say.model("m2", "a", cost_usd=0.2, input_tokens=20),
    )
    assert trajectory.tokens == Tokens(input=30, output=1, cached=4, reasoning=None)
    assert (trajectory.cost_usd, trajectory.cost_source) == (0.3, CostSource.REPORTED)
    assert Gap.COST_NOT_KNOWN not in trajectory.gaps


def test_ten_times_ten_cents_is_a_dollar(say, rebuilt):
    models = [say.model(f"m{number}", "t", cost_usd=0.1) for number in range(10)]
    trajectory = rebuilt(say.tool("t"), *models)
    assert (trajectory.cost_usd, trajectory.calls[0].cost_usd) == (1.0, 1.0)


def test_a_model_span_around_another_repeats_it(say, rebuilt):
    trajectory = rebuilt(
        say.model("outer", None, cost_usd=0.3, input_tokens=30),
        say.plain("step", "outer"),
        say.model("m1", "step", cost_usd=0.1, input_tokens=10),
        say.model("m2", "outer", cost_usd=0.2, input_tokens=20),
    )
    assert (trajectory.cost_usd, trajectory.tokens.input) == (0.3, 30)


def test_a_model_span_around_one_that_tells_nothing_is_counted(say, rebuilt):
    trajectory = rebuilt(
        say.model("outer", None, cost_usd=0.3, input_tokens=30), say.model("m", "outer")
    )
    assert (trajectory.cost_usd, trajectory.tokens.input) == (0.3, 30)


def test_a_model_call_of_a_tool_inside_a_model_span_is_no_repetition(say, rebuilt):
    trajectory = rebuilt(
        say.model("outer", None, cost_usd=0.1),
        say.tool("t", "outer"),
        say.model("m", "t", cost_usd=0.2),
    )
    assert trajectory.cost_usd == 0.3


@pytest.mark.parametrize("parent", [None, "one"])
def test_two_spans_of_one_response_are_one_model_call(say, rebuilt, parent):
    trajectory = rebuilt(
        say.model("one", None, response_id="r", input_tokens=10, cost_usd=0.1),
        say.model("two", parent, response_id="r", input_tokens=10),
        say.model("other", None, response_id="r2", input_tokens=5, cost_usd=0.1),
    )
    assert (trajectory.tokens.input, trajectory.cost_usd) == (15, 0.2)
    assert Gap.COST_NOT_KNOWN not in trajectory.gaps


def test_of_two_spans_of_one_response_the_one_that_says_more_counts(say, rebuilt):
    trajectory = rebuilt(
        say.model("one", None, response_id="r", where={"at": (5, 6)}),
        say.model("two", None, response_id="r", input_tokens=10),
    )
    assert trajectory.tokens.input == 10


def test_what_stands_inside_one_of_two_spans_of_a_response_tells_of_both(say, rebuilt):
    trajectory = rebuilt(
        say.model("one", None, response_id="r", input_tokens=10),
        say.model("raw", "one", input_tokens=10),
        say.model("two", None, response_id="r", input_tokens=10),
    )
    assert trajectory.tokens.input == 10


def test_a_response_id_that_many_share_is_none(say):
    assembler = Assembler()
    fed = [
        say.model(f"m{number}", None, response_id="mock", input_tokens=1)
        for number in range(MOST_TWINS + 2)
    ]
    for number, (place, reading) in enumerate(fed, start=1):
        assembler.add(place, reading, now=0)
        known = assembler.trajectory(TRACE).tokens.input
        assert known == (1 if number <= MOST_TWINS else number)
    assert assembler.counters["shared_response"] == 1


def test_a_response_id_that_fewer_share_after_all_is_one_again(say, rebuilt):
    same = [
        say.model(f"m{number}", None, response_id="r", input_tokens=1)
        for number in range(MOST_TWINS + 2)
    ]
    others = [
        say.model(
            f"m{number}", None, response_id=f"r{number}", input_tokens=10, where={"at": (0, 11)}
        )
        for number in range(2)
    ]
    assert rebuilt(*same).tokens.input == MOST_TWINS + 2
    assert rebuilt(*same, others[0]).tokens.input == 10 + MOST_TWINS + 1
    assert rebuilt(*same, *others).tokens.input == 20 + 1


def test_an_agent_counts_nothing_of_its_own(say, rebuilt):
    trajectory = rebuilt(say.agent("a"), say.model("m", "a", input_tokens=7, cost_usd=0.1))
    assert (trajectory.tokens.input, trajectory.cost_usd) == (7, 0.1)


def test_model_calls_inside_a_tool_are_its_cost_through_agents_and_tools(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a"),
        say.tool("t", "a", "research", at=(0, 9)),
        say.agent("b", "t"),
        say.model("m1", "b", **PRICED),
        say.tool("u", "b", "search", at=(1, 9)),
        say.model("m2", "u", cost_usd=0.2),
        say.model("m3", "a", cost_usd=0.4),
    )
    costs = {call.tool: (call.cost_usd, call.cost_source) for call in trajectory.calls}
    assert costs == {
        "research": (round(0.2 + list_price(), 12), CostSource.PRICED),
        "search": (0.2, CostSource.REPORTED),
    }
    assert trajectory.cost_usd == round(0.6 + list_price(), 12)
    assert trajectory.cost_source is CostSource.PRICED


def test_an_unknown_price_is_none_and_a_gap_and_never_zero(say, rebuilt):
    trajectory = rebuilt(say.tool("t"), say.model("m", "t", model="home-made", input_tokens=5))
    call = trajectory.calls[0]
    assert (call.cost_usd, call.cost_source, trajectory.cost_usd) == (None, None, None)
    assert Gap.COST_NOT_KNOWN in call.gaps
    assert Gap.COST_NOT_KNOWN in trajectory.gaps


def test_what_is_known_beside_an_unknown_price_is_told_with_the_gap(say, rebuilt):
    trajectory = rebuilt(
        say.tool("t"), say.model("m1", "t", cost_usd=0.1), say.model("m2", "t", model="home-made")
    )
    assert (trajectory.calls[0].cost_usd, trajectory.cost_usd) == (0.1, 0.1)
    assert Gap.COST_NOT_KNOWN in trajectory.calls[0].gaps


def test_a_reported_cost_of_a_tool_stands_for_all_inside_it(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a"),
        say.tool("t", "a", "research", cost_usd=0.5, at=(0, 9)),
        say.tool("u", "t", "search", cost_usd=0.2, at=(1, 9)),
        say.model("m1", "u", cost_usd=0.1),
        say.model("m2", "a", cost_usd=0.3),
    )
    assert {call.tool: call.cost_usd for call in trajectory.calls} == {
        "research": 0.5,
        "search": 0.2,
    }
    assert (trajectory.cost_usd, trajectory.tokens.input) == (0.8, None)


def test_a_report_of_two_spans_of_one_call_counts_once(say, rebuilt):
    trajectory = rebuilt(
        say.tool("o", None, cost_usd=0.5, call_id="x"),
        say.tool("n", "o", cost_usd=0.5, scope="two"),
        say.tool("p", None, cost_usd=0.5, call_id="x", scope="three"),
    )
    assert [call.cost_usd for call in trajectory.calls] == [0.5]
    assert trajectory.cost_usd == 0.5


def test_both_sides_of_a_call_that_two_spans_tell_of_pay_what_stands_inside(say, only_call_of):
    call = only_call_of(
        say.tool("o", None, call_id="x"),
        say.model("m1", "o", cost_usd=0.1),
        say.tool("p", None, call_id="x", scope="three"),
        say.model("m2", "p", cost_usd=0.2),
    )
    assert call.cost_usd == 0.3


def test_a_report_that_comes_with_a_richer_record_replaces_the_sum(say, rebuilt):
    trajectory = rebuilt(
        say.tool("t", at=(0, None)),
        say.model("m", "t", cost_usd=0.1),
        say.tool("t", cost_usd=0.5, at=(0, 9)),
    )
    assert (trajectory.calls[0].cost_usd, trajectory.cost_usd) == (0.5, 0.5)


def test_a_model_call_that_comes_again_with_more_is_counted_as_it_ended(say, rebuilt):
    trajectory = rebuilt(
        say.tool("t"),
        say.model("m", "t", cost_usd=0.1, where={"at": (0, None)}),
        say.model("m", "t", cost_usd=0.3, response_id="r", where={"at": (0, 9)}),
        say.model("n", "t", cost_usd=0.3, response_id="r", where={"at": (0, 9)}),
    )
    assert (trajectory.calls[0].cost_usd, trajectory.cost_usd) == (0.3, 0.3)


def test_sums_are_carried_up_to_the_cap_and_counted_past_it(say, fed_in_order):
    tools = [
        say.tool(f"t{number}", f"t{number - 1}" if number else None)
        for number in range(DEEPEST + 1)
    ]
    assembler = fed_in_order(*tools, say.model("m", f"t{DEEPEST}", cost_usd=0.1))
    trajectory = assembler.trajectory(TRACE)
    costs = {call.span_id: call.cost_usd for call in trajectory.calls}
    assert (costs["t0"], costs["t1"], costs[f"t{DEEPEST}"]) == (None, 0.1, 0.1)
    assert trajectory.cost_usd == 0.1
    assert assembler.counters["nesting"] == 1


def test_a_span_between_two_model_calls_that_turns_out_to_be_one_too_tells_the_same(say, rebuilt):
    trajectory = rebuilt(
        say.model("outer", None, cost_usd=0.1),
        say.plain("middle", "outer"),
        say.model("inner", "middle", cost_usd=0.1),
        say.model("middle", "outer", cost_usd=0.1),
    )
    assert [turn.id for turn in trajectory.turns] == ["inner"]
    assert trajectory.cost_usd == 0.1
