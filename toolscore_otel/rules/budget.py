"""`budget`: time and money of a call, of a tool's calls together, or of the whole (contract language, section 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import UNSET

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector
from toolscore_otel.model import CallKind, FindingKind, Label, Stage
from toolscore_otel.rules.budget_sums import OfTool, OfTrace
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_items, selector_keys
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import CallRule, Compiled, Item, RuleState, RunContext, Verdict
from toolscore_otel.rules.wording import because, seconds, unseen, usd

_LIMITS = ("latency_ms", "cost_usd", "tokens", "calls")
_OF_CALLS = ("latency_ms", "cost_usd")


class Budget(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each limit that is passed is a finding of kind `budget_exceeded`.

    Attributes:
        of: `call` (each alone), `tool` (all matching calls together) or `trace` (the whole trajectory).
        latency_ms: of a call or of all matching calls together; of a trace, last end minus first start.
        cost_usd: what is known; an unknown cost counts as nothing and is said.
        tokens: input and output of all model calls; of a trace only.
        calls: executed calls of kind `tool`; of a trace only.
        unless: excused calls are not counted.
    """

    of: Literal["call", "tool", "trace"]
    latency_ms: float | None = None
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
        if self.of == "trace":
            return Compiled(
                record=self,
                kind=FindingKind.BUDGET_EXCEEDED,
                start=lambda _: OfTrace(self.limits(), self.reason),
                tools=frozenset(),
                uses_totals=True,
            )
        keys = selector_keys(self, but=_OF_CALLS)
        selector = Selector.of(keys, default_stage="executed") if keys else None
        excuses = Excuses(self.unless)
        match = selector.match if selector else _every_call

        def start(_: RunContext) -> RuleState:
            intake = Intake(match, excuses)
            if self.of == "tool":
                return OfTool(self.limits(), self.reason, intake, _what(selector))
            return PerCall(intake, lambda call, answer: _judge(self, selector, call, answer))

        return Compiled(
            record=self,
            kind=FindingKind.BUDGET_EXCEEDED,
            start=start,
            tools=None if excuses.reorders or selector is None else selector.tools,
            uses_agent=excuses.uses_agent or (selector is not None and selector.uses_agent),
            deferred=excuses.reorders,
            per_call=self.of == "call" and not excuses.reorders,
        )

    def limits(self) -> dict[str, float]:
        """The limits that are given, by key."""
        pairs = ((key, getattr(self, key)) for key in _LIMITS)
        return {key: value for key, value in pairs if value is not None}


def items(data: object) -> Iterator[Item]:
    """The rule items of a `budget` clause."""
    return selector_items("budget", data)


def _check(rule: Budget) -> None:
    limits = rule.limits()
    for key, value in limits.items():
        if value < 0:
            raise MatcherError((key,), f"`{key}` is a limit, 0 or more")
    if rule.of == "trace":
        if keys := sorted(selector_keys(rule, but=_OF_CALLS)):
            raise MatcherError(
                (keys[0],), f"`{keys[0]}` selects calls: it goes with `of: call` and `of: tool`"
            )
        if rule.unless is not UNSET:
            raise MatcherError(
                ("unless",), "`unless` excuses calls: it goes with `of: call` and `of: tool`"
            )
    else:
        for key in ("tokens", "calls"):
            if key in limits:
                raise MatcherError((key,), f"`{key}` goes with `of: trace`")
    if not limits and rule.of != "call":
        raise MatcherError(
            (), "a budget needs a limit: " + ", ".join(f"`{key}`" for key in _LIMITS)
        )


def _every_call(call: JudgedCall) -> Answer:
    made = call.call.kind is CallKind.TOOL and call.call.stage is Stage.EXECUTED
    return Answer.YES if made else Answer.NO


def _what(selector: Selector | None) -> str:
    return "all tools together" if selector is None else selector.describe()


def _judge(
    rule: Budget, selector: Selector | None, call: JudgedCall, answer: Answer
) -> Mapping[str, Verdict]:
    limits = rule.limits()
    if "latency_ms" not in limits and "cost_usd" not in limits and call.timeout_ms is not None:
        limits["latency_ms"] = call.timeout_ms
    found: dict[str, Verdict] = {}
    for key, limit in limits.items():
        spent = _spent(key, call)
        if spent is not None and spent <= limit:
            continue
        missing = selector.missing(call) if selector and answer is Answer.UNKNOWN else ()
        if spent is None:
            missing = (*missing, "latency" if key == "latency_ms" else "cost")
        label = Label.CANNOT_CHECK if missing or answer is Answer.UNKNOWN else Label.FAIL
        text = (
            unseen(f"`{key}` of `{call.call.tool}`", missing)
            if spent is None or label is not Label.FAIL
            else (because(f"`{call.call.tool}` {_said(key, spent, limit)}", rule.reason))
        )
        found[f"/{key}"] = Verdict(
            label=label,
            kind=FindingKind.BUDGET_EXCEEDED,
            explanation=text,
            call=call.call,
            missing=missing,
        )
    return found


def _spent(key: str, call: JudgedCall) -> float | None:
    if key == "cost_usd":
        return call.call.cost_usd
    duration = call.call.duration_s
    return None if duration is None else duration * 1000


def _said(key: str, spent: float, limit: float) -> str:
    if key == "cost_usd":
        return f"cost {usd(spent)}, more than {usd(limit)}"
    return f"took {seconds(spent * 1e6)}, more than {seconds(limit * 1e6)}"
