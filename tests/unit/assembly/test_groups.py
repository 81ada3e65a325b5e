"""The readings of a trace, put together call by call."""

from __future__ import annotations

from collections import Counter

import pytest

from toolscore_otel.assembly.groups import MOST_PER_ID, MOST_TOGETHER

TRACE = "a" * 32
NATIVE = {"scope": "two"}
CLIENT = {"layer": "client", "scope": "mcp"}


def keys(calls):
    return [call.key for call in calls]


def test_two_equal_calls_of_one_instrumentation_stay_two(say, calls_of):
    one = say.tool("a", None, args={"q": 1}, at=(0, 10))
    assert keys(calls_of(one, say.tool("b", "a", args={"q": 1}, at=(1, 9)))) == ["a", "b"]
    assert keys(calls_of(one, say.tool("b", None, args={"q": 1}, at=(0, 10)))) == ["a", "b"]


def test_a_tool_inside_another_is_its_own_call(say, calls_of):
    assert keys(calls_of(say.tool("a"), say.tool("b", "a", "refund", **CLIENT, at=(1, 2)))) == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("between", ["agent", "model"])
def test_an_agent_or_model_call_between_makes_two_calls(say, calls_of, between):
    middle = say.agent("m", "a") if between == "agent" else say.model("m", "a")
    calls = calls_of(say.tool("a"), middle, say.tool("b", "m", at=(1, 2), **CLIENT))
    assert keys(calls) == ["a", "b"]


def test_one_call_id_in_two_instrumentations_side_by_side_is_one_call(say, only_call_of):
    call = only_call_of(
        say.plain("root"),
        say.tool("a", "root", call_id="x", args={"q": 1}),
        say.tool("b", "root", call_id="x", result=1, at=(1, 9), **NATIVE),
    )
    assert (call.key, call.args, call.result) == ("x", {"q": 1}, 1)


def test_different_call_ids_are_two_calls(say, calls_of):
    calls = calls_of(say.tool("a", call_id="x"), say.tool("b", "a", call_id="y", **NATIVE))
    assert keys(calls) == ["x", "y"]


def test_one_call_id_used_several_times_is_several_calls_numbered_by_start(say, calls_of):
    calls = calls_of(
        say.tool("c", call_id="x", at=(4, 5)),
        say.tool("a", call_id="x", at=(0, 1)),
        say.tool("b", call_id="x", at=(2, 3)),
    )
    assert [(call.key, call.span_id) for call in calls] == [
        ("x#1", "a"),
        ("x#2", "b"),
        ("x#3", "c"),
    ]


def test_an_id_used_several_times_in_two_instrumentations_pairs_what_overlaps(say, calls_of):
    calls = calls_of(
        *(
            say.tool(
                f"{scope}{number}", call_id="x", scope=scope, at=(10 * number, 10 * number + 5)
            )
            for scope in ("one", "two")
            for number in (0, 1)
        )
    )
    assert keys(calls) == ["x#1", "x#2"]
    assert [len(call.sources) for call in calls] == [2, 2]


def test_history_that_every_later_model_call_repeats_is_told_once(say, rebuilt):
    asked = [say.request(call_id=f"c{number}", args={"q": number}) for number in range(3)]
    fed = [
        say.model(f"m{number}", None, *asked[: number + 1], where={"at": (number, number + 1)})
        for number in range(3)
    ]
    calls = rebuilt(*fed).calls
    assert [(call.key, call.span_id, call.start_ns) for call in calls] == [
        ("c0", "m0", 1),
        ("c1", "m1", 2),
        ("c2", "m2", 3),
    ]
    assert [len(call.sources) for call in calls] == [1, 1, 1]


