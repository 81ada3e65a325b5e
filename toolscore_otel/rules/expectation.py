"""What a rule expects of a trajectory as a whole: calls, and bounds of scores (docs/pages/clauses/expect.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.metrics.expected_calls import ExpectedCall
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.model import Label, Trajectory

_NOISE = 1e-9
"""What adding up floats may be off by decides nothing."""


class Bound(Struct, frozen=True):
    """The least and the most that a score may be."""

    least: float = 0.0
    most: float = 1.0

    def said(self, name: str) -> list[str]:
        """As a contract writes it."""
        words = (("min", self.least, 0.0), ("max", self.most, 1.0))
        return [f"`{word}: {{{name}: {bound:g}}}`" for word, bound, free in words if bound != free]

    def below(self, score: ScoreRange) -> Label:
        """Whether a score is below its bound: `fail` where it is for sure, whatever was not observed."""
        return _label(sure=score.low >= self.least - _NOISE, never=score.high < self.least - _NOISE)

    def above(self, score: ScoreRange) -> Label:
        """Whether a score is above its bound, likewise."""
        return _label(sure=score.high <= self.most + _NOISE, never=score.low > self.most + _NOISE)

    def label(self, score: ScoreRange) -> Label | None:
        """What is to be said of a score; None where it does not apply."""
        if not score.applies:
            return None
        said = {self.below(score), self.above(score)}
        return next(
            label for label in (Label.FAIL, Label.CANNOT_CHECK, Label.PASS) if label in said
        )


def _label(*, sure: bool, never: bool) -> Label:
    return Label.PASS if sure else Label.FAIL if never else Label.CANNOT_CHECK


class Expectation(Struct, frozen=True):
    """What a rule expects.

    Attributes:
        calls: in order; None: it says nothing of calls.
        is_meant: whether it is about a trajectory.
        bounds: by score.
    """

    calls: Sequence[ExpectedCall] | None
    is_meant: Callable[[Trajectory], bool]
    bounds: Mapping[str, Bound]


NO_EXPECTATION = Expectation(None, lambda _: True, {})
"""Nothing is said of calls, and no score is bounded."""
