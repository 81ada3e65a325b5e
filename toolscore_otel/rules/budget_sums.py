"""The sums of `budget`: over all calls that match, and over a whole trajectory (docs/pages/clauses/budget.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import FindingKind, Label, Stage, Trajectory
from toolscore_otel.rules.counting import Counted
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.shape import (
    NOTHING,
    Changes,
    RuleState,
    Standing,
    Totals,
    Verdict,
)
from toolscore_otel.rules.wording import because, calls, seconds, usd

EVIDENCE = {"latency_ms": "latency", "cost_usd": "cost"}
"""Limit of calls -> what must be observed to hold something against it."""

UNIT = {"latency_ms": 1_000_000, "cost_usd": 1_000_000_000_000, "calls": 1}
"""Limit -> how many of the sum's units (nanoseconds, picodollars, calls) make one of the limit's."""


@dataclass(slots=True)
class _Sum:
    """A running sum in whole units, so that adding and taking away leaves no rest.

    Attributes:
        known: how many values went into it.
        blind: how many were not observed.
    """

    total: int = 0
    known: int = 0
    blind: int = 0

    def add(self, value: int | None, sign: int) -> None:
        if value is None:
            self.blind += sign
        else:
            self.total += sign * value
            self.known += sign


class OfTool(RuleState):
    """One sum over all matching calls of the trajectory."""

    def __init__(
        self, limits: Mapping[str, float], reason: str | None, intake: Intake, what: str
    ) -> None:
        self._limits = limits
        self._reason = reason
        self._intake = intake
        self._what = what
        self._counted = Counted()
        self._sure = {key: _Sum() for key in limits}
        self._maybe = {key: _Sum() for key in limits}
        self._added: dict[str, tuple[bool, dict[str, int | None]]] = {}
        self._changed = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        if answers := self._intake.put(call):
            self._take(answers)

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._changed |= self._remove(key)
        self._take(self._intake.drop(key))

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is counted, and not copied
        """The sums are the same, and the call that passed them says who called."""
        self._changed = True

    def changes(self) -> Changes:
        """Which limits are passed now."""
        if not self._changed:
            return NOTHING
        self._changed = False
        return self._standing.changes({key: self._failed(key) for key in self._limits})

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - the calls are known
        """What stands, and what could not be seen."""
        verdicts = {key: self._failed(key) or self._unknown(key) for key in self._limits}
        return self._standing.changes(verdicts)

    def _take(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            if call.call.key in self._added:
                self._changed |= self._remove(call.call.key)
            if self._counted.put(call, answer):
                values = {limit: units_of(limit, call) for limit in self._limits}
                self._add(values, sure=answer is Answer.YES, sign=1)
                self._added[call.call.key] = (answer is Answer.YES, values)
                self._changed = True

    def _remove(self, key: str) -> bool:
        self._counted.drop(key)
        known = self._added.pop(key, None)
        if known is not None:
            self._add(known[1], sure=known[0], sign=-1)
        return known is not None

    def _add(self, values: Mapping[str, int | None], *, sure: bool, sign: int) -> None:
        sums = self._sure if sure else self._maybe
        for limit, value in values.items():
            sums[limit].add(value, sign)

    def _failed(self, key: str) -> Verdict | None:
        sure, limit, counted = self._sure[key], self._limits[key], self._counted
        if sure.total <= _in_units(key, limit):
            return None
        at_least = "at least " if sure.blind else ""
        spent = f" {_WHOLE[key]} {at_least}{said(key, sure.total / UNIT[key])}"
        made = f"{calls(counted.sure)} of {self._what}{'' if key == 'calls' else spent}"
        text = f"{made}, more than the budget of {said(key, limit)}"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=because(text, self._reason),
            call=counted.nth(-1).call,
            count=counted.sure,
            first=counted.nth(0).call,
            last=counted.nth(-1).call,
        )

    def _unknown(self, key: str) -> Verdict | None:
        limit, counted = self._limits[key], self._counted
        missing = self._missing(key, limit)
        if not missing:
            return None
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=f"whether calls of {self._what} {_WHOLE[key]} more than {said(key, limit)}",
            count=counted.sure + counted.maybe,
            missing=missing,
        )

    def _missing(self, key: str, limit: float) -> tuple[str, ...]:
        """What was not observed and could turn the verdict. An unknown cost counts as nothing, unless none is known."""
        sure, maybe = self._sure[key], self._maybe[key]
        is_known_in_part = key == "cost_usd" and sure.known > 0
        if sure.blind and not is_known_in_part:
            return (EVIDENCE[key],)
        words = self._counted.missing(self._intake.missing)
        if maybe.blind and not is_known_in_part:
            return (*words, EVIDENCE[key])
        return words if sure.total + maybe.total > _in_units(key, limit) else ()


class OfWhole(RuleState):
    """Sums over a whole trajectory; single calls do not matter.

    Args:
        limits: by key.
        reason: of the rule.
        whole: the trajectory, in words.
    """

    def __init__(self, limits: Mapping[str, float], reason: str | None, whole: str) -> None:
        self._limits = limits
        self._reason = reason
        self._whole = whole
        self._totals = Totals()
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        """A call; it stands in the sums."""

    def drop(self, key: str) -> None:
        """A call is gone."""

    def total(self, totals: Totals) -> None:
        """The sums changed."""
        self._totals = totals

    def changes(self) -> Changes:
        """Which limits are passed now."""
        return self._standing.changes({key: self._failed(key) for key in self._limits})

    def close(self, trajectory: Trajectory | None) -> Changes:
        """What stands, and what could not be seen."""
        if trajectory is None:
            return self._standing.changes(dict.fromkeys(self._limits))
        verdicts = {key: self._failed(key) or self._unknown(key) for key in self._limits}
        return self._standing.changes(verdicts)

    def _failed(self, key: str) -> Verdict | None:
        limit, spent = self._limits[key], _of_totals(key, self._totals)
        if spent is None or spent <= limit:
            return None
        at_least = "at least " if _LACKS[key] & self._totals.lacking else ""
        spent_in_all = f"{self._whole} {_WHOLE[key]} {at_least}{said(key, spent)}"
        text = f"{spent_in_all}, more than the budget of {said(key, limit)}"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=because(text, self._reason),
        )

    def _unknown(self, key: str) -> Verdict | None:
        """An unknown cost counts as nothing, unless none is known."""
        missing = tuple(sorted(_LACKS[key] & self._totals.lacking))
        if not missing or (key == "cost_usd" and self._totals.cost_usd is not None):
            return None
        limit = said(key, self._limits[key])
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=f"whether {self._whole} {_WHOLE[key]} more than {limit}",
            missing=missing,
        )


_LACKS = {
    "latency_ms": frozenset({"latency"}),
    "active_ms": frozenset({"times", "dispatch"}),
    "cost_usd": frozenset({"cost"}),
    "tokens": frozenset({"tokens"}),
    "calls": frozenset[str](),
}
"""Limit -> the evidence without which the sum may be more than what is known."""

_WHOLE = {
    "latency_ms": "took",
    "active_ms": "was at work for",
    "cost_usd": "cost",
    "tokens": "used",
    "calls": "made",
}


def said(key: str, value: float) -> str:
    """A sum for people."""
    if key == "cost_usd":
        return usd(value)
    if key in ("latency_ms", "active_ms"):
        return seconds(value * 1e6)
    return calls(round(value)) if key == "calls" else f"{value:,.0f} {key}"


def _in_units(key: str, limit: float) -> int:
    return round(limit * UNIT[key])


def units_of(key: str, call: JudgedCall) -> int | None:
    """What a call adds to a sum, in whole units; None where that was not observed."""
    told = call.call
    if key == "calls":
        return 1
    if key == "cost_usd":
        return None if told.cost_usd is None else round(told.cost_usd * UNIT[key])
    if told.start_ns is None or told.end_ns is None or told.stage is Stage.REQUESTED:
        return None
    return max(0, told.end_ns - told.start_ns)


def _of_totals(key: str, totals: Totals) -> float | None:
    if key in _TIMES:
        ns: int | None = getattr(totals, _TIMES[key])
        return None if ns is None else ns / 1e6
    found: float | None = getattr(totals, key)
    return found


_TIMES = {"latency_ms": "latency_ns", "active_ms": "active_ns"}
