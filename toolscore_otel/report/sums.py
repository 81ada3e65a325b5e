"""Sums of which a part may not be known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum

from msgspec import Struct

from toolscore_otel.report.terminal import UNKNOWN, number


class Sum(Struct, frozen=True):
    """A sum, and whether there may be more.

    Attributes:
        value: of what is known; None where nothing is.
        is_least: whether something is not known.
    """

    value: float | None
    is_least: bool = False

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Sum:
        """The sum of some values, those that are not known left out."""
        values = list(values)
        known = [value for value in values if value is not None]
        return cls(fsum(known) if known else None, len(known) < len(values))

    def said(self, form: Callable[[float], str]) -> str:
        """In words, `?` where nothing is known."""
        if self.value is None:
            return UNKNOWN
        return f"{'at least ' if self.is_least else ''}{form(self.value)}"


def count(value: float) -> str:
    """A whole number."""
    return number(round(value))
