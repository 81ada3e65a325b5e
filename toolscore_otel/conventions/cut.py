"""What the text of a structure still shows whole that a length limit has cut, or that is no JSON in some place.

SDKs cut the values of attributes (`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`), and so do some instrumentations. What stands whole
before the cut was really recorded. Around the cut stand lists and objects that may have gone on: `CutList` and `CutObject`,
which are looked into like any other; what is not in them is no evidence of anything. What was cut itself is `CutValue`, which
is neither a text nor a number to anybody who does not ask.

Text that breaks the grammar, or nests beyond the interpreter's limit, is read up to that point, as if it had been cut there.
"""

from __future__ import annotations

import re

from msgspec import Struct

from toolscore_otel.conventions import literals, unreadable
from toolscore_otel.matchers.cut import shown
from toolscore_otel.model import Json

DEEPEST = 16
"""Levels around the cut that are looked into: no message is nested so deeply. Each costs what its text costs."""

_STRUCTURE = re.compile(r"""\\.|["\[\]{}]""", re.DOTALL)
_LITERAL_STRUCTURE = re.compile(r"""\\.|['"\[\](){}]""", re.DOTALL)
_LITERAL = re.compile(r"[\s\[{(]*+'")
_SPACE = re.compile(r"[ \t\r\n]*+")
_SAYS_SO = re.compile(
    r"[\[(<][^\[\](){}<>\n]{0,60}\btruncated\b[^\[\](){}<>\n]{0,40}[\])>]\Z", re.IGNORECASE
)
"""As in `[truncated]`, `[... telemetry preview truncated ...]` (Codex), `(truncated, 40 more lines)`."""
_SAY_SO_LIMIT = 120
_NUMBERS = frozenset("-0123456789")
"""How one begins, which may go on after the cut."""


class CutValue(Struct, frozen=True):
    """A value that was cut.

    Attributes:
        text: of a text, what it shows; of anything else, what is recorded of it; empty where nothing is.
    """

    text: str


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


def says_it_was_cut(recorded: str) -> bool:
    """Whether a text ends with a mark of whoever cut it, which says so in a word; dots alone are no evidence."""
    shown = recorded[-_SAY_SO_LIMIT:].rstrip()
    return shown[-1:] in {"]", ")", ">"} and _SAYS_SO.search(shown) is not None


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
        text = shown(text[1:]).lstrip()
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
    try:
        value, end = unreadable.decode_at(text, at)
    except (ValueError, RecursionError):
        pass
    else:
        if end < len(text) or text[at] not in _NUMBERS:
            return value, end
    recorded = text[at:]
    if recorded[:1] in ("{", "[") and levels:
        return _opened(recorded, levels - 1), len(text)
    return CutValue(shown(recorded[1:]) if recorded[:1] == '"' else recorded), len(text)


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


_NOTHING = CutValue("")
