"""Calls of one rule in order, those that count and those that might: for `limit`, `require` and `budget of tool`."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.matchers.answer import NO, YES
from toolscore_otel.model import FindingKind, Label
from toolscore_otel.rules.intake import OrderKey, order_of
from toolscore_otel.rules.shape import Verdict
from toolscore_otel.rules.wording import because, calls


class Counted:
    """Calls by order of start. Putting one that comes in order costs the same however many there are."""

    def __init__(self) -> None:
        self._calls: dict[str, JudgedCall] = {}
        self._sure: list[OrderKey] = []
        self._maybe: list[OrderKey] = []
        self._where: dict[str, list[OrderKey]] = {}

    def put(self, call: JudgedCall, answer: Answer) -> bool:
        """Take in a call with its answer, new or not; whether anything changed."""
        key = call.call.key
        changed = key in self._where and self.drop(key)
        if answer is NO:
            return changed
        where = self._sure if answer is YES else self._maybe
        insort(where, order_of(call))
        self._where[key] = where
        self._calls[key] = call
        return True

    def drop(self, key: str) -> bool:
        """Forget a call; whether it was known."""
        where = self._where.pop(key, None)
        if where is None:
            return False
        del where[bisect_left(where, order_of(self._calls.pop(key)))]
        return True

    @property
    def sure(self) -> int:
        """How many calls count."""
        return len(self._sure)

    @property
    def maybe(self) -> int:
        """How many calls might count."""
        return len(self._maybe)

    def nth(self, number: int) -> JudgedCall:
        """The counting call at this place, from 0; negative from the end."""
        return self._calls[self._sure[number][2]]

    def unsure(self) -> Iterable[JudgedCall]:
        """The calls that might count, in order."""
        return (self._calls[key] for _, _, key in self._maybe)

    def outermost(self) -> Iterator[tuple[JudgedCall, bool, bool]]:
        """The first and the last call that count, then those that might: each with whether it is the first, and counts."""
        for row, counts in ((self._sure, True), (self._maybe, False)):
            for order in dict.fromkeys((row[0], row[-1]) if row else ()):
                yield self._calls[order[2]], order == row[0], counts

    def missing(self, words: Callable[[JudgedCall], tuple[str, ...]]) -> tuple[str, ...]:
        """What was not observed of the calls that might count."""
        return tuple(dict.fromkeys(word for call in self.unsure() for word in words(call)))


def passed(counted: Counted, limit: int, what: str, reason: str | None) -> Verdict | None:
    """The finding where at most `limit` calls may count, and more do.

    Args:
        counted: the calls.
        limit: how many may count.
        what: the calls, in words.
        reason: of the rule.
    """
    if counted.sure <= limit:
        return None
    text = f"{calls(counted.sure)} of {what}, where at most {limit:,} may be made"
    return Verdict(
        label=Label.FAIL,
        kind=FindingKind.LIMIT_EXCEEDED,
        explanation=because(text, reason),
        call=counted.nth(limit).call,
        count=counted.sure,
        first=counted.nth(0).call,
        last=counted.nth(-1).call,
    )


def may_pass(
    counted: Counted, limit: int, what: str, missing: Callable[[JudgedCall], tuple[str, ...]]
) -> Verdict | None:
    """What cannot be checked where no more than `limit` calls count for sure, and more might.

    Args:
        counted: the calls.
        limit: how many may count.
        what: the calls, in words.
        missing: what was not observed of a call that might count.
    """
    if counted.sure + counted.maybe <= limit:
        return None
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=FindingKind.LIMIT_EXCEEDED,
        explanation=f"whether {f'more than {calls(limit)}' if limit else 'any call'} of {what} happened",
        call=next(iter(counted.unsure())).call,
        count=counted.maybe,
        missing=counted.missing(missing),
    )
