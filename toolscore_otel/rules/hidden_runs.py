"""Runs that may hide behind what was not observed.

Unobserved arguments (or a status) could be equal to others, so that a run is complete; or they could be something else,
so that a row goes on across them. A rule says that it cannot check only where some value of them would give a run that
is not known already: here every assumption that could is tried, call by call, within the window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from toolscore_otel.matchers import Answer
from toolscore_otel.rules.runs import ANY_MARK, Entry, Runs, agree

_Seen = tuple[int, Entry]
"""A call and its place among all calls of its agent invocation."""


def hidden(runs: Runs) -> list[Entry]:
    """Entries with something unobserved, of tools whose calls might complete a further run, had it been observed."""
    by_tool: dict[str, list[_Seen]] = {}
    for seen in enumerate(runs.entries):
        by_tool.setdefault(seen[1].tool, []).append(seen)
    found: list[Entry] = []
    known: set[int] | None = None
    for calls in by_tool.values():
        blind = [entry for _, entry in calls if _is_blind(entry)]
        if not blind:
            continue
        known = runs.in_runs() if known is None else known
        if any(_hides(calls, at, runs.window, known) for at in range(len(calls))):
            found.extend(blind)
    return found


def _is_blind(entry: Entry) -> bool:
    return entry.key is None or entry.repeats is Answer.UNKNOWN or not entry.is_there


def _hides(calls: Sequence[_Seen], at: int, window: int, known: set[int]) -> bool:
    """Whether a run that is not known might be complete with this call."""
    entry = calls[at][1]
    earlier = list(_near(calls, range(at, -1, -1), window))
    if len(earlier) < entry.need or not any(_is_blind(each) for _, each in earlier):
        return False
    later = list(_near(calls, range(at, len(calls)), window))[1:]
    return any(
        row.completes(earlier, entry.need) and not row.grows_into_known(later)
        for row in (_Row(key, mark, known) for key, mark in _assumptions(entry, earlier))
    )


def _near(calls: Sequence[_Seen], places: Iterable[int], window: int) -> Iterator[_Seen]:
    """The calls that stand in one window with the first of them."""
    first: int | None = None
    for at in places:
        place = calls[at][0]
        first = place if first is None else first
        if abs(place - first) >= window:
            return
        yield calls[at]


def _assumptions(newest: Entry, window: Sequence[_Seen]) -> set[tuple[bytes | None, bytes]]:
    """Which key and mark a run with the newest call could have; without a key, one that is seen nowhere."""
    if newest.key is None:
        alike = [entry for _, entry in window]
        keys = {entry.key for entry in alike}
    else:
        alike = [entry for _, entry in window if entry.key in (None, newest.key)]
        keys = {newest.key}
    marks = {entry.mark for entry in alike} if newest.mark == ANY_MARK else {newest.mark}
    return {(key, mark) for key in keys for mark in marks}


class _Row(Struct, frozen=True):
    """The row of one key and mark, as it might be."""

    key: bytes | None
    mark: bytes
    known: set[int]

    def completes(self, window: Iterable[_Seen], need: int) -> bool:
        """Whether it may hold as many calls, newest first, of which none is in a run that is known."""
        count = 0
        for place, entry in self._of_key(window):
            if place in self.known and agree(entry.mark, self.mark):
                return False
            if count >= need and self._may_end(entry):
                break
            if entry.repeats is not Answer.NO and entry.mark in (ANY_MARK, self.mark):
                count += 1
            elif entry.key is not None and entry.is_there:
                break
        return count >= need

    def grows_into_known(self, later: Iterable[_Seen]) -> bool:
        """Whether it is sure to go on as a run that is known."""
        for place, entry in self._of_key(later):
            if place in self.known and agree(entry.mark, self.mark):
                return True
            if self._may_end(entry):
                return False
        return False

    def _of_key(self, calls: Iterable[_Seen]) -> Iterator[_Seen]:
        return (seen for seen in calls if seen[1].key in (None, self.key))

    def _may_end(self, entry: Entry) -> bool:
        return entry.repeats is not Answer.YES or not agree(entry.mark, self.mark)
