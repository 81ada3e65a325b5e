"""Two sets of runs, scenario by scenario. A difference that the old runs show among themselves is no change (`noise`).

What one side does not show is `not_observed` and never gone: a run known to lack calls proves no absence, arguments that were
not recorded prove no drift. A run is one trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from toolscore_otel.diffing.arguments import arguments
from toolscore_otel.diffing.difference import Difference, Kind, ScenarioDiff, Side, State
from toolscore_otel.diffing.numbers import numbers
from toolscore_otel.diffing.order import order, parallel
from toolscore_otel.diffing.outcome import outcome
from toolscore_otel.diffing.run import Run
from toolscore_otel.diffing.tools import tools

Runs = Sequence[Run]

_RANKS = {kind: rank for rank, kind in enumerate(Kind)}


def scenarios(recordings: Iterable[tuple[str, Runs]]) -> dict[str, list[Run]]:
    """Runs by scenario: the one that a trace names, else the name of its recording.

    Args:
        recordings: name, and what it holds.
    """
    found: dict[str, list[Run]] = {}
    for name, runs in recordings:
        for run in runs:
            found.setdefault(run.trajectory.scenario or name, []).append(run)
    return found


def compare(old: Mapping[str, Runs], new: Mapping[str, Runs]) -> tuple[ScenarioDiff, ...]:
    """What is different, by scenario in the order of the names, what weighs most first.

    Args:
        old: runs by scenario.
        new: likewise.
    """
    names = sorted(old.keys() | new.keys())
    return tuple(_scenario(name, old.get(name, ()), new.get(name, ())) for name in names)


def _scenario(name: str, old: Runs, new: Runs) -> ScenarioDiff:
    found = sorted(_differences(old, new), key=lambda one: _RANKS[one.kind])
    return ScenarioDiff(scenario=name, old=_side(old), new=_side(new), differences=tuple(found))


def _differences(old: Runs, new: Runs) -> Iterable[Difference]:
    if not (old and new):
        runs = ("recorded" if old else "no run", "recorded" if new else "no run")
        return [Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old=runs[0], new=runs[1])]
    before, after = ([run.trajectory for run in side] for side in (old, new))
    parts = (tools, arguments, order, parallel, numbers)
    return [*outcome(old, new), *(one for part in parts for one in part(before, after))]


def _side(runs: Runs) -> Side:
    told = [run.trajectory for run in runs]
    times = [run.latency_s for run in told if run.latency_s is not None]
    costs = [cost for run in told if (cost := run.whole_cost_usd) is not None]
    return Side(
        runs=len(runs),
        calls=sum(len(run.calls) for run in told),
        latency_s=median(times) if times else None,
        cost_usd=median(costs) if costs else None,
    )
