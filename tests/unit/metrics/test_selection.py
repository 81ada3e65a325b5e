"""Names only: which tools were called."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.metrics import (
    calculate_best_tool_set,
    calculate_invocation_accuracy,
    calculate_required_call_recall,
    calculate_selection_accuracy,
    calculate_tool_f1,
    check_called_before,
)
from toolscore_otel.model import Stage, Status, ToolCall


def named(tools: str) -> list[ToolCall]:
    return [ToolCall(tool=tool) for tool in tools]


@pytest.mark.parametrize(
    ("gold", "trace", "score"),
    [
        ("", "", 1.0),
        ("a", "", 0.0),
        ("", "a", 0.0),
        ("ab", "a", 0.25),
        ("a", "ab", 0.5),
        ("a", "abc", 0.0),
        ("ab", "abcd", 0.5),
        ("abcd", "a", 0.0),
        ("aab", "ab", 1.0),
    ],
)
def test_invocation_accuracy(gold, trace, score):
    assert calculate_invocation_accuracy(named(gold), named(trace)) == score


@pytest.mark.parametrize(
    ("gold", "trace", "score"),
    [
        ("", "", 1.0),
        ("a", "", 0.0),
        ("", "a", 0.0),
        ("abcd", "a", 1.0),
        ("a", "aaaa", 1.0),
        ("a", "ab", 0.5),
    ],
)
def test_selection_accuracy(gold, trace, score):
    assert calculate_selection_accuracy(named(gold), named(trace)) == score


def test_each_required_call_needs_a_call_of_its_own_that_ran_and_did_not_fail():
    gold = named("aab")
    failed = ToolCall(tool="a", status=Status.ERROR)
    asked = ToolCall(tool="b", stage=Stage.REQUESTED)
    assert calculate_required_call_recall(gold, [failed, *named("a"), asked]) == pytest.approx(
        1 / 3
    )
    assert calculate_required_call_recall([], named("a")) is None
    assert calculate_required_call_recall(gold, [failed, *named("aab")]) == 1.0


def test_tools_are_counted_as_multisets():
    found = calculate_tool_f1(named("ssx"), named("sssss"))
    assert {"precision": 0.4, "recall": pytest.approx(2 / 3), "f1": 0.5} == {
        key: found[key] for key in ("precision", "recall", "f1")
    }
    assert (found["true_positives"], found["false_positives"], found["false_negatives"]) == (
        2,
        3,
        1,
    )
    assert found["by_tool"]["x"]["recall"] == 0.0
    assert found["by_tool"]["s"]["precision"] == 0.4


def test_a_wrong_tool_is_two_errors_and_one_pair():
    gold = [ToolCall(tool="find_user"), ToolCall(tool="unlock_account")]
    trace = [ToolCall(tool="find_user"), ToolCall(tool="reset_password")]
    found = calculate_tool_f1(gold, trace)
    assert (found["false_positives"], found["false_negatives"]) == (1, 1)
    assert found["substitutions"] == [{"expected": "unlock_account", "called": "reset_password"}]


@pytest.mark.parametrize(
    ("gold", "trace", "pairs"),
    [
        ("aba", "axy", "bx ay"),
        ("aba", "xya", "ax by"),
        ("bcd", "cx", "dx"),
        ("bcd", "cxd", "bx"),
        ("bcd", "xcyd", "bx"),
        ("ab", "ba", ""),
        ("ab", "bx", "ax"),
        ("abcd", "cabx", "dx"),
        ("aab", "axa", "bx"),
        ("abc", "xyz", "ax by cz"),
        ("abc", "x", "ax"),
        ("a", "xyz", "ax"),
        ("", "x", ""),
        ("a", "", ""),
    ],
)
def test_substitutions_are_named_by_where_they_stand(gold, trace, pairs):
    found = calculate_tool_f1(named(gold), named(trace))["substitutions"]
    assert " ".join(one["expected"] + one["called"] for one in found) == pairs


@given(st.text("abc", max_size=8), st.text("abcx", max_size=8))
def test_as_many_are_substituted_as_both_sides_have_left_over(gold, trace):
    found = calculate_tool_f1(named(gold), named(trace))
    missing, extra = Counter(gold) - Counter(trace), Counter(trace) - Counter(gold)
    pairs = found["substitutions"]
    assert len(pairs) == min(missing.total(), extra.total())
    assert Counter(one["expected"] for one in pairs) <= missing
    assert Counter(one["called"] for one in pairs) <= extra


def test_an_unexpected_call_that_changes_something_weighs_more_and_fails_hard():
    found = calculate_tool_f1(named("a"), named("ar"), mutating={"r"}, mutating_weight=3)
    assert (found["precision"], found["recall"], found["hard_fail"]) == (0.25, 1.0, True)
    assert calculate_tool_f1(named("r"), named("r"), mutating={"r"})["hard_fail"] is False
    endless = calculate_tool_f1(named("a"), named("ar"), mutating={"r"}, mutating_weight=10**400)
    assert endless["precision"] == 0.0


def test_nothing_expected_and_nothing_called_has_no_score():
    found = calculate_tool_f1([], [])
    assert (found["precision"], found["recall"], found["f1"]) == (None, None, None)
    assert calculate_tool_f1([], named("a"))["f1"] == 0.0


def test_the_nearest_of_several_right_sets_counts():
    sets = [["search", "read"], ["lookup"], []]
    called = [ToolCall(tool="lookup")]
    assert calculate_best_tool_set(called, sets) == {
        "best": 1,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
    assert calculate_best_tool_set([], sets)["best"] == 2
    assert calculate_best_tool_set(called, [["x"]])["f1"] == 0.0
    with pytest.raises(ValueError, match="no set"):
        calculate_best_tool_set(called, [])


def test_one_of_several_tools_before_another():
    any_tool = {"s", "l"}
    assert check_called_before(named("lx"), any_tool, "x") is True
    assert check_called_before(named("xl"), any_tool, "x") is False
    assert check_called_before(named("l"), any_tool, "x") is None


def _at(tool: str, start: int | None, end: int | None) -> ToolCall:
    return ToolCall(tool=tool, start_ns=start, end_ns=end)


def test_before_is_by_time_where_times_were_observed():
    answer = _at("x", 10, 20)
    assert check_called_before([answer, _at("s", 1, 10)], {"s"}, "x") is True
    assert check_called_before([_at("s", 1, 11), answer], {"s"}, "x") is False
    assert check_called_before([_at("s", 1, None), answer], {"s"}, "x") is None
    assert check_called_before([_at("s", 1, None), answer, _at("x", 0, 1)], {"s"}, "x") is False
