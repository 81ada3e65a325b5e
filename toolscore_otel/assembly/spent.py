"""Money, in whole picodollars, so that adding and taking away leaves no rest."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.model import CostSource

PICO = 1_000_000_000_000
"""Picodollars in a dollar."""


class Spent(Struct, frozen=True, gc=False):
    """A sum of costs.

    Attributes:
        total: sum of what is known.
        known: how many costs are known.
        priced: those of them that are tokens times list prices.
        blind: how many are not known.
    """

    total: int = 0
    known: int = 0
    priced: int = 0
    blind: int = 0

    @classmethod
    def reported(cls, usd: float) -> Spent:
        """A cost that a span reports."""
        return cls(round(usd * PICO), known=1)

    @classmethod
    def listed(cls, usd: float) -> Spent:
        """Tokens times list prices."""
        return cls(round(usd * PICO), known=1, priced=1)

    def plus(self, other: Spent, sign: int = 1) -> Spent:
        """Another sum added, or taken away."""
        return Spent(
            self.total + sign * other.total,
            self.known + sign * other.known,
            self.priced + sign * other.priced,
            self.blind + sign * other.blind,
        )

    def __bool__(self) -> bool:
        return bool(self.known or self.blind)

    @property
    def usd(self) -> float | None:
        """USD; None where nothing is known."""
        return self.total / PICO if self.known else None

    @property
    def source(self) -> CostSource | None:
        """Where the sum comes from."""
        if not self.known:
            return None
        return CostSource.PRICED if self.priced else CostSource.REPORTED
