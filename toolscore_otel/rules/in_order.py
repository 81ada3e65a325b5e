"""Entries in order of start, for an automaton whose newest entry can be taken back.

One that comes in order is pushed on top. One that comes late, or goes, costs taking off what stands after it, once, and
putting that back.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from toolscore_otel.rules.intake import OrderKey


class Ordered(Protocol):
    """What has a place in the order of calls."""

    order: OrderKey


E = TypeVar("E", bound=Ordered)


class InOrder(Generic[E]):
    """The entries, and those that are set aside until `settle`.

    Attributes:
        entries: in order of start; all of them once it was settled.
        touched: subjects of which something may have changed since the last `settle`; the automaton adds to it.
    """

    def __init__(self, push: Callable[[E], None], pop: Callable[[E], None]) -> None:
        """Nothing yet.

        Args:
            push: told of each entry when it has become the last one.
            pop: told of each that was the last one and is so no more.
        """
        self.entries: list[E] = []
        self.touched: set[str] = set()
        self._push = push
        self._pop = pop
        self._later: list[E] = []

    def insert(self, entry: E) -> None:
        """Give an entry its place. `settle` makes it count."""
        self._open(entry.order)
        insort(self._later, entry, key=_order)

    def remove(self, order: OrderKey) -> None:
        """Take an entry out. `settle` makes the others follow."""
        self._open(order)
        del self._later[bisect_left(self._later, order, key=_order)]

    def settle(self) -> set[str]:
        """Put back what was set aside; returns the subjects of which something may have changed since the last time."""
        for entry in self._later:
            self.entries.append(entry)
            self._push(entry)
        self._later = []
        touched, self.touched = self.touched, set()
        return touched

    def _open(self, order: OrderKey) -> None:
        """Set the entries from this place on aside."""
        if not self.entries or self.entries[-1].order < order:
            return
        at = bisect_left(self.entries, order, key=_order)
        after = self.entries[at:]
        while len(self.entries) > at:
            self._pop(self.entries.pop())
        self._later[:0] = after


def _order(entry: Ordered) -> OrderKey:
    return entry.order
