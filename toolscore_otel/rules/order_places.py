"""Times as places on a line, so that a call is before another where its end is not above the other's begin.

That is what "before" means (docs/pages/clauses/order.md): equal times count, and two calls at one and the same instant overlap.
A call of which a time was not observed may take the longest stretch, or the shortest.
"""

from __future__ import annotations

EARLIEST = -1
LATEST = 1 << 70
"""Places before and after all times: where a time may be any."""


def longest(start_ns: int | None, end_ns: int | None) -> tuple[int, int]:
    """The earliest begin and the latest end."""
    if start_ns is None:
        return EARLIEST, LATEST if end_ns is None else 2 * end_ns + 1
    if end_ns is None:
        return 2 * start_ns, LATEST
    return _known(start_ns, end_ns)


def shortest(start_ns: int | None, end_ns: int | None) -> tuple[int, int]:
    """The latest begin and the earliest end; the begin may lie behind the end."""
    if start_ns is None:
        return (LATEST, EARLIEST) if end_ns is None else (2 * end_ns, 2 * end_ns)
    if end_ns is None:
        return 2 * start_ns + 1, 2 * start_ns + 1
    return _known(start_ns, end_ns)


def _known(start_ns: int, end_ns: int) -> tuple[int, int]:
    if end_ns <= start_ns:  # at one instant: it ends above where others at that instant begin
        return 2 * start_ns, 2 * start_ns + 1
    return 2 * start_ns + 1, 2 * end_ns
