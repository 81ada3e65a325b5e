"""Cycles that may hide behind what was not observed.

Unobserved arguments could be those that complete a cycle; a call of which it is unknown whether the rule looks at it could
stand in one, or be left out. Each stretch of calls that could be a cycle is looked at: it hides one where something in it
was not observed, and where the run that it would be need not hold a call of a run that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.rules.periods import BLOCKS, DIVISORS, Periods
from toolscore_otel.rules.repetition import ANY_MARK, Entry, agree

_Seen = tuple[int, Entry]
"""A call and its place among all calls of its agent invocation."""


def hidden(entries: Sequence[Entry], n: int, known: Mapping[int, set[int]]) -> list[Entry]:
    """Entries with something unobserved, where it might complete a cycle that is not known.

    Args:
        entries: of one agent invocation, in order.
        n: how often a block must stand in a row.
        known: by length of the block, the places of those that are part of a known run.
    """
    every = list(enumerate(entries))
    blind = [place for place, entry in every if entry.is_blind]
    if not blind:
        return []
    found: set[int] = set()
    there = [seen for seen in every if seen[1].is_there]
    for calls in (every, there) if len(there) < len(every) else (every,):
        for first, last in _hiding(calls, n, known, blind):
            found.update(place for place in blind if first <= place <= last)
    return [entries[place] for place in sorted(found)]


def _hiding(
    calls: Sequence[_Seen], n: int, known: Mapping[int, set[int]], blind: Sequence[int]
) -> Iterable[tuple[int, int]]:
    """The first and the last place of each stretch that hides a cycle."""
    periods = Periods(wild=True)
    for at, (last, entry) in enumerate(calls):
        periods.push(entry.tool, entry.key, entry.mark)
        for length in BLOCKS:
            if periods.matches(at, length) < (n - 1) * length:
                continue
            begin = at - n * length + 1
            first = calls[begin][0]
            if not any(first <= place <= last for place in blind):
                continue
            if _Stretch(calls, begin, at + 1, length, known[length]).hides():
                yield first, last


class _Stretch(Struct, frozen=True):
    """Calls from `begin` to before `end` that could be one block again and again."""

    calls: Sequence[_Seen]
    begin: int
    end: int
    length: int
    known: set[int]

    def hides(self) -> bool:
        """Whether they could be a run that holds no call of one that is known."""
        if any(place in self.known for place, _ in self.calls[self.begin : self.end]):
            return False
        block = [self._at(n) for n in range(self.length)]
        if any(_is_sure_to_repeat(block, shorter) for shorter in DIVISORS[self.length]):
            return False
        return not (
            self._grows_into_known(block, range(self.begin - 1, -1, -1))
            or self._grows_into_known(block, range(self.end, len(self.calls)))
        )

    def _at(self, place: int) -> _Part:
        """What is known of one place of the block, from all repetitions."""
        alike = [e for _, e in self.calls[self.begin + place : self.end : self.length]]
        return _Part(
            alike[0].tool,
            next((e.key for e in alike if e.key is not None), None),
            next((e.mark for e in alike if e.mark != ANY_MARK), ANY_MARK),
        )

    def _grows_into_known(self, block: Sequence[_Part], places: Iterable[int]) -> bool:
        """Whether it is sure to go on, in one direction, as a run that is known."""
        for at in places:
            place, entry = self.calls[at]
            if not block[(at - self.begin) % self.length].is_surely(entry):
                return False
            if place in self.known:
                return True
        return False


class _Part(Struct, frozen=True):
    """One call of a block; without a key it may be any of its tool."""

    tool: str
    key: bytes | None
    mark: bytes

    def is_surely(self, entry: Entry) -> bool:
        """Whether a call is equal to it, whatever was not observed."""
        is_same = self.key is not None and self.key == entry.key and entry.is_there
        return is_same and agree(self.mark, entry.mark)


def _is_sure_to_repeat(block: Sequence[_Part], length: int) -> bool:
    """Whether it is a shorter block several times, whatever was not observed."""
    return all(_are_surely_equal(block[place::length]) for place in range(length))


def _are_surely_equal(parts: Sequence[_Part]) -> bool:
    keys, marks = {part.key for part in parts}, {part.mark for part in parts}
    return len(keys) == 1 and None not in keys and len(marks - {ANY_MARK}) <= 1
