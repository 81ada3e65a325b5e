"""Calls of one rule in order, those that count and those that might: for `limit`, `require` and `budget of tool`."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

from toolscore_otel.matchers import Answer, JudgedCall, Selector
from toolscore_otel.model import FindingKind, Label
from toolscore_otel.rules.intake import OrderKey, order_of
from toolscore_otel.rules.shape import Verdict
from toolscore_otel.rules.wording import because, times, unseen


class Counted:
    """Calls by order of start. Putting one that comes in order costs the same however many there are.

    Attributes:
        calls: all that count or might, by key.
    """

    def __init__(self) -> None:
        self.calls: dict[str, JudgedCall] = {}
        self._sure: list[OrderKey] = []
        self._maybe: list[OrderKey] = []
        self._where: dict[str, tuple[list[OrderKey], OrderKey]] = {}

    def put(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> bool:
        """Take in calls with their answers; whether anything changed."""
        changed = False
        for call, answer in answers:
            changed |= self.drop(call.call.key)
            if answer is Answer.NO:
                continue
            where = self._sure if answer is Answer.YES else self._maybe
            order = order_of(call)
            insort(where, order)
            self._where[call.call.key] = (where, order)
            self.calls[call.call.key] = call
            changed = True
        return changed

    def drop(self, key: str) -> bool:
        """Forget a call; whether it was known."""
        if (found := self._where.pop(key, None)) is None:
            return False
        where, order = found
        del where[bisect_left(where, order)]
        del self.calls[key]
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
        return self.calls[self._sure[number][2]]

    def unsure(self) -> Iterable[JudgedCall]:
        """The calls that might count, in order."""
        return (self.calls[key] for _, _, key in self._maybe)

    def certain(self) -> Iterable[JudgedCall]:
        """The calls that count, in order."""
        return (self.calls[key] for _, _, key in self._sure)


def over(counted: Counted, limit: int, selector: Selector, reason: str | None) -> Verdict | None:
    """What stands when at most `limit` calls may count: a finding, what cannot be checked, or nothing."""
    if counted.sure > limit:
        passed = counted.nth(limit).call
        text = f"called {times(counted.sure)} where {limit} {'is' if limit == 1 else 'are'} allowed"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.LIMIT_EXCEEDED,
            explanation=because(f"`{passed.tool}` {text}", reason),
            call=passed,
            count=counted.sure,
            first=counted.nth(0).call,
            last=counted.nth(-1).call,
        )
    if counted.sure + counted.maybe > limit:
        missing = tuple({word for call in counted.unsure() for word in selector.missing(call)})
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.LIMIT_EXCEEDED,
            explanation=unseen(f"whether more than {limit} calls match", missing),
            count=counted.maybe,
            missing=missing,
        )
    return None
