"""Calls by when they ended: asking how many are before a moment costs the same however many there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from toolscore_otel.matchers import Answer
from toolscore_otel.matchers.answer import YES
from toolscore_otel.model import ToolCall


class Span(Struct, frozen=True, gc=False):
    """When something began and ended, as far as that was observed."""

    start_ns: int | None
    end_ns: int | None


class Before(NamedTuple):
    """How many calls are before something.

    Attributes:
        sure: that are.
        maybe: that may be, or may be none of those that are asked about.
        untimed: of these, how many may not be before it.
    """

    sure: int
    maybe: int
    untimed: int


class _Shape(Enum):
    """What decides, at one and the same instant, whether a call is before another."""

    LASTED = "lasted"
    INSTANT = "instant"
    OPEN_START = "open start"
    OPEN_END = "open end"


class Ended:
    """The calls of one trajectory that are asked about, each with an answer whether it is one of them: yes or unknown."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Answer, _Shape, int, Span]] = {}
        self._rows: dict[tuple[Answer, _Shape], list[int]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def put(self, key: str, span: Span, answer: Answer) -> None:
        """A call that is not known. With an unknown end it ended at its start or later."""
        shape = _shape_of(span)
        earliest = span.start_ns if span.end_ns is None else span.end_ns
        at = -1 if earliest is None else earliest
        self._known[key] = (answer, shape, at, span)
        insort(self._rows.setdefault((answer, shape), []), at)

    def drop(self, key: str) -> None:
        """A call is gone. Unknown keys are fine."""
        if (known := self._known.pop(key, None)) is not None:
            answer, shape, at, _ = known
            row = self._rows[answer, shape]
            del row[bisect_left(row, at)]

    def before(self, call: ToolCall) -> Before:
        """How many of them, other than the call itself, are before it (docs/pages/clauses/order.md)."""
        span = Span(call.start_ns, call.end_ns)
        found = self.before_span(span)
        if (own := self._known.get(call.key)) is None:
            return found
        answer, shape, at, _ = own
        itself = _counted(answer, shape, [at], span)
        return Before(*(mine - its for mine, its in zip(found, itself, strict=True)))

    def before_span(self, span: Span) -> Before:
        """How many of them are before something else."""
        counts = [_counted(answer, shape, row, span) for (answer, shape), row in self._rows.items()]
        return Before(*map(sum, zip(*counts, strict=True))) if counts else Before(0, 0, 0)


def _shape_of(span: Span) -> _Shape:
    if span.end_ns is None:
        return _Shape.OPEN_END
    if span.start_ns is None:
        return _Shape.OPEN_START
    return _Shape.LASTED if span.start_ns < span.end_ns else _Shape.INSTANT


def _counted(answer: Answer, shape: _Shape, row: list[int], span: Span) -> Before:
    sure, maybe = _in_row(shape, row, span)
    return Before(sure, maybe, maybe) if answer is YES else Before(0, sure + maybe, maybe)


def _in_row(shape: _Shape, row: list[int], span: Span) -> tuple[int, int]:
    latest_begin = span.end_ns if span.start_ns is None else span.start_ns
    if latest_begin is None:
        return 0, len(row)
    ended, reached = bisect_left(row, latest_begin), bisect_right(row, latest_begin)
    if span.start_ns is None or shape is _Shape.OPEN_END:
        meet_at_best_at_one_instant = latest_begin == span.end_ns and shape in _BEGIN_THERE
        return 0, ended if meet_at_best_at_one_instant else reached
    lasts = span.end_ns is not None and latest_begin < span.end_ns
    if lasts or shape is _Shape.LASTED:
        return reached, 0
    is_open = shape is _Shape.OPEN_START or span.end_ns is None
    return ended, reached - ended if is_open else 0


_BEGIN_THERE = (_Shape.INSTANT, _Shape.OPEN_END)
"""What begins where it ends at the earliest."""
