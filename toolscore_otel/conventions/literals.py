"""Python literals as some instrumentations write them (`str()` of a dict) where JSON was meant.

What differs from JSON is rewritten (quotes, `True`, `None`, tuples), the rest is left to the JSON decoder to judge: this
takes time and memory in proportion to the text and cannot overflow on deep nesting, which `ast.literal_eval` does not
promise. Only what `repr()` writes for JSON values and tuples is understood.
"""

from __future__ import annotations

import json
import re

import msgspec

from toolscore_otel.conventions import unreadable
from toolscore_otel.model import Json

_FOREIGN = re.compile(
    r"""
      '(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)(?P<single_end>'?)
    | "(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*+)(?P<double_end>"?)
    | \b(?P<word>True|False|None|nan|inf)\b
    | (?P<open>\()
    | (?P<close>,?\))
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null", "nan": "NaN", "inf": "Infinity"}
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def decode(text: str) -> Json:
    """The value that a Python literal stands for, tuples as lists; what is unreadable in it is said to be.

    Raises:
        ValueError: it is none, or nests too deeply to be decoded.
    """
    written = _FOREIGN.sub(_whole, text)
    try:
        return unreadable.decode(written)
    except RecursionError as error:
        raise ValueError(str(error)) from error


def as_json(text: str) -> str:
    """The text of a Python literal as JSON text, also where it was cut: the JSON text then has no end either.

    Raises:
        ValueError: it has an escape that Python does not write.
    """
    return _FOREIGN.sub(_as_json, text)


def _whole(found: re.Match[str]) -> str:
    if found["single_end"] == "" or found["double_end"] == "":
        raise ValueError("a text has no end")
    return _as_json(found)


def _as_json(found: re.Match[str]) -> str:
    if (word := found["word"]) is not None:
        return _WORDS[word]
    if found["open"] is not None:
        return "["
    if found["close"] is not None:
        return "]"  # with the comma of a one-tuple
    quoted = found["double"] if found["single"] is None else found["single"]
    written = _in_json(_ESCAPE.sub(_unescaped, quoted))
    return written if found["single_end"] or found["double_end"] else written[:-1]


def _in_json(text: str) -> str:
    try:
        return msgspec.json.encode(text).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(text)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    try:
        return _ESCAPES[code]
    except KeyError:
        raise ValueError(f"unknown escape \\{code}") from None
