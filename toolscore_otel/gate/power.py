"""How many runs a gate needs to see a drop."""

from __future__ import annotations

import math
from statistics import NormalDist

from toolscore_otel.gate.compare import ERROR
from toolscore_otel.gate.interval import drop_from

POWER = 0.8
"""How often a drop is to be seen where it is real."""

MOST_RUNS = 1_000_000


def runs_needed(
    drop: float,
    *,
    share: float = 0.9,
    scores: int = 2,
    allowed: float = 0.02,
    power: float = POWER,
) -> int | None:
    """Runs on each side, over all scenarios together, with which a gate fails a drop of this size as often as `power`.

    Said of a share: a score that is 1 or 0 in a run, as likely as not in every scenario alike, which is the noisiest there
    can be. Scenarios that always end the same way need fewer.

    Args:
        drop: that is real, 0..1.
        share: score before, 0..1.
        scores: judged at once, over all models and contracts.
        allowed: drop that does not fail.
        power: how often.

    Returns:
        None where the drop is not beyond what is allowed, more than there is, or not to be seen with a million runs.
    """
    after = share - drop
    if drop <= allowed or after < 0:
        return None
    noise = share * (1 - share) + after * (1 - after)
    sure = NormalDist().inv_cdf(power)

    def sees(runs: int) -> bool:
        found = drop_from(share, after, runs=runs, level=1 - ERROR / scores)
        return found.low - sure * math.sqrt(noise / runs) > allowed

    low, high = 2, MOST_RUNS
    if not sees(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if sees(middle) else (middle + 1, high)
    return low
