"""The sums of `budget`: over all calls that match, and over a whole trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import FindingKind, Label, Trajectory
from toolscore_otel.rules.counting import Counted
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.shape import NOTHING, Changes, RuleState, Totals, Verdict
from toolscore_otel.rules.wording import because, seconds, unseen, usd


@dataclass(slots=True)
class _Sum:
    """A running sum in whole units, so that adding and taking away leaves no rest.

    Attributes:
        total: nanoseconds, or picodollars.
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
        self._sums = {(key, sure): _Sum() for key in limits for sure in (True, False)}
        self._answers: dict[str, bool] = {}
        self._standing: set[str] = set()

    def put(self, call: JudgedCall) -> Changes:
        """A call is new or has changed."""
        return self._take(self._intake.put(call))

    def drop(self, key: str) -> Changes:
        """A call is gone."""
        known = key in self._answers
        self._add(key, -1)
        self._counted.drop(key)
        self._answers.pop(key, None)
        changes = self._take(self._intake.drop(key))
        return self._now() if known else changes

    def _take(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> Changes:
        changed = False
        for call, answer in answers:
            key = call.call.key
            self._add(key, -1)
            self._answers.pop(key, None)
            changed |= self._counted.put([(call, answer)])
            if answer is not Answer.NO:
                self._answers[key] = answer is Answer.YES
                self._add(key, +1)
        return self._now() if changed else NOTHING

    def _add(self, key: str, sign: int) -> None:
        if (sure := self._answers.get(key)) is not None:
            for limit in self._limits:
                self._sums[limit, sure].add(_units(limit, self._counted.calls[key]), sign)

    def _now(self) -> Changes:
        changes: dict[str, Verdict | None] = {}
        for key, limit in self._limits.items():
            verdict = self._verdict(key, limit)
            if verdict is not None or key in self._standing:
                changes[key] = verdict
                (self._standing.discard if verdict is None else self._standing.add)(key)
        return changes

    def _verdict(self, key: str, limit: float) -> Verdict | None:
        sure = self._sums[key, True]
        if sure.total > limit * _UNIT[key]:
            at_least = "at least " if sure.blind else ""
            total = said(key, sure.total / _UNIT[key])
            calls = "1 call" if self._counted.sure == 1 else f"{self._counted.sure} calls"
            text = f"{self._what}: {at_least}{total} in {calls}, more than {said(key, limit)}"
            return Verdict(
                label=Label.FAIL,
                kind=FindingKind.BUDGET_EXCEEDED,
                explanation=because(text, self._reason),
                call=self._counted.nth(-1).call,
                count=self._counted.sure,
                first=self._counted.nth(0).call,
                last=self._counted.nth(-1).call,
            )
        missing = self._missing(key, limit)
        if not missing:
            return None
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=unseen(f"`{key}` of {self._what}", missing),
            count=len(self._counted.calls),
            missing=missing,
        )

    def _missing(self, key: str, limit: float) -> tuple[str, ...]:
        sure, maybe = self._sums[key, True], self._sums[key, False]
        if key == "latency_ms":
            if sure.blind:
                return ("latency",)
            if maybe.blind:
                return ("arguments", "latency")
        elif sure.blind and not sure.known:
            return ("cost",)
        passes = sure.total + maybe.total > limit * _UNIT[key]
        return ("arguments",) if passes else ()


class OfTrace(RuleState):
    """One sum over the whole trajectory."""

    def __init__(self, limits: Mapping[str, float], reason: str | None) -> None:
        self._limits = limits
        self._reason = reason
        self._standing: set[str] = set()
        self._last = Totals()

    def put(self, call: JudgedCall) -> Changes:  # noqa: ARG002 - only totals matter
        """Single calls do not matter."""
        return NOTHING

    def drop(self, key: str) -> Changes:  # noqa: ARG002 - only totals matter
        """Single calls do not matter."""
        return NOTHING

    def total(self, totals: Totals) -> Changes:
        """The sums changed: which limits are passed now."""
        self._last = totals
        changes: dict[str, Verdict | None] = {}
        for key, limit in self._limits.items():
            spent = _of_totals(key, totals)
            passed = spent is not None and spent > limit
            if passed or key in self._standing:
                changes[key] = self._failed(key, spent or 0, limit, totals) if passed else None
                (self._standing.add if passed else self._standing.discard)(key)
        return changes

    def close(self, trajectory: Trajectory) -> Changes:  # noqa: ARG002 - the totals are known
        """What could not be seen."""
        return {key: self._unknown(key) for key in self._limits if key not in self._standing}

    def _failed(self, key: str, spent: float, limit: float, totals: Totals) -> Verdict:
        at_least = "at least " if key == "cost_usd" and not totals.cost_whole else ""
        text = f"the trace {_VERB[key]} {at_least}{said(key, spent)}, more than {said(key, limit)}"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=because(text, self._reason),
        )

    def _unknown(self, key: str) -> Verdict | None:
        if _of_totals(key, self._last) is not None or (key == "cost_usd" and self._last.cost_whole):
            return None
        word = {"latency_ms": "latency", "cost_usd": "cost"}.get(key, key)
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=unseen(f"`{key}` of the trace", (word,)),
            missing=(word,),
        )


_VERB = {"latency_ms": "took", "cost_usd": "cost", "tokens": "used", "calls": "made"}


def said(key: str, value: float) -> str:
    """A sum for people."""
    if key == "cost_usd":
        return usd(value)
    if key == "latency_ms":
        return seconds(value * 1e6)
    return f"{value:,.0f} {key}"


_UNIT = {"latency_ms": 1_000_000, "cost_usd": 1_000_000_000_000}
"""Limit -> how many of the sum's units make one of the limit's."""


def _units(key: str, call: JudgedCall) -> int | None:
    if key == "cost_usd":
        cost = call.call.cost_usd
        return None if cost is None else round(cost * _UNIT[key])
    start, end = call.call.start_ns, call.call.end_ns
    return None if start is None or end is None else max(0, end - start)


def _of_totals(key: str, totals: Totals) -> float | None:
    if key == "latency_ms":
        return None if totals.latency_ns is None else totals.latency_ns / 1e6
    found: float | None = getattr(totals, key)
    return found
