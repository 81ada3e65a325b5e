"""`allow_only`: the only calls that may happen (docs/pages/clauses/allow_only.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    any_of,
    negate,
)
from toolscore_otel.matchers.answer import NO, UNSURE, YES
from toolscore_otel.matchers.globs import certain_from
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import CallKind, FindingKind, Label, Scope
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selectors_of
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import Common, Compiled, Item, Verdict
from toolscore_otel.rules.wording import because, did, tool_of

_TOOL = CallKind.TOOL


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
        others = _Others(_allowed(self.tools))
        excuses = Excuses(self.unless)

        def judge(call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
            return {call.call.key: _verdict(self, intake, call, answer)}

        return Compiled(
            record=self,
            start=lambda _: PerCall(Intake(others, excuses), judge),
            scope=self.scope or Scope.TRACE,
            uses_agent=excuses.uses_agent or any(one.selector.uses_agent for one in others.allowed),
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The one rule of an `allow_only` clause: a list of selectors, or a mapping with `tools`."""
    if is_list(data):
        yield Item("allow_only", (), {"tools": data})
    elif is_mapping(data):
        yield Item("allow_only", (), data)
    else:
        raise MatcherError((), "`allow_only` takes a list of selectors, or a mapping with `tools`")


class _Allowed(Struct, frozen=True):
    """One selector, and the tool names and globs that it gives."""

    selector: Selector
    names: tuple[str, ...]

    def match(self, call: JudgedCall) -> Answer:
        """Whether it allows a call. A dispatcher's bare name tells nothing of what was run through it."""
        if not call.dispatches:
            return self.selector.match(call)
        narrow = self.selector.match(call.narrowed())
        if call.dispatcher is None or narrow is YES:
            return narrow
        bare = self.selector.match(call)
        if bare is YES and any(certain_from(name, call.dispatcher) for name in self.names):
            return bare  # whatever was dispatched, its name matches, too
        return narrow if bare is NO else UNSURE


class _Others(Struct, frozen=True):
    """The calls that nothing allows."""

    allowed: Sequence[_Allowed]

    def match(self, call: JudgedCall) -> Answer:
        """Whether a call is none of the allowed ones."""
        if call.call.kind is not _TOOL:
            return NO
        return negate(any_of(one.match(call) for one in self.allowed))

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """What would tell."""
        words = [word for one in self.allowed for word in one.selector.missing(call)]
        return (*words, "dispatch") if call.dispatcher is not None else tuple(words)


def _allowed(tools: list[Any]) -> list[_Allowed]:
    if not tools:
        raise MatcherError(("tools",), "lists nothing: name the tools that may be called")
    try:
        selectors = selectors_of(tools, default_stage="any")
    except MatcherError as error:
        raise error.below("tools") from error
    return [
        _Allowed(selector, _names(entry)) for selector, entry in zip(selectors, tools, strict=True)
    ]


def _names(entry: Any) -> tuple[str, ...]:
    names: Any = entry.get("tool", ()) if is_mapping(entry) else entry
    return (names,) if isinstance(names, str) else tuple(names)


def _verdict(rule: AllowOnly, intake: Intake, call: JudgedCall, answer: Answer) -> Verdict:
    if answer is YES:
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.FORBIDDEN_CALL,
            explanation=because(f"{did(call.call)}, which no rule allows", rule.reason),
            call=call.call,
        )
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=FindingKind.FORBIDDEN_CALL,
        explanation=f"whether this call of {tool_of(call.call)} is an allowed one",
        call=call.call,
        missing=intake.missing(call),
    )
