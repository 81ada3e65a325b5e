"""Time and money: what calls took and cost. What was not observed is None or left out, never 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, fsum
from typing import Any, TypeVar

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
    for call in trace_calls:
        if call.duration_s is not None:
            by_tool.setdefault(call.tool, []).append(call.duration_s)
    everything = [duration for durations in by_tool.values() for duration in durations]
    return {
        **_figures(everything),
        "by_tool": {tool: _figures(durations) for tool, durations in by_tool.items()},
    }


def _figures(durations: Sequence[float]) -> dict[str, float | None]:
    ranked = sorted(durations)
    total = fsum(ranked) if ranked else None
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
        not observed (a turn is named by the span that asked for its calls). `turn_cost_by_tool`: what the model calls that asked
        cost, each once, in equal parts to the calls that it asked for.
    """
    known = [(call, call.cost_usd) for call in trace_calls if call.cost_usd is not None]
    total = fsum(cost for _, cost in known) if known else None
    return {
        "total_cost": total,
        "average_cost": None if total is None else share(total, len(known)),
        "known_count": len(known),
        "cost_by_tool": _sums((call.tool, cost) for call, cost in known),
        "cost_by_agent": _sums((call.agent, cost) for call, cost in known),
        "cost_by_model": _sums((call.model, cost) for call, cost in known),
        "cost_by_turn": _sums((turn_of(call), cost) for call, cost in known),
        "turn_cost_by_tool": _turns(trace_calls),
    }


def turn_of(call: ToolCall) -> str | None:
    """The span of the model call that asked for it."""
    return next((one.span_id for one in call.sources if one.what == "request"), None)


def _turns(calls: Sequence[ToolCall]) -> dict[str, float]:
    """Calls whose turn was not observed stand for a turn each."""
    turns = [turn_of(call) or number for number, call in enumerate(calls)]
    sizes = Counter(turns)
    return _sums(
        (call.tool, call.turn_cost_usd / sizes[turn])
        for call, turn in zip(calls, turns, strict=True)
        if call.turn_cost_usd is not None
    )


def _sums(costs: Iterable[tuple[K, float]]) -> dict[K, float]:
    by_key: dict[K, list[float]] = {}
    for key, cost in costs:
        by_key.setdefault(key, []).append(cost)
    return {key: fsum(each) for key, each in by_key.items()}
