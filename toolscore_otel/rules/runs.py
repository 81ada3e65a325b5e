"""Runs of repetition among the last calls of one agent invocation: the automaton of `loop`.

Entries stand in order of start. Each key (tool and arguments) has a segment that an entry prolongs, or that a breaking
entry ends; an entry whose segment holds `need` entries among the last `window` ones completes a run, and the entries
after it make that run grow. One entry knows what stood before it, so the newest can be taken off again: an entry that
comes late costs taking off what stands after it and putting it back.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.rules.intake import OrderKey, order_of

ANY_MARK = b""
"""A mark that is equal to every other: the result was not observed."""


@dataclass(slots=True)
class Entry:
    """One call as a rule about repetition sees it.

    Attributes:
        key: hash of tool and arguments; None where arguments were not observed.
        mark: must be equal within a segment (hash of the result); `ANY_MARK` equals all.
        counts: whether it prolongs a segment; False ends the segment of its key.
        could_count: whether it might have counted, had all been observed.
        need: how many entries complete a run.
    """

    call: JudgedCall
    tool: str
    key: bytes | None
    mark: bytes
    counts: bool
    could_count: bool
    need: int
    order: OrderKey = field(init=False)
    before: int = field(init=False, default=-1)
    last_before: tuple[int, int] = field(init=False, default=(-1, -1))
    run_first: int = field(init=False, default=-1)
    run_done: int = field(init=False, default=-1)
    run_count: int = field(init=False, default=0)
    run_mark: bytes = field(init=False, default=ANY_MARK)
    unsure: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.order = order_of(self.call)


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
        self._last: dict[bytes, int] = {}
        self._blind: dict[str, int] = {}
        self._tails: dict[str, list[int]] = {}

    def insert(self, entry: Entry) -> set[str]:
        """Put an entry in its place; returns the subjects whose run may have changed."""
        return self._replay(bisect_left(self._orders, entry.order), [entry], skip=0)

    def remove(self, order: OrderKey) -> set[str]:
        """Take an entry out; returns the subjects whose run may have changed."""
        return self._replay(bisect_left(self._orders, order), [], skip=1)

    def run(self, subject: str) -> tuple[Entry, Entry, Entry] | None:
        """The first, the completing and the last entry of a run; None where there is none (any more)."""
        tail = self._tails.get(subject)
        if not tail:
            return None
        last = self.entries[tail[-1]]
        return self.entries[last.run_first], self.entries[last.run_done], last

    def _replay(self, at: int, new: list[Entry], skip: int) -> set[str]:
        touched: set[str] = set()
        after = self.entries[at + skip :]
        while len(self.entries) > at:
            self._pop(touched)
        for entry in (*new, *after):
            self._append(entry, touched)
        return touched

    def _append(self, entry: Entry, touched: set[str]) -> None:
        index = len(self.entries)
        self.entries.append(entry)
        self._orders.append(entry.order)
        entry.before, entry.run_first, entry.run_done, entry.run_count = -1, -1, -1, 0
        entry.last_before = (
            self._last.get(entry.key, -1) if entry.key else -1,
            self._blind.get(entry.tool, -1),
        )
        if entry.key is None:
            self._blind[entry.tool] = index
            return
        self._last[entry.key] = index if entry.counts else -1
        if entry.counts:
            self._prolong(entry, index)
            self._complete(entry, index, touched)

    def _prolong(self, entry: Entry, index: int) -> None:
        last, blind = entry.last_before
        entry.run_mark, entry.unsure = entry.mark, entry.mark == ANY_MARK
        if last < 0 or blind > last:
            return
        earlier = self.entries[last]
        if ANY_MARK not in (entry.mark, earlier.run_mark) and entry.mark != earlier.run_mark:
            return
        if last > index - self.window:
            entry.before = last
        entry.run_mark = earlier.run_mark if entry.mark == ANY_MARK else entry.mark

    def _complete(self, entry: Entry, index: int, touched: set[str]) -> None:
        count, first, unsure, walk = 1, index, entry.unsure, entry.before
        while walk > index - self.window and walk >= 0 and count < entry.need:
            count, first = count + 1, walk
            unsure |= self.entries[walk].mark == ANY_MARK
            walk = self.entries[walk].before
        if count < entry.need:
            return
        earlier = self.entries[entry.before]
        if entry.before >= 0 and earlier.run_done >= 0:
            entry.run_first, entry.run_done = earlier.run_first, earlier.run_done
            entry.run_count, entry.unsure = earlier.run_count + 1, unsure or earlier.unsure
        else:
            entry.run_first, entry.run_done = first, index
            entry.run_count, entry.unsure = count, unsure
        subject = self.entries[entry.run_first].call.call.key
        self._tails.setdefault(subject, []).append(index)
        touched.add(subject)

    def _pop(self, touched: set[str]) -> None:
        entry = self.entries.pop()
        self._orders.pop()
        last, blind = entry.last_before
        if entry.key is None:
            self._blind[entry.tool] = blind
        else:
            self._last[entry.key] = last
        if entry.run_done >= 0:
            first = entry if entry.run_first == len(self.entries) else self.entries[entry.run_first]
            subject = first.call.call.key
            self._tails[subject].pop()
            touched.add(subject)
