"""Series of a metric, and what each of their readers has been shown of them.

A counter that is born at 1 is missed by `increase()`, so a series that is new is shown at 0 for one collection before it
counts, and to each reader by itself. A reader that comes later is different: to it, what another reader was told before
is no news, and stands as it is; else the sum of days would look like the work of one minute.

The series of a metric stand in the order of their birth and are never taken away, so that a number per reader and metric
says which of them it has seen.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from msgspec import Struct

READERS = 16
"""How many readers are told apart; past it the one that was silent longest is forgotten, as if it had been told all."""

Key = tuple[tuple[str, str | bool], ...]
"""Attributes of a series, sorted."""


class Point(Struct):
    """One series of a metric.

    Attributes:
        value: the sum.
        buckets: of a histogram, how many values fell into each; empty for anything else.
        trace_id: of what was added last, for an exemplar; empty where there is none.
        amount: what was added last.
        is_shown: it stands at its value for every reader, since it was there before the first of them.
    """

    value: float = 0
    buckets: list[int] = []
    trace_id: str = ""
    span_id: str | None = None
    amount: float = 0
    is_shown: bool = False


class Shown(Struct, frozen=True, kw_only=True):
    """One series as a reader is shown it; the fields are those of `Point`."""

    key: Key
    value: float
    buckets: tuple[int, ...] = ()
    trace_id: str = ""
    span_id: str | None = None
    amount: float = 0


class Readers:
    """Who has been shown what. Not safe for threads: whoever holds the series holds the lock."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, dict[str, int]] = OrderedDict()
        self._told: dict[str, int] = {}

    def show(
        self, metric: str, points: Mapping[Key, Point], *, reader: str = "", is_last: bool = False
    ) -> list[Shown]:
        """Every series of a counter or a histogram: at 0 where it is new to this reader.

        Args:
            metric: its name.
            points: its series, in the order of their birth.
            reader: whoever collects; the same name every time.
            is_last: no collection will follow, so nothing is held back.
        """
        seen = len(points) if is_last else self._note(metric, len(points), reader)
        return [
            _as_it_stands(key, point) if place < seen or point.is_shown else _at_zero(key, point)
            for place, (key, point) in enumerate(points.items())
        ]

    def _note(self, metric: str, series: int, reader: str) -> int:
        """How many of the series count for this reader by now."""
        known = self._seen.setdefault(reader, {})
        self._seen.move_to_end(reader)
        while len(self._seen) > READERS:
            for name, count in self._seen.popitem(last=False)[1].items():
                self._tell(name, count)
        seen = known.get(metric, self._told.get(metric, 0))
        known[metric] = series
        self._tell(metric, seen)
        return seen

    def _tell(self, metric: str, series: int) -> None:
        self._told[metric] = max(series, self._told.get(metric, 0))


def key_of(attributes: Mapping[str, str | bool]) -> Key:
    """The key under which the series of these attributes stands."""
    return tuple(sorted(attributes.items()))


def show_all(points: Mapping[Key, Point]) -> None:
    """From now on these series stand at their values for every reader, as if they had always been there."""
    for point in points.values():
        point.is_shown = True


def gauge(points: Mapping[Key, Point]) -> Iterator[Shown]:
    """Every series of a gauge, which is never held back."""
    return (_as_it_stands(key, point) for key, point in points.items())


def _as_it_stands(key: Key, point: Point) -> Shown:
    return Shown(
        key=key,
        value=point.value,
        buckets=tuple(point.buckets),
        trace_id=point.trace_id,
        span_id=point.span_id,
        amount=point.amount,
    )


def _at_zero(key: Key, point: Point) -> Shown:
    return Shown(key=key, value=0, buckets=(0,) * len(point.buckets))
