"""`{never, after, until}`: what may not begin once something else is over, until a third thing was done since.

A call X of `never` is a finding where some call Y of `after` is before it and no call Z of `until` stands between them:
begun after Y had ended, and before X. (Is that so of any Y, then of the last to end, too.) Two questions decide: whether
that is surely so, of the Y that surely are such and the Z that may be; and whether it may be so, of the Y that may be and the
Z that surely are.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Any

from toolscore_otel.matchers import Answer, JudgedCall, Selector, all_of
from toolscore_otel.model import FindingKind, Label, ToolCall
from toolscore_otel.rules.intake import Excuses, Intake, OrderKey, order_of, reached
from toolscore_otel.rules.order_marks import Mark, Marks
from toolscore_otel.rules.preceding import Reach
from toolscore_otel.rules.shape import NOTHING, Changes, RuleState, Standing, Verdict
from toolscore_otel.rules.wording import because, did, tool_of


class Flow:
    """The form, compiled.

    Attributes:
        uses_agent: whether an agent's name matters.
    """

    def __init__(
        self,
        never: Selector,
        after: Selector,
        until: Selector | None,
        unless: Any,
        reason: str | None,
    ) -> None:
        """Compile.

        Args:
            never: what may not begin.
            after: what it must not come after.
            until: what makes it possible again.
            unless: excuses calls of `never`.
            reason: of the rule.

        Raises:
            MatcherError: an excuse that is none, with its path.
        """
        self.never = never
        self.after = after
        self.until = until
        self.reason = reason
        self.excuses = Excuses(unless)
        selectors = (never, after) if until is None else (never, after, until)
        self.uses_agent = self.excuses.uses_agent or any(s.uses_agent for s in selectors)

    def start(self) -> RuleState:
        """On one trajectory."""
        return _Flowing(self)

    def verdict(self, call: JudgedCall, answer: Answer, missing: tuple[str, ...]) -> Verdict | None:
        """What stands of a call of `never`.

        Args:
            call: with its answer.
            answer: whether it violates the rule.
            missing: what was not observed.
        """
        after = self.after.describe()
        if answer is Answer.NO:
            return None
        if answer is Answer.UNKNOWN:
            return Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.ORDER_VIOLATED,
                explanation=f"whether this call of {tool_of(call.call)} is one that may not come after {after}",
                call=call.call,
                missing=missing,
            )
        since = "" if self.until is None else f", with no {self.until.describe()} since"
        text = f"{did(call.call)} after {after}{since}"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.ORDER_VIOLATED,
            explanation=because(text, self.reason),
            call=call.call,
        )


class _Flowing(RuleState):
    def __init__(self, form: Flow) -> None:
        self._form = form
        self._intake = Intake(form.never, form.excuses)
        self._after = Marks(form.after, by_start=False)
        self._until = None if form.until is None else Marks(form.until, by_start=True)
        self._held: dict[str, tuple[JudgedCall, Answer]] = {}
        self._by_start: list[OrderKey] = []
        self._touched: dict[str, None] = {}
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        for other, answer in self._intake.put(call):
            self._hold(other, answer)
        for marks in self._marks():
            self._look_again(marks.put(call))

    def drop(self, key: str) -> None:
        self._let_go(key)
        for other, answer in self._intake.drop(key):
            self._hold(other, answer)
        for marks in self._marks():
            self._look_again(marks.drop(key))

    def renew(self, call: JudgedCall) -> None:
        if call.call.key in self._held:
            self._touched[call.call.key] = None

    def changes(self) -> Changes:
        if not self._touched:
            return NOTHING
        touched, self._touched = self._touched, {}
        return self._standing.changes({key: self._verdict(key) for key in touched})

    def _marks(self) -> Iterator[Marks]:
        yield self._after
        if self._until is not None:
            yield self._until

    def _hold(self, call: JudgedCall, answer: Answer) -> None:
        key = call.call.key
        if answer is Answer.NO:
            self._let_go(key)
            return
        if key not in self._held:
            insort(self._by_start, order_of(call))
        self._held[key] = (call, answer)
        self._touched[key] = None

    def _let_go(self, key: str) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            del self._by_start[bisect_left(self._by_start, order_of(held[0]))]
            self._touched[key] = None

    def _look_again(self, reach: Reach | None) -> None:
        """At the calls that begin there, or whose begin is unknown."""
        if reach is not None:
            self._touched.update((key, None) for _, _, key in reached(self._by_start, reach))

    def _verdict(self, key: str) -> Verdict | None:
        if key not in self._held:
            return None
        call, matched = self._held[key]
        answer, missing = self._flows(call.call)
        words = dict.fromkeys((*self._intake.missing(call), *missing))
        return self._form.verdict(call, all_of((matched, answer)), tuple(words))

    def _flows(self, call: ToolCall) -> tuple[Answer, tuple[str, ...]]:
        """Whether some Y is before this call and no Z between them; and what would tell."""
        after, until = self._after, self._until
        may_end = until.possibly_before(call) if until else None
        if _is_open(after.surely_before(call), may_end):
            return Answer.YES, ()
        may_begin = after.possibly_before(call)
        if not _is_open(may_begin, until.surely_before(call) if until else None):
            return Answer.NO, ()
        missing = (*after.missing(may_begin), *(until.missing(may_end) if until else ()))
        return Answer.UNKNOWN, missing or ("times",)


def _is_open(source: Mark | None, end: Mark | None) -> bool:
    """Whether the last Y is not followed by the last Z."""
    return source is not None and (end is None or source[0] > end[0])
