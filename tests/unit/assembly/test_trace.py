"""One trace: readings come in any order, calls come out."""

from __future__ import annotations

from collections import Counter

import pytest

from toolscore_otel.assembly import CallChange
from toolscore_otel.assembly.trace import MOST_MOVES, TraceAssembly
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import ContentState, Gap, Status

CLIENT = {"layer": "client", "scope": "mcp"}


@pytest.fixture
def counters():
    return Counter()


@pytest.fixture
def trace(counters):
    return TraceAssembly(counters)


def keys(changes):
    return [(change.before, change.after.key if change.after else None) for change in changes]


# agents


def test_the_agent_is_the_nearest_invocation_through_unrelated_spans(say, only_call_of):
    call = only_call_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", "a", "Buyer"),
        say.plain("step", "b"),
        say.model("m", "step"),
        say.tool("t", "m"),
    )
    assert (call.agent, call.invocation_id) == ("Buyer", "b")


def test_the_agent_is_known_where_its_own_parent_never_comes(say, only_call_of):
    call = only_call_of(say.agent("a", "missing", "Clerk"), say.tool("t", "a"))
    assert call.agent == "Clerk"
    assert Gap.PARENT_MISSING not in call.gaps


def test_an_agent_beyond_a_missing_span_is_not_known(say, only_call_of):
    call = only_call_of(say.agent("a", None, "Clerk"), say.tool("t", "missing"))
    assert (call.agent, call.invocation_id) == (None, None)
    assert {Gap.PARENT_MISSING, Gap.AGENT_NOT_OBSERVED} <= set(call.gaps)


def test_an_agent_that_comes_last_changes_the_calls_inside_it(say, trace):
    trace.add(*say.tool("t", "step"))
    assert keys(trace.add(*say.plain("step", "a"))) == []
    changes = trace.add(*say.agent("a", None, "Clerk"))
    assert keys(changes) == [("t", "t")]
    assert changes[0].after.agent == "Clerk"


def test_two_invocations_of_one_name_are_two(say, calls_of):
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", None, "Clerk"),
        say.tool("s", "a", at=(0, 1)),
        say.tool("t", "b", at=(2, 3)),
    )
    assert [(call.agent, call.invocation_id) for call in calls] == [("Clerk", "a"), ("Clerk", "b")]


def test_an_invocation_without_a_name_is_not_given_the_name_of_another(say, only_call_of):
    call = only_call_of(say.agent("a", None, "Clerk"), say.agent("b", "a"), say.tool("t", "b"))
    assert (call.agent, call.invocation_id) == (None, "b")


def test_a_tool_that_is_an_invocation_itself_belongs_to_the_agent_around_it(say, calls_of):
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.tool("t", "a", "research", invokes="Researcher", at=(0, 9)),
        say.tool("u", "t", "search", at=(1, 2)),
    )
    assert [(call.tool, call.agent) for call in calls] == [
        ("research", "Clerk"),
        ("search", "Researcher"),
    ]


# records of one span


def test_a_span_that_is_delivered_again_counts_once(say, trace, counters):
    assert len(trace.add(*say.tool("t", call_id="x"))) == 1
    assert trace.add(*say.tool("t", call_id="x")) == []
    assert trace.add(*say.plain("t")) == []
    assert trace.add(*say.plain("p")) == trace.add(*say.plain("p")) == []
    assert len(trace.calls) == 1
    assert counters == {"calls": 1, "duplicates": 3, "joined": 0}


def test_a_richer_record_replaces_what_came_first(say, trace, counters):
    trace.add(*say.tool("t", call_id="x", at=(0, None), status=Status.UNKNOWN))
    changes = trace.add(*say.tool("t", call_id="x", args={"q": 1}, at=(0, 9)))
    assert keys(changes) == [("x", "x")]
    assert (changes[0].after.args, changes[0].after.status) == ({"q": 1}, Status.OK)
    assert trace.add(*say.tool("t", call_id="x", at=(0, None))) == []
    assert (counters["replaced"], counters["duplicates"], counters["reused"]) == (1, 1, 0)


def test_a_plain_span_that_comes_again_with_its_attributes_is_a_call(say, only_call_of, counters):
    call = only_call_of(
        say.agent("a", None, "Clerk"),
        say.plain("t", "a", at=(0, None)),
        say.tool("t", "a", call_id="x"),
    )
    assert (call.key, call.agent) == ("x", "Clerk")


def test_a_plain_span_that_turns_out_to_be_an_agent_takes_what_is_inside_it(say, calls_of):
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.plain("b", "a"),
        say.tool("t", "b", at=(0, 1)),
        say.tool("u", "a", at=(2, 3)),
        say.agent("b", "a", "Buyer"),
    )
    assert [call.agent for call in calls] == ["Buyer", "Clerk"]


