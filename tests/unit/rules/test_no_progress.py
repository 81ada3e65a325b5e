"""`loop.no_progress`: one tool in a row, whatever the arguments, that always returns the same."""

import pytest

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import FindingKind
from toolscore_otel.rules.loop import Loop

RULE = Loop(key="no_progress", n=3)


@pytest.fixture
def row(made):
    """Calls with other arguments each: `a1` is a call of tool a with result 1, `a?` one whose result was not observed."""

    def make(written, **fields):
        return [
            made(
                word[0],
                {"n": n},
                **({} if word[1] == "?" else {"result": {"r": word[1]}}),
                **fields,
            )
            for n, word in enumerate(written.split())
        ]

    return make


def test_calls_in_a_row_that_return_the_same_make_no_progress(row, watch):
    (verdict,) = watch(RULE, *row("a1 a1 a1 a1")).fails
    assert FindingKind.RETRY_LOOP is verdict.kind
    assert not verdict.lowered
    text = "`a` was called 4 times in a row and got the same each time, whatever the arguments"
    assert text == verdict.explanation
    assert (verdict.call.key, verdict.count) == ("c3", 4)
    assert (verdict.first.key, verdict.last.key) == ("c1", "c4")


@pytest.mark.parametrize(
    "written", ["a1 a1", "a1 a1 a2", "a1 a1 b1 a1", "a1 b1 a1 b1 a1", "a1 a2 a1 a1"]
)
def test_other_tools_and_other_results_end_the_row(written, row, watch):
    assert watch(RULE, *row(written)).close().silent


def test_a_row_that_another_tool_ended_can_be_followed_by_another(row, watch):
    watched = watch(RULE, *row("a1 a1 a1 b1 a1 a1 a1"))
    assert watched.failing == ["c3", "c7"]
    assert watched.drop("c4").failing == ["c3"]


def test_calls_that_are_left_out_end_no_row(row, watch):
    rule = Loop(key="no_progress", n=3, ignore=[{"tool": "b"}])
    assert watch(rule, *row("a1 a1 b1 a1")).fails


@pytest.mark.parametrize(
    "result",
    [None, True, False, "", "  ", [], {}, "ok", "OK.", "Done", "success", "TRUE", "Accepted."],
)
def test_a_result_that_tells_nothing_says_nothing(result, made, watch):
    calls = [made("a", {"n": n}, result=result) for n in range(4)]
    assert watch(RULE, *calls).close().silent


@pytest.mark.parametrize("result", [0, 1, "okay", "done it", {"ok": True}, [None], "OK.."])
def test_other_results_tell_something(result, made, watch):
    calls = [made("a", {"n": n}, result=result) for n in range(3)]
    assert watch(RULE, *calls).fails


def test_what_changes_something_makes_progress(row, watch):
    calls = [JudgedCall(call, mutating=True) for call in row("a1 a1 a? a1")]
    assert watch(RULE, *calls).close().silent


def test_whether_it_changes_something_may_be_open(row, watch):
    calls = [
        JudgedCall(call, names=("a",), dispatcher="a", dispatches=True, mutating=None)
        for call in row("a1 a1 a1")
    ]
    watched = watch(RULE, *calls).close()
    assert {"arguments"} == watched.lacks
    assert not watched.fails


def test_polling_tools_need_three_times_as_many(row, watch):
    calls = [JudgedCall(call, polling=True) for call in row(" ".join(["a1"] * 9))]
    assert watch(RULE, *calls[:8]).close().silent
    assert watch(RULE, *calls).failing == ["c9"]


def test_tools_without_a_name_may_be_the_same(made, watch):
    calls = [made("", {"n": n}, result=5) for n in range(3)]
    assert {"name"} == watch(RULE, *calls).close().lacks


@pytest.mark.parametrize(
    "written",
    ["a? a? a?", "a1 a? a1", "a1 a1 a?", "a1 a2 a? a2", "a? a? a? a1 a1 a1 a1 b1 a? a? a?"],
)
def test_a_result_that_was_not_observed_may_hide_a_row(written, row, watch):
    assert {"result"} == watch(RULE, *row(written)).close().lacks


@pytest.mark.parametrize("written", ["a? a?", "a1 a? a2", "a1 a1 b? a1", "a1 a1 a1 a?", "a? b? a?"])
def test_a_result_that_was_not_observed_hides_nothing_there(written, row, watch):
    assert not watch(RULE, *row(written)).close().unsure


def test_a_blind_call_after_a_known_row_may_begin_another(row, watch):
    watched = watch(RULE, *row("a1 a1 a1 a? a? a? a?")).close()
    assert watched.failing == ["c3"]
    assert {"result"} == watched.lacks


def test_a_call_that_may_be_left_out_may_end_the_row_or_not(made, watch):
    rule = Loop(key="no_progress", n=3, ignore=[{"tool": "b", "agent": "poller"}])

    def calls(written):
        return [
            made(tool, {"n": n}, result="x", agent="desk" if tool == "a" else None)
            for n, tool in enumerate(written)
        ]

    assert {"agent"} == watch(rule, *calls("aaba")).close().lacks
    assert watch(rule, *calls("aabb")).close().silent
    watched = watch(rule, *calls("aaabaa")).close()
    assert (watched.failing, watched.unsure) == (["c11"], [])
    watched = watch(rule, *calls("bbb")).close()
    assert (watched.failing, watched.lacks) == ([], {"agent"})
