"""How far a score may drop, and a measure rise."""

from __future__ import annotations

import math

from msgspec import Struct

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.gate.choice import FIELD
from toolscore_otel.gate.measures import MEASURES

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


def read_rise(text: str) -> float:
    """How far a measure may rise, as a share: `20%`, or `20`, is 0.2.

    Raises:
        ConfigError: no finite number of 0 or more.
    """
    try:
        amount = float(text.strip().removesuffix("%"))
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise ConfigError(f"a rise is `20%` (of the number before), 0 or more, not `{clip(text)}`")
    return amount / POINTS


class Asked(Struct, frozen=True, kw_only=True):
    """What a gate judges, and by which bounds.

    Attributes:
        drop: of a score, that does not fail.
        rise: of a measure, as a share, that does not fail; None: measures are told and judged by nobody.
        scores: names of those that are judged; empty for all but those of single arguments, which `right_args` sums up.
    """

    drop: Allowed = Allowed()
    rise: float | None = None
    scores: frozenset[str] = frozenset()

    def covers(self, score: str) -> bool:
        """Whether there is to be a verdict on a score or measure."""
        if score in MEASURES and self.rise is None:
            return False
        return score in self.scores or not (self.scores or score.startswith(FIELD))
