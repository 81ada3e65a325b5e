"""Literals, objects and lists: what stands in a contract without an operator."""

from __future__ import annotations

import json
from dataclasses import dataclass

from toolscore_otel.errors import clip
from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, yes_if
from toolscore_otel.matchers.equality import equal
from toolscore_otel.matchers.matcher import Matcher, is_matcher
from toolscore_otel.matchers.path import Steps, match_at
from toolscore_otel.matchers.value import (
    OpenList,
    OpenObject,
    Value,
    is_list,
    is_unseen,
    seen,
)
from toolscore_otel.model import Json


def shown(literal: Json) -> str:
    """A literal of a contract as it stands in a sentence."""
    try:
        return clip(json.dumps(literal, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):  # more digits, or more levels, than Python writes
        return f"a certain {type(literal).__name__}"


@dataclass(frozen=True, slots=True)
class Literal:
    """Equal as JSON values are: `1` equals `1.0`, `true` is not `1`."""

    value: Json

    def match(self, value: Value) -> Answer:
        """Whether the value equals the literal."""
        return equal(value, self.value)

    def describe(self) -> str:
        """As in `is "x"`."""
        return f"is {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class Fields:
    """Each path leads to a value that its matcher takes; other keys are free. Without a path: any object.

    Attributes:
        entries: steps of a path, and the matcher of what it leads to.
    """

    entries: tuple[tuple[Steps, Matcher], ...]

    def match(self, value: Value) -> Answer:
        """Whether all paths match."""
        if not self.entries:
            return _is_object(value)
        answer = YES
        for steps, matcher in self.entries:
            one = match_at(value, steps, matcher)
            if one is NO:
                return NO
            if one is UNSURE:
                answer = UNSURE
        return answer

    def describe(self) -> str:
        """As in `command matches /x/ and path is "y"`."""
        if not self.entries:
            return "is an object"
        return " and ".join(f"{'.'.join(steps)} {m.describe()}" for steps, m in self.entries)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of this length, each element taken by the matcher at its position."""

    matchers: tuple[Matcher, ...]

    def match(self, value: Value) -> Answer:
        """Whether length and elements match."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, OpenList):
            items, answer = value.items, UNSURE
            if len(items) > len(self.matchers):
                return NO
        elif is_list(value) and len(value) == len(self.matchers):
            items, answer = value, YES
        else:
            return NO
        for matcher, item in zip(self.matchers, items, strict=False):
            one = matcher.match(item)
            if one is NO:
                return NO
            if one is UNSURE:
                answer = UNSURE
        return answer

    def describe(self) -> str:
        """As in `is a list of 2 (is 1; is 2)`."""
        inner = "; ".join(matcher.describe() for matcher in self.matchers)
        return f"is a list of {len(self.matchers)} ({inner})"


@dataclass(frozen=True, slots=True)
class NoArguments:
    """`args: {}`: called with no arguments; an observed null is none too."""

    def match(self, value: Value) -> Answer:
        """Whether there are no arguments."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, OpenObject):
            return NO if value.items or value.next_key is not None else UNSURE
        return yes_if(value is None or value == {})

    def describe(self) -> str:
        """As in `no arguments`."""
        return "no arguments"


def as_matcher(value: object) -> Matcher:
    """A matcher as it is; anything else as a literal."""
    return value if is_matcher(value) else Literal(value)


def _is_object(value: Value) -> Answer:
    value = seen(value)
    if is_unseen(value):
        return UNSURE
    return yes_if(isinstance(value, (dict, OpenObject)))
