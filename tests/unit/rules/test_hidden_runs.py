"""Where something unobserved would complete a run: only there a loop rule cannot check. Calls are written as one letter
each for their arguments (`?`: not observed), with a digit for the result where one was observed."""

from typing import Any

import pytest

from toolscore_otel.rules.loop import Loop

SAME = Loop(key="same_call", n=3)
RETRY = Loop(key="retry_after_error", n=2)


@pytest.fixture
def run(made, watch):
    """A rule on calls as written; `+` after a call: it succeeded, `-`: it failed, `~`: unknown."""

    def judge(rule, written, **fields):
        calls = []
        for word in written.split():
            known: dict[str, Any] = {"args": None if word[0] == "?" else {"q": word[0]}}
            for mark in word[1:]:
                known |= (
                    {"result": mark}
                    if mark.isdigit()
                    else {"status": {"+": "ok", "-": "error", "~": "unknown"}[mark]}
                )
            calls.append(made(**known | fields))
        return watch(rule, *calls).close()

    return judge


@pytest.mark.parametrize(
    "written",
    [
        "a1 a1 ?1",
        "?1 a1 a1",
        "a1 ?1 a1",
        "a1 ? a1",
        "a a ?1",
        "?1 ?1 ?1",
        "? ? ?",
        "a1 a1 ?1 a1",
        "a1 ?2 a1 a1",  # were it another call, the other three would be a run
        "a1 a1 a2 ?2 a2",
        "b1 b1 b1 c1 ?1 c1",
        "a1 ?1 a",
        "a1 a1 a1 ?2 ?1 ?1 a1",  # were the first of them equal, it would end the run that is known
        "a1 a1 a1 b1 ?2 ?2 ?2",
    ],
)
def test_a_run_may_hide_there(run, written):
    assert {"arguments"} == run(SAME, written).lacks


@pytest.mark.parametrize(
    "written",
    [
        "a1 ?1",
        "a1 a1 ?2",
        "a1 ?2 a1",
        "?1 ?2 ?3",
        "a1 b1 ?1",
        "a1 a2 ?2",
        "a1 a1 a1 ?1",
        "?1 a1 a1 a1",
        "a1 a1 a1 ?1 a1",
        "a1 a1 a1 a1 ?1 ?1 a1",
        "? a1 a1 a1",
        "a1 ?1 ?1 b2 a1 a1 a1",
    ],
)
def test_nothing_more_can_hide_there(run, written):
    assert not run(SAME, written).unsure


def test_a_known_run_is_still_a_failure(run):
    assert run(SAME, "a1 a1 a1 ?1").failing == ["c3"]


def test_another_tool_hides_nothing(made, watch):
    calls = [made("x", {"q": 1}, result=1), made("x", {"q": 1}, result=1), made("y", result=1)]
    assert watch(SAME, *calls).close().silent


def test_the_window_bounds_what_can_hide(run):
    rule = Loop(key="same_call", n=3, window=3)
    assert run(rule, "a1 a1 ?1").unsure
    assert run(rule, "a1 a1 b1 ?1").silent
    assert run(rule, "a1 a1 b1 b2 b3 ?1 c1 d1").silent


@pytest.mark.parametrize(
    "written",
    ["?- ?- a~ ?+ a- a- a-", "a- a- ?-", "a- ?+ a- a-", "a- a~ a-", "a~ a~ a~", "a- ?~ a-"],
)
def test_a_retry_may_hide(run, written):
    assert run(RETRY, written).unsure


@pytest.mark.parametrize(
    "written",
    [
        "?- ?- a~ a- a- a-",
        "a- ?+ a-",
        "a- ?+ a+ a-",
        "a- a~ a+ a-",
        "a+ a+ a~",
        "a- a- a- a~",
        "a- a- a- ?-",
        "?+ ?+ ?+",
    ],
)
def test_no_retry_can_hide(run, written):
    assert not run(RETRY, written).unsure


def test_everything_that_was_missing_is_said(run):
    watched = run(RETRY, "a- ?- a~")
    assert {"arguments", "status"} == watched.lacks
    assert [verdict.count for verdict in watched.unsure] == [2]
    assert [verdict.explanation for verdict in watched.unsure] == [
        "whether this call of `search` repeats others"
    ]


@pytest.mark.parametrize(
    ("written", "stands"),
    [("a1 a1 a1", "unsure"), ("a1 a2 a1 a1", "unsure"), ("a1 a2 a1", "silent")],
)
def test_a_call_that_may_be_left_out_hides_a_run(made, watch, written, stands):
    rule = Loop(key="same_call", n=3, ignore=[{"agent": "poller"}])
    calls = [
        made(args={"q": word[0]}, result=word[1], agent="desk" if place != 1 else None)
        for place, word in enumerate(written.split())
    ]
    assert getattr(watch(rule, *calls).close(), stands)


def test_what_may_be_left_out_and_succeeded_may_have_ended_nothing(made, watch):
    rule = Loop(key="retry_after_error", n=2, ignore=[{"agent": "poller"}])
    statuses = ["error", "ok", "error", "error"]
    calls = [
        made(args={}, status=status, agent="desk" if place != 1 else None)
        for place, status in enumerate(statuses)
    ]
    assert {"agent"} == watch(rule, *calls).close().lacks


def test_what_hid_is_known_once_it_is_seen(made, watch):
    blind = made(result=1)
    watched = watch(SAME, blind, made(args={}, result=1), made(args={}, result=1)).close()
    assert watched.unsure
    assert watched.replace(blind, args={}).close().failing == ["c3"]
    assert not watched.unsure


def test_calls_without_a_mark_are_tried_with_every_mark_around(run):
    assert run(SAME, "a1 a2 ? ?2").unsure
    assert run(SAME, "a1 a2 ?1 ?3").silent
