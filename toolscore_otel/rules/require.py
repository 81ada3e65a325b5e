"""`require`: calls that must happen (contract language, section 7)."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector
from toolscore_otel.model import FindingKind, Gap, Label, Stage, Trajectory
from toolscore_otel.rules.counting import Counted, over
from toolscore_otel.rules.items import selector_items, selector_of
from toolscore_otel.rules.shape import (
    NOTHING,
    CallRule,
    Changes,
    Compiled,
    Item,
    RuleState,
    Verdict,
)
from toolscore_otel.rules.wording import because, times, unseen

MISSING = "missing_call"
TOO_MANY = "limit_exceeded"

_MAY_HIDE_CALLS = frozenset({Gap.SPAN_LIMIT, Gap.FRAGMENT})


class Require(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At least `min`, at most `max` matching calls.

    Too few are one finding of kind `missing_call` on the trajectory, at closing. Too many are one finding of kind
    `limit_exceeded`, on the call that passed it.
    """

    min: int = 1
    max: int | None = None

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, or bounds that no number of calls can meet.
        """
        if self.min < 0:
            raise MatcherError(("min",), "`min` is a number of calls, 0 or more")
        if self.max is not None and self.max < self.min:
            raise MatcherError(("max",), f"`max: {self.max}` is below `min: {self.min}`")
        selector = selector_of(self, default_stage="executed")
        asked = selector_of(self, default_stage="any")
        return Compiled(
            record=self,
            kind=FindingKind.MISSING_CALL,
            start=lambda _: _Requiring(self, selector, asked),
            tools=selector.tools,
            uses_agent=selector.uses_agent,
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `require` clause."""
    return selector_items("require", data)


class _Requiring(RuleState):
    def __init__(self, rule: Require, selector: Selector, asked: Selector) -> None:
        self._rule = rule
        self._selector = selector
        self._asked = asked
        self._counted = Counted()
        self._only_asked: set[str] = set()
        self._too_many = False

    def put(self, call: JudgedCall) -> Changes:
        key = call.call.key
        self._only_asked.discard(key)
        if call.call.stage is Stage.REQUESTED and self._asked.match(call) is not Answer.NO:
            self._only_asked.add(key)
        changed = self._counted.put([(call, self._selector.match(call))])
        return self._passed() if changed else NOTHING

    def drop(self, key: str) -> Changes:
        self._only_asked.discard(key)
        return self._passed() if self._counted.drop(key) else NOTHING

    def close(self, trajectory: Trajectory) -> Changes:
        return {MISSING: self._lacking(trajectory)}

    def _passed(self) -> Changes:
        if self._rule.max is None:
            return NOTHING
        verdict = over(self._counted, self._rule.max, self._selector, self._rule.reason)
        if verdict is None and not self._too_many:
            return NOTHING
        self._too_many = verdict is not None
        return {TOO_MANY: verdict}

    def _lacking(self, trajectory: Trajectory) -> Verdict | None:
        counted, need = self._counted, self._rule.min
        if counted.sure >= need:
            return None
        what = self._selector.describe()
        maybe = counted.sure + counted.maybe
        hidden = not _MAY_HIDE_CALLS.isdisjoint(trajectory.gaps)
        if maybe >= need or hidden or maybe + len(self._only_asked) >= need:
            missing = {word for call in counted.unsure() for word in self._selector.missing(call)}
            missing |= {"spans"} if hidden or maybe < need else set()
            return Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.MISSING_CALL,
                explanation=unseen(f"whether {what} was called", missing),
                count=max(1, counted.maybe),
                missing=tuple(sorted(missing)),
            )
        seen = "never called" if counted.sure == 0 else f"called only {times(counted.sure)}"
        wanted = "" if need == 1 else f" where at least {need} calls are required"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.MISSING_CALL,
            explanation=because(f"{what} was {seen}{wanted}", self._rule.reason),
            count=counted.sure,
        )
