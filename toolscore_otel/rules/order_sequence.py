"""`{sequence, mode, among}`: the calls of a trajectory beside a list of selectors, at closing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, any_of
from toolscore_otel.model import FindingKind, Label, Trajectory
from toolscore_otel.rules.intake import order_of
from toolscore_otel.rules.order_words import Wanted
from toolscore_otel.rules.sequence import Mode, Seen, could_hold, holds
from toolscore_otel.rules.shape import (
    NOTHING,
    TRAJECTORY,
    Changes,
    RuleState,
    Verdict,
    may_hide_calls,
)
from toolscore_otel.rules.wording import because, did

_OPEN = (Mode.IN_ORDER, Mode.SUPERSET)
"""Other calls may be made, too."""

_IN_ORDER = (Mode.IN_ORDER, Mode.STRICT)

_SAID = {
    Mode.STRICT: "the calls are not exactly these, in this order: {}",
    Mode.IN_ORDER: "no such calls stand in this order: {}",
    Mode.ANY_ORDER: "the calls are not exactly these, in whatever order: {}",
    Mode.SUPERSET: "not all of these calls were made: {}",
    Mode.SUBSET: "other calls were made than these, or more of them: {}",
}


class Listed:
    """The form, compiled.

    Attributes:
        tools: literal names of the calls that matter; None where any may.
        uses_agent: whether an agent's name matters.
    """

    def __init__(
        self, listed: Sequence[Wanted], among: Wanted, mode: Mode, reason: str | None
    ) -> None:
        """Compile.

        Args:
            listed: each takes a call of its own.
            among: which calls are looked at.
            mode: how they are compared.
            reason: of the rule.
        """
        self.listed = listed
        self.among = among
        self.mode = mode
        self.reason = reason
        self.tools = _tools(listed) if mode in _OPEN else among.selector.tools
        self.uses_agent = any(one.selector.uses_agent for one in (among, *listed))

    def start(self) -> RuleState:
        """On one trajectory."""
        return _Listing(self)

    def entry(self, call: JudgedCall) -> _Entry | None:
        """What is known of a call; None where it does not matter."""
        is_looked_at = self.among.selector.match(call)
        fits = tuple(self._fits(one, call, is_looked_at) for one in self.listed)
        seen = Seen(call.call.start_ns, call.call.end_ns, is_looked_at, fits)
        had_it_run = self._had_it_run(call, seen)
        known = [seen] if had_it_run is None else [seen, had_it_run]
        if not any(self._matters(one) for one in known):
            return None
        return _Entry(call, seen, had_it_run)

    def _fits(self, one: Wanted, call: JudgedCall, is_looked_at: Answer) -> Answer:
        """Whether a call fits, given that it is looked at: it does where that is asked in the same words."""
        if is_looked_at is Answer.UNKNOWN and one.keys == self.among.keys:
            return Answer.YES
        return one.selector.match(call)

    def _had_it_run(self, call: JudgedCall, seen: Seen) -> Seen | None:
        """A call that was only asked for may have run unseen, at any time after it was asked for."""
        if not (seen.is_looked_at is Answer.YES or self.among.could_have_run(call)):
            return None
        run = [one.could_have_run(call) for one in self.listed]
        if not any(run):
            return None
        fits = tuple(
            any_of((answer, Answer.UNKNOWN)) if ran else answer
            for answer, ran in zip(seen.fits, run, strict=True)
        )
        return Seen(seen.start_ns, None, any_of((seen.is_looked_at, Answer.UNKNOWN)), fits)

    def _matters(self, seen: Seen) -> bool:
        if seen.is_looked_at is Answer.NO:
            return False
        return self.mode not in _OPEN or any(answer is not Answer.NO for answer in seen.fits)

    def missing(self, entry: _Entry) -> Iterator[str]:
        """What was not observed of a call."""
        seen = entry.seen
        if seen.is_looked_at is Answer.UNKNOWN:
            yield from self.among.selector.missing(entry.call)
        for one, answer in zip(self.listed, seen.fits, strict=True):
            if answer is Answer.UNKNOWN:
                yield from one.selector.missing(entry.call)
        if self.mode in _IN_ORDER and (seen.start_ns is None or seen.end_ns is None):
            yield "times"


class _Entry(Struct, frozen=True):
    """A call, what was seen of it, and what else it may have been; None: nothing."""

    call: JudgedCall
    seen: Seen
    had_it_run: Seen | None


class _Listing(RuleState):
    def __init__(self, form: Listed) -> None:
        self._form = form
        self._entries: dict[str, _Entry] = {}

    def put(self, call: JudgedCall) -> None:
        if (entry := self._form.entry(call)) is not None:
            self._entries[call.call.key] = entry

    def drop(self, key: str) -> None:
        self._entries.pop(key, None)

    def renew(self, call: JudgedCall) -> None:
        """What is said at closing names the call as it is known then."""

    def changes(self) -> Changes:
        return NOTHING

    def close(self, trajectory: Trajectory | None) -> Changes:
        return {TRAJECTORY: None if trajectory is None else self._verdict(trajectory)}

    def _verdict(self, trajectory: Trajectory) -> Verdict | None:
        form = self._form
        entries = sorted(self._entries.values(), key=lambda entry: order_of(entry.call))
        answer = holds(form.mode, len(form.listed), [entry.seen for entry in entries])
        if answer is Answer.YES:
            return None
        if answer is Answer.UNKNOWN:
            unsure = {n: [*form.missing(entry)] for n, entry in enumerate(entries)}
            missing = [word for words in unsure.values() for word in words]
            return self._unseen(missing or ["order"], sum(map(bool, unsure.values())))
        if self._may_hold(entries, hidden=may_hide_calls(trajectory)):
            asked = sum(entry.had_it_run is not None for entry in entries)
            return self._unseen(["spans"], asked)
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.ORDER_VIOLATED,
            explanation=because(self._said(entries), form.reason),
        )

    def _may_hold(self, entries: Sequence[_Entry], *, hidden: bool) -> bool:
        """Whether what is lacking may have happened unseen."""
        form = self._form
        if form.mode is Mode.SUBSET:
            return False
        calls = [entry.had_it_run or entry.seen for entry in entries]
        return could_hold(form.mode, len(form.listed), calls, hidden=hidden) is not Answer.NO

    def _unseen(self, missing: Sequence[str], count: int) -> Verdict:
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.ORDER_VIOLATED,
            explanation="whether the calls stand as they should",
            count=max(1, count),
            missing=tuple(dict.fromkeys(missing)),
        )

    def _said(self, entries: Sequence[_Entry]) -> str:
        """What is wrong, and the first thing that is without a counterpart."""
        form = self._form
        names = [one.selector.describe() for one in form.listed]
        text = _SAID[form.mode].format("; ".join(names))
        fits = [entry.seen.fits for entry in entries if entry.seen.is_looked_at is not Answer.NO]
        if form.mode is not Mode.SUBSET:
            for number, name in enumerate(names):
                if all(answers[number] is Answer.NO for answers in fits):
                    return f"{text}; there is no {name}"
        if form.mode not in _OPEN:
            for entry in entries:
                seen = entry.seen
                if seen.is_looked_at is Answer.YES and {*seen.fits} == {Answer.NO}:
                    return f"{text}; {did(entry.call.call)}"
        return text


def _tools(listed: Sequence[Wanted]) -> frozenset[str] | None:
    names: set[str] = set()
    for one in listed:
        if one.selector.tools is None:
            return None
        names |= one.selector.tools
    return frozenset(names)
