"""Whether a difference is a change, or no more than the old runs show among themselves.

Where all old runs agree, whatever the new ones do otherwise is a change. Where they do not, it is one only if chance alone
would hardly bring it about. Nothing is said of what both sides show alike.

Source:
    Fisher 1935, The Design of Experiments (exact test of two shares). Mann and Whitney 1947, Annals of Mathematical
    Statistics 18, 50-60 (rank sums; here in the normal approximation, corrected for ties).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from enum import StrEnum
from itertools import groupby
from statistics import NormalDist, median

from toolscore_otel.diffing.difference import State

SURE = 0.01
"""Chance below which a difference between runs that flap is a change."""

TOLERANCE = 0.1
"""Part by which medians of time, money and tokens differ at least; less is within what any run may differ."""

ALONE = 2.0
"""How many times as much a single old run, which shows no noise, must be exceeded, or undercut."""


class Has(StrEnum):
    """How many of the things of one run have something."""

    NONE = "none"
    SOME = "some"
    ALL = "all"

    @classmethod
    def of(cls, having: int, among: int) -> Has:
        """So many of so many."""
        if not having:
            return cls.NONE
        return cls.ALL if having == among else cls.SOME


def of_shares(old: Sequence[Has], new: Sequence[Has]) -> State | None:
    """What is known of something that runs have or have not.

    Args:
        old: by run; at least one.
        new: likewise.

    Returns:
        None where both sides have it as often.
    """
    if _alike(old, new):
        return None
    if set(old) in ({Has.NONE}, {Has.ALL}):
        return State.CHANGED
    some = [len(side) - side.count(Has.NONE) for side in (old, new)]
    whole = [side.count(Has.ALL) for side in (old, new)]
    runs = [len(old), len(new)]
    chance = min(_chance_of_shares(some, runs), _chance_of_shares(whole, runs))
    return State.CHANGED if chance < SURE else State.FLAPS


def of_counts(old: Sequence[int], new: Sequence[int]) -> State | None:
    """What is known of a whole number that each run has; None where both sides show the same ones as often.

    Args:
        old: by run; at least one.
        new: likewise.
    """
    if _alike(old, new):
        return None
    is_steady = min(old) == max(old)
    is_beyond = not min(old) <= median(new) <= max(old)
    is_change = is_steady or is_beyond or _chance_of_ranks(old, new) < SURE
    return State.CHANGED if is_change else State.FLAPS


def of_measures(old: Sequence[float], new: Sequence[float]) -> State | None:
    """What is known of an amount that no two runs share: time, money, tokens.

    Args:
        old: by run, 0 or more; at least one.
        new: likewise.

    Returns:
        None where the medians hardly differ; `not_observed` where they do, and a single old run shows no noise.
    """
    before, after = median(old), median(new)
    if not _is_farther(before, after, 1 + TOLERANCE):
        return None
    if len(old) == 1:
        return State.CHANGED if _is_farther(before, after, ALONE) else State.NOT_OBSERVED
    wide = max(old) - min(old)
    is_beyond = not min(old) - wide <= after <= max(old) + wide
    return State.CHANGED if is_beyond or _chance_of_ranks(old, new) < SURE else State.FLAPS


def _is_farther(one: float, other: float, times: float) -> bool:
    return max(one, other) > times * min(one, other)


def _alike(old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
    """Whether each value is as frequent on both sides."""
    before, after = Counter(old), Counter(new)
    return all(
        before[value] * len(new) == after[value] * len(old) for value in before.keys() | after
    )


def _chance_of_shares(have: Sequence[int], of: Sequence[int]) -> float:
    """The chance of a table that is no more likely than this one, were both shares the same.

    Args:
        have: old and new runs that have something.
        of: all old and new runs.
    """
    old_runs, new_runs = of
    having = sum(have)
    ways = math.comb(sum(of), having)

    def chance(of_old: int) -> float:
        return math.comb(old_runs, of_old) * math.comb(new_runs, having - of_old) / ways

    tables = range(max(0, having - new_runs), min(having, old_runs) + 1)
    seen = chance(have[0]) * (
        1 + 1e-9
    )  # what is as likely but for the last digits of a float counts
    return sum(one for one in map(chance, tables) if one <= seen)


def _chance_of_ranks(old: Sequence[float], new: Sequence[float]) -> float:
    """The chance of rank sums this far apart, did both sides come from the same source; not all values are equal."""
    values = sorted([*old, *new])
    count, pairs = len(values), len(old) * len(new)
    ranks: dict[float, float] = {}
    ties, below = 0, 0
    for value, group in groupby(values):
        size = len(list(group))
        ranks[value] = below + (size + 1) / 2
        below, ties = below + size, ties + size**3 - size
    variance = pairs / 12 * (count + 1 - ties / (count * (count - 1)))
    above = sum(ranks[value] for value in new) - len(new) * (len(new) + 1) / 2
    far = max(0.0, abs(above - pairs / 2) - 0.5) / math.sqrt(variance)
    return 2 * NormalDist().cdf(-far)
