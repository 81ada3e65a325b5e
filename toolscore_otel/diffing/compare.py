"""Two sets of runs, scenario by scenario. A difference that the old runs show among themselves is no change.

What one side does not show is `not_observed` and never gone: a run known to lack calls proves no absence, arguments that were
not recorded prove no drift. A run is one trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from toolscore_otel.diffing.arguments import arguments
from toolscore_otel.diffing.difference import Difference, Kind, ScenarioDiff, Side, State
from toolscore_otel.diffing.numbers import cost_of, numbers
from toolscore_otel.diffing.order import order, parallel
from toolscore_otel.diffing.tools import tools
from toolscore_otel.model import Trajectory

Runs = Sequence[Trajectory]


def scenarios(recordings: Iterable[tuple[str, Runs]]) -> dict[str, list[Trajectory]]:
    """Runs by scenario: the one that a trace names, else the name of its recording.

    Args:
        recordings: name, and what it holds.
    """
    found: dict[str, list[Trajectory]] = {}
    for name, runs in recordings:
        for run in runs:
            found.setdefault(run.scenario or name, []).append(run)
    return found


def compare(old: Mapping[str, Runs], new: Mapping[str, Runs]) -> tuple[ScenarioDiff, ...]:
    """What is different, by scenario in the order of the names.

    Args:
        old: runs by scenario.
        new: likewise.
    """
    names = sorted(old.keys() | new.keys())
    return tuple(_scenario(name, old.get(name, ()), new.get(name, ())) for name in names)


def _scenario(name: str, old: Runs, new: Runs) -> ScenarioDiff:
    return ScenarioDiff(
        scenario=name, old=_side(old), new=_side(new), differences=tuple(_differences(old, new))
    )


def _differences(old: Runs, new: Runs) -> Iterable[Difference]:
    if not (old and new):
        runs = ("recorded" if old else "no run", "recorded" if new else "no run")
        return [Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old=runs[0], new=runs[1])]
    parts = (tools, arguments, order, parallel, numbers)
    return [difference for part in parts for difference in part(old, new)]


def _side(runs: Runs) -> Side:
    times = [run.latency_s for run in runs if run.latency_s is not None]
    costs = [cost for run in runs if (cost := cost_of(run)) is not None]
    return Side(
        runs=len(runs),
        calls=sum(len(run.calls) for run in runs),
        latency_s=median(times) if times else None,
        cost_usd=median(costs) if costs else None,
    )
