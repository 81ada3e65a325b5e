"""Time and money: what calls took and cost. What was not observed is None or left out, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, fsum, isfinite
from typing import Any, TypeVar

from toolscore_otel.matchers.value import is_number
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.ratios import share
from toolscore_otel.model import ToolCall

K = TypeVar("K", bound=str | None)

_PERCENTILES = (50, 90, 95, 99)


def calculate_latency(trace_calls: Sequence[ToolCall]) -> dict[str, Any]:
    """How long calls took, in seconds, of those whose begin and end were observed.

    Returns:
        `total_duration`, the sum, so time side by side counts twice; `average_duration`, `max_duration`, `min_duration`,
        `p50_duration`, `p90_duration`, `p95_duration`, `p99_duration` (nearest rank); all None where none was observed;
        `by_tool`, the same per tool.
    """
    by_tool: dict[str, list[float]] = {}
    for call in checked(trace_calls):
        if (seconds := _seconds(call)) is not None:
            by_tool.setdefault(call.tool, []).append(seconds)
    everything = [duration for durations in by_tool.values() for duration in durations]
    return {
        **_figures(everything),
        "by_tool": {tool: _figures(durations) for tool, durations in by_tool.items()},
    }


def _seconds(call: ToolCall) -> float | None:
    """What it took; None where either time was not observed, or is none."""
    both = _number(call.start_ns), _number(call.end_ns)
    return None if None in both else call.duration_s


def _figures(durations: Sequence[float]) -> dict[str, float | None]:
    ranked = sorted(durations)
    total = _total(ranked) if ranked else None
    return {
        "total_duration": total,
        "average_duration": None if total is None else total / len(ranked),
        "max_duration": ranked[-1] if ranked else None,
        "min_duration": ranked[0] if ranked else None,
        **{f"p{p}_duration": _percentile(ranked, p) for p in _PERCENTILES},
    }


def _percentile(ranked: Sequence[float], percent: int) -> float | None:
    return ranked[ceil(len(ranked) * percent / 100) - 1] if ranked else None


def calculate_cost_attribution(trace_calls: Sequence[ToolCall]) -> dict[str, Any]:
    """What calls cost, in USD, and whose that is.

    Returns:
        `total_cost` and `average_cost` of the calls whose cost is known, None where none is; `known_count`, how many;
        `cost_by_tool`, `cost_by_agent`, `cost_by_model`, `cost_by_turn`: sums of known costs, under None where agent, model or turn was
        not observed (a turn is named by the span that asked for its calls). `total_turn_cost`: what the model calls that asked
        cost, each once however many calls it asked for, None where none is known; `turn_cost_by_tool`, `turn_cost_by_agent`,
        `turn_cost_by_model`: the same, each in equal parts to those of its calls that are given.
    """
    trace_calls = checked(trace_calls)
    costs = [(call, _number(call.cost_usd)) for call in trace_calls]
    known = [(call, cost) for call, cost in costs if cost is not None]
    total = _total([cost for _, cost in known]) if known else None
    turns = _turns(trace_calls)
    shares = list(_shares(turns))
    return {
        "total_cost": total,
        "average_cost": None if total is None else share(total, len(known)),
        "known_count": len(known),
        "cost_by_tool": _sums((call.tool, cost) for call, cost in known),
        "cost_by_agent": _sums((call.agent, cost) for call, cost in known),
        "cost_by_model": _sums((call.model, cost) for call, cost in known),
        "cost_by_turn": _sums((turn_of(call), cost) for call, cost in known),
        "total_turn_cost": _total([cost for cost, _ in turns]) if turns else None,
        "turn_cost_by_tool": _sums((call.tool, cost) for call, cost in shares),
        "turn_cost_by_agent": _sums((call.agent, cost) for call, cost in shares),
        "turn_cost_by_model": _sums((call.model, cost) for call, cost in shares),
    }


def _total(amounts: Sequence[float]) -> float:
    """Their sum, rounded once."""
    try:
        return fsum(amounts)
    except OverflowError:  # beyond what a float holds
        return sum(amounts)


def _number(value: float | None) -> float | None:
    """A number as it is; None for not a number, for an infinity, and for what is no number at all."""
    try:
        return float(value) if is_number(value) and isfinite(value) else None
    except OverflowError:  # an integer beyond what a float holds
        return None


def turn_of(call: ToolCall) -> str | None:
    """The span of the model call that asked for it."""
    return call.turn_id or next(
        (one.span_id for one in call.sources if one.what == "request"), None
    )


def _turns(calls: Sequence[ToolCall]) -> list[tuple[float, list[ToolCall]]]:
    """What each turn cost, of which that is known, with its calls; one whose turn was not observed stands for a turn itself."""
    turns: dict[str | int, list[ToolCall]] = {}
    for number, call in enumerate(calls):
        turns.setdefault(turn_of(call) or number, []).append(call)
    costs = [(_number(asked[0].turn_cost_usd), asked) for asked in turns.values()]
    return [(cost, asked) for cost, asked in costs if cost is not None]


def _shares(turns: Iterable[tuple[float, list[ToolCall]]]) -> Iterator[tuple[ToolCall, float]]:
    """What of its turn falls to each call."""
    for cost, asked in turns:
        for call in asked:
            yield call, cost / len(asked)


def _sums(costs: Iterable[tuple[K, float]]) -> dict[K, float]:
    by_key: dict[K, list[float]] = {}
    for key, cost in costs:
        by_key.setdefault(key, []).append(cost)
    return {key: _total(each) for key, each in by_key.items()}
