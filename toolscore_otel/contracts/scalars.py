"""Plain YAML scalars -> JSON values, by the core schema of YAML 1.2 and nothing beyond it.

`no`, `on`, `1_000`, `12:30` and `2026-01-01` are text. `.inf` and `.nan` are no JSON values and are refused.

Source:
    YAML 1.2.2, section 10.3.2, "Tag Resolution".
"""

from __future__ import annotations

import math
import re

from toolscore_otel.errors import clip
from toolscore_otel.model import Json

_WORDS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL = re.compile(r"0o[0-7]+", re.ASCII)
_HEX = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NO_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class ScalarError(ValueError):
    """A scalar stands for no JSON value."""


def resolve(text: str) -> Json:
    """The value of a plain (unquoted) scalar.

    Raises:
        ScalarError: it is a number, and one that JSON or this machine cannot hold.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _NO_JSON.fullmatch(text):
        raise ScalarError(f"`{text}` is no number that JSON knows: put it in quotes if it is text")
    if _DECIMAL.fullmatch(text):
        return integer(text, 10)
    if _OCTAL.fullmatch(text):
        return integer(text[2:], 8)
    if _HEX.fullmatch(text):
        return integer(text[2:], 16)
    return number(text) if _FLOAT.fullmatch(text) else text


def integer(digits: str, base: int) -> int:
    """An integer.

    Raises:
        ScalarError: it has more digits than can be read.
    """
    try:
        return int(digits, base)
    except ValueError:
        raise ScalarError(
            f"`{clip(digits, 20)}` has too many digits: put it in quotes if it is text"
        ) from None


def number(text: str) -> float:
    """A number with a point or an exponent.

    Raises:
        ScalarError: it is too large.
    """
    value = float(text)
    if math.isinf(value):
        raise ScalarError(f"`{clip(text, 20)}` is too large a number")
    return value
