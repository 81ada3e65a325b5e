"""Single values out of attributes that may hold anything.

Each takes the first of several names that holds a value of the wanted sort; a value of another sort counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from toolscore_otel.model import Json

_NO_TEXT = frozenset({"<not specified>"})  # ADK writes this where a call id is missing
_MOST = 10**15
"""Nobody uses as many tokens, nanoseconds or dollars: such a number is a mistake, and sums of it would not fit in 64 bits."""

_DIGITS = re.compile(r"\d{1,18}", re.ASCII)
_DOLLARS = re.compile(r"(\d{1,15}(?:\.\d{1,30})?(?:[eE]-\d{1,2})?)(?: ?USD)?", re.ASCII)


def first(attributes: Mapping[str, Json], names: Iterable[str]) -> Json:
    """The first value that is there, of any sort; None where there is none."""
    for name in names:
        if (value := attributes.get(name)) is not None:
            return value
    return None


def an_object(value: Json) -> dict[str, Json] | None:
    """The value where it is an object, else None."""
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def a_list(value: Json) -> Sequence[Json] | None:
    """The value where it is a list, else None."""
    return value if isinstance(value, list) else None  # pyright: ignore[reportUnknownVariableType]


def text(attributes: Mapping[str, Json], name: str) -> str | None:
    """The text under a name, where it is one that is not empty."""
    value = attributes.get(name)
    return value if value and isinstance(value, str) and value not in _NO_TEXT else None


def first_text(attributes: Mapping[str, Json], names: tuple[str, ...]) -> str | None:
    """The first text that is not empty."""
    for name in names:
        value = attributes.get(name)
        if value and isinstance(value, str) and value not in _NO_TEXT:
            return value
    return None


def count(attributes: Mapping[str, Json], names: Iterable[str]) -> int | None:
    """The first whole number that is not negative, also where it was recorded as text (Micrometer, Koog)."""
    for name in names:
        if (value := attributes.get(name)) is None:
            continue
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if 0 <= value < _MOST and (isinstance(value, int) or value.is_integer()):
            return int(value)
    return None


def usd(attributes: Mapping[str, Json], names: Iterable[str]) -> float | None:
    """The first amount above zero, in USD, also where it was recorded as text (Claude Code 2.0, Quarkus).

    Zero is what instrumentations write that found no price for the model, so it is no observation.
    """
    for name in names:
        if (value := attributes.get(name)) is None:
            continue
        if isinstance(value, str) and (match := _DOLLARS.fullmatch(value)):
            value = float(match[1])
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if 0 < value < _MOST:
            return float(value)
    return None


def a_number(attributes: Mapping[str, Json], name: str, times: int) -> int | None:
    """A whole number that is not negative, times a unit."""
    found = count(attributes, (name,))
    return None if found is None else found * times
