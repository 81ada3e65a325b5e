"""`loop.cycle`: a block of calls again and again. Calls are written as one letter each, the tool, with a digit for the
result where one was observed, and a `?` behind it where the arguments were not."""

import pytest
from msgspec import structs

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import FindingKind
from toolscore_otel.rules.loop import Loop

RULE = Loop(key="cycle", n=3)
TWICE = Loop(key="cycle", n=2)


@pytest.fixture
def row(made):
    def make(written, **fields):
        calls = []
        for word in written.split():
            seen = {"result": word[1]} if word[1:2].isdigit() else {}
            calls.append(made(word[0], None if word.endswith("?") else {"q": 1}, **seen, **fields))
        return calls

    return make


def test_a_block_that_stands_several_times_in_a_row_is_a_cycle(row, watch):
    (verdict,) = watch(RULE, *row("x a b a b a b")).fails
    assert FindingKind.RETRY_LOOP is verdict.kind
    assert verdict.explanation == "the same 2 calls stand 3 times in a row: `a`, `b`"
    assert (verdict.call.key, verdict.count, verdict.lowered) == ("c7", 6, False)
    assert (verdict.first.key, verdict.last.key) == ("c2", "c7")


def test_a_cycle_grows_and_does_not_repeat(row, watch):
    watched = watch(TWICE, *row("a b a b a b a b a"))
    assert [(v.call.key, v.count, v.last.key) for v in watched.fails] == [("c4", 9, "c9")]


@pytest.mark.parametrize(
    "written",
    [
        "a b a b",
        "a b a b a",
        "a b a c a b",
        "a b c a b c a b",
        "a b a b x a b",
        "a a a a a a a a a",
    ],
)
def test_fewer_others_and_equal_calls_are_none(written, row, watch):
    assert watch(RULE, *row(written)).close().silent


@pytest.mark.parametrize("length", range(2, 9))
def test_blocks_of_2_to_8_calls_are_found(length, row, watch):
    block = " ".join("abcdefgh"[:length])
    watched = watch(RULE, *row(" ".join([block] * 3)))
    assert [v.count for v in watched.fails] == [3 * length]


def test_longer_blocks_are_not_looked_for(row, watch):
    assert watch(TWICE, *row("a b c d e f g h i a b c d e f g h i")).silent


def test_no_window_is_too_small_for_a_block(row, watch):
    rule = Loop(key="cycle", n=5, window=2)
    assert watch(rule, *row(" ".join(["a b c d e f g h"] * 5))).failing == ["c40"]


def test_other_arguments_and_other_results_make_another_call(made, row, watch):
    calls = [made("a", {"q": q}) for q in (1, 2, 1, 3)]
    assert watch(TWICE, *calls).close().silent
    assert watch(TWICE, *[made("a", {"q": q}) for q in (1, 2, 1, 2)]).fails
    assert watch(TWICE, *row("a1 b1 a1 b2")).close().silent
    assert watch(TWICE, *row("a1 a2 a1 a2")).fails


def test_results_that_were_not_observed_count_as_equal(row, watch):
    (verdict,) = watch(TWICE, *row("a1 b a b1")).fails
    assert not verdict.lowered
    assert watch(RULE, *row("a1 b a b a2 b")).close().silent


def test_two_results_around_one_not_observed_are_two_cycles(row, watch):
    watched = watch(TWICE, *row("a1 b a b a2 b a2 b"))
    assert sorted((v.first.key, v.call.key, v.count) for v in watched.fails) == [
        ("c1", "c4", 4),
        ("c2", "c5", 7),
    ]


def test_a_shorter_block_inside_of_a_longer_one_is_another_cycle(row, watch):
    watched = watch(TWICE, *row("a b a b c a b a b c"))
    found = [(v.first.key, v.last.key, v.explanation[9:10]) for v in watched.fails]
    assert sorted(found) == [("c1", "c10", "5"), ("c1", "c4", "2"), ("c6", "c9", "2")]


def test_what_comes_late_and_what_goes_is_taken_along(row, watch):
    calls = row("a b a b")
    watched = watch(TWICE, *reversed(calls))
    assert watched.failing == ["c4"]
    assert watched.replace(calls[1], tool="c").silent
    assert watched.replace(calls[1]).failing == ["c4"]
    assert watched.drop("c1").silent


def test_every_agent_invocation_is_looked_at_by_itself(row, watch):
    calls = row("a b a b")
    calls[3] = structs.replace(calls[3], invocation_id="2")
    assert watch(TWICE, *calls).close().silent


def test_polling_makes_no_difference(row, watch):
    assert watch(TWICE, *[JudgedCall(c, polling=True) for c in row("a b a b")]).fails


@pytest.mark.parametrize(
    "written",
    [
        "a b a b?",
        "a b? a b a",
        "a? b a b",
        "a? b? a? b?",
        "a? a? a? a?",
        "a a? a a?",
        "a b c a b c?",
        "a b a b x c d c d?",
    ],
)
def test_arguments_that_were_not_observed_may_hide_a_cycle(written, row, watch):
    assert {"arguments"} == watch(TWICE, *row(written)).close().lacks


@pytest.mark.parametrize(
    "written",
    [
        "a b a?",
        "a b b? b",
        "a a a a?",
        "a? a a a",
        "a b a b a?",
        "a1 b a2? b",
        "a b a b a b?",
        "a b a b a? b a b",
        "b? a b a b",
    ],
)
def test_arguments_that_were_not_observed_hide_nothing_there(written, row, watch):
    assert not watch(TWICE, *row(written)).close().unsure


def test_only_the_calls_that_may_be_part_of_it_are_counted(row, watch):
    watched = watch(TWICE, *row("x? a b a b?")).close()
    assert [(v.count, v.call.key) for v in watched.unsure] == [(1, "c5")]


@pytest.mark.parametrize(
    ("written", "stands"), [("a x b a b", "unsure"), ("a x a x", "unsure"), ("a x x a b", "silent")]
)
def test_a_call_that_may_be_left_out_may_hide_a_cycle(written, stands, made, watch):
    rule = Loop(key="cycle", n=2, ignore=[{"tool": "x", "agent": "poller"}])
    calls = [
        made(tool, {"q": 1}, agent=None if tool == "x" else "desk") for tool in written.split()
    ]
    assert getattr(watch(rule, *calls).close(), stands)