def test_a_number_that_a_pipeline_wrote_as_a_fraction_is_the_same_one(say, rebuilt):
    said = [say.request(call_id="c", args={"q": number, "t": "v1.0"}) for number in (17, 17.0)]
    fed = [
        say.model(f"m{at}", None, one, where={"at": (at, at + 1)}) for at, one in enumerate(said)
    ]
    assert [call.span_id for call in rebuilt(*fed).calls] == ["m0"]
    other = say.model("m2", None, say.request(call_id="c", args={"q": 17.5}), where={"at": (2, 3)})
    assert [call.span_id for call in rebuilt(*fed, other).calls] == ["m0", "m2"]


def test_a_long_history_stays_one_call_however_often_it_is_repeated(say, fed_in_order):
    request = say.request(call_id="x")
    chats = [
        say.model(f"m{number}", None, request, where={"at": (number, number)})
        for number in range(2 * MOST_PER_ID)
    ]
    assembler = fed_in_order(*chats, say.tool("s", None, call_id="x", args={"q": 1}))
    calls = assembler.trajectory("a" * 32).calls
    assert [(call.key, len(call.sources)) for call in calls] == [("x", 2)]
    assert assembler.counters["crowded"] == 0


def test_what_repeats_a_message_stands_for_it_where_the_first_one_turns_out_to_say_more(
    say, rebuilt
):
    call = say.request(call_id="x")
    first = say.model("m0", None, call, where={"at": (0, 5)})
    richer = say.model("m0", None, say.request(call_id="x", args={"q": 1}), where={"at": (0, 5)})
    repeat = say.model("m1", None, call, where={"at": (6, 9)})
    calls = rebuilt(first, repeat, richer).calls
    assert [(call.key, call.span_id) for call in calls] == [("x#1", "m0"), ("x#2", "m1")]


def test_a_repeat_that_is_withdrawn_leaves_the_first_one_as_it_is(say, rebuilt):
    call = say.request(call_id="x")
    first = say.model("m0", None, call, where={"at": (0, 5)})
    repeat = say.model("m1", None, call, where={"at": (6, 9)})
    other = say.model("m1", None, say.request("refund", call_id="y", args={}), where={"at": (6, 9)})
    calls = rebuilt(first, repeat, other).calls
    assert [(call.key, call.span_id) for call in calls] == [("x", "m0"), ("y", "m1")]


def test_a_request_without_an_id_is_a_call_named_by_its_place(say, calls_of):
    asked = say.model("m", None, say.request(), say.request(position=1))
    assert keys(calls_of(asked)) == ["m#0", "m#1"]


def test_past_the_cap_of_one_id_readings_join_nothing_and_are_counted(say, fed_in_order):
    fed = [say.tool(f"{n:04}", call_id="x", at=(n, n)) for n in range(MOST_PER_ID + 2)]
    assembler = fed_in_order(*fed)
    assert len(assembler.trajectory(TRACE).calls) == MOST_PER_ID + 2
    assert assembler.counters["crowded"] == 2


def test_past_the_cap_around_one_call_inner_spans_stand_alone_and_are_counted(say, fed_in_order):
    inner = [say.tool(f"{n:04}", "o", at=(n, n), **CLIENT) for n in range(MOST_TOGETHER + 2)]
    for fed in ([say.tool("o"), *inner], [*inner, say.tool("o")]):
        assembler = fed_in_order(*fed)
        assert assembler.counters["crowded"] == 3
        assert sorted(len(call.sources) for call in assembler.trajectory(TRACE).calls) == [
            1,
            1,
            1,
            MOST_TOGETHER,
        ]


def test_past_the_cap_of_what_hangs_together_the_next_stands_alone_and_is_counted(
    say, fed_in_order
):
    fed = [
        say.tool(f"{n:04}", f"{n - 1:04}" if n else None, scope="ab"[n % 2])
        for n in range(MOST_TOGETHER + 4)
    ]
    assembler = fed_in_order(*fed)
    assert assembler.counters["crowded"] == 4
    assert Counter(len(call.sources) for call in assembler.trajectory(TRACE).calls) == {
        2: MOST_TOGETHER // 2,
        1: 4,
    }
