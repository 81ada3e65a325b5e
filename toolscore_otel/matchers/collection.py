"""Matchers of what holds several things: `$contains $one_of $len $exact`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, all_of, any_of, yes_if
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.matcher import Matcher, is_matcher
from toolscore_otel.matchers.shape import Literal, as_matcher
from toolscore_otel.matchers.value import (
    ABSENT,
    HIDDEN,
    UNKNOWN,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    Value,
    is_list,
    is_object,
    is_unseen,
    seen,
)


@dataclass(frozen=True, slots=True, init=False)
class Contains:
    """`$contains`: a substring of a text, or an element of a list (a literal, or one that a matcher takes)."""

    item: Matcher

    def __init__(self, item: object) -> None:
        object.__setattr__(self, "item", as_matcher(item))

    def match(self, value: Value) -> Answer:
        """Whether the item is in the value."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, (str, CutText)):
            return self._match_text(value)
        if isinstance(value, OpenList):
            answer = any_of(map(self.item.match, value.items))
            return UNSURE if answer is NO else answer
        return any_of(map(self.item.match, value)) if is_list(value) else NO

    def _match_text(self, value: str | CutText) -> Answer:
        piece = self.item.value if isinstance(self.item, Literal) else None
        if not isinstance(piece, str):
            return NO
        if isinstance(value, CutText):
            return YES if piece in value.prefix else UNSURE
        return yes_if(piece in value)

    def describe(self) -> str:
        """As in `contains "x"`."""
        if isinstance(self.item, Literal):
            return f"contains {self.item.describe().removeprefix('is ')}"
        return f"contains an element that {self.item.describe()}"


@dataclass(frozen=True, slots=True, init=False)
class OneOf:
    """`$one_of`: equal to one of these literals; in Python, or taken by one of these matchers."""

    choices: tuple[Matcher, ...]

    def __init__(self, *choices: object) -> None:
        object.__setattr__(self, "choices", tuple(map(as_matcher, choices)))

    def match(self, value: Value) -> Answer:
        """Whether the value is one of them."""
        return any_of(choice.match(value) for choice in self.choices)

    def describe(self) -> str:
        """As in `is "a" or is "b"`."""
        return " or ".join(choice.describe() for choice in self.choices)


@dataclass(frozen=True, slots=True, init=False)
class Len:
    """`$len`: how many code points, elements or members; only texts, lists and objects have a length."""

    length: Matcher

    def __init__(self, length: object) -> None:
        if not is_matcher(length) and not _is_count(length):
            raise MatcherError((), "must be a whole number from 0, or a mapping of operators")
        object.__setattr__(self, "length", as_matcher(length))

    def match(self, value: Value) -> Answer:
        """Whether the length matches."""
        length = _length(seen(value))
        if length is UNKNOWN:
            return UNSURE
        return NO if length is ABSENT else self.length.match(length)

    def describe(self) -> str:
        """As in `has a length that is 3`."""
        return f"has a length that {self.length.describe()}"


@dataclass(frozen=True, slots=True, init=False)
class Exact:
    """`$exact`: an object with these keys and no others, on this level. A key is a key here, and no path."""

    fields: Mapping[str, Matcher]

    def __init__(self, fields: Mapping[str, object]) -> None:
        matchers = {key: as_matcher(value) for key, value in fields.items()}
        object.__setattr__(self, "fields", matchers)

    def match(self, value: Value) -> Answer:
        """Whether keys and values match."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, OpenObject):
            return self._match_open(value)
        if not is_object(value) or value.keys() != self.fields.keys():
            return NO
        return self._match_items(value)

    def _match_items(self, items: Mapping[str, Value]) -> Answer:
        return all_of(self.fields[key].match(item) for key, item in items.items())

    def _match_open(self, value: OpenObject) -> Answer:
        missing = self.fields.keys() - value.items.keys()
        if not value.items.keys() <= self.fields.keys():
            return NO
        if value.next_key is not None and not any(map(value.may_hold, missing)):
            return NO
        hidden = dict.fromkeys(missing, HIDDEN)
        return all_of((self._match_items({**value.items, **hidden}), UNSURE))

    def describe(self) -> str:
        """As in `has only a (is 1), b (is 2)`."""
        inner = ", ".join(f"{key} ({matcher.describe()})" for key, matcher in self.fields.items())
        return f"has only {inner}" if inner else "is an empty object"


def _length(value: Value) -> Value:
    """The length as a value; ABSENT for what has none, UNKNOWN where it was not observed."""
    if is_unseen(value):
        return UNKNOWN
    if isinstance(value, str) or is_object(value) or is_list(value):
        return len(value)
    if isinstance(value, CutText):
        return SomeNumber(low=len(value.prefix), high=inf)
    if isinstance(value, OpenList):
        return SomeNumber(low=len(value.items), high=inf)
    if isinstance(value, OpenObject):
        return SomeNumber(low=len(value.items) + (value.next_key is not None), high=inf)
    return ABSENT


def _is_count(length: object) -> bool:
    if isinstance(length, bool) or not isinstance(length, (int, float)):
        return False
    return length >= 0 and length == length // 1
