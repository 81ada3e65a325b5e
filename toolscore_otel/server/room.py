"""How much memory trajectories take, estimated from what was taken in: nobody can ask Python.

The estimate follows from the bytes alone, so it is the same in every run. It is made for a request as a whole (`Density`,
four searches for a byte) and weighed by the size of each span, which costs nothing beside reading that span.
"""

from __future__ import annotations

from collections.abc import Callable

SPAN_BYTES = 4_096
"""Of a span, its call and what rules remember of it, beside its content. Measured: 3.7 KB with small arguments."""

_COMMA_BYTES = 40
_BRACKET_BYTES = 80
"""Of a value in JSON, and of an array or object, once they are Python's. Measured: 34 to 60, and 56 to 70."""

_LOW_WATER = 0.9
"""Room is made down to this share of the limit, so that not every request has to make some."""


def density(data: bytes) -> float:
    """How many bytes of memory a byte of a request takes: 1 for plain text, up to 80 for JSON that is all brackets."""
    if not data:
        return 1.0
    brackets = data.count(b"[") + data.count(b"{")
    return 1.0 + (_COMMA_BYTES * data.count(b",") + _BRACKET_BYTES * brackets) / len(data)


class Room:
    """What each trajectory takes, and whether all of them together fit.

    A trajectory that is no longer held is only found out when room is short.

    Args:
        limit_bytes: of all of them.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._sizes: dict[str, int] = {}
        self.held_bytes = 0

    def take(self, trace_id: str, size_bytes: int) -> None:
        """A trajectory grew."""
        self._sizes[trace_id] = self._sizes.get(trace_id, 0) + size_bytes
        self.held_bytes += size_bytes

    def drop(self, trace_id: str) -> None:
        """A trajectory is no longer held."""
        self.held_bytes -= self._sizes.pop(trace_id, 0)

    def __contains__(self, trace_id: str) -> bool:
        return trace_id in self._sizes

    def is_short(self, is_held: Callable[[str], bool]) -> bool:
        """Whether what is held is more than the limit.

        Args:
            is_held: whether a trajectory still is.
        """
        if self.held_bytes <= self._limit_bytes:
            return False
        for trace_id in [known for known in self._sizes if not is_held(known)]:
            self.drop(trace_id)
        return self.held_bytes > self._limit_bytes

    @property
    def is_enough(self) -> bool:
        """Whether enough room was made."""
        return self.held_bytes <= self._limit_bytes * _LOW_WATER
