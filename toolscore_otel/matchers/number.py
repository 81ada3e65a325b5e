"""Comparisons: `$gt $ge $lt $le $between $approx`, and `$datetime` for instants."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from toolscore_otel.matchers.answer import NO, UNSURE, Answer, all_of, yes_if
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.moment import Instant, instant, may_become_time
from toolscore_otel.matchers.shape import shown
from toolscore_otel.matchers.value import CutText, SomeNumber, Value, is_number, is_unseen, seen
from toolscore_otel.model import Json

Bound = int | float | str
_Test = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Compare:
    """`$gt $ge $lt $le`: two numbers, or two texts that are both RFC 3339 times; anything else is no.

    Attributes:
        symbol: `>`, `>=`, `<` or `<=`.
        bound: a number, or an RFC 3339 time.
    """

    _TESTS: ClassVar[dict[str, _Test]] = {
        ">": operator.gt,
        ">=": operator.ge,
        "<": operator.lt,
        "<=": operator.le,
    }

    symbol: str
    bound: Bound
    _key: Any = field(init=False, repr=False, compare=False)
    _test: _Test = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", _key_of(self.bound))
        object.__setattr__(self, "_test", self._TESTS[self.symbol])

    def match(self, value: Value) -> Answer:
        """Whether the value stands on this side of the bound."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(self.bound, str):
            return self._match_time(value)
        if isinstance(value, SomeNumber):  # the test is monotone: both ends decide
            low, high = self._test(value.low, self._key), self._test(value.high, self._key)
            return yes_if(low) if low is high else UNSURE
        return yes_if(is_number(value) and self._test(value, self._key))

    def _match_time(self, value: Value) -> Answer:
        if isinstance(value, CutText):
            return UNSURE if may_become_time(value.prefix) else NO
        when = instant(value) if isinstance(value, str) else None
        return yes_if(when is not None and self._test(when, self._key))

    def describe(self) -> str:
        """As in `> 5`."""
        return f"{self.symbol} {shown(self.bound)}"


Gt = partial(Compare, ">")
Ge = partial(Compare, ">=")
Lt = partial(Compare, "<")
Le = partial(Compare, "<=")


@dataclass(frozen=True, slots=True)
class Between:
    """`$between`: from `low` to `high`, both inclusive; numbers, or RFC 3339 times."""

    low: Bound
    high: Bound
    _sides: tuple[Compare, Compare] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sides = Compare(">=", self.low), Compare("<=", self.high)
        if isinstance(self.low, str) is not isinstance(self.high, str):
            raise MatcherError((), "both bounds must be numbers, or both RFC 3339 times")
        if sides[1].match(self.low) is NO:
            raise MatcherError((), f"nothing lies between {shown(self.low)} and {shown(self.high)}")
        object.__setattr__(self, "_sides", sides)

    def match(self, value: Value) -> Answer:
        """Whether the value lies between the bounds."""
        return all_of(side.match(value) for side in self._sides)

    def describe(self) -> str:
        """As in `is between 1 and 2`."""
        return f"is between {shown(self.low)} and {shown(self.high)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approx:
    """`$approx`: a number as close as `math.isclose` asks for.

    Attributes:
        rel: relative tolerance, of the greater of the two; 1e-9 where neither is given.
        abs: absolute tolerance.
    """

    value: Any = field(kw_only=False)
    rel: float | None = None
    abs: float | None = None

    def __post_init__(self) -> None:
        _demand_number("value", self.value)
        for name, given in (("rel", self.rel), ("abs", self.abs)):
            if given is not None and _demand_number(name, given) < 0:
                raise MatcherError((), f"`{name}` must not be negative")

    def match(self, value: Value) -> Answer:
        """Whether the value is close enough."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, SomeNumber):
            if self._rel >= 1:
                return UNSURE
            nearest = min(max(self.value, value.low), value.high)
            return UNSURE if self._is_close(nearest) else NO
        return yes_if(is_number(value) and self._is_close(value))

    @property
    def _rel(self) -> float:
        if self.rel is not None:
            return self.rel
        return 1e-9 if self.abs is None else 0.0

    def _is_close(self, other: float) -> bool:
        try:
            return math.isclose(other, self.value, rel_tol=self._rel, abs_tol=self.abs or 0.0)
        except OverflowError:  # an integer beyond what a float holds
            return self._is_close_exact(other)

    def _is_close_exact(self, other: float) -> bool:
        if not (_is_finite(other) and _is_finite(self.value)):
            return False
        one, two = Fraction(other), Fraction(self.value)
        if math.isinf(self._rel) or (self.abs is not None and math.isinf(self.abs)):
            return True
        rel = Fraction(self._rel) * max(abs(one), abs(two))
        return abs(one - two) <= max(rel, Fraction(self.abs or 0))

    def describe(self) -> str:
        """As in `is about 1.5`."""
        return f"is about {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Datetime:
    """`$datetime: TEXT`: an RFC 3339 time that names the same instant."""

    time: str
    _key: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", _demand_time(self.time))

    def match(self, value: Value) -> Answer:
        """Whether the value names this instant."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, CutText):
            return UNSURE if may_become_time(value.prefix) else NO
        return yes_if(isinstance(value, str) and instant(value) == self._key)

    def describe(self) -> str:
        """As in `is the instant 2025-01-31T09:00:00Z`."""
        return f"is the instant {self.time}"


def _key_of(bound: Json) -> Any:
    """What to compare with: a number as it is, a time as its instant."""
    if is_number(bound) and bound == bound:  # noqa: PLR0124 - NaN is the one that is not
        return bound
    return _demand_time(bound)


def _demand_time(given: Json) -> Instant:
    if isinstance(given, str) and (when := instant(given)) is not None:
        return when
    raise MatcherError(
        (), "must be a number, or an RFC 3339 time with its offset such as `2025-01-31T09:00:00Z`"
    )


def _demand_number(name: str, given: Json) -> int | float:
    if is_number(given) and given == given:  # noqa: PLR0124 - NaN is the one that is not
        return given
    raise MatcherError((), f"`{name}` must be a number")


def _is_finite(number: float) -> bool:
    return isinstance(number, int) or math.isfinite(number)
