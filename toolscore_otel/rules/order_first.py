"""`{first, then}`: each call of the second needs some call of the first before it.

That is to say: such a call excuses it, as `unless: {before: SELECTOR}` would. A call of `first` that was asked for and not
seen to run may be what is lacking, and so may whatever a hidden part of the trajectory holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from toolscore_otel.matchers import Answer, JudgedCall, Selector
from toolscore_otel.model import FindingKind, Label, Trajectory
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.order_words import Wanted
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import (
    NOTHING,
    Changes,
    RuleState,
    Verdict,
    may_hide_calls,
)
from toolscore_otel.rules.wording import because, did, tool_of


class First:
    """The form, compiled.

    Attributes:
        uses_agent: whether an agent's name matters.
    """

    def __init__(self, first: Wanted, then: Selector, unless: Any, reason: str | None) -> None:
        """Compile.

        Args:
            first: what must come before.
            then: what needs it.
            unless: excuses calls of `then`.
            reason: of the rule.

        Raises:
            MatcherError: an excuse that is none, with its path.
        """
        self._first = first.selector
        self._then = then
        self._reason = reason
        self._excuses = Excuses(unless, earlier=(_Earlier(first),))
        self.uses_agent = then.uses_agent or self._excuses.uses_agent

    def start(self) -> RuleState:
        """On one trajectory."""
        return _Waiting(PerCall(Intake(self._then, self._excuses), self._judge))

    def _judge(self, call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
        return {call.call.key: self._verdict(call, answer, intake)}

    def _verdict(self, call: JudgedCall, answer: Answer, intake: Intake) -> Verdict:
        first = self._first.describe()
        if answer is Answer.YES:
            text = f"{did(call.call)}, and no call of {first} was before it"
            return Verdict(
                label=Label.FAIL,
                kind=FindingKind.ORDER_VIOLATED,
                explanation=because(text, self._reason),
                call=call.call,
            )
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.ORDER_VIOLATED,
            explanation=f"whether this call of {tool_of(call.call)} needed a call of {first} and had one before it",
            call=call.call,
            missing=intake.missing(call),
        )


class _Earlier:
    """Takes the place of a selector: calls that stand before another one, or may have run unseen."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self.uses_agent = wanted.selector.uses_agent

    def match(self, call: JudgedCall) -> Answer:
        """Whether it is one of these."""
        if self._wanted.could_have_run(call):
            return Answer.UNKNOWN
        return self._wanted.selector.match(call)

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """What would tell."""
        if self._wanted.could_have_run(call):
            return ("spans",)
        return self._wanted.selector.missing(call)


class _Waiting(RuleState):
    """What the calls say, and at closing what the trajectory makes of it."""

    def __init__(self, calls: PerCall) -> None:
        self._calls = calls
        self._stands: dict[str, Verdict] = {}
        self._is_hidden = False

    def put(self, call: JudgedCall) -> None:
        self._calls.put(call)

    def drop(self, key: str) -> None:
        self._calls.drop(key)

    def renew(self, call: JudgedCall) -> None:
        self._calls.renew(call)

    def changes(self) -> Changes:
        changes = self._calls.changes()
        if not changes:
            return NOTHING
        for subject, verdict in changes.items():
            if verdict is None:
                self._stands.pop(subject, None)
            else:
                self._stands[subject] = verdict
        return {s: None if v is None else self._told(v) for s, v in changes.items()}

    def close(self, trajectory: Trajectory | None) -> Changes:
        self._is_hidden = trajectory is not None and may_hide_calls(trajectory)
        return {subject: self._told(verdict) for subject, verdict in self._stands.items()}

    def _told(self, verdict: Verdict) -> Verdict:
        if not self._is_hidden or verdict.label is not Label.FAIL:
            return verdict
        return structs.replace(
            verdict,
            label=Label.CANNOT_CHECK,
            explanation="whether what had to come before this call did",
            missing=("spans",),
        )
