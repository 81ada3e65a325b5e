"""Cost, time and tokens of whole runs: medians, against what the old runs show among themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from toolscore_otel.diffing.difference import Difference, Kind, State
from toolscore_otel.diffing.noise import of_measures
from toolscore_otel.model import Gap, Trajectory

Runs = Sequence[Trajectory]


def numbers(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of sums."""
    yield from _number(Kind.COST, cost_of, lambda value: f"${value:.4f}", old, new)
    yield from _number(Kind.LATENCY, lambda run: run.latency_s, lambda s: f"{s:.3g} s", old, new)
    yield from _number(Kind.TOKENS, _tokens, lambda value: f"{value:,.0f}", old, new)


def cost_of(run: Trajectory) -> float | None:
    """The cost of a run; None where some of it is not known."""
    return None if Gap.COST_NOT_KNOWN in run.gaps else run.cost_usd


def _tokens(run: Trajectory) -> float | None:
    given, made = run.tokens.input, run.tokens.output
    return None if given is None or made is None else given + made


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
