"""What a matcher looks at: JSON values, and what is known where the value was not wholly observed.

Besides plain JSON values (None, bool, int, float, str, list, dict) a value tree may hold:

    ABSENT        known not to be there
    UNKNOWN       not observed; it may even be absent
    HIDDEN        a value is there, nothing more is known of it
    CutText       a text of which the beginning is known
    SomeNumber    a number between two bounds
    OpenList      a list that was cut: more elements may follow
    OpenObject    an object that was cut: more keys may follow
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Any, TypeGuard

from toolscore_otel.matchers.redacted import is_placeholder

Value = Any
"""A JSON value, or one of the nodes of this file."""


class Missing(Enum):
    """Where no part of a value is known."""

    ABSENT = "absent"
    UNKNOWN = "unknown"
    HIDDEN = "hidden"


ABSENT = Missing.ABSENT
UNKNOWN = Missing.UNKNOWN
HIDDEN = Missing.HIDDEN


@dataclass(frozen=True, slots=True)
class CutText:
    """A text that begins with `prefix`, and of which the rest was not observed."""

    prefix: str


@dataclass(frozen=True, slots=True)
class SomeNumber:
    """A number of which only bounds are known, both inclusive."""

    low: float = -inf
    high: float = inf


@dataclass(frozen=True, slots=True)
class OpenList:
    """A list with these first elements; more may follow."""

    items: list[Value]


@dataclass(frozen=True, slots=True)
class OpenObject:
    """An object with these keys; more may follow.

    Attributes:
        items: what was observed.
        next_key: how the next key begins; None where it is not known that there is one.
    """

    items: dict[str, Value]
    next_key: str | None = None

    def may_hold(self, key: str) -> bool:
        """Whether `key`, which is not in `items`, can be the key that is known to follow."""
        return self.next_key is None or key.startswith(self.next_key)


_PARTIAL = (CutText, SomeNumber, OpenList, OpenObject)


def seen(value: Value) -> Value:
    """The value itself, or HIDDEN where it is a placeholder that stands for another one."""
    return HIDDEN if isinstance(value, str) and is_placeholder(value) else value


def is_unseen(value: Value) -> bool:
    """Whether nothing is known of a value that has been `seen`: UNKNOWN or HIDDEN."""
    return value is UNKNOWN or value is HIDDEN


def is_number(value: Value) -> TypeGuard[int | float]:
    """Whether it is a JSON number; a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_object(value: Value) -> TypeGuard[dict[str, Any]]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Value) -> TypeGuard[list[Any]]:
    """Whether it is a JSON array; a tuple of a hand-made call is one too."""
    return isinstance(value, (list, tuple))


def is_whole(value: Value) -> bool:
    """Whether all of it was observed, placeholders included. Safe at any depth."""
    pending = [value]
    while pending:
        node = seen(pending.pop())
        if isinstance(node, (Missing, *_PARTIAL)):
            return False
        if is_object(node):
            pending.extend(node.values())
        elif is_list(node):
            pending.extend(node)
    return True
