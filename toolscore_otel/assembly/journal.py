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
    """What was taken in lately; whoever keeps it asks for it from time to time."""

    def __init__(self) -> None:
        self._new: dict[str, list[Entry]] = {}

    def note(self, trace_id: str, entry: Entry) -> None:
        """Add an entry."""
        self._new.setdefault(trace_id, []).append(entry)

    def take_new(self) -> Mapping[str, Sequence[Entry]]:
        """What was added since this was last asked, by trace id; a trace may be no longer known."""
        new, self._new = self._new, {}
        return new

    def disregard(self, trace_id: str) -> None:
        """What is new of a trace so far is not."""
        self._new.pop(trace_id, None)
