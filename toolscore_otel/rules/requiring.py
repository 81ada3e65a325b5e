"""The automaton of `require`: how many calls there are, by when, and how many might be there unseen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from msgspec import Struct, structs

from toolscore_otel.matchers import Answer, JudgedCall, Selector, all_of
from toolscore_otel.matchers.answer import NO, UNSURE, YES
from toolscore_otel.model import FindingKind, Label, Stage, ToolCall, Trajectory
from toolscore_otel.rules.counting import Counted, may_pass, passed
from toolscore_otel.rules.ended import Before, Ended, Span
from toolscore_otel.rules.shape import (
    NOTHING,
    Changes,
    RuleState,
    Standing,
    Verdict,
    may_hide_calls,
)
from toolscore_otel.rules.wording import because, calls, seconds, tool_of

MISSING = FindingKind.MISSING_CALL.value
TOO_MANY = FindingKind.LIMIT_EXCEEDED.value


class Asking(Struct, frozen=True, kw_only=True):
    """What is required.

    Attributes:
        least: calls.
        most: calls; None for any number.
        selector: what they match.
        could_match: what one that was only asked for must match, to be one had it run; None: it is counted itself.
        before: they must be before the first call that matches this.
        condition: only where a call matches this.
        within_ns: they must have ended by then, counted from the trajectory's first begin.
    """

    least: int
    most: int | None
    reason: str | None
    selector: Selector
    could_match: Selector | None
    before: Selector | None
    condition: Selector | None
    within_ns: int | None


class _Lack(Struct, frozen=True):
    """Fewer calls than are required, as far as is known.

    Attributes:
        found: those that were in time.
        asked: calls that were only asked for, and would be among them had they run.
        call: before which they were to be.
        is_required: whether it is known that they were to be.
    """

    found: Before
    asked: int
    call: ToolCall | None = None
    is_required: bool = True

    @property
    def seen(self) -> int:
        """How many there are at most, of those that were seen to run."""
        return self.found.sure + self.found.maybe


class Requiring(RuleState):
    """One `require` on one trajectory."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._counted = Counted()
        self._ended = Ended()
        self._asked = Ended()
        self._before = Counted()
        self._condition = Counted()
        self._changed = False
        self._is_hidden = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        asking, told = self._asking, call.call
        if asking.could_match is None or told.stage is not Stage.REQUESTED:
            answer = asking.selector.match(call)
            self._changed |= self._counted.put(call, answer)
            if answer is not NO:
                self._ended.put(told.key, Span(told.start_ns, told.end_ns), answer)
        elif asking.could_match.match(call) is not NO:
            self._changed = True
            self._asked.put(told.key, Span(told.start_ns, None), UNSURE)
        for selector, known in self._limits():
            self._changed |= known.put(call, selector.match(call))

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._changed = True
        self._ended.drop(key)
        self._asked.drop(key)
        for known in (self._counted, self._before, self._condition):
            known.drop(key)

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is counted, and not copied
        """It counts as it did, and what is said of it says who called."""
        self._changed = True

    def changes(self) -> Changes:
        """What fails and is different since this was last asked; closing says what cannot be checked."""
        if not self._changed:
            return NOTHING
        self._changed = False
        asking, holds = self._asking, self._holds()
        verdicts: dict[str, Verdict | None] = {}
        if asking.most is not None:
            verdicts[TOO_MANY] = self._passed(asking.most) if holds is YES else None
        if asking.before is not None:
            lack = self._lack(None)
            verdicts[MISSING] = self._failed(lack) if self._is_short(lack, holds) else None
        return self._standing.changes(verdicts)

    def close(self, trajectory: Trajectory | None) -> Changes:
        """What is lacking, and what could not be seen."""
        if trajectory is None:
            return self._standing.changes({MISSING: None, TOO_MANY: None})
        self._is_hidden = may_hide_calls(trajectory)
        verdicts = {MISSING: self._lacking(trajectory.start_ns)}
        if self._asking.most is not None:
            verdicts[TOO_MANY] = self._too_many(self._asking.most)
        return self._standing.changes(verdicts)

    def _limits(self) -> Iterator[tuple[Selector, Counted]]:
        """Those of which a call must be there for the rule to say anything."""
        if self._asking.before is not None:
            yield self._asking.before, self._before
        if self._asking.condition is not None:
            yield self._asking.condition, self._condition

    def _holds(self) -> Answer:
        """Whether the rule has anything to say here."""
        return all_of(_any(known) for _, known in self._limits())

    def _passed(self, most: int) -> Verdict | None:
        return passed(self._counted, most, self._asking.selector.describe(), self._asking.reason)

    def _too_many(self, most: int) -> Verdict | None:
        selector, holds = self._asking.selector, self._holds()
        if holds is NO:
            return None
        verdict = self._passed(most)
        if verdict is None:
            return may_pass(self._counted, most, selector.describe(), selector.missing)
        if holds is YES:
            return verdict
        made = f"{calls(self._counted.sure)} of {selector.describe()}"
        return structs.replace(
            verdict,
            label=Label.CANNOT_CHECK,
            explanation=f"whether {made} are too many here",
            missing=self._missing_of_limits(),
        )

    def _is_short(self, lack: _Lack | None, holds: Answer) -> TypeGuard[_Lack]:
        """Whether too few calls were made, whatever was not observed."""
        if lack is None or holds is not YES or self._is_hidden:
            return False
        return lack.is_required and lack.seen + lack.asked < self._asking.least

    def _lacking(self, start_ns: int | None) -> Verdict | None:
        holds = self._holds()
        lack = None if holds is NO else self._lack(start_ns)
        if lack is None:
            return None
        if self._is_short(lack, holds):
            return self._failed(lack)
        least = self._asking.least
        made = self._said(calls(least), lack)
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.MISSING_CALL,
            explanation=f"whether there {'was' if least == 1 else 'were'} {made}",
            call=lack.call,
            count=max(1, lack.found.maybe + lack.asked),
            missing=self._missing(lack),
        )

    def _failed(self, lack: _Lack) -> Verdict:
        asking = self._asking
        only = "at most" if lack.found.maybe else "only"
        made = f"{only} {calls(lack.seen)}" if lack.seen else "no call"
        wanted = "one is required" if asking.least == 1 else f"at least {asking.least} are required"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.MISSING_CALL,
            explanation=because(f"{self._said(made, lack)}, where {wanted}", asking.reason),
            call=lack.call,
        )

    def _said(self, made: str, lack: _Lack) -> str:
        text = f"{made} of {self._asking.selector.describe()}"
        if lack.call is not None:
            return f"{text} before this call of {tool_of(lack.call)}"
        within_ns = self._asking.within_ns
        return text if within_ns is None else f"{text} within {seconds(within_ns)} of the start"

    def _missing(self, lack: _Lack) -> tuple[str, ...]:
        words = set(self._missing_of_limits())
        if lack.found.maybe:
            words.update(self._counted.missing(self._asking.selector.missing))
        if lack.found.untimed:
            words.add("times")
        if lack.seen < self._asking.least and (lack.asked or self._is_hidden):
            words.add("spans")
        return tuple(sorted(words))

    def _missing_of_limits(self) -> tuple[str, ...]:
        return tuple(
            word
            for selector, known in self._limits()
            if not known.sure
            for word in known.missing(selector.missing)
        )

    def _lack(self, start_ns: int | None) -> _Lack | None:
        """What is lacking, or may be; None where nothing is."""
        asking = self._asking
        if asking.before is not None:
            return self._lack_before()
        if asking.within_ns is None:
            found = Before(self._counted.sure, self._counted.maybe, 0)
            lack = _Lack(found, len(self._asked))
        else:
            span = Span(None, None)
            if start_ns is not None:
                until_ns = start_ns + asking.within_ns
                span = Span(until_ns, until_ns + 1)  # it lasts: what ends then is before it
            lack = _Lack(self._ended.before_span(span), self._asked.before_span(span).maybe)
        return lack if lack.found.sure < asking.least else None

    def _lack_before(self) -> _Lack | None:
        """The first call before which too few are; else the first before which it may be too few."""
        least, maybe = self._asking.least, None
        for judged, is_first, is_required in self._before.outermost():
            call = judged.call
            if not is_first and call.start_ns is not None:
                continue  # what is later for sure has no fewer before it
            found, asked = self._ended.before(call), self._asked.before(call).maybe
            lack = _Lack(found, asked, call, is_required)
            if is_required and lack.seen + asked < least:
                return lack
            if found.sure < least:
                maybe = maybe or lack
        return maybe


def _any(known: Counted) -> Answer:
    if known.sure:
        return YES
    return UNSURE if known.maybe else NO
