"""Tools in their order."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from toolscore_otel.matchers import Answer, before
from toolscore_otel.metrics import calculate_edit_distance, calculate_tool_call_accuracy, order
from toolscore_otel.metrics.order import order_kept
from toolscore_otel.metrics.sequence import edits, fitting, longest_common
from toolscore_otel.model import ToolCall

TOOLS = st.text("abc", max_size=12)


def named(tools: str) -> list[ToolCall]:
    return [ToolCall(tool=tool) for tool in tools]


def test_edit_distance_over_names():
    assert calculate_edit_distance(named("ab"), named("ba")) == {
        "edit_distance": 2.0,
        "normalized_distance": 1.0,
        "sequence_accuracy": 0.0,
    }
    assert calculate_edit_distance([], [])["sequence_accuracy"] == 1.0
    assert calculate_edit_distance([], named("abc"))["edit_distance"] == 3.0
    assert calculate_edit_distance(named("kitten"), named("sitting"))["edit_distance"] == 3.0


def _table(expected: str, called: str) -> tuple[int, int]:
    """Levenshtein distance and longest common subsequence, as the books have them."""
    distance, common = list(range(len(expected) + 1)), [0] * (len(expected) + 1)
    for number, tool in enumerate(called, 1):
        above, distance = distance, [number]
        longest, common = common, [0]
        for at, other in enumerate(expected):
            here = min(above[at] + (tool != other), above[at + 1] + 1, distance[at] + 1)
            distance.append(here)
            common.append(max(longest[at + 1], common[at], longest[at] + (tool == other)))
    return distance[-1], common[-1]


@given(TOOLS, TOOLS)
def test_bits_find_what_the_table_finds(expected, called):
    fits = fitting(list(expected), called)
    found = edits(len(expected), fits), longest_common(len(expected), fits)
    assert found == _table(expected, called)


@pytest.mark.parametrize(
    ("called", "tool", "strict", "score"),
    [
        ("w", "w", False, 1.0),
        ("sw", "w", False, 1.0),
        ("sw", "w", True, 0.0),
        ("w", "w", True, 1.0),
        ("ww", "w", True, 0.0),
        ("s", "w", False, 0.0),
        ("", "w", False, 0.0),
    ],
)
def test_one_expected_tool(called, tool, strict, score):
    assert calculate_tool_call_accuracy(named(called), tool, strict=strict) == score


@pytest.mark.parametrize(
    ("called", "order", "strict", "score"),
    [
        ("af", "af", True, 1.0),
        ("alf", "af", True, 0.0),
        ("alf", "af", False, 1.0),
        ("fa", "af", False, 0.0),
        ("ab", "aba", False, 0.0),
        ("abxa", "aba", False, 1.0),
        ("aab", "aba", False, 0.0),
        ("", "a", False, 0.0),
    ],
)
def test_an_expected_order_where_a_tool_may_come_twice(called, order, strict, score):
    given_order = list(order)
    accuracy = calculate_tool_call_accuracy(
        named(called), "ignored", expected_order=given_order, strict=strict
    )
    assert accuracy == score


def test_something_must_be_expected():
    with pytest.raises(ValueError, match="expected_tool"):
        calculate_tool_call_accuracy(named("a"))


def timed(*calls: tuple[str, int | None, int | None]) -> list[ToolCall]:
    return [ToolCall(tool=tool, start_ns=start, end_ns=end) for tool, start, end in calls]


def kept(expected: str, calls: list[ToolCall]) -> float | None:
    return order_kept(len(expected), calls, fitting(list(expected), (call.tool for call in calls)))


def test_calls_without_times_stand_as_they_are_given():
    assert kept("ab", named("ab")) == 1.0
    assert kept("ab", named("ba")) == 0.5
    assert kept("", named("a")) is None
    assert kept("ab", []) == 0.0


def test_overlapping_calls_may_stand_in_either_order():
    assert kept("ab", timed(("b", 0, 10), ("a", 5, 15))) == 1.0
    assert kept("ab", timed(("b", 0, 5), ("a", 5, 15))) == 0.5
    assert kept("abc", timed(("c", 0, 9), ("b", 1, 9), ("a", 2, 9))) == 1.0
    assert kept("ab", timed(("a", 5, 15), ("b", 0, 5))) == 0.5


def test_a_call_is_taken_once_however_long_it_lasts():
    assert kept("aa", timed(("a", 0, 10), ("b", 2, 3))) == 0.5
    assert kept("aba", timed(("a", 0, 10), ("b", 2, 3))) == pytest.approx(2 / 3)


def test_what_overlaps_still_keeps_its_own_order():
    long_b = timed(("c", 0, 2), ("b", 1, 9), ("a", 3, 4))
    assert kept("abc", long_b) == pytest.approx(2 / 3)
    assert kept("cba", long_b) == 1.0


def test_where_times_were_not_observed_only_what_is_sure_is_said():
    assert kept("ab", timed(("a", 0, None), ("b", 5, 6))) is None
    assert kept("ab", timed(("a", 0, 1), ("b", 5, 6), ("a", None, 9))) == 1.0
    assert kept("ab", timed(("c", 0, None), ("a", 1, 2), ("b", 5, 6))) == 1.0


def test_a_knot_of_too_many_different_calls_is_given_up(monkeypatch):
    tools = "abcdefgh"
    calls = timed(*((tool, number, 100) for number, tool in enumerate(tools)))
    assert kept(tools[::-1], calls) == 1.0
    monkeypatch.setattr(order, "MOST_STEPS", 100)
    assert kept(tools[::-1], calls) is None


CALLS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=5
)


def _is_a_way(line: tuple[ToolCall, ...]) -> bool:
    return not any(
        before(later, earlier) is Answer.YES
        for number, earlier in enumerate(line)
        for later in line[number + 1 :]
    )


@settings(max_examples=150)
@given(st.text("abc", min_size=1, max_size=5), CALLS)
def test_no_other_way_to_stand_keeps_more_of_the_order(expected, made):
    calls = timed(*((tool, start, start + lasts) for tool, start, lasts in made))
    best = max(
        _table(expected, "".join(call.tool for call in line))[1]
        for line in permutations(calls)
        if _is_a_way(line)
    )
    assert kept(expected, calls) == best / len(expected)
