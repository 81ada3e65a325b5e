"""Runs that may hide behind what was not observed.

Unobserved arguments (or a status) could be equal to others, so that a run is complete; or they could be something else,
so that a row goes on across them. A rule says that it cannot check only where some value of them would give a run that
is not known already: here every assumption that could is tried, call by call, within the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from toolscore_otel.matchers import Answer
from toolscore_otel.rules.repetition import ANY_MARK, Entry, agree

_Seen = tuple[int, Entry]
"""A call and its place among all calls of its agent invocation."""


def hidden(
    entries: Sequence[Entry], window: int, in_runs: Callable[[], set[int]], *, adjacent: bool
) -> list[Entry]:
    """Entries with something unobserved, of tools whose calls might complete a further run, had it been observed.

    Args:
        entries: of one agent invocation, in order.
        window: how many entries are looked back at.
        in_runs: the places of those that are part of a known run.
        adjacent: whether an entry of another key ends a row.
    """
    every = list(enumerate(entries))
    found: dict[int, Entry] = {}
    known: set[int] | None = None
    for tool, calls in _by_tool(every).items():
        blind = [
            (place, entry)
            for place, entry in (every if adjacent else calls)
            if entry.is_blind and (entry.tool == tool or not entry.is_there)
        ]
        if not blind:
            continue
        known = in_runs() if known is None else known
        looking = _Looking(every if adjacent else calls, window, known, adjacent)
        if any(looking.hides(at) for at, (_, e) in enumerate(looking.calls) if e.tool == tool):
            found.update(blind)
    return list(found.values())


def _by_tool(every: Iterable[_Seen]) -> dict[str, list[_Seen]]:
    by_tool: dict[str, list[_Seen]] = {}
    for seen in every:
        by_tool.setdefault(seen[1].tool, []).append(seen)
    return by_tool


class _Looking(Struct, frozen=True):
    """Where a run that is not known might be complete."""

    calls: Sequence[_Seen]
    window: int
    known: set[int]
    adjacent: bool

    def hides(self, at: int) -> bool:
        """Whether one might be with this call."""
        entry = self.calls[at][1]
        earlier = list(self._near(range(at, -1, -1)))
        if len(earlier) < entry.need or not any(each.is_blind for _, each in earlier):
            return False
        later = list(self._near(range(at, len(self.calls))))[1:]
        rows = (
            _Row(entry.tool, key, mark, self.known, self.adjacent)
            for key, mark in _assumptions(entry, earlier)
        )
        return any(
            row.completes(earlier, entry.need) and not row.grows_into_known(later) for row in rows
        )

    def _near(self, places: Iterable[int]) -> Iterator[_Seen]:
        """The calls that stand in one window with the first of them."""
        first: int | None = None
        for at in places:
            place = self.calls[at][0]
            first = place if first is None else first
            if abs(place - first) >= self.window:
                return
            yield self.calls[at]


def _assumptions(newest: Entry, window: Sequence[_Seen]) -> set[tuple[bytes | None, bytes]]:
    """Which key and mark a run with the newest call could have; without a key, one that is seen nowhere."""
    alike = [
        entry
        for _, entry in window
        if entry.tool == newest.tool
        and (newest.key is None or entry.key is None or entry.key == newest.key)
    ]
    keys = {entry.key for entry in alike} if newest.key is None else {newest.key}
    marks = {entry.mark for entry in alike} if newest.mark == ANY_MARK else {newest.mark}
    return {(key, mark) for key in keys for mark in marks}


class _Row(Struct, frozen=True):
    """The row of one key and mark, as it might be."""

    tool: str
    key: bytes | None
    mark: bytes
    known: set[int]
    adjacent: bool

    def completes(self, window: Iterable[_Seen], need: int) -> bool:
        """Whether it may hold as many calls, newest first, of which none is in a run that is known."""
        count = 0
        for place, entry in window:
            if not self._is_own(entry):
                if self.adjacent and (entry.is_there or count >= need):
                    break
                continue
            if place in self.known and agree(entry.mark, self.mark):
                return False
            if count >= need and self._may_end(entry):
                break
            if entry.repeats is not Answer.NO and entry.mark in (ANY_MARK, self.mark):
                count += 1
            elif entry.is_there and (self.adjacent or entry.key is not None):
                break
        return count >= need

    def grows_into_known(self, later: Iterable[_Seen]) -> bool:
        """Whether it is sure to go on as a run that is known."""
        for place, entry in later:
            if not self._is_own(entry):
                if self.adjacent:
                    return False
                continue
            if place in self.known and agree(entry.mark, self.mark):
                return True
            if self._may_end(entry):
                return False
        return False

    def _is_own(self, entry: Entry) -> bool:
        return entry.tool == self.tool and entry.key in (None, self.key)

    def _may_end(self, entry: Entry) -> bool:
        may_be_another = self.adjacent and entry.key is None
        return may_be_another or entry.repeats is not Answer.YES or not agree(entry.mark, self.mark)
