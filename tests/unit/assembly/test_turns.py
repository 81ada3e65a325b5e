"""Which model call asked for a tool call."""

import pytest

from toolscore_otel.assembly.turns import MOST_NESTED
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import CostSource, Tokens, Turn

USED = {"model": "home-made", "provider": "us", "input_tokens": 30, "output_tokens": 4}


def asked(call):
    return (call.model, call.provider, call.turn_id, call.turn_cost_usd, call.turn_cost_source)


NOT_KNOWN = (None,) * 5


def test_the_model_call_in_whose_answer_a_call_stands_asked_for_it(say, only_call_of):
    call = only_call_of(
        say.agent("a"),
        say.model("m", "a", say.request(call_id="x"), cost_usd=0.1, **USED),
        say.tool("t", "a", call_id="x", at=(11, 20)),
        say.model("later", "a", say.response(call_id="x"), where={"at": (21, 30)}, cost_usd=0.4),
    )
    assert asked(call) == ("home-made", "us", "m", 0.1, CostSource.REPORTED)
    assert call.turn_tokens == Tokens(input=30, output=4)
    assert call.cost_usd is None


def test_every_call_of_a_turn_names_the_same_one(say, calls_of):
    calls = calls_of(
        say.model("m", None, say.request("a"), say.request("b", position=1), cost_usd=0.1)
    )
    assert [(call.tool, call.turn_id, call.turn_cost_usd) for call in calls] == [
        ("a", "m", 0.1),
        ("b", "m", 0.1),
    ]


def test_a_turn_that_reports_nothing_is_known_and_what_it_took_is_not(say, only_call_of):
    call = only_call_of(say.model("m", None, say.request()))
    assert (call.turn_id, call.turn_tokens, call.turn_cost_usd) == ("m", None, None)


def test_a_call_without_a_message_was_asked_for_by_nobody_known(say, only_call_of):
    call = only_call_of(
        say.model("m", None, cost_usd=0.1, **USED), say.tool("t", None, at=(11, 20))
    )
    assert asked(call) == NOT_KNOWN


def test_an_answer_is_no_question(say, only_call_of):
    call = only_call_of(say.model("m", None, say.response(call_id="x", name="search"), **USED))
    assert asked(call) == NOT_KNOWN


def test_a_request_that_is_no_message_is_not_one_of_the_model_call_around_it(say, only_call_of):
    asks = say.call("search", what="request", call_id="x")
    call = only_call_of(
        say.model("m", None, **USED), (say.place("l", "m"), SpanReading(calls=(asks,)))
    )
    assert asked(call) == NOT_KNOWN


def test_a_message_on_a_span_that_is_no_model_call_names_none(say, only_call_of):
    call = only_call_of(say.agent("a"), say.word("w", "a", 5, say.request(), spoken="now"))
    assert asked(call) == NOT_KNOWN


def test_of_log_records_only_what_is_said_now_was_asked_for_here(say, only_call_of):
    now = say.word("w1", "m1", 5, say.request(call_id="x"), spoken="now")
    before = say.word("w2", "m2", 15, say.request(call_id="x"), spoken="before")
    first = say.model("m1", None, **USED)
    second = say.model("m2", None, where={"at": (12, 20)}, **USED)
    assert only_call_of(first, now, second, before).turn_id == "m1"
    assert only_call_of(second, before).turn_id is None


def test_one_log_record_of_all_messages_belongs_to_the_model_call_it_stands_on(say, only_call_of):
    call = only_call_of(say.word("w", "m", 5, say.request()), say.model("m", None, **USED))
    assert call.turn_id == "m"


def test_of_a_model_span_around_another_the_inner_one_is_the_turn(say, only_call_of):
    call = only_call_of(
        say.model("outer", None, say.request(), cost_usd=0.3, input_tokens=9),
        say.model("inner", "outer", cost_usd=0.1, **USED),
    )
    assert asked(call) == ("home-made", "us", "inner", 0.1, CostSource.REPORTED)


