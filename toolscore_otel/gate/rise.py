"""By which share a measure rose, scenario by scenario, and how far it may have risen for all that the runs can tell.

The rise is that of the mean over scenarios. Its bounds are those of the ratio of two means, with the noise of each side as
runs of one scenario differ, or as the differences of scenarios do that were run once on each side.

Source:
    Fieller 1954, Journal of the Royal Statistical Society B 16, 175-185 (bounds of a ratio). Satterthwaite 1946 (degrees of
    freedom of a sum of variances).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from toolscore_otel.gate.interval import Noise, Runs, noise_of
from toolscore_otel.gate.student import t_quantile

FEW = 5
"""Runs of a side, over all scenarios, below which it is no sign of anything that they are all equal."""


class Rise(Struct, frozen=True):
    """By which share a measure rose from the old runs to the new ones: 0.1 is a tenth more.

    Attributes:
        size: as it was observed; below 0 where it fell. None where there was nothing before.
        low: the rise is not smaller, at the level that was asked for; None where these runs set no bound.
        high: likewise not greater.
    """

    size: float | None
    low: float | None = None
    high: float | None = None


def rise_of(pairs: Sequence[tuple[Runs, Runs]], *, level: float) -> Rise:
    """The rise of one measure.

    Args:
        pairs: old and new runs of each scenario; at least one. Values are 0 or more.
        level: how sure each of the two bounds is, as in 0.99.
    """
    old, new, noise = noise_of(pairs, _growth)
    if not old:
        return Rise(None)
    size = new / old - 1
    if noise is None or not _is_shown(pairs, noise):
        return Rise(size)
    square = t_quantile(level, noise.freedom) ** 2
    least = old**2 - square * noise.old
    if least <= 0:
        return Rise(size)
    middle, rest = old * new, new**2 - square * noise.new
    reach = math.sqrt(max(0.0, middle**2 - least * rest))
    return Rise(size, (middle - reach) / least - 1, (middle + reach) / least - 1)


def _growth(one: float, other: float) -> float:
    """How much greater a variance is at the other value, where it grows as its square does; at least 1."""
    return max(1.0, (one / other) ** 2) if other else 1.0


def _is_shown(pairs: Sequence[tuple[Runs, Runs]], noise: Noise) -> bool:
    """Whether there is enough to see noise by: one run shows none, whatever others do, since single ones may be far out."""
    counts = [(len(old), len(new)) for old, new in pairs]
    if not (all(min(pair) > 1 for pair in counts) or all(pair == (1, 1) for pair in counts)):
        return False
    fewest = min(sum(side) for side in zip(*counts, strict=True))
    return fewest >= FEW or min(noise.old, noise.new) > 0
