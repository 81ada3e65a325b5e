"""`limit`: how often something may be called (contract language, section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from toolscore_otel.matchers import JudgedCall, MatcherError, Selector
from toolscore_otel.model import FindingKind
from toolscore_otel.rules.counting import Counted, over
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_items, selector_of
from toolscore_otel.rules.shape import (
    NOTHING,
    TRAJECTORY,
    CallRule,
    Changes,
    Compiled,
    Item,
    RuleState,
)


class Limit(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More matching calls than `max` are one finding, on the call that first passed it.

    Attributes:
        max: how many are allowed.
        per: what is counted over; this version counts over the rule's scope.
        unless: excused calls are not counted.
    """

    max: int
    per: str | None = None
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, a negative `max`, or a `per` that is not the scope.
        """
        if self.max < 0:
            raise MatcherError(("max",), "`max` is a number of calls, 0 or more")
        scope = self.scope.value if self.scope else "trace"
        if self.per is not None and self.per != scope:
            raise MatcherError(
                ("per",),
                f"`per: {self.per}` is not supported by this version: it counts per `{scope}`, the rule's scope",
            )
        selector = selector_of(self, default_stage="executed")
        excuses = Excuses(self.unless)
        return Compiled(
            record=self,
            kind=FindingKind.LIMIT_EXCEEDED,
            start=lambda _: _Limiting(self, selector, Intake(selector.match, excuses)),
            tools=None if excuses.reorders else selector.tools,
            uses_agent=selector.uses_agent or excuses.uses_agent,
            deferred=excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `limit` clause."""
    return selector_items("limit", data)


class _Limiting(RuleState):
    def __init__(self, rule: Limit, selector: Selector, intake: Intake) -> None:
        self._rule = rule
        self._selector = selector
        self._intake = intake
        self._counted = Counted()
        self._standing = False

    def put(self, call: JudgedCall) -> Changes:
        return self._now() if self._counted.put(self._intake.put(call)) else NOTHING

    def drop(self, key: str) -> Changes:
        changed = self._counted.drop(key)
        changed |= self._counted.put(self._intake.drop(key))
        return self._now() if changed else NOTHING

    def _now(self) -> Changes:
        verdict = over(self._counted, self._rule.max, self._selector, self._rule.reason)
        if verdict is None and not self._standing:
            return NOTHING
        self._standing = verdict is not None
        return {TRAJECTORY: verdict}
