"""`require`: calls that must happen (contract language, section 7)."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector
from toolscore_otel.model import FindingKind, Gap, Label, Scope, Stage, Trajectory
from toolscore_otel.rules.counting import Counted, over
from toolscore_otel.rules.items import selector_items, selector_keys, selector_of
from toolscore_otel.rules.shape import (
    NOTHING,
    CallRule,
    Changes,
    Compiled,
    Item,
    RuleState,
    Standing,
    Verdict,
)
from toolscore_otel.rules.wording import because, calls

MISSING = FindingKind.MISSING_CALL.value
TOO_MANY = FindingKind.LIMIT_EXCEEDED.value

_MAY_HIDE_CALLS = frozenset({Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING})


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
        could_match = _had_it_run(self)
        return Compiled(
            record=self,
            start=lambda _: _Requiring(self, selector, could_match),
            scope=self.scope or Scope.TRACE,
            tools=selector.tools,
            uses_agent=selector.uses_agent,
            without_calls=True,
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `require` clause."""
    return selector_items("require", data)


def _had_it_run(rule: Require) -> Selector | None:
    """What a call that was only asked for must match to be one of those that are lacking; None: it is counted itself."""
    if rule.stage in ("requested", "any"):
        return None
    return Selector.of({**selector_keys(rule), "stage": "any"})


class _Requiring(RuleState):
    def __init__(self, rule: Require, selector: Selector, could_match: Selector | None) -> None:
        self._rule = rule
        self._selector = selector
        self._could_match = could_match
        self._counted = Counted()
        self._asked: set[str] = set()
        self._changed = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        could = self._could_match
        if could is None or call.call.stage is not Stage.REQUESTED:
            self._changed |= self._counted.put(call, self._selector.match(call))
        elif could.match(call) is not Answer.NO:
            self._asked.add(call.call.key)

    def drop(self, key: str) -> None:
        self._asked.discard(key)
        self._changed |= self._counted.drop(key)

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is counted, and not copied
        self._changed = True

    def changes(self) -> Changes:
        rule, selector = self._rule, self._selector
        if rule.max is None or not self._changed:
            return NOTHING
        self._changed = False
        what, missing = selector.describe(), selector.missing
        verdict = over(self._counted, rule.max, what, rule.reason, missing)
        return self._standing.changes({TOO_MANY: verdict})

    def close(self, trajectory: Trajectory | None) -> Changes:
        return {MISSING: None if trajectory is None else self._lacking(trajectory)}

    def _lacking(self, trajectory: Trajectory) -> Verdict | None:
        counted, need = self._counted, self._rule.min
        if counted.sure >= need:
            return None
        what, seen = self._selector.describe(), counted.sure + counted.maybe
        missing = {*counted.missing(self._selector.missing)}
        hidden = not _MAY_HIDE_CALLS.isdisjoint(trajectory.gaps)
        if seen < need and (hidden or seen + len(self._asked) >= need):
            missing.add("spans")
        elif seen < need:
            only = "at most" if counted.maybe else "only"
            made = f"{only} {calls(seen)}" if seen else "no call"
            wanted = "one is required" if need == 1 else f"at least {need} are required"
            return Verdict(
                label=Label.FAIL,
                kind=FindingKind.MISSING_CALL,
                explanation=because(f"{made} of {what}, where {wanted}", self._rule.reason),
            )
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.MISSING_CALL,
            explanation=f"whether there {'was' if need == 1 else 'were'} {calls(need)} of {what}",
            count=max(1, counted.maybe + len(self._asked)),
            missing=tuple(sorted(missing)),
        )
