"""Whether calls can stand in a line so that each selector, one after the other, takes one of them.

Calls that overlap may stand in either order, so there may be many ways; which one is right may show only at the end. A way
is worth following as long as no other one has come as far, has reached no later time, and has left as much: for calls
one after the other this is a single way. In general the question is as hard as they come (calls side by side, each
fitting several selectors), so the number of ways and of steps is capped, and past a cap the answer is unknown.

Times are places on a line (`order_places`).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from toolscore_otel.matchers import Answer
from toolscore_otel.rules.order_places import EARLIEST

MOST_WAYS = 64
"""So many ways are followed side by side."""

MOST_SORTS = 16
"""Calls that fit so many different sets of selectors are looked at for one place in the line."""

MOST_STEPS = 20_000
"""So many steps are taken, besides one per call."""

_BEFORE_ALL = EARLIEST - 1


class Stand(NamedTuple):
    """A call on the line.

    Attributes:
        start: its place.
        end: its place.
        fits: the selectors that it fits: bit N stands for number N.
        must: whether some selector has to take it.
    """

    start: int
    end: int
    fits: int
    must: bool = False

    def released(self) -> Stand:
        """The same call, which no selector has to take."""
        return self._replace(must=False)


class _Way(NamedTuple):
    """One way to have come so far.

    Attributes:
        since: the latest begin of all calls taken; none that ends up to here can be taken any more.
        used: numbers of the taken calls that do not end up to there.
        gone: how many calls that must be taken were, and end up to there.
    """

    since: int = _BEFORE_ALL
    used: frozenset[int] = frozenset()
    gone: int = 0


def in_line(wanted: int, stands: Iterable[Stand], *, may_skip: bool) -> Answer:
    """Whether the selectors can take calls one after the other, with none left over that must be taken.

    Args:
        wanted: how many selectors there are.
        stands: the calls, in whatever order.
        may_skip: whether a selector may go without.

    Returns:
        Unknown where a cap was reached before a way was found.
    """
    search = _Search(sorted(stands), may_skip=may_skip)
    ways = [_Way()]
    turns = [turn for turn in search.turns if turn < wanted]
    for selector, following in zip(turns, [*turns[1:], wanted], strict=False):
        ways = search.followed(ways, selector, following - selector)
    if any(search.is_complete(way) for way in ways):
        return Answer.YES
    return Answer.UNKNOWN if search.gave_up else Answer.NO


class _Search:
    """The calls, and how much was looked at.

    Attributes:
        turns: the first selector, and those that do not fit the same calls as the one before; those that do take calls
            in whatever order.
        gave_up: whether a cap was reached.
    """

    def __init__(self, stands: Sequence[Stand], *, may_skip: bool) -> None:
        self.gave_up = False
        self.turns = _turns(stands)
        self._stands = stands
        self._may_skip = may_skip
        self._steps = MOST_STEPS + len(stands)
        self._ends_so_far = list(accumulate((stand.end for stand in stands), max))
        self._needed = sorted(stand.end for stand in stands if stand.must)

    def followed(self, ways: Iterable[_Way], selector: int, count: int) -> list[_Way]:
        """The ways worth following once so many selectors, which fit the same calls, took theirs."""
        found: dict[_Way, None] = {}
        for way in ways:
            for taken in self._takings(way, selector, count):
                since = max([way.since, *(self._stands[number].start for number in taken)])
                further = self._at(way._replace(used=way.used.union(taken)), since)
                if further.gone == bisect_right(self._needed, since):
                    found[further] = None
        return self._best(found)

    def is_complete(self, way: _Way) -> bool:
        """Whether all calls were taken that must be."""
        taken = sum(self._stands[number].must for number in way.used)
        return way.gone + taken == len(self._needed)

    def _at(self, way: _Way, since: int) -> _Way:
        """A way as it stands at a later time."""
        past = [number for number in way.used if self._stands[number].end <= since]
        gone = way.gone + sum(self._stands[number].must for number in past)
        return _Way(since, way.used.difference(past), gone)

    def _takings(self, way: _Way, selector: int, count: int) -> Iterator[tuple[int, ...]]:
        """The calls that so many selectors may take together: of those that fit the same, always the first to end."""
        rows: dict[tuple[int, bool], list[tuple[int, int]]] = {}
        if self._may_skip:
            yield ()
        for number in self._takable(way, selector, count):
            stand = self._stands[number]
            insort(rows.setdefault((stand.fits, stand.must), []), (stand.end, number))
            if len(rows) > MOST_SORTS:
                self.gave_up = True
                return
            for taken in _choices(list(rows.values()), count, may_skip=self._may_skip):
                if not self._step():
                    return
                if number in taken:  # else it was told before
                    yield taken

    def _takable(self, way: _Way, selector: int, count: int) -> Iterator[int]:
        """Calls that selectors may take, by begin; none that begins after as many others as there are selectors ended."""
        ends: list[int] = []
        for number in range(bisect_right(self._ends_so_far, way.since), len(self._stands)):
            stand = self._stands[number]
            if len(ends) >= count and stand.start >= ends[count - 1]:
                return
            if not self._step():
                return
            if stand.end <= way.since or number in way.used or not stand.fits >> selector & 1:
                continue
            yield number
            if stand.must or not self._needed:
                insort(ends, stand.end)

    def _best(self, found: Iterable[_Way]) -> list[_Way]:
        """Those that no other one beats."""
        best: list[_Way] = []
        for way in sorted(found, key=lambda way: (way.since, len(way.used), sorted(way.used))):
            if any(self._beats(other, way) for other in best):
                continue
            if len(best) == MOST_WAYS:
                self.gave_up = True
                break
            best.append(way)
        return best

    def _beats(self, one: _Way, other: _Way) -> bool:
        """Whether whatever follows on the other, which is no earlier, can follow on the one, with calls that end no earlier."""
        if not self._step():
            return False
        one = self._at(one, other.since)
        ours, theirs = self._ends(one.used), self._ends(other.used)
        if one.gone != other.gone or not ours.keys() <= theirs.keys():
            return False
        return all(
            _leaves_more(ours.get(sort, []), ends, exactly=sort[1]) for sort, ends in theirs.items()
        )

    def _ends(self, used: Iterable[int]) -> dict[tuple[int, bool], list[int]]:
        """The ends of calls, the latest first, by what they fit and whether they must be taken."""
        ends: dict[tuple[int, bool], list[int]] = {}
        for stand in (self._stands[number] for number in used):
            ends.setdefault((stand.fits, stand.must), []).append(stand.end)
        for each in ends.values():
            each.sort(reverse=True)
        return ends

    def _step(self) -> bool:
        self._steps -= 1
        self.gave_up = self.gave_up or self._steps < 0
        return self._steps >= 0


def _choices(
    rows: Sequence[Sequence[tuple[int, int]]], count: int, *, may_skip: bool
) -> Iterator[tuple[int, ...]]:
    """Numbers of so many calls: of each row the first ones."""
    if not may_skip and count > sum(map(len, rows)):
        return
    if not rows:
        yield ()
        return
    first, *rest = rows
    for taken in range(min(count, len(first)), -1, -1):
        head = tuple(number for _, number in first[:taken])
        for others in _choices(rest, count - taken, may_skip=may_skip):
            yield (*head, *others)


def _leaves_more(ours: Sequence[int], theirs: Sequence[int], *, exactly: bool) -> bool:
    """Whether of calls that fit the same, those with the earlier ends were taken, and no more of them."""
    if len(ours) > len(theirs) or (exactly and len(ours) < len(theirs)):
        return False
    return all(one <= other for one, other in zip(ours, theirs, strict=False))


def _turns(stands: Iterable[Stand]) -> list[int]:
    different = 0
    for stand in stands:
        different |= stand.fits ^ (stand.fits << 1)
    return [n for n in range(different.bit_length() or 1) if n == 0 or different >> n & 1]
