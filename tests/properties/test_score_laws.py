"""Scores: what they are where everything was observed, and that what was not observed never makes them wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
from msgspec import structs

from tests.contracts.naive.scoring import scores
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.metrics import SCORES, expected_calls
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.metrics.trajectory_scores import Required, score_ranges
from toolscore_otel.model import CallKind, ContentState, Stage, Status, ToolCall
from toolscore_otel.rules.expectation import Bound

TOOLS = ("a", "b")
MUTATING = "b"
NOISE = 1e-9

entries = st.fixed_dictionaries(
    {"tool": st.sampled_from(TOOLS)},
    optional={
        "args": st.sampled_from([{}, {"q": 1}, {"q": 2}]),
        "status": st.sampled_from(["ok", "error"]),
    },
)
args = st.sampled_from([{}, {"q": 1}, {"q": 2}, {"q": 1, "r": 1}])


@st.composite
def runs(draw: Any) -> list[ToolCall]:
    """Calls of which everything was observed, one after the other."""
    count = draw(st.integers(0, 4))
    return [
        ToolCall(
            tool=draw(st.sampled_from(TOOLS)),
            args=draw(args),
            args_state=ContentState.OBSERVED,
            status=draw(st.sampled_from([Status.OK, Status.ERROR])),
            stage=Stage.EXECUTED,
            kind=draw(st.sampled_from([CallKind.TOOL, CallKind.TOOL, CallKind.AGENT])),
            start_ns=number * 10,
            end_ns=number * 10 + 5,
        )
        for number in range(count)
    ]


def ranges(expected: list[Any], calls: list[ToolCall], **known: Any) -> dict[str, ScoreRange]:
    judged = [JudgedCall(call, mutating=call.tool == MUTATING) for call in calls]
    return dict(score_ranges(judged, expected_calls(expected), **known))


def unseen(draw: Any, call: ToolCall) -> ToolCall:
    """The same call, of which less was observed."""
    what = draw(st.sets(st.sampled_from(["args", "status", "times"])))
    if "args" in what:
        call = structs.replace(call, args=None, args_state=ContentState.NOT_OBSERVED)
    if "status" in what:
        call = structs.replace(call, status=Status.UNKNOWN)
    return structs.replace(call, start_ns=None, end_ns=None) if "times" in what else call


def near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= NOISE


def holds(one: ScoreRange, value: float) -> bool:
    return one.applies and one.low - NOISE <= value <= one.high + NOISE


@given(st.lists(entries, max_size=3), runs())
def test_scores_are_what_the_language_says(expected: list[Any], calls: list[ToolCall]) -> None:
    found = ranges(expected, calls)
    assert list(found) == list(SCORES)
    told = {name: one.value for name, one in found.items() if name != "required_recall"}
    assert any(
        all(near(told[name], value) for name, value in one.items())
        for one in scores(expected, calls, MUTATING)
    )
    assert not any(found[name].is_open for name in told)


@given(st.lists(entries, max_size=3), runs(), st.data())
def test_what_was_not_observed_leaves_the_score_in_its_range(
    expected: list[Any], calls: list[ToolCall], data: Any
) -> None:
    told = [unseen(data.draw, call) for call in calls]
    hidden = data.draw(st.booleans(), label="hidden")
    told = [call for call in told if not hidden or data.draw(st.booleans(), label="kept")]
    found = ranges(expected, told, hidden=hidden)
    assert any(
        all(value is None or holds(found[name], value) for name, value in one.items())
        for one in scores(expected, calls, MUTATING)
    )
    for name, one in found.items():
        if one.value is not None and name != "error_rate":
            assert near(one.low, one.value), name
            assert near(one.high, one.value), name


@given(*[st.integers(0, 3)] * 3)
def test_rules_that_could_not_be_checked_hold_or_fail(
    held: int, failed: int, unchecked: int
) -> None:
    one = ranges([], [], required=Required(held, failed, unchecked))["required_recall"]
    whole = held + failed + unchecked
    assert one.applies is bool(whole)
    if whole:
        assert near(one.low, held / whole)
        assert near(one.high, (held + unchecked) / whole)


shares = st.floats(0, 1)


@given(shares, shares, shares, shares, shares)
def test_a_bound_fails_only_what_is_beyond_it_whatever_was_not_observed(
    low: float, high: float, least: float, most: float, at: float
) -> None:
    low, high = sorted((low, high))
    one = ScoreRange(None, low, high, ("arguments",))
    bound = Bound(least, most)
    value = low + (high - low) * at
    if bound.label(one) == "fail":
        assert value < least or value > most
    if bound.label(one) == "pass":
        assert least - 2 * NOISE <= value <= most + 2 * NOISE
