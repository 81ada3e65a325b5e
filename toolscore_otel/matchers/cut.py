"""Reads text that was cut, JSON above all: what it still shows whole is observed, the rest stays open.

A number at the cut is not whole: only its sign is known. A text at the cut is a prefix. `tru` can only become `true`.
After a comma one more element, or one more key, is certain. A key that has no value yet has one that is hidden.
Text that breaks the grammar is read up to that point, as if it had been cut there: writers put marks such as `...` or
`[truncated]` behind what they cut. Such a mark at the end of a text is no part of it. NaN and the infinities are no values, and
hidden; half of a surrogate pair is read as U+FFFD.

Two ways to go on after the cut are left out, since they would overrule what the text shows whole: a key that comes
again, and a key with a dot that wins over the path of the same name.
"""

from __future__ import annotations

import json
import re
from math import inf
from typing import Any

from toolscore_otel.matchers.redacted import may_become_placeholder
from toolscore_otel.matchers.value import (
    HIDDEN,
    UNKNOWN,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    Value,
    is_list,
)

MAX_DEPTH = 1000
"""Deepest nesting that is read; what lies deeper counts as cut."""

_SPACE = re.compile(r"[ \t\n\r]+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_WHOLE_PART = re.compile(r'[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+')
_MINUS_INFINITY = re.compile(r"-I[a-z]*")
_NUMBER = re.compile(
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \t\n\r]*[,\]}]|[ \t\n\r]+\Z)"
)
_LETTERS = re.compile(r"[A-Za-z]+")
_WORDS = {"true": True, "false": False, "null": None, "NaN": HIDDEN, "Infinity": HIDDEN}
_HALVES = "".join(map(chr, range(0xD800, 0xDC00)))
_MARK = re.compile(
    r"\s*(?:…|\.{3}|[\[(<])[^\n]{0,60}?(?:truncated|omitted|cut)\b[^\n]{0,40}\Z"
    r"|\s*(?:…|\.{2,})\s*\Z"
    r"|\ufffd+\Z",
    re.IGNORECASE,
)
_MARK_LIMIT = 120
_STRUCTURE = re.compile(r"""\s*+(?:\{\s*+["'}]|\[\s*+[\[{"'\]])""")
_MAY_BE_JSON = re.compile(r"""\s*(?:[\[{"]|(?:-|-?\d[\d.eE+-]*|tr?u?e?|fa?l?s?e?|nu?l?l?)\s*\Z)""")


class _CutError(Exception):
    """The text ends, or breaks the grammar, here.

    Attributes:
        next_key: how the key begins that is due here; None where no key is due.
    """

    def __init__(self, next_key: str | None = None) -> None:
        super().__init__()
        self.next_key = next_key


