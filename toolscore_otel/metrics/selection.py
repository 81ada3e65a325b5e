"""Which tools were called, whatever their arguments and order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from math import inf
from typing import Any

from toolscore_otel.matchers.value import is_number
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.ratios import f1_of, share
from toolscore_otel.metrics.substitutions import substitutions
from toolscore_otel.model import Stage, Status, ToolCall


def calculate_invocation_accuracy(
    gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]
) -> float:
    """Whether tools were called where they should be, over the sets of names.

    Returns:
        0..1: names of both sides, less half of those that only one side has, over the expected names.
    """
    expected, called = _names(gold_calls), _names(trace_calls)
    if not expected or not called:
        return float(expected == called)
    right = len(expected & called) - 0.5 * len(expected ^ called)
    return min(1.0, max(0.0, right / len(expected)))


def calculate_selection_accuracy(
    gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]
) -> float:
    """Which share of the calls went to a tool that is expected; what was left out lowers nothing. 0..1."""
    expected, trace_calls = _names(gold_calls), checked(trace_calls)
    if not expected or not trace_calls:
        return float(not expected and not trace_calls)
    return sum(call.tool in expected for call in trace_calls) / len(trace_calls)


def calculate_required_call_recall(
    gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]
) -> float | None:
    """Which share of the expected calls was made and did not fail: each needs a call of its own.

    A call that is not known to have failed counts; one that a model only asked for does not.

    Returns:
        0..1; None where nothing is expected.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    done = Counter(
        call.tool
        for call in trace_calls
        if call.stage is Stage.EXECUTED and call.status is not Status.ERROR
    )
    return share((Counter(call.tool for call in gold_calls) & done).total(), len(gold_calls))


def calculate_tool_f1(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    *,
    mutating: Collection[str] = (),
    mutating_weight: float = 1.0,
) -> dict[str, Any]:
    """Precision, recall and F1 over multisets of tools: the third search where two are expected is one too many.

    A wrong tool in place of the right one is two errors, one on each side, and is named as a pair.

    Args:
        gold_calls: expected calls.
        trace_calls: calls as they were made.
        mutating: tools that change something.
        mutating_weight: how much an unexpected call of such a tool weighs against precision; others weigh 1.

    Returns:
        `precision`, `recall`, `f1` (None where nothing is expected and nothing called); `true_positives`,
        `false_positives`, `false_negatives`; `by_tool` with the same for each; `substitutions`, pairs of `expected` and
        `called` by where they stand (`metrics.substitutions`); `hard_fail`, whether a mutating tool was called that was not expected.

    Raises:
        ValueError: `mutating_weight` is no weight.
    """
    _demand_weight(mutating_weight)
    gold, trace = ([call.tool for call in checked(calls)] for calls in (gold_calls, trace_calls))
    expected, called = Counter(gold), Counter(trace)
    right, extra = expected & called, called - expected
    weighed = sum(n * (mutating_weight if tool in mutating else 1) for tool, n in extra.items())
    tools = dict.fromkeys((*expected, *called))
    return {
        **_told(right.total(), called.total(), expected.total()),
        **f1_of(right.total(), right.total() + weighed, expected.total()),
        "by_tool": {tool: _told(right[tool], called[tool], expected[tool]) for tool in tools},
        "substitutions": substitutions(gold, trace),
        "hard_fail": any(tool in mutating for tool in extra),
    }


def _demand_weight(weight: float) -> None:
    if not (is_number(weight) and 0 <= weight < inf):
        raise ValueError("`mutating_weight` is a finite number that is not negative")


def _names(calls: Sequence[ToolCall]) -> set[str]:
    return {call.tool for call in checked(calls)}


def _told(right: int, called: int, expected: int) -> dict[str, Any]:
    return {
        **f1_of(right, called, expected),
        "true_positives": right,
        "false_positives": called - right,
        "false_negatives": expected - right,
    }
