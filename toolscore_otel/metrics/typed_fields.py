"""One argument compared as its type asks for: what it says counts, not how it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, get_args
from unicodedata import normalize

from msgspec import Struct

from toolscore_otel.matchers import Answer, Approx, Casefold, Matcher
from toolscore_otel.matchers.matcher import is_matcher
from toolscore_otel.matchers.value import Value, is_list, is_number, is_object
from toolscore_otel.metrics.arguments import Field, literal_field, of_matcher
from toolscore_otel.metrics.dates import SameMoment, moment
from toolscore_otel.metrics.likeness import Same, decoded, expectation, key_of

Kind = Literal["exact", "loose", "number", "datetime", "text"]
"""How a field is compared. `exact`: same type and text, for ids and enums. `loose`: as `calculate_argument_f1` does. `number`: within
a tolerance, `"100"` like `100`. `datetime`: the same day or time in any spelling that has one reading (`metrics.dates`). `text`:
whatever the case, the white space around it and the composition of its letters, for enums and names whose case says nothing. A
value of another type than the kind is about is compared loosely."""

KINDS: tuple[str, ...] = get_args(Kind)

_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")


class KindsOf(Struct, frozen=True):
    """The kinds of the fields of one tool."""

    kinds: Mapping[str, Kind]
    tool: str

    def at(self, path: str) -> Kind | None:
        """That of a field, or of a part of one by its dotted path."""
        return self.kinds.get(f"{self.tool}.{path}") or self.kinds.get(path)

    def inside(self, path: str) -> bool:
        """Whether some part of what stands there has one."""
        within = (f"{path}.", f"{self.tool}.{path}.")
        return any(name.startswith(within) for name in self.kinds)


def typed_field(value: Any, kinds: KindsOf, name: str, tolerance: float) -> Field:
    """A field with a value of its kind; a matcher says itself how it compares.

    Args:
        value: as it was expected.
        kinds: how fields, and parts of them, are compared.
        name: of the field.
        tolerance: of numbers, relative.
    """
    kind = kinds.at(name) or "loose"
    whole = decoded(value) if isinstance(value, str) else value
    if (is_object(whole) or is_list(whole)) and kinds.inside(name):
        typed = expectation(_typed_parts(whole, kinds, name, tolerance), strict=kind == "exact")
        if typed is not None:
            return Field(of_matcher(SameParts(typed)))
    if is_matcher(value) or kind in ("exact", "loose"):
        return literal_field(value, strict=kind == "exact")
    matcher = _matcher(value, kind, tolerance)
    if matcher is None:
        return literal_field(value)
    return Field(of_matcher(matcher), key_of(value, strict=True))


def _typed_parts(value: Any, kinds: KindsOf, path: str, tolerance: float) -> Any:
    """The value, with matchers for parts that have a kind of their own."""
    if is_list(value):
        return [_typed_part(item, kinds, path, tolerance) for item in value]
    return {
        key: _typed_part(item, kinds, f"{path}.{key}", tolerance) for key, item in value.items()
    }


def _typed_part(value: Any, kinds: KindsOf, path: str, tolerance: float) -> Any:
    if is_object(value) or is_list(value):
        return _typed_parts(value, kinds, path, tolerance) if kinds.inside(path) else value
    kind = kinds.at(path)
    if kind is None or is_matcher(value):
        return value
    matcher = None if kind in ("exact", "loose") else _matcher(value, kind, tolerance)
    return matcher or Same(value, strict=kind == "exact")


def _matcher(value: Any, kind: Kind, tolerance: float) -> Matcher | None:
    if kind == "number":
        number = _number(value)
        return SameNumber(Approx(number, rel=tolerance)) if _is_usual(number) else None
    if not isinstance(value, str):
        return None
    if kind == "text":
        return SameText(_folded(value))
    named = moment(value)
    return None if named is None else SameMoment(value, named)


def _number(value: Value) -> Value:
    """The number that a text writes; anything else as it is. `1,000` is left alone: it may be one, or a thousand."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return value
    number = Fraction(value.strip())
    return int(number) if number.denominator == 1 else float(number)


def _is_usual(value: Value) -> bool:
    return is_number(value) and value == value  # noqa: PLR0124 - NaN is not


class SameParts(Struct, frozen=True):
    """An object or a list of which each part is taken, also as JSON text."""

    parts: Matcher

    def match(self, value: Any) -> Answer:
        """Whether it is."""
        return self.parts.match(decoded(value) if isinstance(value, str) else value)

    def describe(self) -> str:
        """As its parts are described."""
        return self.parts.describe()


class SameNumber(Struct, frozen=True):
    """A number close enough, or a text that writes one."""

    near: Approx

    def match(self, value: Any) -> Answer:
        """Whether it is."""
        return self.near.match(_number(value))

    def describe(self) -> str:
        """As in `is about 100`."""
        return self.near.describe()


class SameText(Struct, frozen=True):
    """The same text but for case, the white space around it, and how its letters are put together."""

    text: str

    def match(self, value: Any) -> Answer:
        """Whether it is."""
        return Casefold(self.text).match(_folded(value) if isinstance(value, str) else value)

    def describe(self) -> str:
        """As in `is "x" in whatever case`."""
        return Casefold(self.text).describe()


def _folded(text: str) -> str:
    return normalize("NFC", text.strip())
