"""When two argument values are the same, and how much of a value is right.

Loose, the usual way: numbers compare exactly and by value (`1` is `1.0`, `true` is not `1`, every digit of an id counts),
texts without the white space around them, a text that is JSON of an object or a list as what it stands for, on every
level. Strict: the exact same types and texts. Not a number equals itself, so that a perfect replay is perfect.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from toolscore_otel.matchers import ABSENT, Answer, Exact, Items, Matcher, MatcherError, canonical
from toolscore_otel.matchers.answer import NO, yes_if
from toolscore_otel.matchers.canonical import written
from toolscore_otel.matchers.equality import equal
from toolscore_otel.matchers.matcher import is_matcher
from toolscore_otel.matchers.value import Value, is_list, is_object, is_whole
from toolscore_otel.metrics.given_calls import MOST_LEVELS
from toolscore_otel.model import Json

_PLAIN = (str, int, float, bool, type(None))
"""What is no matcher, without asking."""


def alike(expected: Json, value: Value, *, strict: bool = False) -> Answer:
    """Whether a value is the expected literal; unknown where what was not observed decides. Safe at any depth."""
    if is_whole(value) and is_whole(expected):
        return yes_if(key_of(expected, strict=strict) == key_of(value, strict=strict))
    if strict:
        return equal(value, expected)
    return equal(_loosened(value), _loosened(expected))


def key_of(value: Json, *, strict: bool = False) -> bytes:
    """The same bytes for values that are the same."""
    return canonical(_tagged(value) if strict else _loosened(value))


def loose_parts(value: Json) -> frozenset[bytes]:
    """What counts in a value: of an object each field with its path and value, down to what is no object; else the value itself."""
    return _parts(_loosened(value), strict=False)


def strict_parts(value: Json) -> frozenset[bytes]:
    """The same, with types and white space."""
    return _parts(value, strict=True)


def _parts(value: Json, *, strict: bool) -> frozenset[bytes]:
    if not is_object(value) or not value:
        return frozenset((canonical(_tagged(value) if strict else value),))
    found: set[bytes] = set()
    pending: list[tuple[tuple[str, ...], Json]] = [((), value)]
    while pending:
        path, one = pending.pop()
        if is_object(one) and one:
            pending.extend(((*path, str(key)), item) for key, item in one.items())
        else:
            found.add(canonical([list(path), _tagged(one) if strict else one]))
    return frozenset(found)


def agreement(expected: frozenset[bytes], actual: frozenset[bytes], common: int) -> float:
    """F1 of parts of which so many are common: 1 for the same, 0 for nothing in common."""
    return 2 * common / (len(expected) + len(actual))


def expectation(
    value: object, *, strict: bool = False, levels: int = MOST_LEVELS
) -> Matcher | None:
    """A value that holds matchers, as one matcher; None for a plain literal.

    Raises:
        MatcherError: one stands deeper than `levels`.
    """
    if is_matcher(value):
        return value
    if not _holds_matcher(value):
        return None
    if not levels:
        raise MatcherError((), f"a matcher stands more than {MOST_LEVELS} levels deep")
    inner = partial(_as_expected, strict=strict, levels=levels - 1)
    if is_object(value):
        return Exact({key: inner(item) for key, item in value.items()})
    return Items(tuple(map(inner, value if is_list(value) else ())))


class Same:
    """Takes what is the same as a literal."""

    __slots__ = ("_strict", "_value")

    def __init__(self, value: Json, *, strict: bool) -> None:
        self._value = value
        self._strict = strict

    def match(self, value: Value) -> Answer:
        """Whether a value is the same."""
        return NO if value is ABSENT else alike(self._value, value, strict=self._strict)

    def describe(self) -> str:
        """As in `is 1`."""
        return f"is {written(self._value)}"


def _as_expected(value: object, *, strict: bool, levels: int) -> Matcher:
    return expectation(value, strict=strict, levels=levels) or Same(value, strict=strict)


def _holds_matcher(value: object) -> bool:
    pending = [value]
    while pending:
        one = pending.pop()
        if is_object(one):
            pending.extend(one.values())
        elif is_list(one):
            pending.extend(one)
        elif type(one) not in _PLAIN and is_matcher(one):
            return True
    return False


def decoded(text: str) -> Json:
    """What a text that is JSON of an object or a list stands for; any other text as it is."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _loosened(value: Json) -> Json:
    return _rebuilt(value, lambda one: decoded(one.strip()) if isinstance(one, str) else one)


def _tagged(value: Json) -> Json:
    """The same with the type of each value beside it."""
    return _rebuilt(value, lambda one: _Tag((type(one).__name__, canonical(one).decode())))


class _Tag(tuple[str, str]):
    """A leaf that is done, though it is a tuple."""

    __slots__ = ()


def _rebuilt(value: Json, change: Callable[[Any], Any]) -> Json:
    """A copy with every leaf changed; what a leaf turns into is gone into."""
    root: list[Any] = [value]
    pending: list[tuple[Any, Any]] = [(root, 0)]
    while pending:
        holder, key = pending.pop()
        item = holder[key]
        if is_object(item):
            holder[key] = dict(item)
            pending.extend((holder[key], name) for name in item)
        elif is_list(item) and not isinstance(item, _Tag):
            holder[key] = list(item)
            pending.extend((holder[key], number) for number in range(len(item)))
        elif (changed := change(item)) is not item:
            holder[key] = changed
            if not isinstance(changed, (str, _Tag)):
                pending.append((holder, key))
    return root[0]
