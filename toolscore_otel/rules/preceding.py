"""The calls that `unless: {before: SELECTOR}` looks for.

They are kept so that asking whether one of them stands before a call costs the same however many there are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, all_of, any_of, before
from toolscore_otel.model import ToolCall

_ANY_TIME = -1
"""Sorts calls without any time before all others: they may have ended before any call."""

_ENOUGH = 2
"""With so many earlier ones in its row, one more or less turns no answer: one of them is another call than the one asked about."""


class Sought(Protocol):
    """A selector, or what takes the place of one."""

    @property
    def uses_agent(self) -> bool:
        """Whether an agent's name matters."""
        ...

    def match(self, call: JudgedCall) -> Answer:
        """Whether it is one of the calls looked for."""
        ...

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """Which evidence was not observed where `match` said unknown."""
        ...


class Excuse(Struct, frozen=True):
    """Whether a call is excused by an earlier one.

    Attributes:
        missing: evidence that would tell, where that is unknown.
    """

    answer: Answer
    missing: tuple[str, ...] = ()


class Reach(NamedTuple):
    """The begins, in nanoseconds, of calls that are to be asked about again, and of those whose begin is unknown.

    Attributes:
        since: that and later ones.
        until: that and earlier ones; None for all.
    """

    since: int
    until: int | None = None


class _Candidate(Struct, frozen=True):
    call: ToolCall
    answer: Answer
    missing: tuple[str, ...]


class Preceding:
    """The calls of one trajectory that match, or may match, one of the selectors."""

    def __init__(self, selectors: Iterable[Sought]) -> None:
        self._selectors = tuple(selectors)
        self._known: dict[str, _Candidate] = {}
        self._rows: dict[tuple[Answer, bool], list[tuple[int, str]]] = {
            (answer, ended): []
            for answer in (Answer.YES, Answer.UNKNOWN)
            for ended in (True, False)
        }

    def put(self, call: JudgedCall) -> Reach | None:
        """A call is new.

        Returns:
            Which calls are to be asked about again; None where no answer can change.
        """
        answer = any_of(selector.match(call) for selector in self._selectors)
        if answer is Answer.NO:
            return None
        missing = () if answer is Answer.YES else _missing(self._selectors, call)
        self._known[call.call.key] = candidate = _Candidate(call.call, answer, missing)
        row, item = self._place(candidate)
        row.insert(bisect_left(row, item), item)
        return self._reach(row, item, candidate)

    def drop(self, key: str) -> Reach | None:
        """A call is gone; returns as `put` does."""
        candidate = self._known.pop(key, None)
        if candidate is None:
            return None
        row, item = self._place(candidate)
        del row[bisect_left(row, item)]
        return self._reach(row, item, candidate)

    def ask(self, call: ToolCall) -> Excuse:
        """Whether one of them, other than the call itself, is before it."""
        excuses = [self._in_row(row, call) for row in self._rows.values()]
        answer = any_of(excuse.answer for excuse in excuses)
        return next(excuse for excuse in excuses if excuse.answer is answer)

    def _in_row(self, row: list[tuple[int, str]], call: ToolCall) -> Excuse:
        latest = call.end_ns if call.start_ns is None else call.start_ns
        found = Excuse(Answer.NO)
        for at, key in row:
            if latest is not None and at > latest:
                break
            if key == call.key:
                continue
            excuse = _asked(self._known[key], call)
            if excuse.answer is Answer.YES:
                return excuse
            if excuse.answer is Answer.UNKNOWN:
                found = excuse
                if at != call.start_ns:
                    break  # only at one and the same instant may one further on say more
        return found

    def _reach(
        self, row: list[tuple[int, str]], item: tuple[int, str], candidate: _Candidate
    ) -> Reach | None:
        """Enough others in its row, earlier or later, turn the answers of calls after them as it does."""
        if bisect_left(row, (item[0],)) >= _ENOUGH:
            return None
        others = [other for other in row[: _ENOUGH + 1] if other != item][:_ENOUGH]
        alike = all(self._known[key].missing == candidate.missing for _, key in others)
        return Reach(item[0], others[-1][0] if len(others) == _ENOUGH and alike else None)

    def _place(self, candidate: _Candidate) -> tuple[list[tuple[int, str]], tuple[int, str]]:
        call = candidate.call
        earliest = call.start_ns if call.end_ns is None else call.end_ns
        item = (_ANY_TIME if earliest is None else earliest, call.key)
        return self._rows[candidate.answer, call.end_ns is not None], item


def _asked(candidate: _Candidate, call: ToolCall) -> Excuse:
    order = before(candidate.call, call)
    missing = candidate.missing if order is Answer.YES else (*candidate.missing, "times")
    return Excuse(all_of((candidate.answer, order)), missing)


def _missing(selectors: Iterable[Sought], call: JudgedCall) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for one in selectors for word in one.missing(call)))
