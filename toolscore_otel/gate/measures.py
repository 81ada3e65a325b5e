"""What one run took, beside how well it did: numbers without an upper bound, of which less is better."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.gate.choice import CALLS_PER_TASK
from toolscore_otel.model import Trajectory

COST, LATENCY, TOKENS = "cost_usd", "latency_s", "tokens"

MEASURES = frozenset({CALLS_PER_TASK, COST, LATENCY, TOKENS})
"""Held against a rise that is allowed, where one is, in the place of a drop; else told and judged by nobody."""


def measures_of(run: Trajectory) -> Iterator[tuple[str, float]]:
    """What is known of a run: US dollars, seconds, tokens in and out."""
    if (cost := run.whole_cost_usd) is not None:
        yield COST, cost
    if run.latency_s is not None:
        yield LATENCY, run.latency_s
    if (tokens := run.tokens.total) is not None:
        yield TOKENS, float(tokens)
