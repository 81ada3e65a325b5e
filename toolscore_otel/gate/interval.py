"""How far a score dropped, scenario by scenario, and how far it may have dropped for all that the runs can tell.

The drop is the mean, over the scenarios that both sides have, of the difference of their means. Scenarios are what they are,
and each is compared with itself; noise is only how runs of one scenario differ among themselves. Where scenarios were run too
seldom to show that, noise is how their drops differ.

Each side gets Wilson's score interval, with the variance of the paired design in the place of that of a single proportion, and
Student's quantile, since that variance is an estimate. Both are joined after Newcombe. That stays honest where a plain Student
interval has no width at all: twenty runs that all went well prove no score of 1.

Where all runs of each scenario, old and new, ended alike, the bounds are exact. Had scenarios dropped by D on average, `n` runs
of each side would all have ended alike with a chance of (1 - D)^n at most: of one pair of runs of a scenario that dropped by d
one is another with a chance of d at least, and the product over scenarios is greatest where each dropped by as much.

Source:
    Wilson 1927 (score interval of a proportion). Newcombe 1998, Statistics in Medicine 17, 873-890, method 11 (their
    difference). Zou and Donner 2008, Statistics in Medicine 27, 1693-1702 (the same of any two estimates, "MOVER").
    Satterthwaite 1946 (degrees of freedom of a sum of variances).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist

from msgspec import Struct

from toolscore_otel.gate.student import t_quantile

Runs = Sequence[float]
"""Values of one score, 0..1, in the runs of one scenario; at least one."""

Growth = Callable[[float, float], float]

SHOWS_NOISE = 4
"""Runs of a scenario, both sides together, from which on it is asked how they differ among themselves."""

_NO_NOISE = 1_000_000
"""Degrees of freedom of a variance of nothing: no estimate went into it."""


_ROUNDING = 1e-6
"""So that what is a whole number but for the last digits of a float stays it."""


class Drop(Struct, frozen=True):
    """By how much a score, higher is better, fell from the old runs to the new ones; all -1..1.

    Attributes:
        old: mean over scenarios.
        new: likewise.
        low: the drop is not smaller, at the level that was asked for.
        high: the drop is not greater, at the same level.
    """

    old: float
    new: float
    low: float
    high: float

    @property
    def size(self) -> float:
        """As it was observed; below 0 where the score rose."""
        return self.old - self.new


def drop_of(pairs: Sequence[tuple[Runs, Runs]], *, level: float, times: int = 1) -> Drop:
    """The drop of one score.

    Args:
        pairs: old and new runs of each scenario; at least one.
        level: how sure each of the two bounds is, as in 0.99.
        times: as if there had been so many runs in the place of each, which ended alike.
    """
    old, new, noise = noise_of(pairs, _growth, times=times)
    if noise is None:
        return Drop(old, new, -1.0, 1.0)
    before, after = (min(len(pair[n]) for pair in pairs) * len(pairs) * times for n in (0, 1))
    if is_tied(pairs):
        most = 1 - (1 - level) ** (1 / min(before, after))
        return Drop(old, new, -most, most)
    sides = _Side(old, noise.old, 1 / before), _Side(new, noise.new, 1 / after)
    return _joined(*sides, level, noise.freedom)


def is_tied(pairs: Iterable[tuple[Runs, Runs]]) -> bool:
    """Whether all runs of each scenario, old and new, ended alike."""
    return all(len({*old, *new}) == 1 for old, new in pairs)


def noise_of(
    pairs: Sequence[tuple[Runs, Runs]], growth: Growth, *, times: int = 1
) -> tuple[float, float, Noise | None]:
    """The means of both sides over scenarios, and how sure they are.

    Args:
        pairs: old and new runs of each scenario; at least one.
        growth: how much greater the variance of the runs of a scenario is at the first mean than at the second, at least 1.
        times: as of `drop_of`.

    Returns:
        No noise where one pair of runs is all there is.
    """
    scenarios = [_scenario(*pair, times) for pair in pairs]
    old = sum(one.old_mean for one in scenarios) / len(scenarios)
    new = sum(one.new_mean for one in scenarios) / len(scenarios)
    is_shown = all(one.old + one.new >= SHOWS_NOISE for one in scenarios)
    if is_shown:
        return old, new, _within(scenarios, growth(new, old), growth(old, new))
    return old, new, _between(scenarios, old - new)


def drop_from(old: float, new: float, *, runs: int, level: float) -> Drop:
    """The drop of a share, had it been observed like this in so many runs of one scenario on each side.

    Args:
        old: share of runs, 0..1.
        new: likewise.
        runs: on each side, at least 2.
        level: as of `drop_of`.
    """
    before, after = (_Side(one, one * (1 - one) / (runs - 1), 1 / runs) for one in (old, new))
    freedom = _freedom([(before.variance, runs - 1), (after.variance, runs - 1)])
    return _joined(before, after, level, freedom)


def _joined(before: _Side, after: _Side, level: float, freedom: int) -> Drop:
    sure = NormalDist().inv_cdf(level), t_quantile(level, freedom)
    size = before.mean - after.mean
    low = size - math.hypot(before.reach(-1, *sure), after.reach(1, *sure))
    high = size + math.hypot(before.reach(1, *sure), after.reach(-1, *sure))
    return Drop(before.mean, after.mean, max(low, -1.0), min(high, 1.0))


class Noise(Struct, frozen=True):
    """Variances of the means of both sides, and how well they are known."""

    old: float
    new: float
    freedom: int


class _Side(Struct, frozen=True):
    """One side's mean, its variance, and how much one run weighs in it."""

    mean: float
    variance: float
    weight: float

    def reach(self, sign: int, z: float, t: float) -> float:
        """How far above (1) or below (-1) its mean the truth may lie, by the quantiles of the normal and Student's t.

        Runs that are all equal within their scenarios have no variance; what a rare other one would do is then all there is.
        """
        weight = z**2 * self.weight
        spread = 4 * self.mean * (1 - self.mean)
        variance = t**2 * max(self.variance, spread * weight * self.weight)
        lean = sign * weight * (1 - 2 * self.mean)
        return (lean + math.sqrt(lean**2 + 4 * (1 + weight) * variance)) / (2 * (1 + weight))


