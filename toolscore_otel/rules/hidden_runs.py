"""Runs that may hide behind what was not observed.

Unobserved arguments (or a status) could be equal to others. A rule says that it cannot check only where some value of
them would complete a run: here every assumption that could is tried, window by window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from toolscore_otel.rules.runs import ANY_MARK, Entry


def hidden(entries: Sequence[Entry], window: int) -> list[Entry]:
    """Entries with something unobserved, of tools whose calls might complete a run, had it been observed."""
    by_tool: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        by_tool.setdefault(entry.tool, []).append(place)
    found: list[Entry] = []
    for places in by_tool.values():
        blind = [entries[place] for place in places if _is_blind(entries[place])]
        if blind and _might_complete(entries, places, window):
            found.extend(blind)
    return found


def _is_blind(entry: Entry) -> bool:
    return entry.could_count and (entry.key is None or not entry.counts)


def _might_complete(entries: Sequence[Entry], places: Iterable[int], window: int) -> bool:
    inside: deque[Entry] = deque()
    at: deque[int] = deque()
    blind = 0
    for place in places:
        entry = entries[place]
        inside.append(entry)
        at.append(place)
        blind += _is_blind(entry)
        while at[0] <= place - window:
            at.popleft()
            blind -= _is_blind(inside.popleft())
        if blind and len(inside) >= entry.need and _completes(inside):
            return True
    return False


def _completes(inside: Iterable[Entry]) -> bool:
    entries = tuple(inside)
    return any(_run_under(entries, key, mark) for key, mark in _assumptions(entries))


def _assumptions(entries: Sequence[Entry]) -> set[tuple[bytes | None, bytes]]:
    """What the unobserved could have been: the key and the mark of some entry beside it."""
    marks = {entry.mark for entry in entries if _is_blind(entry)} | {ANY_MARK}
    found: set[tuple[bytes | None, bytes]] = {(None, mark) for mark in marks}
    for entry in entries:
        if entry.key is not None:
            found.update(
                (entry.key, mark) for mark in (marks if entry.mark == ANY_MARK else {entry.mark})
            )
    return found


def _run_under(entries: Sequence[Entry], key: bytes | None, mark: bytes) -> bool:
    """Whether a run with something unobserved in it completes, were that of this key and mark."""
    count, blind = 0, False
    for entry in entries:
        if entry.key not in (None, key):
            continue
        if entry.could_count and entry.mark in (ANY_MARK, mark):
            count, blind = count + 1, blind or _is_blind(entry)
        elif entry.key is not None:
            count, blind = 0, False
        if blind and count >= entry.need:
            return True
    return False
