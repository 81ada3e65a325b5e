"""Calls that somebody made by hand, out of values that no JSON has."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, canonical
from toolscore_otel.matchers.canonical import CIRCLE
from toolscore_otel.metrics import (
    Contains,
    Regex,
    calculate_argument_f1,
    calculate_cost_attribution,
    calculate_invocation_accuracy,
    calculate_redundant_call_rate,
    calculate_semantic_correctness,
    calculate_side_effect_success_rate,
    calculate_tool_f1,
    check_forbidden_calls,
    expected_calls,
    find_secrets,
    rules_from_json,
    trajectory_scores,
)
from toolscore_otel.metrics.given_calls import DEEPER, checked, plain, text_of, without_circles
from toolscore_otel.model import ToolCall


class Raises:
    def __repr__(self) -> str:
        raise RuntimeError("asked")

    def __str__(self) -> str:
        raise RuntimeError("asked")


def circle() -> Any:
    value: dict[str, Any] = {"a": 1}
    value["b"] = [value]
    return value


def nested(depth: int, innermost: object) -> Any:
    value: Any = innermost
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "calls are a list of `ToolCall`, and not `NoneType`"),
        ("calls", "a call is a `ToolCall`, and not `str`"),
        ([{"tool": "t"}], "a call is a `ToolCall`, and not `dict`"),
        ([ToolCall(tool=None)], "the tool of a call is named by a text, and not by `NoneType`"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_list_of_calls_is_refused(given, says):
    with pytest.raises(TypeError, match=says):
        calculate_invocation_accuracy(given, [])


def test_arguments_that_hold_themselves_hold_a_text_instead():
    (call,) = checked([ToolCall(tool="t", args=circle())])
    assert call.args == {"a": 1, "b": [CIRCLE]}
    twice = [1]
    assert without_circles({"a": twice, "b": (twice, 2)}) == {"a": [1], "b": [[1], 2]}
    plain_call = ToolCall(tool="t", args={"a": [1]})
    assert checked(iter([plain_call]))[0] is plain_call


def test_two_that_hold_themselves_alike_are_equal():
    one, other = ToolCall(tool="t", args=circle()), ToolCall(tool="t", args=circle())
    assert calculate_argument_f1([one], [other])["f1"] == 1.0
    assert calculate_redundant_call_rate([], [one, other])["identical_count"] == 1
    judged = [JudgedCall(one), JudgedCall(other)]
    assert trajectory_scores(judged, expected_calls(["t"]))["redundant_rate"] == 0.5
    assert canonical(circle()) == b'{"a":1,"b":["[within itself]"]}'
    assert canonical({"a": Raises(), 1: 0.5}).startswith(b'{"1":0.5,"a":"<')


def test_what_is_told_is_json_whatever_was_given():
    assert plain({1: (True, None, b"x", 1.5), "n": 10**5000})["n"].startswith("0x")
    assert plain(nested(200, "x"), 2) == [[DEEPER]]
    assert plain("\ud800") == "?"
    assert text_of(Raises()).startswith("<")


def test_judges_and_violations_are_told_of_deep_arguments_as_far_as_they_go():
    deep = ToolCall(tool="t", args={"x": nested(3000, "x")})
    seen: list[Any] = []

    def judge(pairs: Any) -> list[float]:
        seen.extend(pairs)
        return [1.0]

    calculate_semantic_correctness([deep], [deep], judge=judge)
    assert DEEPER in repr(seen)
    (violation,) = check_forbidden_calls([deep], [{"tool": "t"}])["violations"]
    assert DEEPER in repr(violation)
    found = check_forbidden_calls(
        [deep], rules_from_json([{"tool": "t", "args": {"x": {"$contains": "x"}}}])
    )
    assert found["violation_count"] == 1


def test_conditions_and_expectations_may_not_be_nested_without_end():
    for deep in (nested(3000, 1), nested(3000, {"$regex": "x"}), circle()["b"]):
        with pytest.raises(ValueError, match="rule 0, `x`: nested more than 100 deep"):
            rules_from_json([{"tool": "t", "args": {"x": nested(101, deep)}}])
    far = [ToolCall(tool="t", args={"x": nested(200, Regex("x"))})]
    with pytest.raises(MatcherError, match="more than 100 levels deep"):
        calculate_argument_f1(far, far)
    with pytest.raises(ValueError, match="rule 0: a matcher stands"):
        check_forbidden_calls([], [{"tool": "t", "args": {"x": nested(200, Regex("x"))}}])


def test_matchers_hold_any_value():
    assert repr(Contains(Raises())).startswith("Contains(<")
    assert Contains({1: object()}).match("x") is Answer.NO


def test_judges_and_checks_that_answer_oddly():
    one = [ToolCall(tool="t", attributes={"side_effects": {"c": 1}})]
    with pytest.raises(ValueError, match="no list of answers"):
        calculate_semantic_correctness(one, one, judge=lambda _: None)  # type: ignore[arg-type, return-value]
    odd = calculate_semantic_correctness(one, one, judge=lambda _: [{"score": 1, "explanation": 5}])
    assert odd["explanations"] == ["5"]

    class WorseError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("asked")

    def check(*_: object) -> bool:
        raise WorseError

    found = calculate_side_effect_success_rate(one, one, {"c": check})
    assert found["details"][0]["reason"] == "WorseError"


def test_amounts_that_are_none_count_nowhere_and_huge_ones_are_infinite():
    costs = [ToolCall(tool="t", cost_usd=cost) for cost in (inf, 10**400, 1.0)]
    assert calculate_cost_attribution(costs)["total_cost"] == 1.0
    huge = [ToolCall(tool="t", cost_usd=1.7e308)] * 2
    assert calculate_cost_attribution(huge)["total_cost"] == inf


@pytest.mark.parametrize("weight", [-1, inf, "2"])
def test_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(ValueError, match="mutating_weight"):
        calculate_tool_f1([], [], mutating_weight=weight)


def test_an_object_that_stands_in_twice_is_scanned_once():
    twice = ["x"]
    odd = {"a": Raises(), "b": twice, "c": twice}
    assert find_secrets([ToolCall(tool="t", args=odd)])["secret_count"] == 0


def test_a_number_is_searched_as_it_is_written():
    rules = rules_from_json([{"tool": "t", "args": {"x": {"$regex": r"^1\.0$"}}}])
    assert check_forbidden_calls([ToolCall(tool="t", args={"x": 1.0})], rules)["violation_count"]
