"""How far a score may drop."""

from __future__ import annotations

import math

from msgspec import Struct

from toolscore_otel.errors import ConfigError, clip

POINTS = 100
"""A score of 1 in points."""


class Allowed(Struct, frozen=True):
    """A drop that does not fail.

    Attributes:
        amount: points out of 100; where it is relative, percent of the score before.
        is_relative: to the score before.
    """

    amount: float = 2.0
    is_relative: bool = False

    @classmethod
    def read(cls, text: str) -> Allowed:
        """`2` is 2 points, `5%` is 5 percent of the score before.

        Raises:
            ConfigError: no number from 0 to 100.
        """
        number = text.strip()
        is_relative = number.endswith("%")
        try:
            amount = float(number.removesuffix("%"))
        except ValueError:
            amount = math.nan
        if not 0 <= amount <= POINTS:
            raise ConfigError(
                f"a drop is `2` (points out of 100) or `5%` (of the score before), from 0 to 100, not `{clip(text)}`"
            )
        return cls(amount, is_relative)

    def of(self, before: float) -> float:
        """The drop that it allows, 0..1, of a score that was 0..1 before."""
        return self.amount / POINTS * (before if self.is_relative else 1.0)

    def __str__(self) -> str:
        return f"{self.amount:g}%" if self.is_relative else f"{self.amount:g}"
