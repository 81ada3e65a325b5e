"""Quantiles of Student's t, which the standard library lacks."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

NEARLY_NORMAL = 200
"""Degrees of freedom past which the first term of the expansion around the normal quantile is good to four digits."""

_STEPS = 80
"""Halvings of a bracket: more than a float tells apart."""


@lru_cache(maxsize=4096)
def t_quantile(level: float, freedom: int) -> float:
    """The number that a t-distributed one stays below with this probability.

    Args:
        level: 0.5 to less than 1.
        freedom: degrees of freedom, at least 1.

    Source:
        Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 to 26.7.5.
    """
    z = NormalDist().inv_cdf(level)
    if freedom > NEARLY_NORMAL:
        return z + (z**3 + z) / (4 * freedom)
    low, high = 0.0, math.pi / 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, freedom) < level else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def _below(angle: float, freedom: int) -> float:
    """The probability that t is below `tan(angle) * sqrt(freedom)`."""
    odd = freedom % 2
    square = math.cos(angle) ** 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for n in range(2 if odd else 1, freedom - 2, 2):
        term *= n / (n + 1) * square
        total += term
    inside = math.sin(angle) * total
    return 0.5 + (2 * (angle + inside) / math.pi if odd else inside) / 2
