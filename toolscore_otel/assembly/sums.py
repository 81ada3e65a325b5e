"""How far a trace reaches: its first start and last end so far."""

from __future__ import annotations


class Sums:
    """Kept up to date span by span.

    Attributes:
        start_ns: first start of agent, model and tool spans.
        end_ns: last end of these.
    """

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.end_ns: int | None = None

    def reach(self, start_ns: int | None, end_ns: int | None) -> None:
        """A span of interest stands here."""
        if start_ns is not None and (self.start_ns is None or start_ns < self.start_ns):
            self.start_ns = start_ns
        if end_ns is not None and (self.end_ns is None or end_ns > self.end_ns):
            self.end_ns = end_ns

    @property
    def length_s(self) -> float | None:
        """Seconds from the first start to the last end; None where either was not observed."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return (self.end_ns - self.start_ns) / 1e9