class _Scenario(Struct, frozen=True):
    """The runs of one scenario: how many, their means, and the squares of their distances from these."""

    old: int
    new: int
    old_mean: float
    new_mean: float
    old_squares: float
    new_squares: float

    @property
    def squares(self) -> float:
        """Of both sides."""
        return self.old_squares + self.new_squares

    def spread(self, squares: float, runs: int, growth: float) -> tuple[float, int]:
        """The variance of the mean of one side, and its degrees of freedom.

        One run shows none: it is that of both sides together, grown as a share's does that moved as the score did.
        """
        freedom = runs - 1
        if not freedom:
            squares, freedom = self.squares * growth, self.old + self.new - 2
        return squares / freedom / runs, freedom


def _scenario(old: Runs, new: Runs, times: int) -> _Scenario:
    old_mean, new_mean = sum(old) / len(old), sum(new) / len(new)
    squares = sum((v - old_mean) ** 2 for v in old), sum((v - new_mean) ** 2 for v in new)
    return _Scenario(
        len(old) * times,
        len(new) * times,
        old_mean,
        new_mean,
        *(times * one for one in squares),
    )


def _within(scenarios: Sequence[_Scenario], to_old: float, to_new: float) -> Noise:
    """Noise as runs of one scenario and side differ; the last two are how much it grows towards each side."""
    before = [one.spread(one.old_squares, one.old, to_old) for one in scenarios]
    after = [one.spread(one.new_squares, one.new, to_new) for one in scenarios]
    count = len(scenarios) ** 2
    of_old, of_new = (sum(variance for variance, _ in side) for side in (before, after))
    return Noise(of_old / count, of_new / count, _freedom([*before, *after]))


def _growth(one: float, other: float) -> float:
    """How much greater the variance of a share is at the other value; at least 1."""
    here, there = one * (1 - one), other * (1 - other)
    return max(1.0, there / here) if here else 1.0


def _freedom(spreads: Sequence[tuple[float, int]]) -> int:
    """The degrees of freedom of a sum of variances that are known with so many each."""
    doubts = sum(variance**2 / freedom for variance, freedom in spreads)
    whole = sum(variance for variance, _ in spreads)
    return max(1, int(whole**2 / doubts + _ROUNDING)) if doubts else _NO_NOISE


def _between(scenarios: Sequence[_Scenario], drop: float) -> Noise | None:
    """Noise as all runs of a scenario differ, the drop taken out; None where one pair of runs is all there is."""
    freedom = sum(one.old + one.new - 1 for one in scenarios) - 1
    if freedom < 1:
        return None
    variances: list[float] = []
    for one in scenarios:
        runs = one.old + one.new
        rest = one.old_mean - one.new_mean - drop
        squares = one.squares + rest**2 * one.old * one.new / runs
        variances.append(squares / (runs - 1) * (freedom + 1) / freedom)
    count = len(scenarios) ** 2
    known = list(zip(scenarios, variances, strict=True))
    return Noise(
        sum(variance / one.old for one, variance in known) / count,
        sum(variance / one.new for one, variance in known) / count,
        freedom,
    )
