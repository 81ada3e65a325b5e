"""Counters of assembly and of the ways in, as metrics: the same for an application and for a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

PLAIN = {
    "spans": "toolscore.spans",
    "duplicates": "toolscore.spans.duplicate",
    "late": "toolscore.spans.late",
    "errors": "toolscore.spans.failed",
    "marked": "toolscore.spans.marked",
}
"""Counter -> metric without attributes."""

EVICTED = ("evicted", "forgotten")
"""Counters of `TRAJECTORIES_EVICTED`."""

TRAJECTORIES_EVICTED = "toolscore.trajectories.evicted"
LIMITS_REACHED = "toolscore.limits.reached"

METRICS = frozenset({*PLAIN.values(), TRAJECTORIES_EVICTED, LIMITS_REACHED})
"""What the counters are told as."""

NO_CAPS = frozenset({"calls", "joined", "moved", "replaced", "reused"})
"""Counters that say what was put together, and are no metric."""


def of_counters(counters: Mapping[str, int]) -> Iterator[tuple[str, dict[str, str], int]]:
    """Metric, attributes and value of each counter; what has no place of its own is a cap that was reached.

    Args:
        counters: those of assembly and of what stands around it, by name.
    """
    for name, count in counters.items():
        if name in PLAIN:
            yield PLAIN[name], {}, count
        elif name in EVICTED:
            yield TRAJECTORIES_EVICTED, {"reason": name}, count
        elif name not in NO_CAPS:
            yield LIMITS_REACHED, {"reason": name}, count
