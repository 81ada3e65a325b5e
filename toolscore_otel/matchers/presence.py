"""Whether a value is there, and of which type."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, negate, yes_if
from toolscore_otel.matchers.error import MatcherError, unknown_word
from toolscore_otel.matchers.value import (
    ABSENT,
    UNKNOWN,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    Value,
    is_list,
    is_number,
    is_unseen,
    seen,
)
from toolscore_otel.model import Json

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
"""JSON types, as JSON Schema names them."""

_OF_PYTHON: dict[object, str] = {
    str: "string",
    float: "number",
    int: "integer",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Exists:
    """`$exists`: the path is there, or known to be absent. A placeholder is there."""

    expected: bool = True

    def match(self, value: Value) -> Answer:
        """Whether the path is there, as expected."""
        if value is UNKNOWN:
            return UNSURE
        there = yes_if(value is not ABSENT)
        return there if self.expected else negate(there)

    def describe(self) -> str:
        """As in `is there`."""
        return "is there" if self.expected else "is absent"


ANY = Exists()
"""`$any: true`: a value is there, null included."""


@dataclass(frozen=True, slots=True, init=False)
class IsType:
    """`$type`: one of these JSON types; `1.0` is an integer.

    Examples:
        >>> IsType("integer") == IsType(int)
        True
    """

    types: tuple[str, ...]

    def __init__(self, *types: str | type) -> None:
        names = tuple(_OF_PYTHON.get(name, name) for name in types)
        for name in names:
            if name not in TYPES:
                raise MatcherError((), unknown_word("type", name, TYPES))
        if not names:
            raise MatcherError((), "no type is given, so nothing would match")
        object.__setattr__(self, "types", names)

    def match(self, value: Value) -> Answer:
        """Whether the value is of one of the types."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, SomeNumber):
            if "number" in self.types:
                return YES
            return UNSURE if "integer" in self.types else NO
        kind = _kind(value)
        if kind == "number" and "integer" in self.types and _is_integer(value):
            return YES
        return yes_if(kind in self.types)

    def describe(self) -> str:
        """As in `is of type string or null`."""
        return f"is of type {' or '.join(self.types)}"


def _kind(value: Value) -> str | None:
    """The JSON type; None for what is absent, or no JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, (str, CutText)):
        return "string"
    if isinstance(value, (dict, OpenObject)):
        return "object"
    return "array" if is_list(value) or isinstance(value, OpenList) else None


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) or (isfinite(value) and value == int(value))
