"""The model call after which a call ran, where no message shows which one asked for it."""

from itertools import pairwise

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.assembly.following import DEEPEST
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import CostSource, Tokens

ASKS = {"asks": True, "model": "home-made", "input_tokens": 30}


@pytest.fixture
def turns_of(calls_of):
    """The turns of calls, by call id, of what was fed."""
    return lambda *fed: {call.call_id: call.turn_id for call in calls_of(*fed)}


def turn(say, span_id, start, end, *messages, parent: str | None = "a", **said):
    return say.model(span_id, parent, *messages, where={"at": (start, end)}, **ASKS | said)


def call(say, call_id, start, end, parent: str | None = "a", **said):
    return say.tool(f"t{call_id}", parent, call_id=call_id, at=(start, end), **said)


def test_a_call_with_an_id_was_asked_for_in_the_turn_before(say, calls_of):
    first, second = calls_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 5, cost_usd=0.1),
        call(say, "x", 6, 9),
        turn(say, "m2", 9, 12),
        call(say, "y", 13, 14),
    )
    assert (first.model, first.turn_id, first.turn_tokens) == ("home-made", "m1", Tokens(input=30))
    assert (first.turn_cost_usd, first.turn_cost_source) == (0.1, CostSource.REPORTED)
    assert (second.turn_id, second.turn_cost_usd) == ("m2", None)


def test_calls_side_by_side_are_of_one_turn_also_while_it_is_still_streamed(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 8),
        call(say, "x", 6, 30),
        call(say, "y", 9, 20),
        turn(say, "m2", 31, 40, asks=False),
    )
    assert found == {"x": "m1", "y": "m1"}


@pytest.mark.parametrize(
    "told",
    [
        {"asks": False},
        {"parent": None},
        {"end": None},
        {"start": None},
        {"start": 6},
        {"start": 7},
    ],
    ids=["asked for no tool", "elsewhere", "no end", "no start", "at once", "later"],
)
def test_any_other_model_call_says_nothing(say, turns_of, told):
    start, end = told.pop("start", 1), told.pop("end", 8)
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", start, end, **told),
        call(say, "x", 6, 9),
        turn(say, "later", 8, 30),
    )
    assert found == {"x": None}


def test_a_call_without_an_id_may_be_the_frameworks_own(say, turns_of):
    found = turns_of(say.agent("a"), turn(say, "m", 1, 5), say.tool("t", "a", "search", at=(6, 9)))
    assert found == {None: None}


def test_an_id_that_only_a_message_has_is_none_of_the_span(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 5),
        say.tool("t", "a", "search", at=(6, 9)),
        turn(say, "m2", 10, 20, say.response(call_id="x", name="search"), asks=False),
    )
    assert found == {"x": None}


def test_where_a_turn_shows_what_it_asked_for_another_call_is_not_of_it(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5, say.request("other", call_id="y")),
        call(say, "x", 6, 9),
    )
    assert found == {"x": None, "y": "m"}


def test_without_an_agent_around_it_nothing_is_known(say, turns_of):
    assert turns_of(turn(say, "m", 1, 5, parent=None), call(say, "x", 6, 9, None)) == {"x": None}


def test_a_call_inside_another_is_that_ones(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5),
        call(say, "x", 6, 9, name="outer"),
        call(say, "y", 7, 8, "tx", name="inner"),
    )
    assert found == {"x": "m", "y": None}


def test_two_spans_of_one_call_are_not_one_inside_another(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5),
        call(say, "x", 6, 9),
        say.tool("inner", "tx", "search", layer="client", call_id="x", at=(7, 8)),
    )
    assert found == {"x": "m"}


def test_a_call_of_an_agent_is_asked_for_by_the_agent_around_it(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5),
        call(say, "x", 6, 20, name="task", invokes="Clerk"),
        turn(say, "n", 7, 9, parent="tx"),
        call(say, "y", 10, 12, "tx"),
    )
    assert found == {"x": "m", "y": "n"}


def test_model_calls_side_by_side_leave_it_open(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 5),
        turn(say, "m2", 4, 7),
        call(say, "x", 8, 9),
    )
    assert found == {"x": None}


def test_a_turn_that_was_not_answered_before_the_next_leaves_it_open(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 3),
        turn(say, "m2", 4, 7),
        call(say, "x", 8, 9),
    )
    assert found == {"x": None}


def test_a_turn_that_asked_for_nothing_needs_no_answer(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 1, 3, asks=False),
        turn(say, "m2", 4, 7),
        call(say, "x", 8, 9),
    )
    assert found == {"x": "m2"}


@pytest.mark.parametrize("end", [5, None])
def test_a_call_that_runs_on_into_a_turn_leaves_it_open(say, turns_of, end):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m1", 0, 1),
        call(say, "x", 2, end),
        turn(say, "m2", 4, 7),
        call(say, "y", 8, 9),
    )
    assert found == {"x": "m1", "y": None}


def test_a_call_without_a_start_has_no_turn_and_hides_none(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5),
        call(say, "x", None, None),
        call(say, "y", 6, 9),
    )
    assert found == {"x": None, "y": "m"}


def test_a_call_that_only_another_instrumentation_puts_into_an_agent_has_no_turn(say, turns_of):
    found = turns_of(
        say.agent("a", at=(0, 99)),
        turn(say, "m", 1, 5),
        call(say, "x", 6, 9, None),
        say.tool("inner", "a", "search", layer="client", call_id="x", at=(7, 8)),
    )
    assert found == {"x": None}


@pytest.mark.parametrize(("levels", "known"), [(DEEPEST - 1, "m"), (DEEPEST, None)])
def test_a_call_far_below_its_invocation_is_not_looked_into(say, turns_of, levels, known):
    parents = ["a", *(f"s{number}" for number in range(levels))]
    step = SpanReading(agent=AgentReading(convention="x", is_step=True))
    steps = [(say.place(child, parent), step) for parent, child in pairwise(parents)]
    found = turns_of(
        say.agent("a", at=(0, 99)), turn(say, "m", 1, 5), *steps, call(say, "x", 6, 9, parents[-1])
    )
    assert found == {"x": known}


def test_where_spans_were_left_out_the_turn_may_be_among_them(say, turns_of):
    place, reading = turn(say, "m", 1, 5)
    found = turns_of(
        say.agent("a", at=(0, 99)),
        (place, structs.replace(reading, is_sampled=True)),
        call(say, "x", 6, 9),
    )
    assert found == {"x": None}


@pytest.mark.parametrize(("limit", "known"), [(4, "m"), (3, None)])
def test_past_the_cap_of_a_trace_nothing_is_said_of_order(say, limit, known):
    assembler = Assembler(Limits(spans_per_trajectory=limit))
    fed = [say.agent("a", at=(0, 99)), turn(say, "m", 1, 5), call(say, "x", 6, 9)]
    for place, reading in (*fed, turn(say, "n", 10, 20)):
        assembler.add(place, reading, now=0)
    (only,) = assembler.trajectory("a" * 32).calls
    assert only.turn_id == known
