"""How long at least one of many stretches of time went on, while they come and go."""

from __future__ import annotations

from bisect import bisect_left


class Covered:
    """The union of stretches. Adding one that comes in order costs the same however many there are.

    Attributes:
        length: of the union.
    """

    def __init__(self) -> None:
        self.length = 0
        self._marks: list[int] = []
        self._depths: list[int] = []  # of each mark: how many stretches cover what follows it

    def add(self, start: int, end: int, sign: int = 1) -> None:
        """Add a stretch, or take away one that was added; one that ends no later than it begins is nothing."""
        if end <= start:
            return
        first, last = self._mark(start), self._mark(end)
        for place in range(first, last):
            before = self._depths[place]
            self._depths[place] = before + sign
            if (before == 0) is not (before + sign == 0):
                self.length += sign * (self._marks[place + 1] - self._marks[place])

    def _mark(self, time: int) -> int:
        """The place of a mark at this time, made where there is none."""
        place = bisect_left(self._marks, time)
        if place == len(self._marks) or self._marks[place] != time:
            self._marks.insert(place, time)
            self._depths.insert(place, self._depths[place - 1] if place else 0)
        return place
