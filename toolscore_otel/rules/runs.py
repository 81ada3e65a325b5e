"""Runs of repetition among the last calls of one agent invocation: the automaton of `loop`.

Entries stand in order of start, each linked to the one before it with the same key (tool and arguments), unless something
between them broke the row. Where `need` entries of a row with equal marks stand among the last `window` entries, a run is
complete, and the entries after it make it grow. One entry knows what stood before it, so the newest can be taken off
again: entries that come late cost taking off what stands after the first of them, once, and putting it back.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.rules.intake import OrderKey, order_of

ANY_MARK = b""
"""A mark that is equal to every other: the result was not observed."""


@dataclass(slots=True)
class Entry:
    """One call as a rule about repetition sees it.

    Attributes:
        tool: calls of different ones are never equal.
        key: hash of tool and arguments; None where arguments were not observed.
        mark: must be equal within a run (hash of the result); `ANY_MARK` equals all.
        repeats: whether it is a repetition (NO: it ends the row of its key).
        is_there: False where it is unknown whether the rule looks at it.
        need: how many entries complete a run.
        link: place of the entry before it in its row; -1 where it begins one.
        first: of the run that it completes or makes grow: place of its first entry; -1 where it is in no run.
        done: place of the entry that completed the run.
        count: entries of the run, up to this one.
        run_mark: what was observed of the run's marks.
        is_sure: whether the run is one although some results were not observed.
    """

    call: JudgedCall
    tool: str
    key: bytes | None
    mark: bytes
    repeats: Answer
    is_there: bool
    need: int
    order: OrderKey = field(init=False)
    before: tuple[int, int] = field(init=False, default=(-1, -1))
    link: int = field(init=False, default=-1)
    first: int = field(init=False, default=-1)
    done: int = field(init=False, default=-1)
    count: int = field(init=False, default=0)
    run_mark: bytes = field(init=False, default=ANY_MARK)
    is_sure: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.order = order_of(self.call)

    @property
    def counts(self) -> bool:
        """Whether it prolongs the row of its key for sure."""
        return self.key is not None and self.is_there and self.repeats is Answer.YES


def agree(one: bytes, other: bytes) -> bool:
    """Whether two marks are equal, or may be."""
    return one == other or ANY_MARK in (one, other)


class Runs:
    """The entries of one agent invocation, and the runs among them.

    Attributes:
        entries: in order of start.
        window: how many entries are looked back at.
    """

    def __init__(self, window: int) -> None:
        self.entries: list[Entry] = []
        self.window = window
        self._orders: list[OrderKey] = []
        self._later: list[Entry] = []
        self._touched: set[str] = set()
        self._last: dict[bytes, int] = {}
        self._blind: dict[str, int] = {}
        self._tails: dict[str, list[int]] = {}

    def insert(self, entry: Entry) -> None:
        """Put an entry in its place. `settle` makes it count."""
        self._open(bisect_left(self._orders, entry.order))
        insort(self._later, entry, key=_order)

    def remove(self, order: OrderKey) -> None:
        """Take an entry out. `settle` makes the others follow."""
        self._open(bisect_left(self._orders, order))
        del self._later[bisect_left(self._later, order, key=_order)]

    def settle(self) -> set[str]:
        """Bring `entries` and runs up to date; returns the subjects whose run may have changed since the last time."""
        for entry in self._later:
            self._append(entry)
        self._later = []
        touched, self._touched = self._touched, set()
        return touched

    def run(self, subject: str) -> tuple[Entry, Entry, Entry] | None:
        """The first, the completing and the last entry of a run; None where there is none (any more)."""
        tail = self._tails.get(subject)
        if not tail:
            return None
        last = self.entries[tail[-1]]
        return self.entries[last.first], self.entries[last.done], last

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
        mark, oldest = ANY_MARK, place - self.window
        while place > oldest and place >= 0:
            entry = self.entries[place]
            if not agree(entry.mark, mark):
                return
            mark = mark or entry.mark
            yield place, entry
            place = entry.link

    def _open(self, at: int) -> None:
        """Set the entries from this place on aside."""
        after = self.entries[at:]
        while len(self.entries) > at:
            self._pop()
        self._later[:0] = after

    def _append(self, entry: Entry) -> None:
        place = len(self.entries)
        self.entries.append(entry)
        self._orders.append(entry.order)
        entry.link = entry.first = entry.done = -1
        entry.count, entry.run_mark, entry.is_sure = 0, ANY_MARK, False
        last = -1 if entry.key is None else self._last.get(entry.key, -1)
        blind = self._blind.get(entry.tool, -1)
        entry.before = (last, blind)
        if entry.key is None:
            self._blind[entry.tool] = place
            return
        self._last[entry.key] = place if entry.counts else -1
        if entry.counts:
            entry.link = last if last > blind else -1
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
        self._touched.add(subject)

    def _pop(self) -> None:
        entry = self.entries.pop()
        self._orders.pop()
        last, blind = entry.before
        if entry.key is None:
            self._blind[entry.tool] = blind
        else:
            self._last[entry.key] = last
        if entry.done >= 0:
            subject = self.entries[entry.first].call.call.key
            self._tails[subject].pop()
            self._touched.add(subject)


def _order(entry: Entry) -> OrderKey:
    return entry.order
