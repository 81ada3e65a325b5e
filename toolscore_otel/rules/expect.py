"""`expect`: the calls that a run should consist of, for replay and gates (docs/pages/clauses/expect.md).

Expected and made calls are paired: first by tool and whatever else an entry says beside its arguments, as many as can
be, then by arguments. What finds no partner is missing or unexpected; a pair whose arguments differ is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.matchers.value import is_list
from toolscore_otel.metrics.expected_calls import ExpectedCall, expected_calls
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.model import FindingKind, Scope, Trajectory
from toolscore_otel.rules.expectation import Expectation
from toolscore_otel.rules.expected_run import Run
from toolscore_otel.rules.intake import order_of
from toolscore_otel.rules.items import selector_items
from toolscore_otel.rules.score_bounds import ScoreBounds, beyond, bounds_of
from toolscore_otel.rules.shape import (
    NOTHING,
    Changes,
    Common,
    Compiled,
    Item,
    RuleState,
    may_hide_calls,
)
from toolscore_otel.rules.when import When, applies

Order = Literal["strict", "in_order", "any_order", "superset", "subset"]

_NO_OTHERS = frozenset({"strict", "any_order", "subset"})
"""Orders that allow no call beside the expected ones."""


class Expect(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At closing, at most one finding of each kind: calls that are missing, unexpected or wrong, and scores beyond a bound.

    Attributes:
        when: trajectories that it is about; left out, all.
        calls: selectors, each of a call of its own; none: nothing may be called.
        order: whether other calls are allowed (`in_order`, `superset`), and whether some may be missing (`subset`).
        min: the least that scores may be.
        max: the most that scores may be.
    """

    calls: list[Any] | UnsetType = UNSET
    when: When | UnsetType = UNSET
    order: Order = "in_order"
    min: ScoreBounds | UnsetType = UNSET
    max: ScoreBounds | UnsetType = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: an entry of `calls` that is no selector, `when` that names nothing, bounds that cannot be held,
                or nothing to expect.
        """
        expected = self._expected()
        has_calls = expected is not None
        expectation = Expectation(
            expected, applies(self.when), bounds_of(self.min, self.max, has_calls=has_calls)
        )
        if not (has_calls or expectation.bounds):
            raise MatcherError((), "`expect` needs `calls`, `min` or `max`")
        selectors = [one.who for one in expected or ()]
        names = [selector.tools or frozenset() for selector in selectors]
        alone = _is_alone(self, expectation)
        return Compiled(
            record=self,
            start=lambda _: _Expecting(self, expectation, alone=alone),
            scope=self.scope or Scope.TRACE,
            tools=None if alone or not all(names) else frozenset[str]().union(*names),
            uses_agent=any(selector.uses_agent for selector in selectors),
            without_calls=True,
            asks=frozenset() if self.when is UNSET else frozenset(self.when.attributes),
            expectation=expectation,
        )

    def _expected(self) -> tuple[ExpectedCall, ...] | None:
        if self.calls is UNSET:
            return None
        try:
            return expected_calls(self.calls)
        except MatcherError as error:
            raise error.below("calls") from error


def _is_alone(rule: Expect, expectation: Expectation) -> bool:
    """Whether no call is allowed beside the expected ones."""
    if expectation.calls is None:
        return False
    return rule.order in _NO_OTHERS or not expectation.calls


def items(data: object) -> Iterator[Item]:
    """The rule items of an `expect` clause.

    Raises:
        MatcherError: no list, an empty one, an item that is no mapping, or `calls` that are no list.
    """
    for item in selector_items("expect", data):
        if "calls" in item.data and not is_list(item.data["calls"]):
            raise MatcherError((*item.path, "calls"), "`calls` takes a list of selectors")
        yield item


class _Expecting(RuleState):
    def __init__(self, rule: Expect, expectation: Expectation, *, alone: bool) -> None:
        self._rule = rule
        self._expectation = expectation
        self._alone = alone
        self._calls: dict[str, JudgedCall] = {}
        self._scores: Mapping[str, ScoreRange] = {}

    def put(self, call: JudgedCall) -> None:
        self._calls[call.call.key] = call

    def drop(self, key: str) -> None:
        self._calls.pop(key, None)

    def changes(self) -> Changes:
        return NOTHING

    def score(self, scores: Mapping[str, ScoreRange]) -> None:
        self._scores = scores

    def close(self, trajectory: Trajectory | None) -> Changes:
        if trajectory is None or not self._expectation.is_meant(trajectory):
            return dict.fromkeys(_KINDS)
        said = beyond(self._expectation.bounds, self._scores, self._rule.reason)
        if self._expectation.calls is None:
            return said
        made = sorted(self._calls.values(), key=order_of)
        run = Run(
            self._expectation.calls,
            made,
            reason=self._rule.reason,
            hidden=may_hide_calls(trajectory),
        )
        return {
            _MISSING: None if self._rule.order == "subset" else run.missing(),
            _UNEXPECTED: run.unexpected() if self._alone else None,
            _WRONG: run.wrong(),
            **said,
        }


_MISSING, _UNEXPECTED, _WRONG = (
    FindingKind.MISSING_CALL.value,
    FindingKind.UNEXPECTED_CALL.value,
    FindingKind.WRONG_ARGUMENTS.value,
)
_KINDS = (
    *(_MISSING, _UNEXPECTED, _WRONG),
    *(FindingKind.SCORE_BELOW.value, FindingKind.SCORE_ABOVE.value),
)
