"""What stands in front of every rule about calls: a selector, and the excuses of `unless`.

For each call the intake answers whether the rule counts it: yes, no, or unknown. An excuse `{before: SELECTOR}` depends
on other calls of the trajectory, so a call that comes late can change the answer for calls that came earlier: `put`
and `drop` give back every call whose answer is to be looked at again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    all_of,
    any_of,
    before,
    negate,
)

Match = Callable[[JudgedCall], Answer]

_LATE = 1 << 63
"""Sorts calls without a start after all others."""

OrderKey = tuple[int, int, str]


def order_of(call: JudgedCall) -> OrderKey:
    """Where a call stands in its trajectory: by start, then by place in the asking message, then by key."""
    start = call.call.start_ns
    return (_LATE if start is None else start, call.call.position, call.call.key)


class Excuses:
    """The `unless` of one rule, compiled.

    Attributes:
        uses_agent: whether an agent's name matters.
        reorders: whether other calls matter (`before`).
    """

    def __init__(self, data: Any) -> None:
        """Compile.

        Args:
            data: UNSET, a selector, `{before: SELECTOR}`, or a list of these.

        Raises:
            MatcherError: a selector that is none, with its path.
        """
        self.here: list[Selector] = []
        self.earlier: list[Selector] = []
        entries = (
            [] if data is UNSET or data is None else data if isinstance(data, list) else [data]
        )
        for entry in entries:
            try:
                self._add(entry)
            except MatcherError as error:
                raise error.below("unless") from error
        self.uses_agent = any(s.uses_agent for s in (*self.here, *self.earlier))
        self.reorders = bool(self.earlier)

    def _add(self, entry: Any) -> None:
        if not (isinstance(entry, Mapping) and "before" in entry):
            self.here.append(Selector.of(entry, default_stage="any"))
            return
        if len(entry) > 1:
            raise MatcherError((), "`before` stands alone")
        try:
            self.earlier.append(Selector.of(entry["before"], default_stage="executed"))
        except MatcherError as error:
            raise error.below("before") from error


class Intake:
    """Selector and excuses on one trajectory."""

    def __init__(self, match: Match, excuses: Excuses) -> None:
        self._match = match
        self._excuses = excuses
        self._held: dict[str, tuple[JudgedCall, Answer]] = {}
        self._by_start: list[OrderKey] = []
        self._earlier: dict[str, tuple[JudgedCall, Answer]] = {}
        self._ends: list[tuple[int, str]] = []

    def put(self, call: JudgedCall) -> Iterator[tuple[JudgedCall, Answer]]:
        """Look at a new or changed call; yields every call whose answer may have changed, this one first."""
        matched = self._match(call)
        if not self._excuses.reorders:
            yield call, self._excused(call, matched)
            return
        affected = [*self._forget(call.call.key), *self._remember(call, matched)]
        yield call, self._excused(call, matched)
        yield from self._again(affected, call.call.key)

    def drop(self, key: str) -> Iterator[tuple[JudgedCall, Answer]]:
        """A call is gone; yields the other calls whose answer may have changed."""
        if self._excuses.reorders:
            yield from self._again(list(self._forget(key)), key)

    def _excused(self, call: JudgedCall, matched: Answer) -> Answer:
        if matched is Answer.NO:
            return matched
        excuse = any_of(selector.match(call) for selector in self._excuses.here)
        if excuse is not Answer.YES and self._excuses.reorders:
            excuse = any_of((excuse, self._is_preceded(call)))
        return all_of((matched, negate(excuse)))

    def _is_preceded(self, call: JudgedCall) -> Answer:
        start = call.call.start_ns
        found = Answer.NO
        for end, key in self._ends:
            if start is not None and end > start:
                break
            other, matched = self._earlier[key]
            if key != call.call.key:
                found = any_of((found, all_of((matched, before(other.call, call.call)))))
            if found is Answer.YES:
                break
        return found

    def _remember(self, call: JudgedCall, matched: Answer) -> Iterable[int]:
        """Keep what later calls need; returns from which start on others are affected."""
        if matched is not Answer.NO:
            self._held[call.call.key] = (call, matched)
            insort(self._by_start, order_of(call))
        earlier = any_of(selector.match(call) for selector in self._excuses.earlier)
        if earlier is Answer.NO:
            return ()
        end = -1 if call.call.end_ns is None else call.call.end_ns
        self._earlier[call.call.key] = (call, earlier)
        insort(self._ends, (end, call.call.key))
        return (end,)

    def _forget(self, key: str) -> Iterable[int]:
        if (held := self._held.pop(key, None)) is not None:
            self._by_start.remove(order_of(held[0]))
        if (gone := self._earlier.pop(key, None)) is None:
            return ()
        end = -1 if gone[0].call.end_ns is None else gone[0].call.end_ns
        self._ends.remove((end, key))
        return (end,)

    def _again(self, ends: list[int], but: str) -> Iterator[tuple[JudgedCall, Answer]]:
        if not ends:
            return
        at = bisect_left(self._by_start, (min(ends), -(1 << 62), ""))
        for _, _, key in self._by_start[at:]:
            if key != but:
                call, matched = self._held[key]
                yield call, self._excused(call, matched)
