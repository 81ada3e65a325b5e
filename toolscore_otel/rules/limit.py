"""`limit`: how often something may be called, and for how much (docs/pages/clauses/limit.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from msgspec import UNSET

from toolscore_otel.errors import clip
from toolscore_otel.matchers import Answer, JudgedCall, MatcherError
from toolscore_otel.model import Scope, Trajectory
from toolscore_otel.rules import amount
from toolscore_otel.rules.counting import Counted, may_pass, passed
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
    RunContext,
    Standing,
)
from toolscore_otel.rules.tallying import Measured, Tallying
from toolscore_otel.rules.wording import seconds

_SCOPES = tuple(Scope)
_UNITS_NS = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DURATION = re.compile(r"(\d{1,9})(ms|s|m|h)", re.ASCII)


class Limit(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More matching calls than `max` are one finding, on the call that first passed it.

    Attributes:
        max: how many are allowed, or how much.
        per: what is counted over, `trace`, `agent` or `session`, or a duration such as `60s`: a sliding window within
            the rule's scope; left out, the rule's scope.
        sum: path of a number in the arguments that is added up, instead of calls.
        distinct: path of a value in the arguments; how many different ones there are is counted, instead of calls.
        unless: excused calls are not counted.
    """

    max: int | float
    per: str | None = None
    sum: str | None = None
    distinct: str | None = None
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, a `max` that cannot be passed or met, a `per` that is neither scope nor
                duration, or a path of no single argument.
        """
        self._check()
        selector = selector_of(self, default_stage="executed")
        excuses = Excuses(self.unless)
        window_ns = None if self.per is None or self.per in _SCOPES else _nanoseconds(self.per)
        measured = self._measured(window_ns)

        def start(_: RunContext) -> RuleState:
            what, intake = selector.describe(), Intake(selector, excuses)
            if measured is None:
                return _Counting(self, what, intake)
            return Tallying(self.reason, what, intake, measured)

        return Compiled(
            record=self,
            start=start,
            scope=Scope(self.per) if self.per in _SCOPES else self.scope or Scope.TRACE,
            tools=None if excuses.reorders else selector.tools,
            uses_agent=selector.uses_agent or excuses.uses_agent,
            deferred=excuses.reorders,
        )

    def _check(self) -> None:
        if self.max < 0:
            raise MatcherError(("max",), f"`max` is {self._of}, 0 or more")
        if self.sum is None and self.max != int(self.max):
            raise MatcherError(("max",), f"`max` is {self._of}, a whole one")
        if self.sum is not None and self.distinct is not None:
            message = "`sum` and `distinct` count different things: give one, or write two rules"
            raise MatcherError(("distinct",), message)

    @property
    def _of(self) -> str:
        if self.sum is not None:
            return "a sum"
        return "a number of calls" if self.distinct is None else "a number of values"

    def _measured(self, window_ns: int | None) -> Measured | None:
        """What it measures beside the calls of a whole trajectory."""
        within = "" if window_ns is None else f" within {seconds(window_ns)}"
        over = f"more than {self.max:,}"
        most = amount.exact(self.max)
        if self.sum is not None:
            steps = amount.steps_in_arguments("sum", self.sum)
            path = ".".join(steps)
            return Measured(
                most,
                window_ns,
                amount.number_at(steps),
                amount.Sum,
                lambda made: f"`{path}` of {made} adds up to {over}{within}",
                f"args.{path}",
            )
        if self.distinct is not None:
            steps = amount.steps_in_arguments("distinct", self.distinct)
            path = ".".join(steps)
            return Measured(
                most,
                window_ns,
                amount.value_of(steps),
                amount.Distinct,
                lambda made: f"`{path}` of {made} has {over} different values{within}",
                f"args.{path}",
            )
        if window_ns is None:
            return None
        return Measured(
            most,
            window_ns,
            amount.itself(),
            amount.Sum,
            lambda made: f"{made} come to {over}{within}",
            None,
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


def _nanoseconds(per: str) -> int:
    found = _DURATION.fullmatch(per)
    length = int(found[1]) * _UNITS_NS[found[2]] if found else 0
    if length == 0:
        scopes = ", ".join(f"`{scope}`" for scope in _SCOPES)
        message = f"`per` is {scopes} or a duration such as `500ms`, `60s`, `5m`, `1h`"
        near = get_close_matches(per, _SCOPES, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise MatcherError(("per",), f"{message}, not `{clip(per)}`{hint}")
    return length


class _Counting(RuleState):
    """Calls of a whole trajectory."""

    def __init__(self, rule: Limit, what: str, intake: Intake) -> None:
        self._most = int(rule.max)
        self._reason = rule.reason
        self._what = what
        self._intake = intake
        self._counted = Counted()
        self._changed = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        if answers := self._intake.put(call):
            self._count(answers)

    def drop(self, key: str) -> None:
        self._changed |= self._counted.drop(key)
        self._count(self._intake.drop(key))

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is counted, and not copied
        self._changed = True

    def changes(self) -> Changes:
        if not self._changed:
            return NOTHING
        self._changed = False
        verdict = passed(self._counted, self._most, self._what, self._reason)
        return self._standing.change(TRAJECTORY, verdict)

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - the calls are known
        if self._counted.sure > self._most:
            return NOTHING
        return {TRAJECTORY: may_pass(self._counted, self._most, self._what, self._intake.missing)}

    def _count(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            self._changed |= self._counted.put(call, answer)
