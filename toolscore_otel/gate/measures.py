"""What one run took, beside how well it did: numbers without an upper bound, of which less is better."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.gate.choice import CALLS_PER_TASK
from toolscore_otel.model import Gap, Trajectory

COST, LATENCY, TOKENS = "cost_usd", "latency_s", "tokens"

MEASURES = frozenset({CALLS_PER_TASK, COST, LATENCY, TOKENS})
"""Held against a rise that is allowed, where one is, in the place of a drop; else told and judged by nobody."""


def measures_of(run: Trajectory) -> Iterator[tuple[str, float]]:
    """What is known of a run: US dollars, seconds, tokens in and out."""
    if run.cost_usd is not None and Gap.COST_NOT_KNOWN not in run.gaps:
        yield COST, run.cost_usd
    if run.latency_s is not None:
        yield LATENCY, run.latency_s
    given, made = run.tokens.input, run.tokens.output
    if given is not None and made is not None:
        yield TOKENS, float(given + made)
