"""Turns times into places on a page: parts of a width, in percent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolscore_otel.model import ToolCall
from toolscore_otel.report.html_text import Html, tag

TICKS = 8
"""Most steps of an axis."""

LAST = 0.94
"""Past it a number would stand out on the right."""


class Axis(Struct, frozen=True):
    """From the first start to the last end.

    Attributes:
        begin_ns: the left edge.
        span_ns: from edge to edge, at least 1.
    """

    begin_ns: int
    span_ns: int

    @classmethod
    def of(cls, calls: Sequence[ToolCall]) -> Axis | None:
        """That of some calls; None where no time of theirs was observed."""
        times = [t for call in calls for t in (call.start_ns, call.end_ns) if t is not None]
        return cls(min(times), max(1, max(times) - min(times))) if times else None

    def at(self, time_ns: int) -> float:
        """The place of a time, 0..1."""
        return (time_ns - self.begin_ns) / self.span_ns

    def bar(self, call: ToolCall) -> tuple[float, float] | None:
        """Place and width of a call, both 0..1; None where its start was not observed."""
        if call.start_ns is None:
            return None
        end_ns = call.start_ns if call.end_ns is None else max(call.start_ns, call.end_ns)
        return self.at(call.start_ns), (end_ns - call.start_ns) / self.span_ns

    def ticks(self) -> Iterator[Html]:
        """The numbers of the axis, in seconds, as far as they have room on the right."""
        step = _step(self.span_ns / 1e9)
        for n in range(TICKS + 1):
            place = n * step * 1e9 / self.span_ns
            if place <= LAST:
                yield tag("i", f"{n * step:g}" if n else "0 s", style=f"left:{place:.2%}")


def _step(seconds: float) -> float:
    """Seconds between ticks: 1, 2 or 5 times a power of ten."""
    step = 1e-9
    while True:
        for factor in (1, 2, 5):
            if seconds / (step * factor) <= TICKS:
                return step * factor
        step *= 10
