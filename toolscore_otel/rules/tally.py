"""What counted calls add up to, looked at when each of them starts: the automaton of sums, values and windows.

Without a window everything up to a call adds up, and a limit that was passed once is passed for good. With a window only
what started within it does, both of its ends included, and as long as each look passes the limit it is one stretch.
"""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.rules.amount import Amount, Exact, Measure
from toolscore_otel.rules.in_order import InOrder
from toolscore_otel.rules.intake import OrderKey, order_of
from toolscore_otel.rules.shape import TRAJECTORY


class Tallied(Struct, gc=False):
    """One call.

    Attributes:
        amount: what it adds; None for as much as it can be.
        counts: False where it adds its amount, and is neither looked at nor counted.
        order: where it stands.
        low: place where the window began before it came.
        number: how many count, up to this one.
        stretch: place of the first look of the stretch that it is in; -1 where it is in none.
        first: of such a first look: place of the first counted call in its window.
        subject: what the stretch is named by, where it is one of its looks.
    """

    call: JudgedCall
    amount: Amount | None
    counts: bool = True
    order: OrderKey = (0, 0, "")
    low: int = 0
    number: int = 0
    stretch: int = -1
    first: int = -1
    subject: str | None = None

    def __post_init__(self) -> None:
        self.order = order_of(self.call)


class Stretch(Struct, frozen=True):
    """Looks in a row that pass the limit.

    Attributes:
        first: the first call that was counted.
        passed: the call with which the limit was passed.
        last: the last call that was counted.
        count: how many were.
    """

    first: JudgedCall
    passed: JudgedCall
    last: JudgedCall
    count: int


class Tally:
    """The calls of one trajectory.

    Attributes:
        line: takes calls in and out; its `settle` gives the subjects whose stretch may have changed.
    """

    def __init__(self, most: Exact, measure: Measure, window_ns: int | None) -> None:
        """Nothing yet.

        Args:
            most: how much is allowed.
            measure: what amounts make together.
            window_ns: its length; None: everything counts.
        """
        self._most = most
        self._measure = measure
        self._window_ns = window_ns
        self.line: InOrder[Tallied] = InOrder(self._push, self._pop)
        self._low = 0
        self._tails: dict[str, list[int]] = {}

    def stretch(self, subject: str) -> Stretch | None:
        """The stretch that a subject stands for; None where there is none (any more)."""
        tail = self._tails.get(subject)
        if not tail:
            return None
        entries = self.line.entries
        last = entries[tail[-1]]
        passed = entries[last.stretch]
        first = entries[passed.first]
        count = last.number - first.number + 1
        return Stretch(first.call, passed.call, last.call, count)

    def subjects(self) -> list[str]:
        """Those that a stretch stands for."""
        return [subject for subject, tail in self._tails.items() if tail]

    def looks(self) -> dict[str, int]:
        """The keys of the calls at which the limit is passed, each with the stretch that it is in."""
        return {e.call.call.key: e.stretch for e in self.line.entries if e.subject is not None}

    def _push(self, entry: Tallied) -> None:
        entries = self.line.entries
        place = len(entries) - 1
        before = entries[place - 1] if place else None
        entry.low = self._low
        entry.number = (before.number if before else 0) + entry.counts
        entry.stretch = before.stretch if before else -1
        entry.subject = None
        self._measure.add(entry.amount)
        self._leave_behind(entry)
        if not entry.counts:
            return
        if self._measure.total > self._most:
            if entry.stretch < 0:
                self._begin(entry, place)
        elif self._window_ns is not None:
            entry.stretch = -1
        if entry.stretch >= 0:
            entry.subject = subject = self._subject(entries[entry.stretch])
            self._tails.setdefault(subject, []).append(place)
            self.line.touched.add(subject)

    def _begin(self, entry: Tallied, place: int) -> None:
        entries = self.line.entries
        entry.stretch = place
        entry.first = next(n for n in range(self._low, place + 1) if entries[n].counts)

    def _leave_behind(self, entry: Tallied) -> None:
        if self._window_ns is None:
            return
        entries, begin = self.line.entries, entry.order[0] - self._window_ns
        while entries[self._low].order[0] < begin:
            self._measure.take(entries[self._low].amount)
            self._low += 1

    def _pop(self, entry: Tallied) -> None:
        entries = self.line.entries
        self._measure.take(entry.amount)
        while self._low > entry.low:
            self._low -= 1
            self._measure.add(entries[self._low].amount)
        if entry.subject is not None:
            self._tails[entry.subject].pop()
            self.line.touched.add(entry.subject)

    def _subject(self, passed: Tallied) -> str:
        """A window is named by its first call."""
        if self._window_ns is None:
            return TRAJECTORY
        return self.line.entries[passed.first].call.call.key
