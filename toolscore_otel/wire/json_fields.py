"""Scalars of OTLP/JSON, as exporters really write them.

64-bit numbers come as text or as numbers, enums as numbers or names, ids as hex (what OTLP says) or base64 (what plain
protobuf-JSON says). null is the same as absent.

Source:
    OTLP specification, "JSON Protobuf Encoding"; ProtoJSON format, https://protobuf.dev/programming-guides/json/
"""

from __future__ import annotations

import base64
import re
from typing import TypeGuard

from toolscore_otel.model import Json, SpanKind, SpanStatus
from toolscore_otel.wire.fields import Unreadable, span_kind, span_status

_INTEGER = re.compile(r"-?[0-9]+")
_HEX = re.compile(r"[0-9a-f]*")
_DIGITS_OF_NOW = 19
_UINT64_MAX = 2**64 - 1
_UINT32_MAX = 2**32 - 1

_KIND_NAMES = {f"SPAN_KIND_{kind.name}": kind for kind in SpanKind}
_STATUS_NAMES = {f"STATUS_CODE_{status.name}": status for status in SpanStatus}
_SEVERITIES = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
_SEVERITY_NAMES = {"SEVERITY_NUMBER_UNSPECIFIED": 0} | {
    f"SEVERITY_NUMBER_{name}{step + 1 if step else ''}": 1 + 4 * rank + step
    for rank, name in enumerate(_SEVERITIES)
    for step in range(4)
}


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: Json) -> TypeGuard[list[Json]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def as_object(value: Json) -> dict[str, Json]:
    """An object."""
    if is_object(value):
        return value
    raise Unreadable


def as_list(value: Json) -> list[Json]:
    """A list; empty where absent."""
    if is_list(value):
        return value
    if value is None:
        return []
    raise Unreadable


def text(value: Json) -> str:
    """A text; empty where absent."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise Unreadable


def integer(value: Json) -> int:
    """A whole number of any size, written as a number or as text."""
    if type(value) is int:
        return value
    try:
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
    except ValueError as error:  # more digits than Python is willing to read
        raise Unreadable from error
    raise Unreadable


def number(value: Json) -> float:
    """A floating point number, written as a number or as text (`NaN`, `Infinity`)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unreadable
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise Unreadable from error


def nanoseconds(value: Json) -> int | None:
    """A time since the epoch; None where absent or 0."""
    if value is None:
        return None
    if (
        isinstance(value, str)
        and len(value) == _DIGITS_OF_NOW
        and value.isdecimal()
        and value.isascii()
    ):
        return int(value) or None  # nearly every one
    time_ns = integer(value)
    if not 0 <= time_ns <= _UINT64_MAX:
        raise Unreadable
    return time_ns or None


def count(value: Json) -> int:
    """A 32-bit count; 0 where absent."""
    found = 0 if value is None else integer(value)
    if not 0 <= found <= _UINT32_MAX:
        raise Unreadable
    return found


def identifier(value: Json, size: int) -> str | None:
    """An id of `size` bytes as lower-case hex; None where absent, empty or all zero."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise Unreadable
    found = value.lower()
    if len(found) != 2 * size or not _HEX.fullmatch(found):
        found = _from_base64(value, size)
    return found if found.strip("0") else None


def required_identifier(value: Json, size: int) -> str:
    """An id that must be there: a span without one cannot be told from others."""
    found = identifier(value, size)
    if found is None:
        raise Unreadable
    return found


def kind(value: Json) -> SpanKind:
    """A span kind, by number or name."""
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        return _KIND_NAMES.get(value, SpanKind.UNSPECIFIED)
    return SpanKind.UNSPECIFIED if value is None else span_kind(integer(value))


def status_code(value: Json) -> SpanStatus:
    """A status code, by number or name."""
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        return _STATUS_NAMES.get(value, SpanStatus.UNSET)
    return SpanStatus.UNSET if value is None else span_status(integer(value))


def severity(value: Json) -> int:
    """A severity number, by number or name; 0 where absent or unknown."""
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        return _SEVERITY_NAMES.get(value, 0)
    return 0 if value is None else integer(value)


def _from_base64(value: str, size: int) -> str:
    padded = value + "=" * (-len(value) % 4)
    try:
        raw = base64.b64decode(padded.translate(_URL_SAFE), validate=True)
    except ValueError as error:
        raise Unreadable from error
    if len(raw) != size:
        raise Unreadable
    return raw.hex()


_URL_SAFE = str.maketrans("-_", "+/")
