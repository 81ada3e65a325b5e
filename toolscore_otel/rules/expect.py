"""`expect`: the calls that a run should consist of, for replay and gates (contract language, section 14).

Expected and made calls are paired: first by tool and whatever else an entry says beside its arguments, as many as can
be, then by arguments. What finds no partner is missing or unexpected; a pair whose arguments differ is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import FindingKind, Gap, Scope, Trajectory
from toolscore_otel.rules.expected import Expected, expected_calls
from toolscore_otel.rules.expected_run import Run
from toolscore_otel.rules.intake import order_of
from toolscore_otel.rules.items import selector_items
from toolscore_otel.rules.shape import (
    NOTHING,
    Changes,
    Common,
    Compiled,
    Item,
    RuleState,
)
from toolscore_otel.rules.when import When, applies

Order = Literal["strict", "in_order", "any_order", "superset", "subset"]

_MAY_HIDE_CALLS = frozenset({Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING})

_NO_OTHERS = frozenset({"strict", "any_order", "subset"})
"""Orders that allow no call beside the expected ones."""


class Expect(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At closing, at most one finding of each kind: `missing_call`, `unexpected_call`, `wrong_arguments`.

    Attributes:
        when: trajectories that it is about; left out, all.
        calls: selectors, each of a call of its own; none: nothing may be called.
        order: whether other calls are allowed (`in_order`, `superset`), and whether some may be missing (`subset`).
    """

    calls: list[Any]
    when: When | UnsetType = UNSET
    order: Order = "in_order"

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: an entry of `calls` that is no selector, or `when` that names nothing.
        """
        expected = expected_calls(self.calls)
        is_meant = applies(self.when)
        alone = self.order in _NO_OTHERS or not expected
        selectors = [one.who for one in expected]
        names = [selector.tools or frozenset() for selector in selectors]
        return Compiled(
            record=self,
            start=lambda _: _Expecting(self, expected, is_meant, alone=alone),
            scope=self.scope or Scope.TRACE,
            tools=None if alone or not all(names) else frozenset[str]().union(*names),
            uses_agent=any(selector.uses_agent for selector in selectors),
            without_calls=True,
            asks=frozenset() if self.when is UNSET else frozenset(self.when.attributes),
        )


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
    def __init__(
        self,
        rule: Expect,
        expected: Sequence[Expected],
        is_meant: Callable[[Trajectory], bool],
        *,
        alone: bool,
    ) -> None:
        self._rule = rule
        self._expected = expected
        self._is_meant = is_meant
        self._alone = alone
        self._calls: dict[str, JudgedCall] = {}

    def put(self, call: JudgedCall) -> None:
        self._calls[call.call.key] = call

    def drop(self, key: str) -> None:
        self._calls.pop(key, None)

    def changes(self) -> Changes:
        return NOTHING

    def close(self, trajectory: Trajectory | None) -> Changes:
        if trajectory is None or not self._is_meant(trajectory):
            return dict.fromkeys(_KINDS)
        made = sorted(self._calls.values(), key=order_of)
        hidden = not _MAY_HIDE_CALLS.isdisjoint(trajectory.gaps)
        run = Run(self._expected, made, reason=self._rule.reason, hidden=hidden)
        return {
            _MISSING: None if self._rule.order == "subset" else run.missing(),
            _UNEXPECTED: run.unexpected() if self._alone else None,
            _WRONG: run.wrong(),
        }


_MISSING, _UNEXPECTED, _WRONG = _KINDS = (
    FindingKind.MISSING_CALL.value,
    FindingKind.UNEXPECTED_CALL.value,
    FindingKind.WRONG_ARGUMENTS.value,
)
