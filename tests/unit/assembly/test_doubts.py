"""Where no id tells which of several calls a message or record belongs to."""

from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.model import ContentState, Gap, Payload, Status

PARIS, ROME = {"city": "Paris"}, {"city": "Rome"}


def doubts(trajectory):
    """Which calls, by id and span, carry the gap."""
    return {
        (call.call_id, call.span_id): Gap.AMBIGUOUS_PAIRING in call.gaps
        for call in trajectory.calls
    }


def turn(say, number, *requests, where=0):
    return say.model(f"m{number}", None, *requests, where={"at": (where, where + 10)})


def two_requests(say, **said):
    return turn(
        say, 1, say.request(call_id="x", **said), say.request(call_id="y", position=1, **said)
    )


def test_two_requests_and_two_runs_that_nothing_tells_apart_are_a_guess(say, rebuilt):
    found = rebuilt(two_requests(say), say.tool("t1", at=(12, 15)), say.tool("t2", at=(13, 14)))
    assert doubts(found) == {("x", "t1"): True, ("y", "t2"): True}


def test_equal_arguments_tell_nothing_apart(say, rebuilt):
    runs = (say.tool("t1", args=PARIS, at=(12, 15)), say.tool("t2", args=PARIS, at=(13, 14)))
    assert doubts(rebuilt(two_requests(say, args=PARIS), *runs)) == {
        ("x", "t1"): True,
        ("y", "t2"): True,
    }


def test_arguments_that_differ_leave_no_doubt(say, rebuilt):
    requests = say.request(call_id="x", args=PARIS), say.request(call_id="y", args=ROME, position=1)
    runs = (say.tool("t1", args=ROME, at=(12, 15)), say.tool("t2", args=PARIS, at=(13, 14)))
    found = rebuilt(turn(say, 1, *requests), *runs)
    assert doubts(found) == {("y", "t1"): False, ("x", "t2"): False}


def test_one_request_may_be_either_of_two_runs(say, rebuilt):
    found = rebuilt(
        turn(say, 1, say.request(call_id="x")),
        say.tool("t1", at=(12, 15)),
        say.tool("t2", at=(16, 18)),
    )
    assert doubts(found) == {("x", "t1"): True, (None, "t2"): False}


def test_one_run_may_be_either_of_two_requests(say, rebuilt):
    found = rebuilt(two_requests(say), say.tool("t1", at=(12, 15)))
    assert doubts(found) == {("x", "t1"): True, ("y", "m1"): False}


def test_what_is_asked_for_again_later_is_no_doubt(say, rebuilt):
    found = rebuilt(
        turn(say, 1, say.request(call_id="x")),
        say.tool("t1", at=(12, 15)),
        turn(say, 2, say.request(call_id="y"), where=20),
        say.tool("t2", at=(32, 35)),
    )
    assert doubts(found) == {("x", "t1"): False, ("y", "t2"): False}


def test_a_doubt_ends_where_the_other_one_turns_out_to_have_an_id(say, rebuilt):
    late = say.tool("t2", call_id="y", at=(13, 14))
    vague = structs.replace(late[1], calls=(structs.replace(late[1].calls[0], call_id=None),))
    runs = (say.tool("t1", call_id="x", at=(12, 15)), (late[0], vague), late)
    assert doubts(rebuilt(two_requests(say), *runs)) == {("x", "t1"): False, ("y", "t2"): False}


def test_one_id_of_two_calls_at_one_time_does_not_tell_which_is_meant(say, rebuilt):
    asked = turn(say, 1, say.request(call_id="x"), where=0)
    runs = [say.tool(name, call_id="x", at=(20, 25)) for name in ("t1", "t2")]
    assert sorted(doubts(rebuilt(asked, *runs)).values()) == [False, True]


def test_one_id_of_two_calls_means_the_nearer_one(say, rebuilt):
    asked = turn(say, 1, say.request(call_id="x"), where=0)
    runs = say.tool("t1", call_id="x", at=(12, 15)), say.tool("t2", call_id="x", at=(40, 45))
    assert doubts(rebuilt(asked, *runs)) == {("x", "t1"): False, ("x", "t2"): False}


CUT = Payload(ContentState.TRUNCATED, text='{"n": ')


@pytest.mark.parametrize("span_id", ["m2", "m3"], ids=["of its span", "of another span"])
def test_a_message_that_a_span_tells_twice_and_once_cut_is_one(say, rebuilt, span_id):
    whole = say.response(name="search", call_id="x", result={"n": 1})
    cut = structs.replace(whole, result=CUT)
    record = say.word("log", span_id, 20, whole)
    found = rebuilt(say.model("m2", None, cut, where={"at": (20, 25)}), record)
    states = [(call.call_id, call.result_state) for call in found.calls]
    one = [("x", ContentState.OBSERVED)]
    assert states == (one if span_id == "m2" else [*one, ("x", ContentState.TRUNCATED)])


def two_attempts(say, **second):
    """Under one id: the first attempt failed, and what was answered is what the second one gave."""
    return (
        turn(say, 1, say.request(call_id="x")),
        say.tool("t1", call_id="x", status=Status.ERROR, at=(12, 15)),
        say.tool("t2", call_id="x", at=(16, 18), **second),
        say.model("m2", None, say.response(call_id="x", result="page"), where={"at": (20, 30)}),
    )


def told(trajectory):
    return {call.span_id: (call.status, call.result) for call in trajectory.calls}


def test_the_answer_is_that_of_the_attempt_that_gave_it(say, rebuilt):
    found = rebuilt(*two_attempts(say, result="page"))
    assert told(found) == {"t1": ("error", None), "t2": ("ok", "page")}
    assert doubts(found) == {("x", "t1"): False, ("x", "t2"): False}


def test_the_answer_is_that_of_the_last_attempt_where_none_shows_what_it_gave(say, rebuilt):
    found = rebuilt(*two_attempts(say))
    assert told(found) == {"t1": ("error", None), "t2": ("ok", "page")}
    assert doubts(found) == {("x", "t1"): False, ("x", "t2"): True}
