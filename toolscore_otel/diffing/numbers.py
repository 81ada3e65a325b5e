"""Cost, time and tokens of whole runs: medians, against what the old runs show among themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from toolscore_otel.diffing.difference import Difference, Kind, State
from toolscore_otel.diffing.noise import of_measures
from toolscore_otel.model import Trajectory

Runs = Sequence[Trajectory]


def numbers(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of sums."""
    yield from _number(
        Kind.COST, lambda run: run.whole_cost_usd, lambda usd: f"${usd:.4f}", old, new
    )
    yield from _number(Kind.LATENCY, lambda run: run.latency_s, lambda s: f"{s:.3g} s", old, new)
    yield from _number(Kind.TOKENS, lambda run: run.tokens.total, lambda n: f"{n:,.0f}", old, new)


def _number(
    kind: Kind,
    value_of: Callable[[Trajectory], float | None],
    said: Callable[[float], str],
    old: Runs,
    new: Runs,
) -> Iterator[Difference]:
    before = [value for run in old if (value := value_of(run)) is not None]
    after = [value for run in new if (value := value_of(run)) is not None]
    state = of_measures(before, after) if before and after else State.NOT_OBSERVED
    if state is None or not (before or after):
        return
    told = _median(after, said)
    if before and after and (middle := median(before)):
        told += f" ({median(after) / middle - 1:+.0%})"
    yield Difference(kind=kind, state=state, old=_median(before, said), new=told)


def _median(values: Sequence[float], said: Callable[[float], str]) -> str:
    if not values:
        return "not known"
    least, most = said(min(values)), said(max(values))
    return least if least == most else f"{said(median(values))} ({least} to {most})"