def test_a_sum_over_several_model_calls_is_no_turn(say, only_call_of):
    call = only_call_of(
        say.model("outer", None, say.request(), cost_usd=0.3),
        say.model("m1", "outer", cost_usd=0.1),
        say.model("m2", "outer", cost_usd=0.2),
    )
    assert asked(call) == NOT_KNOWN


def test_several_levels_of_model_spans_are_gone_through_and_not_any_number(say, only_call_of):
    def nested(levels):
        spans = [
            say.model(f"m{number}", f"m{number - 1}", cost_usd=0.1) for number in range(1, levels)
        ]
        return only_call_of(say.model("m0", None, say.request(), cost_usd=0.1), *spans).turn_id

    assert nested(MOST_NESTED) == f"m{MOST_NESTED - 1}"
    assert nested(MOST_NESTED + 1) is None


def test_of_two_spans_of_one_response_the_counted_one_is_the_turn(say, only_call_of):
    call = only_call_of(
        say.model("one", None, say.request(), response_id="r", input_tokens=10),
        say.model("two", None, response_id="r", input_tokens=10, cost_usd=0.1, model="m"),
    )
    assert (call.model, call.turn_id, call.turn_cost_usd) == ("m", "two", 0.1)


def test_two_instrumentations_of_one_turn_agree(say, only_call_of):
    call = only_call_of(
        say.model("outer", None, say.request(call_id="x"), cost_usd=0.3),
        say.model("inner", "outer", say.request(call_id="x"), where={"scope": "two"}, cost_usd=0.1),
        say.tool("t", None, call_id="x"),
    )
    assert call.turn_id == "inner"


def test_where_two_model_calls_asked_nothing_is_known(say, only_call_of):
    call = only_call_of(
        say.model("m1", None, say.request(call_id="x"), **USED),
        say.model("m2", None, say.request(call_id="x"), where={"scope": "two"}, **USED),
        say.tool("t", None, call_id="x"),
    )
    assert asked(call) == NOT_KNOWN


def test_a_model_span_that_says_more_later_is_the_turn_then(say, only_call_of):
    call = only_call_of(
        say.model("m", None, say.request(call_id="x"), where={"at": (0, None)}),
        say.model("m", None, say.request(call_id="x"), cost_usd=0.1, **USED),
        say.tool("t", None, call_id="x", at=(11, 20)),
    )
    assert asked(call) == ("home-made", "us", "m", 0.1, CostSource.REPORTED)


def test_a_record_that_says_more_and_of_no_model_call_leaves_no_turn(say, calls_of):
    calls = calls_of(
        say.model("m", None, **USED),
        say.word("w", "m", 5, say.request("a"), spoken="now"),
        (say.place("m"), SpanReading(calls=(say.request("b"), say.request("c")))),
    )
    assert {call.tool: call.turn_id for call in calls} == {"a": None, "b": None, "c": None}


def test_the_model_calls_of_a_trajectory_stand_by_start_and_each_once(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a", None, "Clerk"),
        say.model("late", "a", where={"at": (20, 30)}, **USED),
        say.model("outer", None, where={"at": (1, 9)}, cost_usd=0.3),
        say.model("inner", "outer", where={"at": (2, 8)}, cost_usd=0.3, cached_tokens=7),
        say.model("timeless", "a", where={"at": (None, None)}),
    )
    assert trajectory.turns == (
        Turn(
            id="inner",
            start_ns=2,
            end_ns=8,
            tokens=Tokens(cached=7),
            cost_usd=0.3,
            cost_source=CostSource.REPORTED,
        ),
        Turn(
            id="late",
            agent="Clerk",
            invocation_id="a",
            model="home-made",
            provider="us",
            start_ns=20,
            end_ns=30,
            tokens=Tokens(input=30, output=4),
        ),
        Turn(id="timeless", agent="Clerk", invocation_id="a"),
    )


@pytest.mark.parametrize("name", ["Clerk", None])
def test_a_turn_in_a_step_is_its_agents(say, rebuilt, name):
    step = SpanReading(agent=AgentReading(convention="x", name=name, is_step=True))
    (turn,) = rebuilt((say.place("s"), step), say.model("m", "s", **USED)).turns
    assert (turn.agent, turn.invocation_id) == (name, None)
