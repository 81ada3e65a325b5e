"""What one call adds to what a `limit` counts: itself, a number of its arguments, or a value of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite
from typing import Protocol

from toolscore_otel.matchers import ABSENT, JudgedCall, MatcherError
from toolscore_otel.matchers.path import SOME, Steps, steps_of, value_at
from toolscore_otel.matchers.value import is_number, is_whole, seen
from toolscore_otel.model import ContentState
from toolscore_otel.rules.wholly_seen import digest_of

Exact = int | Fraction
"""A number as it was written: adding such numbers leaves no rest."""

Amount = Exact | bytes
"""A number, or the hash of a value."""

Adds = Callable[[JudgedCall], tuple[bool, Amount | None]]
"""Whether a call may add something, and what; None where that was not observed."""


def exact(number: float) -> Exact:
    """A number as it was written."""
    if isinstance(number, int):
        return number
    return int(number) if number.is_integer() else Fraction(repr(number))


def steps_in_arguments(key: str, path: str) -> Steps:
    """The steps of a path into arguments; `args.` before it may be left out.

    Raises:
        MatcherError: it is no path of one value.
    """
    steps = steps_of(path.removeprefix("args."))
    if not all(steps) or SOME in steps:
        raise MatcherError(
            (key,), f"`{key}` is the path of one argument, such as `amount` or `order.amount`"
        )
    return steps


def itself() -> Adds:
    """Each call adds one."""
    return lambda _: (True, 1)


def number_at(steps: Steps) -> Adds:
    """The number there; known to be absent it adds nothing, and what is no number is unknown."""

    def read(call: JudgedCall) -> tuple[bool, Amount | None]:
        value = seen(value_at(call.args, steps))
        is_known = is_number(value) and isfinite(value)
        return value is not ABSENT, exact(value) if is_known else None

    return read


def value_of(steps: Steps) -> Adds:
    """The value there; known to be absent it adds none."""

    def read(call: JudgedCall) -> tuple[bool, Amount | None]:
        value = value_at(call.args, steps)
        is_observed = call.call.args_state is ContentState.OBSERVED or is_whole(value)
        return value is not ABSENT, digest_of(value) if is_observed else None

    return read


class Measure(Protocol):
    """What amounts make together. An amount that was not observed is as much as it can be."""

    def add(self, amount: Amount | None) -> None:
        """One more."""
        ...

    def take(self, amount: Amount | None) -> None:
        """One less."""
        ...

    @property
    def total(self) -> Exact | float:
        """What there is."""
        ...


class Sum:
    """Numbers, added up."""

    def __init__(self) -> None:
        self._sum: Exact = 0
        self._blind = 0

    def add(self, amount: Amount | None) -> None:
        """One more."""
        self._put(amount, 1)

    def take(self, amount: Amount | None) -> None:
        """One less."""
        self._put(amount, -1)

    @property
    def total(self) -> Exact | float:
        """The sum."""
        return inf if self._blind else self._sum

    def _put(self, amount: Amount | None, sign: int) -> None:
        if isinstance(amount, (int, Fraction)):
            self._sum += sign * amount
        else:
            self._blind += sign


class Distinct:
    """Different values, counted."""

    def __init__(self) -> None:
        self._values: Counter[Amount] = Counter()
        self._blind = 0

    def add(self, amount: Amount | None) -> None:
        """One more."""
        if amount is None:
            self._blind += 1
        else:
            self._values[amount] += 1

    def take(self, amount: Amount | None) -> None:
        """One less."""
        if amount is None:
            self._blind -= 1
        elif self._values[amount] > 1:
            self._values[amount] -= 1
        else:
            del self._values[amount]

    @property
    def total(self) -> Exact | float:
        """How many."""
        return len(self._values) + self._blind
