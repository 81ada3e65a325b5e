"""How much of an expected order was kept, where calls that overlap may stand in either order.

Of all the ways in which the calls may stand one after the other, the one that has most in common with the expected sequence
counts. Calls that overlap nothing are taken one by one. Those that overlap, and what overlaps them, are a knot: every set
of them that may have been taken first is looked at, with the best that led to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import inf
from operator import gt

from msgspec import Struct

from toolscore_otel.matchers import Answer, before
from toolscore_otel.metrics.sequence import longest_common, stepped
from toolscore_otel.model import ToolCall

MOST_STEPS = 20_000
"""So many steps are taken through the knots of one trajectory; past that the answer is not known."""


def order_kept(expected: int, calls: Sequence[ToolCall], fits: Sequence[int]) -> float | None:
    """The longest common subsequence over the expected length.

    Calls of which no time is known stand as they are given. Where only some times are, all that may be counts.

    Args:
        expected: how many calls are expected.
        calls: as they were made.
        fits: for each, which expected calls it fits: bit N for number N.

    Returns:
        0..1; None where nothing is expected, where what was not observed decides, or where so much overlaps that it cannot be told.
    """
    if not expected:
        return None
    stands = [_Stand(call, fit) for call, fit in zip(calls, fits, strict=True) if fit]
    if all(one.call.start_ns is None and one.call.end_ns is None for one in stands):
        return longest_common(expected, (one.fit for one in stands)) / expected
    stands.sort(key=_place)
    at_best = _Line(expected).length(stands)
    if at_best is None or all(one.is_timed for one in stands):
        return None if at_best is None else at_best / expected
    surely = _Line(expected).length([one for one in stands if one.is_timed])
    return at_best / expected if at_best == surely else None


class _Stand(Struct, frozen=True):
    call: ToolCall
    fit: int

    @property
    def is_timed(self) -> bool:
        return self.call.start_ns is not None and self.call.end_ns is not None

    @property
    def end(self) -> float:
        return inf if self.call.end_ns is None else self.call.end_ns

    def follows(self, other: _Stand) -> bool:
        return before(other.call, self.call) is Answer.YES


def _place(stand: _Stand) -> tuple[float, float, int]:
    start = inf if stand.call.start_ns is None else stand.call.start_ns
    return start, stand.end, stand.call.position


class _Line:
    """The best of all ways in which calls may stand one after the other."""

    def __init__(self, expected: int) -> None:
        self._every = (1 << expected) - 1
        self._expected = expected
        self._steps = MOST_STEPS

    def length(self, stands: Sequence[_Stand]) -> int | None:
        """The longest common subsequence of the best of them; None where it takes too many steps."""
        row, knot = self._every, list[_Stand]()
        for stand in stands:
            if knot and all(stand.follows(one) for one in knot):
                row, knot = self._through(row, knot), []
            knot.append(stand)
        row = self._through(row, knot)
        return None if self._steps < 0 else (self._every & ~row).bit_count()

    def _through(self, row: int, knot: Sequence[_Stand]) -> int:
        """The best row after all calls of a knot."""
        if len(knot) <= 1:
            return stepped(row, knot[0].fit, self._every) if knot else row
        earlier = [
            sum(1 << n for n, one in enumerate(knot[:number]) if stand.follows(one))
            for number, stand in enumerate(knot)
        ]
        rows = {0: row}
        for _ in knot:
            found: dict[int, int] = {}
            for taken, so_far in rows.items():
                for number in _next(knot, earlier, taken):
                    self._steps -= 1
                    further = stepped(so_far, knot[number].fit, self._every)
                    other = found.get(taken | 1 << number, further)
                    found[taken | 1 << number] = self._better(further, other)
                if self._steps < 0:
                    return row
            rows = found
        (last,) = rows.values()
        return last

    def _better(self, one: int, other: int) -> int:
        """The greater of two rows, at every place."""
        if one == other:
            return one
        best = list(map(max, self._lengths(one), self._lengths(other)))
        grows = map(gt, best, (0, *best))
        return int("".join("0" if one else "1" for one in grows)[::-1], 2)

    def _lengths(self, row: int) -> Iterable[int]:
        """The common length up to each expected call, of a row that says where it grows."""
        return accumulate(map(_GROWS.__getitem__, reversed(f"{row:0{self._expected}b}")))


_GROWS = {"0": 1, "1": 0}


def _next(knot: Sequence[_Stand], earlier: Sequence[int], taken: int) -> Iterable[int]:
    """Calls that may come next: of those that fit the same, the first to end, which leaves most open."""
    first: dict[int, int] = {}
    for number, stand in enumerate(knot):
        if taken >> number & 1 or earlier[number] & ~taken:
            continue
        other = first.setdefault(stand.fit, number)
        if stand.end < knot[other].end:
            first[stand.fit] = number
    return first.values()
