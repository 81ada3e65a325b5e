"""Scores of calls that somebody made by hand, out of Python values that no JSON has: a value or a documented error, and an end."""

from __future__ import annotations

from datetime import UTC, datetime
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from toolscore_otel import metrics
from toolscore_otel.errors import ToolscoreError
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Status, ToolCall

DEEP = 1_500
"""Levels: past what Python recurses into."""
some = settings(max_examples=15)


class Raises:
    """An object that nothing can be asked."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("asked")

    def __hash__(self) -> int:
        raise RuntimeError("asked")

    def __repr__(self) -> str:
        raise RuntimeError("asked")

    def __bool__(self) -> bool:
        raise RuntimeError("asked")


def nested(depth: int, innermost: object = "x") -> Any:
    value: Any = innermost
    for level in range(depth):
        value = {"in": value} if level % 2 else [value]
    return value


def circle() -> Any:
    value: dict[str, Any] = {"a": 1}
    value["b"] = [value, value]
    return value


_ODD: list[Any] = [
    *(None, True, 1, 1.0, "x", "", " x ", -0.0, nan, inf, -inf, 10**400, 10**5000, 2**53 + 1),
    *(b"x", "\ud800", "\0", '{"a":[1', '{"a": NaN}', "9" * 5000, "[" * 5000),
    *(
        {1, 2},
        frozenset({"x"}),
        (1, (2,)),
        {1: "x", None: 2},
        {"": {}},
        {"a.b": {"c": 1}},
        [[]],
    ),
    *(datetime(2025, 1, 31, tzinfo=UTC), 1j, object(), Raises, len),
]
ODD = st.integers(0, len(_ODD) - 1).map(lambda n: _ODD[n])  # hypothesis cannot name them
MADE = st.sampled_from([Raises, circle, lambda: nested(DEEP), lambda: {"x": nested(DEEP)}]).map(
    lambda make: make()
)
VALUES = st.recursive(
    ODD | MADE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "a.b", "x", "$regex", ""]), inner, max_size=3)
    ),
    max_leaves=5,
)
MATCHERS = st.one_of(
    st.just(metrics.ANY),
    st.sampled_from(["x*", r"\w+", "(?!a)b"]).map(metrics.Regex),
    st.builds(metrics.Approx, st.sampled_from([1, 10**400, inf, 0.0])),
    st.builds(metrics.Contains, VALUES),
    st.builds(metrics.OneOf, VALUES, VALUES),
    st.just(metrics.IsType(int, dict)),
)
ARGS = VALUES | st.dictionaries(st.sampled_from(["a", "x"]), VALUES | MATCHERS, max_size=3)
TIMES = st.sampled_from([None, 0, 5, -5, 10**400])
MONEY = st.sampled_from([None, 0.0, -1.0, nan, inf, 1e308, 10**400])
TOOLS = st.sampled_from(["t", "", "mcp__s__t", "\ud800", "*"])
CALLS = st.builds(
    lambda effects, **fields: ToolCall(attributes={"side_effects": effects}, **fields),
    ARGS,
    tool=TOOLS,
    args=ARGS,
    result=VALUES,
    status=st.sampled_from(Status),
    start_ns=TIMES,
    end_ns=TIMES,
    cost_usd=MONEY,
    turn_cost_usd=MONEY,
)
LISTS = st.lists(CALLS, max_size=4)
_NONSENSE: list[Any] = [None, 5, "calls", [None], [{}], [ToolCall(tool=None)], Raises()]  # type: ignore[arg-type]
NONSENSE = st.integers(0, len(_NONSENSE) - 1).map(lambda n: _NONSENSE[n])
KINDS = st.dictionaries(
    st.sampled_from(["a", "x", "t.a"]),
    st.sampled_from(["exact", "loose", "number", "datetime", "text"]),
    max_size=2,
)


def _answers_oddly(*_: object) -> Any:
    return Raises()


PAIRS = {
    "invocation": metrics.calculate_invocation_accuracy,
    "selection": metrics.calculate_selection_accuracy,
    "edit distance": metrics.calculate_edit_distance,
    "arguments": metrics.calculate_argument_f1,
    "strict arguments": lambda gold, trace: metrics.calculate_argument_f1(gold, trace, strict=True),
    "fields": metrics.calculate_field_accuracy,
    "recall": metrics.calculate_required_call_recall,
    "redundant": metrics.calculate_redundant_call_rate,
    "tools": lambda gold, trace: metrics.calculate_tool_f1(gold, trace, mutating={"t"}),
    "effects": metrics.calculate_side_effect_success_rate,
    "checked effects": lambda gold, trace: metrics.calculate_side_effect_success_rate(
        gold, trace, {"a": lambda _, value: value, "x": _answers_oddly}
    ),
    "judge": lambda gold, trace: metrics.calculate_semantic_correctness(
        gold, trace, judge=lambda pairs: [1.0] * len(pairs)
    ),
    "judges": lambda gold, trace: metrics.calculate_batch_semantic_correctness([(gold, trace)]),
}
ALONE = {
    "secrets": metrics.find_secrets,
    "latency": metrics.calculate_latency,
    "cost": metrics.calculate_cost_attribution,
    "one tool": lambda trace: metrics.calculate_tool_call_accuracy(trace, "t"),
    "tools in order": lambda trace: metrics.calculate_tool_call_accuracy(
        trace, expected_order=["t", "*"]
    ),
    "sets": lambda trace: metrics.calculate_best_tool_set(trace, [["t"], []]),
    "before": lambda trace: metrics.check_called_before(trace, ["*"], "t"),
    "rules": lambda trace: metrics.check_forbidden_calls(
        trace,
        metrics.rules_from_json(
            [
                {"tool": "*", "args": {"a": {"$regex": "x|é"}, "x": {"$contains": "x"}}},
                {"tool": "t", "args": {"a.b": {"$one_of": [1, "x"]}}},
                {"tool": "*"},
            ]
        ),
    ),
    "trajectory": lambda trace: metrics.trajectory_scores(
        [JudgedCall(call) for call in trace],
        metrics.expected_calls([{"tool": "t", "args": {"a": 1}}, {"args": {"x": [{"a": 1}]}}]),
    ),
}


@some
@given(LISTS, LISTS)
@pytest.mark.parametrize("name", PAIRS)
def test_two_lists_of_any_calls_have_a_score(name, gold, trace):
    assert PAIRS[name](gold, trace) is not NotImplemented


@some
@given(LISTS)
@pytest.mark.parametrize("name", ALONE)
def test_a_list_of_any_calls_has_a_score(name, trace):
    assert ALONE[name](trace) is not NotImplemented


@some
@given(LISTS, LISTS, KINDS)
def test_fields_of_any_kind_are_compared(gold, trace, kinds):
    found = metrics.calculate_field_accuracy(gold, trace, kinds=kinds)
    assert set(found) >= {"field_accuracy", "exact_match", "by_field", "invalid_calls"}


@some
@given(NONSENSE, LISTS)
@pytest.mark.parametrize("name", PAIRS)
def test_what_is_no_list_of_calls_is_refused(name, nonsense, calls):
    with pytest.raises(TypeError, match=r"`ToolCall`|named by"):
        PAIRS[name](nonsense, calls)
    with pytest.raises(TypeError, match=r"`ToolCall`|named by"):
        PAIRS[name](calls, nonsense)


@some
@given(NONSENSE)
@pytest.mark.parametrize("name", [name for name in ALONE if name != "trajectory"])
def test_what_is_no_list_of_calls_is_refused_here_too(name, nonsense):
    with pytest.raises(TypeError, match=r"`ToolCall`|named by"):
        ALONE[name](nonsense)


@some
@given(
    VALUES | st.lists(st.fixed_dictionaries({"tool": TOOLS | VALUES, "args": ARGS}), max_size=2),
    LISTS,
)
def test_rules_of_anything_are_refused_or_hold(rules, trace):
    for make in (metrics.rules_from_json, list):
        try:
            made = make(rules)
            found = metrics.check_forbidden_calls(trace, made)
        except (TypeError, ValueError):
            continue
        assert found["rule_count"] == len(rules)


@some
@given(TOOLS, ARGS, ARGS)
def test_one_call_and_one_rule_of_anything(tool, args, rule):
    try:
        found = metrics.call_matches_rule(tool, args, {"tool": "*", "args": rule})
    except (TypeError, ValueError):
        return
    assert found in (True, False)


@some
@given(st.lists(VALUES, max_size=2) | VALUES)
def test_a_judge_who_says_anything_gives_scores_or_none(answers):
    one = [ToolCall(tool="t")]
    try:
        found = metrics.calculate_semantic_correctness(one, one, judge=lambda _: answers)
    except ValueError:
        return
    assert found["semantic_score"] in (None, 0.0, 1.0)


@some
@given(MATCHERS, VALUES)
def test_a_matcher_answers_about_anything(matcher, value):
    assert (matcher == value) in (True, False)


@some
@given(VALUES)
def test_expected_calls_of_anything_are_refused_or_compiled(entry):
    try:
        (found,) = metrics.expected_calls([entry])
    except ToolscoreError:
        return
    assert found.sort
