"""Entries in order of start, for an automaton whose newest entry can be taken back.

One that comes in order is pushed on top. One that comes late, or goes, costs taking off what stands after it and putting
that back. Where that is much, it waits until there have been as many changes as make it cheap for each of them (or until
the end): a trace that is delivered backwards costs a few times what it costs in order, and not its square.
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


AT_ONCE = 32
"""So many entries behind a late one are taken off and put back without waiting."""

PER_CHANGE = 8
"""How many further ones each change pays for: with as many calls waiting, an eighth of those behind them may be missing."""


class InOrder(Generic[E]):
    """The entries, and those that wait to be among them.

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
        self._waiting: list[E] = []
        self._gone: set[OrderKey] = set()
        self._lowest: OrderKey | None = None
        self._paid = 0

    def insert(self, entry: E) -> None:
        """Give an entry its place. `settle` makes it count."""
        insort(self._waiting, entry, key=_order)
        self._change(entry.order)

    def remove(self, order: OrderKey) -> None:
        """Take an entry out. `settle` makes the others follow."""
        at = bisect_left(self._waiting, order, key=_order)
        if at < len(self._waiting) and self._waiting[at].order == order:
            del self._waiting[at]
        else:
            self._gone.add(order)
            self._change(order)

    def advance(self) -> set[str]:
        """As `settle`, unless that is much work that has not been paid for yet: then nothing is different so far."""
        behind = len(self.entries) - self._place()
        if behind > AT_ONCE:
            if behind > self._paid:
                return set()
            self._paid -= behind
        return self.settle()

    def settle(self) -> set[str]:
        """Make all changes count; returns the subjects of which something may have changed since the last time."""
        at = self._place()
        after = [entry for entry in self.entries[at:] if entry.order not in self._gone]
        while len(self.entries) > at:
            self._pop(self.entries.pop())
        for entry in sorted((*after, *self._waiting), key=_order) if after else self._waiting:
            self.entries.append(entry)
            self._push(entry)
        self._waiting, self._gone, self._lowest = [], set(), None
        touched, self.touched = self.touched, set()
        return touched

    def _change(self, order: OrderKey) -> None:
        self._paid += PER_CHANGE
        self._lowest = order if self._lowest is None else min(self._lowest, order)

    def _place(self) -> int:
        """How many entries stand before all changes."""
        if self._lowest is None or not self.entries or self.entries[-1].order < self._lowest:
            return len(self.entries)
        return bisect_left(self.entries, self._lowest, key=_order)


def _order(entry: Ordered) -> OrderKey:
    return entry.order
