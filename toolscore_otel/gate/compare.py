"""The runs of a release against those of the releases before it: pass, fail, inconclusive, or not comparable.

A score fails where the whole interval of its drop lies beyond what is allowed, passes where the whole interval lies within,
and is inconclusive where the runs given cannot tell. All scores of all models are looked at at once: the bounds below which no
drop lies are those of Bonferroni, so that the chance that any of them fails wrongly is `ERROR` for the gate as a whole. Scores
that say the same of every run, as many do where a task takes one call, are one score there: who is new and who is old plays no
part in that. The bounds above need no such thing: a gate passes only where every score does, so that it passes wrongly no more
often than the one that dropped (Berger 1982, Technometrics 24, 295-300, intersection-union test).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType

from msgspec import Struct, structs

from toolscore_otel.gate.allowed import Asked
from toolscore_otel.gate.interval import Runs, drop_of
from toolscore_otel.gate.measures import MEASURES
from toolscore_otel.gate.passing import runs_to_pass
from toolscore_otel.gate.rise import rise_of
from toolscore_otel.gate.store import Entry, Release, Store
from toolscore_otel.gate.verdict import Comparison, Gate, NotCompared, Verdict, Why

ERROR = 0.01
"""The chance that a gate fails where no score dropped by more than is allowed, and that it passes where one did.

