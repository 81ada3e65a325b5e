"""`allow_only`: the only calls that may happen (contract language, section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    any_of,
    negate,
)
from toolscore_otel.model import CallKind, FindingKind, Label
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selectors_of
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import Common, Compiled, Item, Verdict
from toolscore_otel.rules.wording import because, called, unseen


class AllowOnly(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every call of kind `tool` that matches none of the selectors is a finding of kind `forbidden_call`.

    Attributes:
        tools: selectors (a text is short for `{tool: TEXT}`).
        unless: excuses a call.
    """

    tools: list[Any]
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: an empty list, or a selector that is none, with its path.
        """
        selectors = _selectors(self.tools)
        excuses = Excuses(self.unless)

        def match(call: JudgedCall) -> Answer:
            if call.call.kind is not CallKind.TOOL:
                return Answer.NO
            return negate(_allowed(selectors, call))

        def judge(call: JudgedCall, answer: Answer) -> Mapping[str, Verdict]:
            return {"": _verdict(self, selectors, call, answer)}

        return Compiled(
            record=self,
            kind=FindingKind.FORBIDDEN_CALL,
            start=lambda _: PerCall(Intake(match, excuses), judge),
            uses_agent=excuses.uses_agent or any(s.uses_agent for s in selectors),
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The one rule of an `allow_only` clause: a list of selectors, or a mapping with `tools`."""
    if isinstance(data, list):
        yield Item("allow_only", (), {"tools": data})
    elif isinstance(data, Mapping):
        yield Item("allow_only", (), data)
    else:
        raise MatcherError((), "`allow_only` takes a list of selectors, or a mapping with `tools`")


def _selectors(tools: list[Any]) -> list[Selector]:
    if not tools:
        raise MatcherError(("tools",), "lists nothing: name the tools that may be called")
    try:
        return selectors_of(tools, default_stage="any")
    except MatcherError as error:
        raise error.below("tools") from error


def _allowed(selectors: list[Selector], call: JudgedCall) -> Answer:
    if not call.dispatches:
        return any_of(s.match(call) for s in selectors)
    # The bare name of a dispatcher says nothing of what was run through it: it allows nothing by itself.
    narrow = any_of(s.match(call.narrowed()) for s in selectors)
    if call.dispatcher is None or narrow is Answer.YES:
        return narrow
    return (
        any_of((narrow, Answer.UNKNOWN))
        if any_of(s.match(call) for s in selectors) is not Answer.NO
        else narrow
    )


def _verdict(
    rule: AllowOnly, selectors: list[Selector], call: JudgedCall, answer: Answer
) -> Verdict:
    if answer is Answer.YES:
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.FORBIDDEN_CALL,
            explanation=because(
                f"{called(call.call)} and is not among the allowed calls", rule.reason
            ),
            call=call.call,
        )
    missing = tuple({word for selector in selectors for word in selector.missing(call)})
    if call.dispatcher is not None:
        missing = (*missing, "dispatch")
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=FindingKind.FORBIDDEN_CALL,
        explanation=unseen(f"whether this call of `{call.call.tool}` is an allowed one", missing),
        call=call.call,
        missing=missing,
    )
