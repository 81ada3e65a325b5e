"""What the text of a structure still shows whole that a length limit has cut, or that is no JSON in some place.

SDKs cut the values of attributes (`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`), and so do some instrumentations. What stands whole
before the cut was really recorded. Around the cut stand lists and objects that may have gone on: `CutList` and `CutObject`,
which are looked into like any other; what is not in them is no evidence of anything. What was cut itself is `CutValue`, which
is neither a text nor a number to anybody who does not ask.

Text that breaks the grammar is read up to that point, as if it had been cut there. What cannot be written out as JSON again
(half an emoji, NaN) costs itself alone: it stands there as `CutValue`, in objects and lists of the sorts above.
"""

from __future__ import annotations

import json
import re

import msgspec
from msgspec import Struct

from toolscore_otel.conventions import literals
from toolscore_otel.model import Json

DEEPEST = 16
"""Levels around the cut that are looked into: no message is nested so deeply. Each costs what its text costs."""

_STRUCTURE = re.compile(r"""\\.|["\[\]{}]""", re.DOTALL)
_LITERAL_STRUCTURE = re.compile(r"""\\.|['"\[\](){}]""", re.DOTALL)
_LITERAL = re.compile(r"[\s\[{(]*+'")
_SPACE = re.compile(r"[ \t\r\n]*+")
_SHOWN = re.compile(r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+')
"""What is sure of a text that has no end: no half of an escape."""
_HALF_AN_EMOJI = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_WHOLE = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
"""Only asked where a value ends."""


class CutValue(Struct, frozen=True):
    """A value that was cut.

    Attributes:
        text: of a text, what it shows; of anything else, what is recorded of it; empty where nothing is.
        is_whole: whether it ends, and is no JSON.
    """

    text: str
    is_whole: bool = False


class CutObject(dict[str, Json]):
    """An object that was cut: the members before the cut, and the value at the cut.

    Attributes:
        text: what is recorded of it, in JSON.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class CutList(list[Json]):
    """A list that was cut: the entries before the cut, and the one at the cut.

    Attributes:
        text: what is recorded of it, in JSON.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


Cut = CutValue | CutObject | CutList


def ends_inside(recorded: str) -> bool:
    """Whether a text ends inside a structure of JSON, or of Python."""
    if recorded.lstrip()[:1] not in {"{", "["}:
        return False
    depth, quote = 0, ""
    for match in (_LITERAL_STRUCTURE if _is_literal(recorded) else _STRUCTURE).finditer(recorded):
        mark = match[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in {'"', "'"}:
            quote = mark
        elif mark in {"{", "[", "("}:
            depth += 1
        elif len(mark) == 1:
            depth -= 1
    return bool(quote) or depth > 0


def salvaged(recorded: Json) -> CutObject | CutList | None:
    """The object or list in a text that was cut or is no JSON, also where it is text in text; None for anything else.

    Args:
        recorded: text that holds no whole value, or a `CutValue`.
    """
    text = recorded.text if isinstance(recorded, CutValue) else recorded
    if not isinstance(text, str):
        return None
    text = text.lstrip()
    if text[:1] == '"':
        text = _shown(text).lstrip()
    if not ends_inside(text):
        is_structure = text[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]")
        return _opened(text, DEEPEST) if is_structure else None
    if _is_literal(text):
        try:
            text = literals.as_json(text)
        except ValueError:
            return None
    return _opened(text, DEEPEST)


def _is_literal(text: str) -> bool:
    return _LITERAL.match(text) is not None


def _opened(text: str, levels: int) -> CutObject | CutList:
    """What stands in an object or list that has no end, or that is no JSON."""
    return _object(text, levels) if text[0] == "{" else _list(text, levels)


def _list(text: str, levels: int) -> CutList:
    found, at = CutList(text), 1
    while True:
        value, at = _value(text, at, levels)
        if value != _NOTHING:
            found.append(value)
        at = _past_space(text, at)
        if text[at : at + 1] != ",":
            return found
        at += 1


def _object(text: str, levels: int) -> CutObject:
    found, at = CutObject(text), 1
    while True:
        key, at = _value(text, at, 0)
        at = _past_space(text, at)
        if not isinstance(key, str) or text[at : at + 1] != ":":
            return found
        found[key], at = _value(text, at + 1, levels)
        at = _past_space(text, at)
        if text[at : at + 1] != ",":
            return found
        at += 1


def _value(text: str, at: int, levels: int) -> tuple[Json, int]:
    """The value that begins here, and where it ends; one that was cut ends with the text."""
    at = _past_space(text, at)
    end = _end(text, at)
    recorded = text[at:end]
    if end is not None:
        try:
            return msgspec.json.decode(recorded), end
        except (msgspec.MsgspecError, RecursionError, ValueError):
            pass  # what cannot be written out as JSON again
    ends_at = len(text) if end is None else end
    if recorded[:1] in ("{", "[") and levels:
        return _opened(recorded, levels - 1), ends_at
    if end is not None:
        return CutValue(recorded, is_whole=True), ends_at
    return CutValue(_shown(recorded) if recorded[:1] == '"' else recorded), ends_at


def _end(text: str, at: int) -> int | None:
    """Where the value ends that begins here; None where it has no end, as a number at the cut."""
    try:
        _, end = _WHOLE.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return None if end == len(text) and text[at] in "-0123456789" else end


def _shown(quoted: str) -> str:
    shown = _SHOWN.match(quoted)
    whole = _HALF_AN_EMOJI.sub("", shown[0] if shown is not None else '"')
    try:
        return str(msgspec.json.decode(whole + '"'))
    except (msgspec.MsgspecError, ValueError):
        return ""


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


_NOTHING = CutValue("")
