"""Argument precision, recall and F1; small cases by hand, and the best pairing against all pairings."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from toolscore_otel.matchers import Gt
from toolscore_otel.metrics import ANY, Regex, calculate_argument_f1
from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.testing import make_call

DEEP: object = 1
for _ in range(5000):
    DEEP = [DEEP]


def calls(*args: object, tool: str = "a") -> list[ToolCall]:
    return [make_call(tool, one) for one in args]


def scores(
    gold: list[ToolCall], trace: list[ToolCall], *, strict: bool = False
) -> tuple[float | None, ...]:
    found = calculate_argument_f1(gold, trace, strict)
    return tuple(None if one is None else round(one, 3) for one in found.values())


def z(args: object = None) -> ToolCall:
    return make_call("z", args)


CASES = {
    "nothing expected, nothing called": ([], [], (1, 1, 1)),
    "nothing called": (calls({"x": 1}), [], (0, 0, 0)),
    "nothing expected": ([], calls({"x": 1}), (0, 0, 0)),
    "arguments not listed": (calls(None), calls({"x": 1}), (1, 1, 1)),
    "no arguments expected": (calls({}), calls({"x": 1}), (0, 0, 0)),
    "no arguments, as expected": (calls({}), calls({}), (1, 1, 1)),
    "another tool": (calls(None), [z({"x": 1})], (0, 0, 0)),
    "another tool, none expected": (calls({}), [z({"x": 1})], (0, 0, 0)),
    "only the call that lists arguments counts": ([*calls(None), z({"x": 1})], calls({}), (0, 0, 0)),
    "micro average": ([*calls({}), z({"x": 1})], [*calls({"q": 1}), z({"x": 1})], (0.5, 1, 0.667)),
    "calls without a partner": (calls({"x": 1}), [*calls({"x": 1}, {"q": 1, "r": 2}), z({"q": 1})], (1, 1, 1)),
    "surplus arguments": (calls({"x": 1}), calls({"x": 1, "y": 2, "z": 3}), (0.333, 1, 0.5)),
    "the exact call wins": (calls({"x": 1}), calls({"x": 1, "y": 2, "z": 3}, {"x": 1}), (1, 1, 1)),
    "the exact call wins, it stands first": (calls({"x": 1}), calls({"x": 1}, {"x": 1, "y": 2}), (1, 1, 1)),
    "none wins over some": (calls({}), calls({"x": 1}, {}), (1, 1, 1)),
    "greedy would lose": (calls({"x": 1, "y": 9}, {"x": 1, "y": 2}), calls({"x": 1, "y": 2}, {"x": 1, "y": 3}), (0.75, 0.75, 0.75)),
    "an unchecked call takes what is left": (calls(None, {"x": 1}), calls({"x": 1}, *[{"x": 2}] * 12), (1, 1, 1)),
    "a list of arguments": (calls({"x": 1}), calls([1, 2]), (0, 0, 0)),
    "a text that is no object": (calls({"x": 1}), calls("x"), (0, 0, 0)),
    "a text that is an object": (calls({"x": 1}), calls('{"x": 1}'), (1, 1, 1)),
    "a missing call that lists nothing": ([*calls(None), z()], calls({"x": 1}), (1, 0.5, 0.667)),
    "a missing call that lists nothing, beside one that is right": ([*calls({"x": 1}), z()], calls({"x": 1}), (1, 1, 1)),
    "a missing call without arguments, beside one that is right": ([*calls({"x": 1}), z({})], calls({"x": 1}), (1, 1, 1)),
    "a missing call beside one that is right": ([*calls({"x": 1}), z({"q": 1})], calls({"x": 1}), (1, 0.5, 0.667)),
    "part of an object": (calls({"x": {"n": 1, "s": "a", "t": 2}}), calls({"x": {"n": 1, "s": "a", "t": 3}}), (0.667, 0.667, 0.667)),
    "nothing of an object": (calls({"x": {"n": 1}}), calls({"x": {}}), (0, 0, 0)),
    "matchers": (calls({"x": ANY, "y": {"z": [Regex("b+"), 1]}}), calls({"x": None, "y": {"z": ["bb", 1]}}), (1, 1, 1)),
    "operators": (calls({"x": Gt(3)}), calls({"x": 4}), (1, 1, 1)),
    "a matcher needs its key": (calls({"x": ANY}), calls({}), (0, 0, 0)),
    "an integer that no float holds": (calls({"x": 1}), calls({"x": 10**400}), (0, 0, 0)),
    "deeper than Python's stack": (calls({"x": DEEP}), calls({"x": DEEP}), (1, 1, 1)),
    "observed null": (calls({}), [make_call("a", args_state=ContentState.OBSERVED)], (1, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "trace", "expected"), CASES.values(), ids=CASES)
def test_arguments_are_scored_as_by_hand(gold, trace, expected):
    assert scores(gold, trace) == expected


@pytest.mark.parametrize(
    ("expected", "actual", "loose", "strict"),
    [
        (1, 1.0, 1, 0),
        (1, True, 0, 0),
        (0, False, 0, 0),
        (1234567890123456789, 1234567890123456700, 0, 0),
        (2**53, 2**53 + 1, 0, 0),
        ("a", " a\u00a0", 1, 0),
        ("A", "a", 0, 0),
        ("1", 1, 0, 0),
        (None, "null", 0, 0),
        (float("nan"), float("nan"), 1, 1),
        (float("inf"), float("inf"), 1, 1),
        (["x "], ["x"], 1, 0),
        ([1], [1.0], 1, 0),
        ({"s": " x"}, {"s": "x"}, 1, 0),
        ({"q": 1}, '{"q": 1}', 1, 0),
        ("[broken", "[broken", 1, 1),
    ],
)
def test_values_are_the_same_loosely_or_strictly(expected, actual, loose, strict):
    gold, trace = calls({"x": expected}), calls({"x": actual})
    assert (loose, strict) == (scores(gold, trace)[2], scores(gold, trace, strict=True)[2])


def test_arguments_that_were_not_observed_are_no_arguments_neither_right_nor_wrong():
    unseen = ToolCall(tool="a")
    assert scores(calls({"x": 1}), [unseen]) == (None, None, None)
    assert scores(calls({}), [unseen]) == (None, None, None)
    assert scores(calls({"x": 1}, {"x": 2}), [*calls({"x": 1}), unseen]) == (1, 1, 1)
    assert scores(calls(None), [unseen]) == (1, 1, 1)


def test_a_cut_text_counts_as_far_as_it_was_seen():
    cut = ToolCall(tool="a", args_text='{"x": 1, "y": 2, "z', args_state=ContentState.TRUNCATED)
    assert scores(calls({"x": 1, "y": 3}), [cut]) == (0.5, 0.5, 0.5)
    assert scores(calls({"x": 1, "y": 2, "zoo": 3}), [cut]) == (1, 1, 1)
    assert scores(calls({"x": 1, "w": 2}), [cut]) == (0.5, 0.5, 0.5)


def test_a_placeholder_is_no_value():
    assert scores(calls({"x": "a", "y": 1}), calls({"x": "[REDACTED]", "y": 1})) == (1, 1, 1)
    assert scores(calls({"x": {"k": "a"}}), calls({"x": {"k": "***"}})) == (None, None, None)
    assert scores(calls({"x": "a"}), calls({"x": "***"}), strict=True) == (None, None, None)
    assert scores(calls({"x": {"k": ANY}}), calls({"x": {"k": "***"}})) == (1, 1, 1)


ARGS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 1))


def _overlap(gold: dict[str, int], trace: dict[str, int]) -> int:
    return len(gold.items() & trace.items())


@settings(max_examples=60)
@given(st.lists(ARGS, min_size=1, max_size=4), st.lists(ARGS, min_size=1, max_size=4))
def test_no_other_pairing_has_more_that_is_right(gold, trace):
    fewer, more = sorted((gold, trace), key=len)
    best = max(sum(map(_overlap, fewer, chosen)) for chosen in permutations(more, len(fewer)))
    expected = sum(len(one) or 1 for one in gold)
    recall = calculate_argument_f1(calls(*gold), calls(*trace))["recall"]
    if all(gold) and len(gold) <= len(trace):
        assert recall == pytest.approx(best / expected)
    assert 0 <= (recall or 0) <= 1


@settings(max_examples=60)
@given(st.lists(ARGS, max_size=4), st.lists(ARGS, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_calls_changes_nothing(gold, trace, random):
    mixed = random.sample(trace, len(trace))
    one, other = (
        calculate_argument_f1(calls(*gold), calls(*trace)),
        calculate_argument_f1(calls(*gold), calls(*mixed)),
    )
    assert one == other
