"""Values that stand in telemetry although JSON has none such, or none that a program reads: each costs itself alone.

NaN, the infinities and numbers of thousands of digits become a placeholder, which says what stood there and of which every
rule knows that it was not observed (`matchers.redacted`). Half of a surrogate pair, as a text has that was cut inside an emoji,
becomes U+FFFD, as everywhere in Unicode. What is left is JSON that any program reads.
"""

from __future__ import annotations

import json
from math import isfinite, isnan

import msgspec

from toolscore_otel.conventions.fields import a_list, an_object
from toolscore_otel.matchers.cut import whole_characters
from toolscore_otel.matchers.redacted import (
    HUGE_NUMBER,
    INFINITY,
    MINUS_INFINITY,
    NOT_A_NUMBER,
    UNREADABLE,
)
from toolscore_otel.model import Json

MOST_DIGITS = 4300
"""Of an integer: Python reads and writes no more, nor does the fast decoder."""

DEEPEST = 200
"""Levels of a value that are looked at; nothing that is read from attributes nests so deeply."""

_TOO_GREAT = 10**MOST_DIGITS
_CONSTANTS = {"NaN": NOT_A_NUMBER, "Infinity": INFINITY, "-Infinity": MINUS_INFINITY}
_MARK = b'"[unreadable: '


def decode(text: str) -> Json:
    """The JSON value that a text holds, with placeholders for what is no number, and its texts as they are.

    Raises:
        ValueError: it holds none.
        RecursionError: it nests beyond what the interpreter can follow.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError):
        return _PATIENT.decode(text)


def decode_at(text: str, start: int) -> tuple[Json, int]:
    """The JSON value that begins at a place of a text, as `decode`, and where it ends.

    Raises:
        ValueError: none begins there.
        RecursionError: it nests beyond what the interpreter can follow.
    """
    return _PATIENT.raw_decode(text, start)


def mended(value: Json) -> tuple[Json, bool]:
    """A value that any program reads, and whether something in it is not what was recorded.

    Args:
        value: as recorded; given back as it is where nothing is wrong with it.
    """
    if isinstance(value, str) and value.isascii() and value not in UNREADABLE:  # most
        return value, False
    try:
        written = msgspec.json.encode(value)
    except (ValueError, OverflowError, RecursionError):
        written = b"null"
    if b"null" not in written:  # which is how NaN is written, too
        return value, _MARK in written
    told = _mended(value, 0)
    return told, told != value or _MARK in written


def _mended(value: Json, depth: int) -> Json:
    match value:
        case str():
            return whole_characters(value)
        case bool():
            return value
        case float():
            return value if isfinite(value) else _no_number(value)
        case int():
            return HUGE_NUMBER if abs(value) >= _TOO_GREAT else value
        case _:
            return value if depth == DEEPEST else _mended_inside(value, depth + 1)


def _mended_inside(value: Json, depth: int) -> Json:
    if (found := an_object(value)) is not None:
        return {whole_characters(key): _mended(entry, depth) for key, entry in found.items()}
    if (listed := a_list(value)) is not None:
        return [_mended(entry, depth) for entry in listed]
    return value


def _no_number(value: float) -> str:
    if isnan(value):
        return NOT_A_NUMBER
    return INFINITY if value > 0 else MINUS_INFINITY


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits.lstrip("-")) <= MOST_DIGITS else HUGE_NUMBER


def _fraction(digits: str) -> float | str:
    value = float(digits)
    return value if isfinite(value) else HUGE_NUMBER


_PATIENT = json.JSONDecoder(
    parse_int=_integer, parse_float=_fraction, parse_constant=_CONSTANTS.__getitem__
)
