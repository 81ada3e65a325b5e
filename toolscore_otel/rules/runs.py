"""Runs of repetition among the last calls of one agent invocation: the automaton of `loop`.

Entries stand in order of start, each linked to the one before it with the same key (tool and arguments), unless something
between them broke the row. Where `need` entries of a row with equal marks stand among the last `window` entries, a run is
complete, and the entries after it make it grow. One entry knows what stood before it, so the newest can be taken off
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from toolscore_otel.rules.hidden_runs import hidden
from toolscore_otel.rules.in_order import InOrder
from toolscore_otel.rules.repetition import ANY_MARK, Entry, Run, agree


class Runs:
    """The entries of one agent invocation, and the runs among them.

    Attributes:
        line: takes entries in and out; its `settle` gives the subjects whose run may have changed.
    """

    def __init__(self, window: int, *, adjacent: bool = False) -> None:
        """Nothing yet.

        Args:
            window: how many entries are looked back at.
            adjacent: whether an entry of another key ends a row.
        """
        self.line: InOrder[Entry] = InOrder(self._append, self._pop)
        self._window = window
        self._adjacent = adjacent
        self._last: dict[bytes, int] = {}
        self._blind: dict[str, int] = {}
        self._tails: dict[str, list[int]] = {}

    @property
    def entries(self) -> list[Entry]:
        """In order of start."""
        return self.line.entries

    def run(self, subject: str) -> Run | None:
        """The run that a subject stands for; None where there is none (any more)."""
        tail = self._tails.get(subject)
        if not tail:
            return None
        last = self.entries[tail[-1]]
        first, done = self.entries[last.first], self.entries[last.done]
        return Run(first.call, done.call, last.call, last.count, last.is_sure)

    def hidden(self) -> list[Entry]:
        """Entries with something unobserved, where it might complete a run that is not known."""
        return hidden(self.entries, self._window, self.in_runs, adjacent=self._adjacent)

    def in_runs(self) -> set[int]:
        """The places of all entries that are part of a run."""
        found: set[int] = set()
        for place, entry in enumerate(self.entries):
            if entry.done == place:
                found.update(p for p, _ in self.row(place))
            elif entry.done >= 0:
                found.add(place)
        return found

    def row(self, place: int) -> Iterator[tuple[int, Entry]]:
        """An entry and those before it in its row that are in the window with it and agree with it, newest first."""
        mark, oldest = ANY_MARK, place - self._window
        while place > oldest and place >= 0:
            entry = self.entries[place]
            if not agree(entry.mark, mark):
                return
            mark = mark or entry.mark
            yield place, entry
            place = entry.link

    def _append(self, entry: Entry) -> None:
        place = len(self.entries) - 1
        entry.link = entry.first = entry.done = -1
        entry.count, entry.run_mark, entry.is_sure = 0, ANY_MARK, False
        last = -1 if entry.key is None else self._last.get(entry.key, -1)
        blind = self._blind.get(entry.tool, -1)
        entry.last, entry.blind = last, blind
        if entry.key is None:
            self._blind[entry.tool] = place
            return
        self._last[entry.key] = place if entry.counts else -1
        if entry.counts:
            is_linked = last == place - 1 if self._adjacent else last > blind
            entry.link = last if is_linked else -1
            self._complete(entry, place)

    def _complete(self, entry: Entry, place: int) -> None:
        row = list(islice(self.row(place), entry.need))
        if len(row) < entry.need:
            return
        earlier = row[1][1]
        joins = earlier.done >= 0 and agree(earlier.run_mark, entry.mark)
        if joins:
            entry.first, entry.done, entry.count = earlier.first, earlier.done, earlier.count + 1
            entry.run_mark = earlier.run_mark or entry.mark
        else:
            row = list(self.row(place))
            entry.first, entry.done, entry.count = row[-1][0], place, len(row)
            entry.run_mark = next((e.mark for _, e in row if e.mark != ANY_MARK), ANY_MARK)
        observed = all(e.mark != ANY_MARK for _, e in row[: entry.need])
        entry.is_sure = observed or (joins and earlier.is_sure)
        subject = self.entries[entry.first].call.call.key
        self._tails.setdefault(subject, []).append(place)
        self.line.touched.add(subject)

    def _pop(self, entry: Entry) -> None:
        if entry.key is None:
            self._blind[entry.tool] = entry.blind
        else:
            self._last[entry.key] = entry.last
        if entry.done >= 0:
            subject = self.entries[entry.first].call.call.key
            self._tails[subject].pop()
            self.line.touched.add(subject)
