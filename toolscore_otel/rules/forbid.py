"""`forbid`: calls that must not happen, asked for or made (docs/pages/clauses/forbid.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import FindingKind, Label, Scope
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_items, selector_of
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import CallRule, Compiled, Item, Verdict
from toolscore_otel.rules.wording import because, did, tool_of


class Forbid(CallRule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every call that matches is a finding of kind `forbidden_call`.

    Attributes:
        unless: a selector on the same call, or `{before: SELECTOR}`: such calls are excused.
    """

    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, with its path.
        """
        selector = selector_of(self, default_stage="any")
        excuses = Excuses(self.unless)

        def judge(call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
            return {call.call.key: _verdict(self, intake, call, answer)}

        return Compiled(
            record=self,
            start=lambda _: PerCall(Intake(selector, excuses), judge),
            scope=self.scope or Scope.TRACE,
            tools=None if excuses.reorders else selector.tools,
            uses_agent=selector.uses_agent or excuses.uses_agent,
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The rule items of a `forbid` clause."""
    return selector_items("forbid", data)


def _verdict(rule: Forbid, intake: Intake, call: JudgedCall, answer: Answer) -> Verdict:
    if answer is Answer.YES:
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.FORBIDDEN_CALL,
            explanation=because(f"{did(call.call)}, which is forbidden", rule.reason),
            call=call.call,
        )
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=FindingKind.FORBIDDEN_CALL,
        explanation=f"whether this call of {tool_of(call.call)} is a forbidden one",
        call=call.call,
        missing=intake.missing(call),
    )