def test_a_plain_span_that_turns_out_to_be_a_tool_stands_between_two_others(say, calls_of):
    calls = calls_of(
        say.tool("o", None, at=(0, 9)),
        say.plain("m", "o"),
        say.tool("i", "m", at=(2, 3), **CLIENT),
        say.tool("m", "o", "refund", at=(1, 8)),
    )
    assert [call.tool for call in calls] == ["search", "refund", "search"]


def test_an_agent_that_comes_again_with_its_name_names_its_calls(say, only_call_of):
    call = only_call_of(
        say.agent("a", None, None, at=(0, None)),
        say.tool("t", "a"),
        say.agent("a", None, "Clerk", at=(0, 9)),
    )
    assert call.agent == "Clerk"


def test_a_record_that_tells_more_can_join_what_was_apart(say, calls_of):
    outer = say.tool("o", None, args={"q": 1})
    calls = calls_of(outer, say.tool("i", "o", args={"q": 2}, at=(0, None), **CLIENT))
    assert len(calls) == 2
    calls = calls_of(
        outer,
        say.tool("i", "o", args={"q": 2}, at=(0, None), **CLIENT),
        say.tool("i", "o", args={"q": 1}, at=(0, 9), **CLIENT),
    )
    assert [call.key for call in calls] == ["o"]


def test_an_outer_span_that_comes_again_keeps_what_is_joined_with_it(say, only_call_of):
    call = only_call_of(
        say.tool("o", None, at=(0, None)),
        say.tool("i", "o", args={"q": 1}, at=(1, 8), **CLIENT),
        say.tool("o", None, result="found", at=(0, 9)),
    )
    assert (call.args, call.result, len(call.sources)) == ({"q": 1}, "found", 2)


def test_a_record_that_tells_more_can_part_what_was_joined(say, calls_of):
    calls = calls_of(
        say.tool("o", None, args={"q": 1}),
        say.tool("i", "o", at=(1, 9), **CLIENT),
        say.tool("i", "o", args={"q": 2}, at=(1, 9), **CLIENT),
    )
    assert [(call.key, call.args) for call in calls] == [("o", {"q": 1}), ("i", {"q": 2})]


@pytest.mark.parametrize(("name", "call_id"), [("refund", "x"), ("search", "y")])
def test_a_span_id_that_names_another_call_is_two_calls_and_a_gap(say, calls_of, name, call_id):
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", None, "Buyer"),
        say.tool("s", "a", "search", call_id="x", args={}, at=(0, 5)),
        say.tool("s", "b", name, call_id=call_id, at=(6, 9)),
    )
    assert [(call.tool, call.agent) for call in calls] == [("search", "Clerk"), (name, "Buyer")]
    assert len({call.key for call in calls}) == 2
    assert all(Gap.SPAN_ID_REUSED in call.gaps for call in calls)


def test_calls_past_the_cap_under_one_span_id_are_counted(say, trace, counters):
    for number in range(20):
        trace.add(*say.tool("s", call_id=f"c{number}"))
    assert len(trace.calls) == 16
    assert (counters["reused"], counters["reuse_limit"]) == (15, 4)


def test_a_span_that_comes_again_under_another_parent_moves(say, only_call_of):
    call = only_call_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", None, "Buyer"),
        say.plain("p", "a"),
        say.tool("t", "p", at=(0, None)),
        say.plain("p", "b"),
    )
    assert call.agent == "Buyer"
    call = only_call_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", None, "Buyer"),
        say.tool("t", "a", at=(0, None)),
        say.tool("t", "b", at=(0, 9)),
        say.model("m", "t", cost_usd=0.1),
    )
    assert (call.agent, call.parent_span_id, call.cost_usd) == ("Buyer", "b", 0.1)


def test_spans_move_up_to_a_cap_and_stay_past_it(say, trace, counters):
    trace.add(*say.agent("a", None, "Clerk"))
    trace.add(*say.agent("b", None, "Buyer"))
    trace.add(*say.plain("p", "a"))
    trace.add(*say.tool("t", "p"))
    for number in range(MOST_MOVES):
        trace.add(*say.plain("p", f"b{number:02}"))
    trace.add(*say.plain("p", "c"))
    trace.add(*say.tool("t", "b", args={"q": 1}))
    assert (counters["moved"], counters["move_limit"]) == (MOST_MOVES, 2)
    assert [(call.agent, call.args) for call in trace.calls.values()] == [(None, None)]
    trace.add(*say.tool("t", "p", args={"q": 1}))
    assert [call.args for call in trace.calls.values()] == [{"q": 1}]


