"""`budget`: time and money of a call, of a tool's calls together, or of the whole (docs/pages/clauses/budget.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from msgspec import UNSET

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector
from toolscore_otel.model import FindingKind, Label, Scope
from toolscore_otel.rules.budget_sums import EVIDENCE, UNIT, OfTool, OfWhole, said, units_of
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_items, selector_keys
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import (
    CallRule,
    Compiled,
    Item,
    RuleState,
    RunContext,
    Verdict,
    subject_of,
)
from toolscore_otel.rules.wording import because, tool_of

_LIMITS = ("latency_ms", "active_ms", "tokens", "cost_usd", "calls")
_OF_CALLS = tuple(EVIDENCE)
_OF_TOOL = (*_OF_CALLS, "calls")
_WHOLES = {"agent": "the agent invocation", "trace": "the trace", "session": "the session"}


class Budget(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each limit that is passed is a finding of kind `budget_exceeded`.

    Attributes:
        of: `call` (each alone), `tool` (all matching calls of the trajectory together), or a whole: `agent`, `trace` or
            `session`.
        latency_ms: of a call or of all matching calls together; of a whole, last end minus first start.
        active_ms: how long some tool or model of a whole was at work; a person who is waited for is none.
        cost_usd: what is known; an unknown cost counts as nothing and is said.
        tokens: input and output of all model calls of a whole.
        calls: all matching calls; of a whole, executed ones of kind `tool`.
        unless: excused calls are not counted.
    """

    of: Literal["call", "tool", "agent", "trace", "session"]
    latency_ms: float | None = None
    active_ms: float | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, no limit at all, or a key that does not go with `of`.
        """
        _check(self)
        if self.of in _WHOLES:
            limits, whole = self.limits(), _WHOLES[self.of]
            return Compiled(
                record=self,
                start=lambda _: OfWhole(limits, self.reason, whole),
                scope=Scope(self.of),
                tools=frozenset(),
                uses_totals=True,
                uses_active=self.active_ms is not None,
                without_calls=True,
            )
        return self._of_calls()

    def _of_calls(self) -> Compiled:
        keys = selector_keys(self, but=_OF_CALLS)
        selector = Selector.of(keys, default_stage="executed") if keys else _ANY_TOOL
        excuses, limits = Excuses(self.unless), self.limits()

        def start(_: RunContext) -> RuleState:
            intake = Intake(selector, excuses)
            if self.of == "call":
                return PerCall(intake, partial(self.judge, limits))
            what = "any tool" if selector is _ANY_TOOL else selector.describe()
            return OfTool(limits, self.reason, intake, what)

        return Compiled(
            record=self,
            start=start,
            scope=self.scope or Scope.TRACE,
            tools=None if excuses.reorders else selector.tools,
            uses_agent=excuses.uses_agent or selector.uses_agent,
            deferred=excuses.reorders,
            per_call=self.of == "call" and not excuses.reorders,
        )

    def judge(
        self, limits: Mapping[str, float], call: JudgedCall, answer: Answer, intake: Intake
    ) -> Mapping[str, Verdict]:
        """What stands of one call, by limit."""
        if call.timeout_ms is not None:
            limits = {"latency_ms": call.timeout_ms, **limits}
        found: dict[str, Verdict] = {}
        for key, limit in limits.items():
            spent = _spent(key, call)
            if spent is None or spent > limit:
                sure = spent is not None and answer is Answer.YES
                found[subject_of(call.call.key, key)] = Verdict(
                    label=Label.FAIL if sure else Label.CANNOT_CHECK,
                    kind=FindingKind.BUDGET_EXCEEDED,
                    explanation=self._said(key, spent or 0, limit, call, sure=sure),
                    call=call.call,
                    missing=() if sure else _missing(key, spent, call, answer, intake),
                )
        return found

    def _said(self, key: str, spent: float, limit: float, call: JudgedCall, *, sure: bool) -> str:
        tool, verb = tool_of(call.call), _VERB[key]
        if not sure:
            return f"whether this call of {tool} {verb} more than {said(key, limit)}"
        text = f"{tool} {verb} {said(key, spent)}, more than the budget of {said(key, limit)}"
        return because(text, self.reason)

    def limits(self) -> dict[str, float]:
        """The limits that are given, by key."""
        pairs = ((key, getattr(self, key)) for key in _LIMITS)
        return {key: value for key, value in pairs if value is not None}


def items(data: object) -> Iterator[Item]:
    """The rule items of a `budget` clause.

    Raises:
        MatcherError: as `selector_items`, or an item whose `of` names another whole than its own `scope`.
    """
    for item in selector_items("budget", data):
        of, scope = item.data.get("of"), item.data.get("scope")
        if isinstance(of, str) and of in _WHOLES and scope is not None and of != scope:
            message = (
                f"`of: {of}` is about another whole than `scope: {scope}`: leave the scope out"
            )
            raise MatcherError((*item.path, "scope"), message)
        yield item


def _check(rule: Budget) -> None:
    limits = rule.limits()
    for key, value in limits.items():
        if value < 0:
            raise MatcherError((key,), f"`{key}` is a limit, 0 or more")
    if rule.of in _WHOLES:
        if keys := sorted(selector_keys(rule, but=_OF_CALLS)):
            raise MatcherError(
                (keys[0],), f"`{keys[0]}` selects calls: it goes with `of: call` and `of: tool`"
            )
        if rule.unless is not UNSET:
            raise MatcherError(
                ("unless",), "`unless` excuses calls: it goes with `of: call` and `of: tool`"
            )
    else:
        known = _OF_TOOL if rule.of == "tool" else _OF_CALLS
        if strange := [key for key in limits if key not in known]:
            also = "`of: tool`, " if strange[0] in _OF_TOOL else ""
            message = f"goes with {also}`of: agent`, `of: trace` and `of: session`"
            raise MatcherError((strange[0],), f"`{strange[0]}` {message}")
    if not limits and rule.of != "call":
        raise MatcherError(
            (), "a budget needs a limit: " + ", ".join(f"`{key}`" for key in _LIMITS)
        )


_ANY_TOOL = Selector.of("*")
_VERB = {"latency_ms": "took", "cost_usd": "cost"}


def _missing(
    key: str, spent: float | None, call: JudgedCall, answer: Answer, intake: Intake
) -> tuple[str, ...]:
    words = intake.missing(call) if answer is Answer.UNKNOWN else ()
    return (*words, EVIDENCE[key]) if spent is None else words


def _spent(key: str, call: JudgedCall) -> float | None:
    units = units_of(key, call)
    return None if units is None else units / UNIT[key]
