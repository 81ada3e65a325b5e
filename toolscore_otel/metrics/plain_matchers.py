"""Matchers for hand-written expectations: dropped in as a value of expected arguments, at any depth.

They ask `==` as well as `match`, so they also work inside dict and list equality, and a failed assertion prints them as
they were written. Their meaning is the one of the field (`Regex` takes the whole text, `Approx` is relative to the
expected number, `Contains` looks at keys of a dict); a contract's operators (`toolscore_otel.matchers`) are matchers too
and may stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import isfinite, isinf
from typing import Any, cast

from toolscore_otel.matchers import Answer, Matcher, MatcherError
from toolscore_otel.matchers.answer import NO, UNSURE, YES, yes_if
from toolscore_otel.matchers.canonical import written
from toolscore_otel.matchers.equality import equal
from toolscore_otel.matchers.matcher import is_matcher
from toolscore_otel.matchers.value import HIDDEN, Missing, Value, is_number, is_unseen, seen
from toolscore_otel.metrics.python_pattern import PythonPattern

_CONTAINERS = (list, tuple, set, frozenset, dict)


class PlainMatcher:
    """One question about a value, asked by `match` or by `==`."""

    __slots__ = ("_hidden", "_holds", "_says")

    def __init__(self, says: str, holds: Callable[[Any], bool], hidden: Answer = UNSURE) -> None:
        """A matcher.

        Args:
            says: how it was written, as in `Approx(9.99)`.
            holds: asked only of values that were observed.
            hidden: what is said of a value that is there and was not observed.
        """
        self._says = says
        self._holds = holds
        self._hidden = hidden

    def match(self, value: Value) -> Answer:
        """Whether the value matches; unknown where it was not observed."""
        value = seen(value)
        if is_unseen(value):
            return self._hidden if value is HIDDEN else UNSURE
        return NO if isinstance(value, Missing) else yes_if(self._holds(value))

    def describe(self) -> str:
        """As in `is Approx(9.99)`."""
        return f"is {self._says}"

    def __eq__(self, other: object) -> bool:
        return self.match(other) is YES

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return self._says


ANY = PlainMatcher("ANY", lambda _: True, hidden=YES)
"""Anything, null included; the key must be there."""


def Regex(pattern: str, flags: int = 0) -> Matcher:  # noqa: N802 - reads as the value that it stands for
    """The whole text matches; what is no text never does.

    Args:
        pattern: as Python's `re` reads it, but that no text makes it run away (`metrics.python_pattern`).
        flags: of `re`.

    Raises:
        MatcherError: no such pattern, or one that cannot be answered in bounded time.
    """
    compiled = PythonPattern(pattern, flags)
    says = f"Regex({pattern!r}{f', flags={flags}' if flags else ''})"
    return PlainMatcher(says, lambda value: isinstance(value, str) and compiled.is_all_of(value))


def Approx(value: float, rel: float = 1e-6, abs: float = 0.0) -> Matcher:  # noqa: A002, N802
    """A number no further off than `max(rel * |value|, abs)`; a boolean is none. Exact at any size.

    Args:
        value: around 0 only what equals it is close, unless `abs` is given. An infinity takes only itself; True is 1 here.
        rel: relative to `value`.
        abs: in the unit of `value`.

    Raises:
        MatcherError: no numbers, or a negative tolerance.
    """
    number = int(value) if isinstance(value, bool) else value
    if not all(map(is_number, (number, rel, abs))) or not (rel >= 0 and abs >= 0):
        raise MatcherError((), "takes a number and tolerances that are not negative")
    more = f"{f', rel={rel!r}' if rel != 1e-6 else ''}{f', abs={abs!r}' if abs else ''}"  # noqa: PLR2004
    return PlainMatcher(
        f"Approx({value!r}{more})",
        lambda actual: is_number(actual) and _is_close(actual, number, rel, abs),
    )


def Contains(item: object) -> Matcher:  # noqa: N802
    """`item in value`, for texts, lists, tuples, sets, and the keys of dicts.

    The item may be a matcher, of an element of a list or a tuple; sets and keys are looked up, and not gone through.
    """
    return PlainMatcher(f"Contains({written(item)})", lambda value: _is_in(item, value))


def OneOf(*values: object) -> Matcher:  # noqa: N802
    """Equal to one of these, or taken by one of them that is a matcher; of none, never."""
    says = ", ".join(map(written, values))
    return PlainMatcher(f"OneOf({says})", lambda value: any(_takes(one, value) for one in values))


def IsType(*types: type) -> Matcher:  # noqa: N802
    """Of one of these Python types; a boolean only where `bool` is listed. Of none, never."""
    says = ", ".join(one.__name__ for one in types)
    return PlainMatcher(
        f"IsType({says})",
        lambda value: bool in types if isinstance(value, bool) else isinstance(value, types),
    )


def _is_close(actual: float, value: float, rel: float, near: float) -> bool:
    if actual == value:
        return True
    if not (_is_finite(actual) and _is_finite(value)):
        return False
    if isinf(rel) or isinf(near):
        return True
    allowed = max(Fraction(rel) * abs(Fraction(value)), Fraction(near))
    return abs(Fraction(actual) - Fraction(value)) <= allowed


def _is_finite(number: float) -> bool:
    return isinstance(number, int) or isfinite(number)


def _is_in(item: object, value: Any) -> bool:
    if isinstance(value, str):
        return isinstance(item, str) and item in value
    searched = (list, tuple) if is_matcher(item) else _CONTAINERS
    return isinstance(value, searched) and any(map(partial(_takes, item), cast("Any", value)))


def _takes(candidate: object, value: object) -> bool:
    """Whether they are equal as JSON is, white space and all; a value of no JSON type equals what Python says."""
    if is_matcher(candidate):
        return candidate.match(value) is YES
    return equal(value, candidate) is YES
