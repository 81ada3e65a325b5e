"""`limit`: how often something may be called (contract language, section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError
from toolscore_otel.model import Scope
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
    Standing,
)

_SCOPES = ("trace", "agent")


class Limit(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More matching calls than `max` are one finding, on the call that first passed it.

    Attributes:
        max: how many are allowed.
        per: what is counted over, `trace` or `agent`; left out, the rule's scope.
        unless: excused calls are not counted.
    """

    max: int
    per: str | None = None
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, a negative `max`, or a `per` that is unknown.
        """
        if self.max < 0:
            raise MatcherError(("max",), "`max` is a number of calls, 0 or more")
        if self.per not in (None, *_SCOPES):
            raise MatcherError(("per",), f"`per: {self.per}` is not supported by this version")
        selector = selector_of(self, default_stage="executed")
        excuses = Excuses(self.unless)

        return Compiled(
            record=self,
            start=lambda _: _Limiting(self, selector.describe(), Intake(selector, excuses)),
            scope=Scope(self.per) if self.per else self.scope or Scope.TRACE,
            tools=None if excuses.reorders else selector.tools,
            uses_agent=selector.uses_agent or excuses.uses_agent,
            deferred=excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `limit` clause.

    Raises:
        MatcherError: as `selector_items`, or an item whose `per` says another scope than its own `scope`.
    """
    for item in selector_items("limit", data):
        per, scope = item.data.get("per"), item.data.get("scope")
        if per in _SCOPES and scope in _SCOPES and per != scope:
            message = f"`per: {per}` counts over another scope than `scope: {scope}`: leave one out"
            raise MatcherError((*item.path, "per"), message)
        yield item


class _Limiting(RuleState):
    def __init__(self, rule: Limit, what: str, intake: Intake) -> None:
        self._rule = rule
        self._what = what
        self._intake = intake
        self._counted = Counted()
        self._changed = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        self._count(self._intake.put(call))

    def drop(self, key: str) -> None:
        self._changed |= self._counted.drop(key)
        self._count(self._intake.drop(key))

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is counted, and not copied
        self._changed = True

    def changes(self) -> Changes:
        if not self._changed:
            return NOTHING
        self._changed = False
        rule = self._rule
        verdict = over(self._counted, rule.max, self._what, rule.reason, self._intake.missing)
        return self._standing.changes({TRAJECTORY: verdict})

    def _count(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            self._changed |= self._counted.put(call, answer)