class _Reader:
    """A place in the text, and the containers that are open there.

    Attributes:
        open: from the outermost on; the first is a list that holds the whole value.
        slots: of each of these, the key or the index that is being filled.
    """

    __slots__ = ("at", "open", "slots", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[Any] = [[UNKNOWN]]
        self.slots: list[str | int] = [-1]

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        if space := _SPACE.match(self.text, self.at):
            self.at = space.end()
        return self.text[self.at : self.at + 1]

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """The text that `pattern` matches here, stepping over it."""
        if (found := pattern.match(self.text, self.at)) is None:
            return None
        self.at = found.end()
        return found.group()

    def fill(self, value: Value) -> None:
        """Store a value in the slot that is due."""
        self.open[-1][self.slots[-1]] = value

    def enter(self, container: list[Value] | dict[str, Value]) -> None:
        """Open a container in the slot that is due."""
        if len(self.open) > MAX_DEPTH:
            raise _CutError
        self.at += 1
        self.fill(container)
        self.open.append(container)
        self.slots.append(-1 if isinstance(container, list) else "")

    def leave(self) -> Any:
        """Close the innermost container."""
        self.slots.pop()
        return self.open.pop()


def read_cut(text: str) -> Value:
    """The value tree of a JSON text that was cut. Safe at any depth.

    Args:
        text: as recorded.

    Returns:
        UNKNOWN where not even the kind of value shows.
    """
    reader = _Reader(text)
    try:
        _read_value(reader)
        while len(reader.open) > 1:
            _read_member(reader)
    except _CutError as cut:
        _leave_open(reader, cut.next_key)
    return reader.open[0][0]


def read_cut_text(text: str) -> Value:
    """What is known of a result that was cut, which may be JSON or plain text.

    Args:
        text: as recorded.

    Returns:
        HIDDEN where it may be either; UNKNOWN where nothing shows.
    """
    if not text or looks_structured(text):
        return read_cut(text)
    prefix = _unmarked(text)
    if _MAY_BE_JSON.match(prefix) or may_become_placeholder(prefix):
        return HIDDEN
    return CutText(whole_characters(prefix))


def looks_structured(text: str) -> bool:
    """Whether a text begins as an object or a list does, and as no sentence in brackets."""
    return _STRUCTURE.match(text) is not None


def shown(body: str) -> str:
    """What is sure of a JSON text that begins with `body`: no half of an escape, no half of a character."""
    whole = _WHOLE_PART.match(body)
    text = str(json.loads(f'"{whole.group() if whole else ""}"', strict=False))
    return whole_characters(text.rstrip(_HALVES))


def whole_characters(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair that stands alone."""
    if not text.isascii():
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _leave_open(reader: _Reader, next_key: str | None) -> None:
    while len(reader.open) > 1:
        inner = reader.leave()
        reader.fill(OpenList(inner) if is_list(inner) else OpenObject(inner, next_key))
        next_key = None


def _read_member(reader: _Reader) -> None:
    """Read on inside the innermost container: its end, or its next member."""
    container = reader.open[-1]
    in_list = is_list(container)
    mark = reader.peek()
    if mark == ("]" if in_list else "}"):
        reader.at += 1
        reader.leave()
        return
    later = bool(container)
    if later:
        if mark != ",":
            raise _CutError
        reader.at += 1
    if in_list:
        _reserve_element(reader, certain=later)
    else:
        _reserve_key(reader, certain=later)
    _read_value(reader)


def _reserve_element(reader: _Reader, *, certain: bool) -> None:
    if not certain and (not (mark := reader.peek()) or mark not in '{["-0123456789tfnNI'):
        raise _CutError
    reader.open[-1].append(HIDDEN)


def _reserve_key(reader: _Reader, *, certain: bool) -> None:
    if reader.peek() != '"':
        raise _CutError("" if certain else None)
    if (token := reader.take(_STRING)) is None:
        raise _CutError(_shown_prefix(reader.text[reader.at + 1 :]))
    reader.slots[-1] = _text(token)
    reader.fill(HIDDEN)
    if reader.peek() != ":":
        raise _CutError
    reader.at += 1


def _read_value(reader: _Reader) -> None:
    mark = reader.peek()
    if mark == "{":
        reader.enter({})
    elif mark == "[":
        reader.enter([])
    elif mark == '"':
        _read_text(reader)
    elif mark and mark in "-0123456789":
        _read_number(reader, mark)
    else:
        _read_word(reader)


def _read_text(reader: _Reader) -> None:
    if (token := reader.take(_STRING)) is not None:
        reader.fill(_text(token))
        return
    prefix = _shown_prefix(reader.text[reader.at + 1 :])
    reader.fill(HIDDEN if may_become_placeholder(prefix) else CutText(prefix))
    raise _CutError


def _read_number(reader: _Reader, mark: str) -> None:
    if reader.take(_MINUS_INFINITY) is not None:
        reader.fill(HIDDEN)
        return
    token = reader.take(_NUMBER)
    if token is None:
        reader.fill(SomeNumber(high=0.0) if mark == "-" else SomeNumber(low=0.0))
        raise _CutError
    try:
        reader.fill(json.loads(token))
    except ValueError:  # more digits than Python turns into a number
        reader.fill(SomeNumber(-inf, inf))


def _read_word(reader: _Reader) -> None:
    letters = reader.take(_LETTERS)
    if letters is None:
        raise _CutError
    for word, value in _WORDS.items():
        if word.startswith(letters):
            reader.fill(value)
            return
    raise _CutError


def _text(token: str) -> str:
    try:
        return whole_characters(str(json.loads(token, strict=False)))
    except ValueError:
        raise _CutError from None


def _shown_prefix(body: str) -> str:
    """What is sure of a text that begins with `body`, without a mark of the cut."""
    return _unmarked(shown(body))


def _unmarked(text: str) -> str:
    tail = _MARK.search(text, max(0, len(text) - _MARK_LIMIT))
    return text[: tail.start()] if tail else text
