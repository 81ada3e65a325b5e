"""What a gate says: of each score, of what was not compared, and of all."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Verdict(StrEnum):
    """What a gate says of one score, or of all."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class Why(StrEnum):
    """Why something was not compared."""

    NO_BASELINE = "no_baseline"
    """The releases before have no run of it: the first gate."""
    NO_RUN = "no_run"
    """A release before has it, and no run of now is of it."""
    NOT_OBSERVED = "not_observed"
    """The score is known on one side only."""
    OTHER_EXPECTATIONS = "other_expectations"
    """The contract expects something else of it now."""
    NO_COMMON_SCENARIO = "no_common_scenario"
    """Both sides have runs, and no scenario is on both."""
    NOT_A_NUMBER = "not_a_number"
    """A score is NaN, infinite, or outside of 0 to 1; a measure below 0."""


_REFUSED = frozenset({Why.OTHER_EXPECTATIONS, Why.NO_COMMON_SCENARIO, Why.NOT_A_NUMBER})
"""Reasons for which a gate cannot be held; the others are notices."""


class Comparison(Struct, frozen=True, kw_only=True):
    """One score of one model under one contract, now and before.

    Attributes:
        releases: whose runs it was held against.
        scenarios: how many both sides have.
        runs: old and new ones in which the score is known.
        unknown: old and new ones in which it is not, or does not apply.
        old: mean over scenarios, as the score is given.
        new: likewise.
        drop: by how much it got worse, 0..1, below 0 where it got better; of a measure, the share by which it rose. None for
            what is only told.
        low: the drop is surely not smaller. None where the runs set no bound.
        high: the drop is surely not greater; likewise.
        allowed: drop that does not fail.
        verdict: None for what is only told.
        passes_at: runs on each side, over all scenarios, with which it would pass if they went as these did. None where it
            would not, or where that is not known, or where it passed or failed.
    """

    contract: str
    model: str
    score: str
    releases: tuple[str, ...]
    scenarios: int
    runs: tuple[int, int]
    unknown: tuple[int, int]
    old: float
    new: float
    drop: float | None = None
    low: float | None = None
    high: float | None = None
    allowed: float | None = None
    verdict: Verdict | None = None
    passes_at: int | None = None


class NotCompared(Struct, frozen=True, kw_only=True):
    """What was not compared, and why; scenario and score are None where it is about all of them.

    Attributes:
        release: the newest one before that has it, where there is no run now.
    """

    contract: str
    model: str
    why: Why
    scenario: str | None = None
    score: str | None = None
    release: str | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the gate cannot be held for it; of one scenario whose expectations changed the others are judged."""
        return self.why in _REFUSED and self.scenario is None


class Gate(Struct, frozen=True, kw_only=True):
    """One release, held against those before it.

    Attributes:
        release: its name.
        max_drop: as it was asked for, `2` points or `5%`.
        max_rise: of measures, as a share; None where they are only told.
        told_apart: scores that were judged at once.
        level: how sure the lower bound of each drop therefore is.
        level_of_high: how sure the upper one is. A gate passes only where every score does, so that their number plays no part.
        comparisons: by contract, model and score.
        not_compared: likewise.
    """

    release: str
    max_drop: str
    max_rise: float | None = None
    told_apart: int
    level: float
    level_of_high: float
    comparisons: tuple[Comparison, ...]
    not_compared: tuple[NotCompared, ...]

    @property
    def verdict(self) -> Verdict | None:
        """The worst of all; None where nothing was judged."""
        found = {one.verdict for one in self.comparisons}
        worst = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
        return next((verdict for verdict in worst if verdict in found), None)

    @property
    def refused(self) -> tuple[NotCompared, ...]:
        """What it was asked to compare and cannot be compared."""
        return tuple(one for one in self.not_compared if one.is_refused)
