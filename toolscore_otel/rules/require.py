"""`require`: calls that must happen (docs/pages/clauses/require.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from toolscore_otel.matchers import MatcherError, Selector
from toolscore_otel.model import Scope
from toolscore_otel.rules.items import selector_items, selector_keys, selector_of
from toolscore_otel.rules.requiring import Asking, Requiring
from toolscore_otel.rules.shape import CallRule, Compiled, Item


class By(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By when calls must have happened; one of the two.

    Attributes:
        before: selector: before the first such call; without one the rule has nothing to say.
        within_ms: they must have ended so many ms after the trajectory's first span began.
    """

    before: Any = UNSET
    within_ms: float | UnsetType = UNSET


class Require(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At least `min`, at most `max` matching calls.

    Too few are one finding of kind `missing_call`: on the trajectory, at closing, or on the call that they should have been
    before. Too many are one finding of kind `limit_exceeded`, on the call that passed it.

    Attributes:
        min: how many there must be.
        max: how many there may be.
        by: by when `min` of them must have happened.
        if_: `if`: selector; the rule holds only where such a call was made.
    """

    min: int = 1
    max: int | None = None
    by: By | None = None
    if_: Any = field(default=UNSET, name="if")

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, or bounds that no number of calls can meet.
        """
        self._check()
        asking = self._asking()
        selectors = [s for s in (asking.selector, asking.before, asking.condition) if s is not None]
        return Compiled(
            record=self,
            start=lambda _: Requiring(asking),
            scope=self.scope or Scope.TRACE,
            tools=_union(selectors),
            uses_agent=any(selector.uses_agent for selector in selectors),
            deferred=asking.before is not None,
            without_calls=True,
        )

    def _check(self) -> None:
        if self.min < 0:
            raise MatcherError(("min",), "`min` is a number of calls, 0 or more")
        if self.max is not None and self.max < self.min:
            raise MatcherError(("max",), f"`max: {self.max}` is below `min: {self.min}`")
        if self.by is None:
            return
        if (self.by.before is UNSET) == (self.by.within_ms is UNSET):
            raise MatcherError(("by",), "`by` takes one of `before` and `within_ms`")
        if self.by.within_ms is not UNSET and self.by.within_ms < 0:
            raise MatcherError(("by", "within_ms"), "`within_ms` is a time, 0 or more")

    def _asking(self) -> Asking:
        by = self.by or By()
        within = by.within_ms
        return Asking(
            least=self.min,
            most=self.max,
            reason=self.reason,
            selector=selector_of(self, default_stage="executed"),
            could_match=_had_it_run(self),
            before=_below(by.before, ("before", "by")),
            condition=_below(self.if_, ("if",)),
            within_ns=None if within is UNSET else round(within * 1_000_000),
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `require` clause."""
    return selector_items("require", data)


def _had_it_run(rule: Require) -> Selector | None:
    """What a call that was only asked for must match to be one of those that are lacking; None: it is counted itself."""
    if rule.stage in ("requested", "any"):
        return None
    return Selector.of({**selector_keys(rule), "stage": "any"})


def _below(data: Any, steps: tuple[str, ...]) -> Selector | None:
    """The selector of a key; its errors lie below these steps, the innermost first."""
    if data is UNSET:
        return None
    try:
        return Selector.of(data, default_stage="executed")
    except MatcherError as error:
        for step in steps:
            error = error.below(step)
        raise error from error.__cause__


def _union(selectors: list[Selector]) -> frozenset[str] | None:
    """All names that some of them is about; None where one may be about any."""
    named = [selector.tools for selector in selectors if selector.tools is not None]
    return frozenset(chain.from_iterable(named)) if len(named) == len(selectors) else None
