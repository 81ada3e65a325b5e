"""What stands in front of every rule about calls: which calls it is about, and the excuses of `unless`.

For each call the intake answers whether the rule counts it: yes, no, or unknown. An excuse `{before: SELECTOR}` depends
on other calls of the trajectory, so a call that comes late can change the answer for calls that came earlier: `put`
and `drop` give back every call whose answer is to be looked at again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import UNSET

from toolscore_otel.errors import clip
from toolscore_otel.matchers import (
    SELECTOR_KEYS,
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    all_of,
    any_of,
    negate,
)
from toolscore_otel.matchers.answer import NO, YES
from toolscore_otel.matchers.error import unknown_word
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import NEVER
from toolscore_otel.rules.preceding import Preceding, Reach, Sought
from toolscore_otel.rules.waiver import Waiver

OrderKey = tuple[int, int, str]


class About(Protocol):
    """What a rule is about: a selector, or what takes the place of one."""

    def match(self, call: JudgedCall) -> Answer:
        """Whether the rule is about this call."""
        ...

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """Which evidence was not observed where `match` said unknown."""
        ...


def reached(by_start: Sequence[OrderKey], reach: Reach) -> Sequence[OrderKey]:
    """Of calls by start, those that a reach holds."""
    first = bisect_left(by_start, (reach.since,))
    if reach.until is None:
        return by_start[first:]
    end, late = bisect_left(by_start, (reach.until + 1,)), bisect_left(by_start, (NEVER,))
    return (*by_start[first:end], *by_start[max(end, late) :])


def order_of(call: JudgedCall) -> OrderKey:
    """Where a call stands in its trajectory: by start, then by place in the asking message, then by key."""
    if call.order is UNSET:
        start = call.call.start_ns
        call.order = (NEVER if start is None else start, call.call.position, call.call.key)
    return call.order


class Excuses:
    """The `unless` of one rule, compiled.

    Attributes:
        here: selectors on the call itself.
        earlier: selectors on calls before it.
        uses_agent: whether an agent's name matters.
        reorders: whether other calls matter (`before`).
    """

    def __init__(self, data: Any, earlier: Iterable[Sought] = ()) -> None:
        """Compile.

        Args:
            data: UNSET, a selector, `{before: SELECTOR}`, a waiver, or a list of these.
            earlier: what else excuses a call that comes after it.

        Raises:
            MatcherError: a selector that is none, with its path.
        """
        if data == []:
            raise MatcherError(("unless",), "`unless` is an empty list: leave it out")
        self.here: list[Selector | Waiver] = []
        self.earlier: list[Sought] = [*earlier]
        entries: list[Any] = [] if data is UNSET else data if is_list(data) else [data]
        for number, entry in enumerate(entries):
            try:
                self._add(entry)
            except MatcherError as error:
                raise error.below("unless", *([number] if is_list(data) else [])) from error
        self.uses_agent = any(s.uses_agent for s in (*self.here, *self.earlier))
        self.reorders = bool(self.earlier)

    def _add(self, entry: Any) -> None:
        if isinstance(entry, Waiver):
            self.here.append(entry)
            return
        if not (is_mapping(entry) and "before" in entry):
            _refuse_unknown(entry)
            self.here.append(Selector.of(entry, default_stage="any"))
            return
        if len(entry) > 1:
            raise MatcherError((), "`before` stands alone")
        try:
            self.earlier.append(Selector.of(entry["before"], default_stage="executed"))
        except MatcherError as error:
            raise error.below("before") from error


def _refuse_unknown(entry: Any) -> None:
    """Here and not in the selector, which does not know that `before` might have been meant."""
    known = (*SELECTOR_KEYS, "before")
    for key in entry if is_mapping(entry) else ():
        if key not in known:
            raise MatcherError((clip(key),), unknown_word("key", key, known))


class Intake:
    """What a rule is about, and its excuses, on one trajectory."""

    def __init__(self, about: About, excuses: Excuses) -> None:
        self._about = about
        self._excuses = excuses
        self._preceding = Preceding(excuses.earlier) if excuses.reorders else None
        self._held: dict[str, tuple[JudgedCall, Answer]] = {}
        self._by_start: list[OrderKey] = []

    def put(self, call: JudgedCall) -> Sequence[tuple[JudgedCall, Answer]]:
        """Look at a new call; returns it with its answer, unless that is no, and others whose answer may have changed."""
        matched = self._about.match(call)
        if self._preceding is None:
            answer = self._excused(call, matched) if self._excuses.here else matched
            return () if answer is NO else ((call, answer),)
        reach = self._preceding.put(call)
        others = [] if reach is None else list(self._from(reach))
        if matched is NO:
            return others
        self._held[call.call.key] = (call, matched)
        insort(self._by_start, order_of(call))
        return [(call, self._excused(call, matched)), *others]

    def drop(self, key: str) -> Sequence[tuple[JudgedCall, Answer]]:
        """A call is gone; returns the other calls whose answer may have changed."""
        if self._preceding is None:
            return ()
        if (held := self._held.pop(key, None)) is not None:
            del self._by_start[bisect_left(self._by_start, order_of(held[0]))]
        reach = self._preceding.drop(key)
        return () if reach is None else list(self._from(reach))

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """Which evidence was not observed where the answer is unknown."""
        words = [*self._about.missing(call)]
        for selector in self._excuses.here:
            words += selector.missing(call)
        if self._preceding is not None:
            words += self._preceding.ask(call.call).missing
        return tuple(dict.fromkeys(words))

    def _excused(self, call: JudgedCall, matched: Answer) -> Answer:
        here, preceding = self._excuses.here, self._preceding
        if matched is NO or not (here or preceding):
            return matched
        excuse = any_of(selector.match(call) for selector in here)
        if excuse is not YES and preceding is not None:
            excuse = any_of((excuse, preceding.ask(call.call).answer))
        return all_of((matched, negate(excuse)))

    def _from(self, reach: Reach) -> Iterator[tuple[JudgedCall, Answer]]:
        """The calls that begin there, or whose begin is unknown, with their answers as they are now."""
        for _, _, key in reached(self._by_start, reach):
            call, matched = self._held[key]
            yield call, self._excused(call, matched)
