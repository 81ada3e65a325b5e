"""Calls that may only have waited, and what else tells how they went on."""

import pytest
from msgspec import structs

from toolscore_otel.assembly.waiting import is_made_again
from toolscore_otel.model import Gap, Stage, Status

MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"
CALL = {"name": "delete_user", "args": {"user": 1}, "call_id": MADE_UP}
WAITS = {"status": Status.UNKNOWN, "gaps": (Gap.MAY_HAVE_WAITED,)}
NOT_YET = {**WAITS, "stage": Stage.REQUESTED}


def test_one_that_nothing_else_is_told_of_stays_open(only_call_of, say):
    call = only_call_of(say.agent("a"), say.tool("t", "a", at=(2, 3), **CALL, **NOT_YET))
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_so_does_one_that_a_model_only_asked_for(only_call_of, say):
    asks = say.model("m", "a", say.request(**CALL), where={"at": (0, 1)})
    call = only_call_of(say.agent("a"), asks, say.tool("t", "a", at=(2, 3), **CALL, **NOT_YET))
    assert call.stage is Stage.REQUESTED
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_a_later_span_under_its_id_is_the_same_call_and_tells_how_it_went(only_call_of, say):
    call = only_call_of(
        say.tool("t", at=(2, 3), **CALL, **WAITS),
        say.tool("u", at=(7, 9), **CALL, result="deleted"),
    )
    assert (call.span_id, call.start_ns, call.end_ns) == ("u", 7, 9)
    assert (call.stage, call.status, call.result) == (Stage.EXECUTED, Status.OK, "deleted")
    assert Gap.MAY_HAVE_WAITED not in call.gaps


def test_also_where_it_waits_twice(only_call_of, say):
    call = only_call_of(
        say.tool("t", at=(2, 3), **CALL, **WAITS),
        say.tool("u", at=(4, 5), **CALL, **WAITS),
        say.tool("v", at=(7, 9), **CALL),
    )
    assert (call.span_id, call.status) == ("v", Status.OK)


def test_a_later_span_that_was_turned_down_tells_that_it_did_not_run(only_call_of, say):
    rejected = {"stage": Stage.REQUESTED, "status": Status.ERROR}
    call = only_call_of(
        say.tool("t", at=(2, 3), **CALL, **NOT_YET), say.tool("u", at=(7, 9), **CALL, **rejected)
    )
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.ERROR)
    assert Gap.MAY_HAVE_WAITED not in call.gaps


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ({}, {}),
        ({**WAITS, "call_id": "call_1"}, {"call_id": "call_1"}),
        ({**WAITS, "call_id": None}, {"call_id": None}),
        ({**WAITS, "at": (2, 8)}, {}),
        (WAITS, {"scope": "two"}),
        ({}, WAITS),
    ],
)
def test_else_two_spans_are_two_calls(say, node, first, last):
    one = node(say.tool("t", **{"at": (2, 3), **CALL, **first}))
    other = node(say.tool("u", **{"at": (7, 9), **CALL, **last}))
    assert not is_made_again(one, other)
    assert not is_made_again(other, one)


@pytest.mark.parametrize("asked", [True, False])
def test_an_answer_that_turns_it_down_tells_that_it_did_not_run(only_call_of, say, asked):
    no = say.response(**CALL, result="no", stage=Stage.REQUESTED)
    waits = NOT_YET if asked else WAITS
    call = only_call_of(
        say.tool("t", at=(2, 3), **CALL, **waits), say.model("m", None, no, where={"at": (8, 9)})
    )
    assert (call.stage, call.status, call.result) == (Stage.REQUESTED, Status.UNKNOWN, "no")
    assert Gap.MAY_HAVE_WAITED not in call.gaps


def test_where_the_run_that_made_it_hears_its_answer_it_did_not_wait(only_call_of, say):
    heard = say.response(**CALL, result="None")
    hears = say.model("m", "a", heard, where={"at": (4, 5)})
    call = only_call_of(say.agent("a"), say.tool("t", "a", at=(2, 3), **CALL, **NOT_YET), hears)
    assert (call.stage, call.status, call.result) == (Stage.EXECUTED, Status.OK, "None")
    assert Gap.MAY_HAVE_WAITED not in call.gaps


@pytest.mark.parametrize("run", ["b", None])
def test_an_answer_that_another_run_hears_leaves_that_open(only_call_of, say, run):
    heard = say.response(**CALL, result="as you like")
    hears = say.model("m", run, heard, where={"at": (8, 9)})
    runs = (say.agent("a", at=(0, 5)), say.agent("b", at=(6, 10)))
    call = only_call_of(*runs, say.tool("t", "a", at=(2, 3), **CALL, **NOT_YET), hears)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_of_a_call_without_a_span_one_answer_that_turns_it_down_is_enough(only_call_of, say):
    no = say.response(**CALL, result="no", stage=Stage.REQUESTED)
    client = say.response(**CALL, result="no")
    call = only_call_of(
        say.model("m", None, say.request(**CALL), where={"at": (0, 1)}),
        say.model("n", None, no, where={"at": (4, 9)}),
        say.model("o", "n", client, where={"at": (5, 8), "scope": "two"}),
    )
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)


def unapproved(say):
    return say.response(**CALL, stage=Stage.REQUESTED, fills=True, gaps=(Gap.MAY_HAVE_WAITED,))


def test_a_request_that_the_run_says_waits_is_open_whatever_is_answered_later(only_call_of, say):
    place, reading = say.agent("a")
    asks = say.model("m", "a", say.request(**CALL), where={"at": (1, 2)})
    hears = say.model("n", None, say.response(**CALL, result="no"), where={"at": (20, 21)})
    call = only_call_of((place, structs.replace(reading, calls=(unapproved(say),))), asks, hears)
    assert (call.stage, call.result, call.span_id) == (Stage.REQUESTED, "no", "m")
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_once_it_ran_it_is_open_no_more(only_call_of, say):
    place, reading = say.agent("a")
    asks = say.model("m", "a", say.request(**CALL), where={"at": (1, 2)})
    ran = say.tool("t", at=(20, 21), **CALL)
    call = only_call_of((place, structs.replace(reading, calls=(unapproved(say),))), asks, ran)
    assert (call.stage, call.status, call.span_id) == (Stage.EXECUTED, Status.OK, "t")
    assert Gap.MAY_HAVE_WAITED not in call.gaps
