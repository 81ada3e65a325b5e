"""`arguments`: what tools are called with, against their schemas (docs/pages/clauses/arguments.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector, all_of, any_of
from toolscore_otel.matchers.answer import UNSURE
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import FindingKind, Label, Scope
from toolscore_otel.rules.arguments_check import Checked, Checks
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selectors_of
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import Common, Compiled, Item, Verdict
from toolscore_otel.rules.wording import because, did, tool_of

_MOST_SAID = 5
"""So many things that are wrong are named."""


class Arguments(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each call whose arguments do not fit its tool's schema is a finding of kind `invalid_arguments`.

    Attributes:
        check: against what: the JSON Schema of the registry, else the one that the trace records.
        tools: selectors of the calls that are looked at; left out, all.
        unknown: `flag`: argument names that stand nowhere in the schema's `properties` are invalid, too.
        unless: excuses a call.
    """

    check: Literal["schema"] = "schema"
    tools: list[Any] | UnsetType = UNSET
    unknown: Literal["allow", "flag"] = "allow"
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: an empty list, or a selector that is none, with its path.
        """
        about = _Any(_selectors(self.tools))
        excuses = Excuses(self.unless)
        checks = Checks(flags_unknown=self.unknown == "flag")

        def judge(call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
            verdict = _verdict(self, checks.of(call), call, answer, intake)
            return {} if verdict is None else {call.call.key: verdict}

        return Compiled(
            record=self,
            start=lambda _: PerCall(Intake(about, excuses), judge),
            scope=self.scope or Scope.TRACE,
            uses_agent=excuses.uses_agent or any(one.uses_agent for one in about.selectors),
            uses_schemas=True,
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The one rule of an `arguments` clause.

    Raises:
        MatcherError: it is no mapping.
    """
    if not is_mapping(data):
        raise MatcherError((), "`arguments` takes a mapping, such as `{check: schema}`")
    yield Item("arguments", (), data)


class _Any(Struct, frozen=True):
    """Calls that one of some selectors is about."""

    selectors: Sequence[Selector]

    def match(self, call: JudgedCall) -> Answer:
        """Whether it is one."""
        return any_of(selector.match(call) for selector in self.selectors)

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """What would tell."""
        return tuple(word for selector in self.selectors for word in selector.missing(call))


def _selectors(tools: list[Any] | UnsetType) -> list[Selector]:
    if tools is UNSET:
        return [Selector.of({"kind": "tool"}, default_stage="any")]
    if not tools:
        raise MatcherError(("tools",), "lists nothing: leave it out to look at all tools")
    try:
        return selectors_of(tools, default_stage="any")
    except MatcherError as error:
        raise error.below("tools") from error


def _verdict(
    rule: Arguments, found: Checked, call: JudgedCall, answer: Answer, intake: Intake
) -> Verdict | None:
    is_invalid = all_of((answer, found.is_invalid))
    if is_invalid is Answer.NO:
        return None
    if is_invalid is UNSURE:
        words = (*intake.missing(call), *found.missing)
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.INVALID_ARGUMENTS,
            explanation=f"whether the arguments of this call of {tool_of(call.call)} fit its schema",
            call=call.call,
            missing=tuple(dict.fromkeys(words)),
        )
    more = len(found.wrong) - _MOST_SAID
    said = [*found.said[:_MOST_SAID], *([f"and {more} more"] if more > 0 else [])]
    text = f"{did(call.call)} with arguments that do not fit its schema: {'; '.join(said)}"
    return Verdict(
        label=Label.FAIL,
        kind=FindingKind.INVALID_ARGUMENTS,
        explanation=because(text, rule.reason),
        call=call.call,
        path=found.path,
    )
