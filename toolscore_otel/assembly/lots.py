"""Recorded telemetry in lots, of which each is taken in at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

LOT = 1_024
"""How many spans and log records: a call whose spans stand close to each other is then built and judged once."""


def in_lots(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in order, `LOT` at a time; the last lot may be smaller."""
    rest = iter(items)
    while some := list(islice(rest, LOT)):
        yield some
