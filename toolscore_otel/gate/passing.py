"""How many runs would let a score pass that the runs given leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence

from toolscore_otel.gate.interval import SHOWS_NOISE, Runs, drop_of, is_tied

MOST_TIMES = 10_000
"""Of the runs there are; who would need more is not told a number."""

_ROUNDING = 1e-9


def runs_to_pass(pairs: Sequence[tuple[Runs, Runs]], *, allowed: float, level: float) -> int | None:
    """Runs on each side, over all scenarios together, with which a score passes if they end as these did.

    Args:
        pairs: old and new runs of each scenario; at least one.
        allowed: drop that does not fail, 0..1.
        level: how sure it is to be that no greater one passes.

    Returns:
        None where it dropped by as much or more, where runs of a scenario are too few to show how they differ, or for more
        than `MOST_TIMES` the runs there are.
    """
    if is_tied(pairs):
        return (
            len(pairs) * math.ceil(ties_to_pass(allowed, level) / len(pairs)) if allowed else None
        )
    is_shown = all(len(old) + len(new) >= SHOWS_NOISE for old, new in pairs)

    def passes(times: int) -> bool:
        return drop_of(pairs, level=level, times=times).high <= allowed + _ROUNDING

    if not (is_shown and passes(MOST_TIMES)):
        return None
    low, high = 1, MOST_TIMES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle + 1, high)
    return low * max(sum(len(pair[n]) for pair in pairs) for n in (0, 1))


def ties_to_pass(allowed: float, level: float) -> int:
    """Runs on each side with which a score passes where all of each scenario end alike.

    Args:
        allowed: drop that does not fail, more than 0.
        level: as of `runs_to_pass`.
    """
    if allowed >= 1:
        return 1
    return math.ceil(math.log(1 - level) / math.log1p(-allowed) - _ROUNDING)