That is what the bounds are made for. Sides that differ much in their number of runs come near twice of it (docs/pages/gate.md).
"""

_NOTHING: Mapping[str, str] = MappingProxyType({})

LOWER_IS_BETTER = frozenset({"edit_distance", "redundant_rate", "error_rate", "hard_fail"})
"""They are turned round (1 minus the score) before they are compared."""


def held(
    entries: Sequence[Entry],
    store: Store,
    release: str,
    *,
    asked: Asked,
    formerly: Mapping[str, str] = _NOTHING,
) -> Gate:
    """Hold the runs of a release against the last ones before it, scenario by scenario.

    Args:
        entries: of the release, as `together` gives them.
        store: of the releases before; what it has of this release counts where these have nothing.
        release: its name.
        asked: what is judged, and by which bounds.
        formerly: fingerprints of contracts by id, as `whole_fingerprint_of` gives them: stores of before may have them.
    """
    before = store.before(release)
    found = [
        part
        for group in _groups(entries, before)
        for part in _Group(*group, before, release, formerly).compared(asked)
    ]
    told = [one for one in found if isinstance(one, _Told)]
    told_apart = len({(one.model, one.columns) for one in told if asked.covers(one.shell.score)})
    level = 1 - ERROR / max(1, told_apart)
    return Gate(
        release=release,
        max_drop=str(asked.drop),
        max_rise=asked.rise,
        told_apart=told_apart,
        level=level,
        level_of_high=1 - ERROR,
        comparisons=tuple(one.judged(asked, level) for one in told),
        not_compared=tuple(one for one in found if isinstance(one, NotCompared)),
    )


_ROUNDING = 1e-9
"""A drop of just what is allowed is allowed, whatever the last digits of a float are."""

Column = tuple[tuple[str, float], ...]
"""Runs of one scenario on one side in which a score is known, and the score, turned so that higher is better."""


class _Told(Struct, frozen=True, kw_only=True):
    """One score on both sides, before it is known how many there are.

    Attributes:
        columns: old and new runs of each scenario that has both.
        shell: what is known without an interval.
    """

    model: str
    columns: tuple[tuple[Column, Column], ...]
    shell: Comparison

    def judged(self, asked: Asked, level: float) -> Comparison:
        """With its interval and verdict, where one is asked for."""
        if not asked.covers(self.shell.score):
            return self.shell
        runs = [(_values(old), _values(new)) for old, new in self.columns]
        if self.shell.score in MEASURES:
            return self._risen(runs, asked.rise or 0.0, level)
        drop = drop_of(runs, level=level)
        most, high = asked.drop.of(drop.old), drop_of(runs, level=1 - ERROR).high
        verdict = _verdict(drop.low, high, most)
        is_open = verdict is Verdict.INCONCLUSIVE
        return structs.replace(
            self.shell,
            drop=drop.size,
            low=drop.low,
            high=high,
            allowed=most,
            verdict=verdict,
            passes_at=runs_to_pass(runs, allowed=most, level=1 - ERROR) if is_open else None,
        )

    def _risen(self, runs: Sequence[tuple[Runs, Runs]], most: float, level: float) -> Comparison:
        rise = rise_of(runs, level=level)
        high = rise_of(runs, level=1 - ERROR).high
        return structs.replace(
            self.shell,
            drop=rise.size,
            low=rise.low,
            high=high,
            allowed=most,
            verdict=_verdict(rise.low, high, most),
        )


def _verdict(low: float | None, high: float | None, most: float) -> Verdict:
    if low is None or high is None:
        return Verdict.INCONCLUSIVE
    if low > most + _ROUNDING:
        return Verdict.FAIL
    return Verdict.PASS if high <= most + _ROUNDING else Verdict.INCONCLUSIVE


def _values(column: Column) -> Runs:
    return [value for _, value in column]


Group = tuple[str, str]
"""Contract and model."""


def _groups(
    entries: Sequence[Entry], before: Sequence[Release]
) -> Iterator[tuple[Group, Mapping[str, Entry]]]:
    """The entries of now by contract and model, each by scenario; empty for those that only releases before have."""
    groups: dict[Group, dict[str, Entry]] = {}
    contracts = {entry.contract for entry in entries}
    for entry in (entry for release in before for entry in release.entries):
        if entry.contract in contracts:
            groups.setdefault((entry.contract, entry.model), {})
    for entry in entries:
        groups.setdefault((entry.contract, entry.model), {})[entry.scenario] = entry
    yield from sorted(groups.items())


class _Group:
    """One model under one contract: its runs of now, and of each scenario the last ones before."""

    def __init__(
        self,
        group: Group,
        now: Mapping[str, Entry],
        before: Sequence[Release],
        release: str,
        formerly: Mapping[str, str],
    ) -> None:
        self._contract, self._model = group
        self._now = now
        self._release = release
        self._formerly = formerly.get(self._contract)
        self._last: dict[str, tuple[str, Entry]] = {}
        self._newest = ""
        for one in before:
            self._take(one)

    def _take(self, release: Release) -> None:
        """Of two entries of one scenario in one release, the one under the expectations of now counts."""
        ours = [
            e for e in release.entries if (e.contract, e.model) == (self._contract, self._model)
        ]
        for entry in sorted(ours, key=self._likeness):
            self._newest = release.release
            self._last[entry.scenario] = (release.release, entry)

    def _likeness(self, entry: Entry) -> int:
        """0 where other things were expected of its scenario than now."""
        now = self._now.get(entry.scenario)
        expected = (self._formerly, None if now is None else now.expectations)
        return max((n for n, one in enumerate(expected, 1) if one == entry.expectations), default=0)

    def compared(self, asked: Asked) -> Iterator[_Told | NotCompared]:
        """What there is to say, by score."""
        if not self._now:
            yield self._not(Why.NO_RUN, release=self._newest)
            return
        if not self._last:
            yield self._not(Why.NO_BASELINE)
            return
        shared = sorted(self._now.keys() & self._last.keys())
        if not shared and any(release != self._release for release, _ in self._last.values()):
            yield self._not(Why.NO_COMMON_SCENARIO)
            return
        alike = [scenario for scenario in shared if self._likeness(self._last[scenario][1])]
        if shared and not alike:
            yield self._not(Why.OTHER_EXPECTATIONS)
        yield from self._left_out(sorted(set(shared) - set(alike)) if alike else ())
        yield from self._scores(alike, asked)

    def _left_out(self, other: Iterable[str]) -> Iterator[NotCompared]:
        """Scenarios of which something else is expected, new ones, and those that are gone."""
        for scenario in other:
            yield self._not(Why.OTHER_EXPECTATIONS, scenario=scenario)
        for scenario in sorted(self._now.keys() - self._last.keys()):
            yield self._not(Why.NO_BASELINE, scenario=scenario)
        for scenario in sorted(self._last.keys() - self._now.keys()):
            yield self._not(Why.NO_RUN, scenario=scenario, release=self._last[scenario][0])

    def _scores(self, scenarios: Sequence[str], asked: Asked) -> Iterator[_Told | NotCompared]:
        sides = [(self._last[s][1], self._now[s]) for s in scenarios]
        names = {n for pair in sides for one in pair for run in one.runs for n in run.scores}
        for name in sorted(names):
            columns = [(_column(old, name), _column(new, name)) for old, new in sides]
            if any(_is_beyond(v, name) for pair in columns for side in pair for _, v in side):
                yield self._not(Why.NOT_A_NUMBER, score=name)
            elif both := tuple(pair for pair in columns if pair[0] and pair[1]):
                yield _Told(model=self._model, columns=both, shell=self._shell(name, both, sides))
            elif asked.covers(name) and any(old or new for old, new in columns):
                yield self._not(Why.NOT_OBSERVED, score=name)

    def _shell(
        self,
        name: str,
        columns: Sequence[tuple[Column, Column]],
        sides: Sequence[tuple[Entry, Entry]],
    ) -> Comparison:
        runs = sum(len(old) for old, _ in columns), sum(len(new) for _, new in columns)
        every = sum(len(old.runs) for old, _ in sides), sum(len(new.runs) for _, new in sides)
        return Comparison(
            contract=self._contract,
            model=self._model,
            score=name,
            releases=tuple(dict.fromkeys(self._last[old.scenario][0] for old, _ in sides)),
            scenarios=len(columns),
            runs=runs,
            unknown=(every[0] - runs[0], every[1] - runs[1]),
            old=_turned(name, fmean(fmean(_values(old)) for old, _ in columns)),
            new=_turned(name, fmean(fmean(_values(new)) for _, new in columns)),
        )

    def _not(self, why: Why, **about: str) -> NotCompared:
        return NotCompared(contract=self._contract, model=self._model, why=why, **about)


def _column(entry: Entry, name: str) -> Column:
    values = ((run.run, run.scores.get(name)) for run in entry.runs)
    return tuple((run, _turned(name, value)) for run, value in values if value is not None)


def _turned(name: str, value: float) -> float:
    """A score as higher is better, or back."""
    return 1 - value if name in LOWER_IS_BETTER else value


def _is_beyond(value: float, name: str) -> bool:
    """Whether it is no number that the score or measure can have."""
    return not 0 <= value <= (sys.float_info.max if name in MEASURES else 1)