def test_a_record_that_names_less_is_a_duplicate(say, trace, counters):
    trace.add(*say.tool("t", call_id="x", args={"q": 1}))
    assert trace.add(*say.tool("t", None, None)) == []
    assert (counters["duplicates"], counters["replaced"], counters["reused"]) == (1, 0, 0)


def test_an_agent_that_turns_out_to_be_a_tool_is_an_agent_no_more(say, calls_of):
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.agent("t", "a", "Buyer"),
        say.tool("t", "a", "research", at=(0, 9)),
        say.tool("u", "t", at=(1, 2)),
    )
    assert [(call.tool, call.agent) for call in calls] == [
        ("research", "Clerk"),
        ("search", "Clerk"),
    ]


def test_a_circle_of_parents_ends_somewhere_and_loses_no_call(say, calls_of):
    calls = calls_of(
        say.tool("a", "c", at=(0, 9)),
        say.tool("b", "a", at=(1, 8)),
        say.model("c", "b", cost_usd=0.1),
        say.tool("d", "d", at=(2, 3)),
    )
    assert [(call.key, call.cost_usd) for call in calls] == [("a", 0.1), ("b", 0.1), ("d", None)]


# changes


def test_a_call_that_turns_out_to_be_part_of_another_is_given_back_as_gone(say, trace, counters):
    trace.add(*say.tool("i", "o", **CLIENT))
    assert keys(trace.add(*say.tool("o"))) == [("i", None), (None, "o")]
    assert (counters["calls"], counters["joined"]) == (2, 1)


def test_a_call_that_keeps_its_key_has_changed_whatever_stands_for_it(say, trace, counters):
    trace.add(*say.tool("i", "o", call_id="x", **CLIENT))
    assert keys(trace.add(*say.tool("o", args={"q": 1}))) == [("x", "x")]
    assert counters["joined"] == 0


def test_calls_whose_number_moves_are_given_back_with_both_keys(say, trace):
    trace.add(*say.tool("b", call_id="x", at=(5, 6)))
    assert keys(trace.add(*say.tool("a", call_id="x", at=(1, 2)))) == [
        (None, "x#1"),
        ("x", "x#2"),
    ]


def test_what_changes_nothing_gives_back_nothing(say, trace):
    trace.add(*say.tool("t", "a"))
    assert trace.add(*say.plain("q")) == []
    assert trace.add(*say.model("m", "q")) == []


def test_a_change_names_nothing_but_its_key(say, trace):
    change = trace.add(*say.tool("t"))[0]
    assert change == CallChange(None, trace.calls["t"])
    assert not change.alone


def test_known_are_spans_and_the_messages_inside_them(say, trace):
    trace.add(*say.model("m", "p", say.request()))
    assert (trace.placed.keys(), len(trace)) == ({"m", "m#0"}, 2)
    carried = say.tool("s")[1].__class__(calls=(say.request(call_id="x"),))
    trace.add(say.place("q"), carried)
    trace.add(say.place("q"), carried)
    assert ("q" in trace.placed, len(trace)) == (True, 4)


def test_a_span_that_carries_messages_and_moves_takes_them_with_it(say, calls_of):
    carried = say.tool("s")[1].__class__(calls=(say.request(call_id="x"),))
    more = say.tool("s")[1].__class__(calls=(say.request(call_id="x"), say.response(call_id="x")))
    calls = calls_of(
        say.agent("a", None, "Clerk"),
        say.agent("b", None, "Buyer"),
        (say.place("q", "a"), carried),
        (say.place("q", "b"), more),
    )
    assert [(call.key, call.agent) for call in calls] == [("x", "Buyer")]


def test_truncated_arguments_are_no_difference(say, only_call_of):
    cut = say.tool("s")[1].calls[0].args.__class__(ContentState.TRUNCATED, None, '{"q')
    call = only_call_of(say.tool("o", args=cut), say.tool("i", "o", args={"q": 1}, **CLIENT))
    assert call.args == {"q": 1}


def test_a_step_may_come_after_what_stands_in_it(say, rebuilt):
    """In any order, and where no more than spans of no interest are there when it comes."""
    step = AgentReading(convention="genai", name="plan", is_step=True)
    fed = [
        say.plain("p", "s", at=(2, 98)),
        say.agent("a", None, "desk", at=(0, 100)),
        (say.place("s", "a", at=(1, 99)), SpanReading(agent=step)),
        say.tool("t", "p", at=(3, 97)),
    ]
    (call,) = rebuilt(*fed).calls
    assert (call.agent, call.invocation_id) == ("desk", "a")
