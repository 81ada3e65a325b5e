"""Tools in their order: how far apart two sequences are, and whether one keeps to the other.

Both measures go through the calls once and hold the whole expected side in the bits of one integer (Myers 1999, Hyyro 2004),
so that a thousand against a thousand takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.model import ToolCall


def calculate_edit_distance(
    gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]
) -> dict[str, float]:
    """How many calls must be put in, left out or replaced to come from one sequence of tools to the other.

    Returns:
        `edit_distance`; `normalized_distance`, over the longer length; `sequence_accuracy`, 1 less that.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    names = [call.tool for call in gold_calls]
    distance = edits(len(names), fitting(names, (call.tool for call in trace_calls)))
    normalized = distance / max(len(gold_calls), len(trace_calls), 1)
    return {
        "edit_distance": float(distance),
        "normalized_distance": normalized,
        "sequence_accuracy": 1 - normalized,
    }


def calculate_tool_call_accuracy(
    trace_calls: Sequence[ToolCall],
    expected_tool: str | None = None,
    *,
    expected_order: Sequence[str] | None = None,
    strict: bool = False,
) -> float:
    """1 where the expected tool, or the expected tools in their order, were called, else 0.

    Args:
        trace_calls: calls as they were made.
        expected_tool: looked at where no order is given: it must be among the calls; `strict`: the only one.
        expected_order: must stand among the calls in this order, a tool that comes twice by two calls; `strict`: these
            calls and no others.
        strict: allow nothing besides.

    Raises:
        ValueError: neither a tool nor an order is expected.
    """
    called = [call.tool for call in checked(trace_calls)]
    if expected_order is None:
        if expected_tool is None:
            raise ValueError("give `expected_tool` or `expected_order`")
        return float(called == [expected_tool] if strict else expected_tool in called)
    if strict or not called:
        return float(called == list(expected_order))
    following = iter(called)
    return float(all(tool in following for tool in expected_order))


def fitting(expected: Sequence[str], called: Iterable[str]) -> list[int]:
    """For each called tool where it stands among the expected ones: bit N for number N."""
    places: dict[str, int] = {}
    for number, tool in enumerate(expected):
        places[tool] = places.get(tool, 0) | 1 << number
    return [places.get(tool, 0) for tool in called]


def edits(expected: int, fits: Sequence[int]) -> int:
    """The Levenshtein distance.

    Args:
        expected: how many calls are expected.
        fits: for each call that was made, which expected ones it fits: bit N for number N.
    """
    if not expected:
        return len(fits)
    every = (1 << expected) - 1
    last = 1 << (expected - 1)
    more, less, distance = every, 0, expected
    for fit in fits:
        diagonal = (((fit & more) + more) ^ more) | fit | less
        up = less | (every & ~(diagonal | more))
        down = more & diagonal
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        down <<= 1
        more = every & (down | ~(diagonal | up))
        less = up & diagonal & every
    return distance


def longest_common(expected: int, fits: Iterable[int]) -> int:
    """The length of the longest common subsequence, of the same as `edits`."""
    every = (1 << expected) - 1
    row = every
    for fit in fits:
        row = stepped(row, fit, every)
    return (every & ~row).bit_count()


def stepped(row: int, fit: int, every: int) -> int:
    """One call further: a bit is 0 where the common length grows by one."""
    both = row & fit
    return ((row + both) | (row - both)) & every
