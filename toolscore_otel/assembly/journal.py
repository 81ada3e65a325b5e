"""What was taken in, trace by trace and in order, so that it can be fed again.

To an engine with other contracts, or after a restart. What comes again with nothing new in it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import ClosedBy


class Taken(NamedTuple):
    """What a span, a message or a log record said, and when it came, in nanoseconds of `now`."""

    place: Place
    reading: SpanReading | None
    now: int


Entry = Taken | ClosedBy
"""Something was taken in, or the trace was closed."""


class Journal:
    """The entries of every trace that is remembered; the objects are those that assembly holds anyway."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self._new: dict[str, list[Entry]] = {}

    def note(self, trace_id: str, entry: Entry) -> None:
        """Add an entry."""
        self._entries.setdefault(trace_id, []).append(entry)
        self._new.setdefault(trace_id, []).append(entry)

    def of(self, trace_id: str) -> Sequence[Entry]:
        """The entries of a trace; none where it is not known."""
        return self._entries.get(trace_id, ())

    def take_new(self) -> Mapping[str, Sequence[Entry]]:
        """What was added since this was last asked, by trace id."""
        new, self._new = self._new, {}
        return new

    def disregard(self, trace_id: str) -> None:
        """What is new of a trace so far is not."""
        self._new.pop(trace_id, None)

    def forget(self, trace_id: str) -> None:
        """A trace is not remembered any longer; what is new of it is still given."""
        self._entries.pop(trace_id, None)
