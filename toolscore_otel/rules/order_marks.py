"""Calls that others are held against by time, kept so that asking about one more costs the same however many there are.

Of the calls that are surely before a given one, and of those that may be, only the one that counts most matters: the last
to end, or the last to begin. It is remembered at each place in the order of ends, beside the next one, since a
call is not before itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, Selector
from toolscore_otel.model import ToolCall
from toolscore_otel.rules.order_places import EARLIEST, LATEST, longest, shortest
from toolscore_otel.rules.preceding import Reach

Mark = tuple[int, str]
"""The place by which the call that counts most is told, and the call's key."""


class _Known(Struct, frozen=True, gc=False):
    """Where a call stands in the rows; `sure` is None where it only may match."""

    begins_from: int
    possible: tuple[int, Mark]
    sure: tuple[int, Mark] | None
    missing: tuple[str, ...]


class Marks:
    """The calls of one trajectory that match, or may match, a selector.

    Args:
        selector: which calls.
        by_start: whether the last to begin counts most; else the last to end does.
    """

    def __init__(self, selector: Selector, *, by_start: bool) -> None:
        self._selector = selector
        self._side = 0 if by_start else 1
        self._sure = _Row()
        self._possible = _Row()
        self._known: dict[str, _Known] = {}

    def put(self, call: JudgedCall) -> Reach | None:
        """A call is new.

        Returns:
            Which calls are to be asked about again; None where no answer can change.
        """
        answer = self._selector.match(call)
        if answer is Answer.NO:
            return None
        missing = () if answer is Answer.YES else self._selector.missing(call)
        known = self._known[call.call.key] = self._placed(call.call, answer, missing)
        changed = [self._possible.put(known.possible)]
        if known.sure is not None:
            changed.append(self._sure.put(known.sure))
        return _reach(known, changed)

    def drop(self, key: str) -> Reach | None:
        """A call is gone; returns as `put` does."""
        known = self._known.pop(key, None)
        if known is None:
            return None
        changed = [self._possible.drop(known.possible)]
        if known.sure is not None:
            changed.append(self._sure.drop(known.sure))
        return _reach(known, changed)

    def surely_before(self, call: ToolCall) -> Mark | None:
        """Of those that are before a call whatever was not observed: the one that counts most."""
        return self._sure.most(longest(call.start_ns, call.end_ns)[0], call.key)

    def possibly_before(self, call: ToolCall) -> Mark | None:
        """Of those that may be before a call: the one that may count most."""
        return self._possible.most(shortest(call.start_ns, call.end_ns)[0], call.key)

    def missing(self, mark: Mark | None) -> tuple[str, ...]:
        """What was not observed of a call."""
        return () if mark is None else self._known[mark[1]].missing

    def _placed(self, call: ToolCall, answer: Answer, missing: tuple[str, ...]) -> _Known:
        short, long = shortest(call.start_ns, call.end_ns), longest(call.start_ns, call.end_ns)
        places = short[self._side], long[self._side]
        if call.start_ns is None or call.end_ns is None:
            missing = (*missing, "times")
        return _Known(
            short[1] // 2,
            (short[1], (max(places), call.key)),
            (long[1], (min(places), call.key)) if answer is Answer.YES else None,
            missing,
        )


def _reach(known: _Known, changed: Iterable[int]) -> Reach | None:
    """The calls that begin before what changed ends."""
    until = max(changed)
    if until == _NOWHERE:
        return None
    return Reach(known.begins_from, None if until == _ALL else until // 2)


_Entry = tuple[int, Mark]
"""An end, and a mark."""

_NOWHERE, _ALL = EARLIEST - 1, LATEST + 1
"""Up to which end answers change: to none, and to all."""


class _Row:
    """Marks by end, and at each place the two that count most up to there."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._most: list[tuple[Mark, ...]] = []

    def put(self, entry: _Entry) -> int:
        """Add one; returns the end up to which that can change an answer."""
        at = bisect_left(self._entries, entry)
        self._entries.insert(at, entry)
        self._most.insert(at, ())
        until = self._count_from(at)
        return until if self._counts(entry) else _NOWHERE

    def drop(self, entry: _Entry) -> int:
        """Take one out; returns the end up to which that can change an answer."""
        at = bisect_left(self._entries, entry)
        matters = self._counts(entry)
        del self._entries[at], self._most[at]
        return self._count_from(at) if matters else _NOWHERE

    def most(self, until: int, but: str) -> Mark | None:
        """Of the marks that end up to there, another one than this: the one that counts most."""
        for mark in self._up_to(until):
            if mark[1] != but:
                return mark
        return None

    def _counts(self, entry: _Entry) -> bool:
        """Whether it is one of the two among those that end no later; else later ones have no place for it either."""
        return entry[1] in self._up_to(entry[0])

    def _up_to(self, end: int) -> tuple[Mark, ...]:
        at = bisect_left(self._entries, (end + 1,))
        return self._most[at - 1] if at else ()

    def _count_from(self, at: int) -> int:
        """Count anew as far as that makes a difference; returns the end from which on it makes none."""
        most = self._most[at - 1] if at else ()
        for place in range(at, len(self._entries)):
            end, mark = self._entries[place]
            if len(most) < 2 or mark > most[1]:  # noqa: PLR2004 - the two that count most
                most = tuple(sorted((*most, mark), reverse=True)[:2])
            if self._most[place] == most:
                return end
            self._most[place] = most
        return _ALL
