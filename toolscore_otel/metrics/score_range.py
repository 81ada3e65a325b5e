"""A score, and where it would lie had everything been observed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class ScoreRange(Struct, frozen=True):
    """What is known of one score, all 0..1.

    Attributes:
        value: as it is told; None where the score does not apply, or where what was not observed decides.
        low: the least it can be.
        high: the most it can be.
        missing: which evidence is lacking, in the words of findings (`arguments`, `status`, `spans`, ...).
    """

    value: float | None = None
    low: float = 0.0
    high: float = 1.0
    missing: tuple[str, ...] = ()

    @property
    def applies(self) -> bool:
        """Whether there is anything to say: a value, or evidence that would give one."""
        return self.value is not None or bool(self.missing)

    @property
    def is_open(self) -> bool:
        """Whether what was not observed could make it another number."""
        return bool(self.missing)


NONE = ScoreRange()
"""A score that does not apply."""


def exactly(value: float | None) -> ScoreRange:
    """A score of which all was observed; None: it does not apply."""
    return NONE if value is None else ScoreRange(value, value, value)


def between(one: float, other: float, missing: Sequence[str]) -> ScoreRange:
    """A score between two numbers; where they are one, it is that."""
    low, high = sorted((one, other))
    if low == high:
        return exactly(low)
    return ScoreRange(None, low, high, tuple(missing))


def anything(*missing: str) -> ScoreRange:
    """A score of which nothing can be said for lack of evidence."""
    return ScoreRange(missing=missing)
