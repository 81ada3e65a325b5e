"""Bytes -> JSON values, also where the text bends the rules.

Real exporters write half of a surrogate pair, `NaN`, integers of 400 digits, nesting without end. None of these may cost
more than the value it stands in: what the fast decoder refuses is repaired, and read again by the patient one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from toolscore_otel.model import Json

_DECODER = msgspec.json.Decoder()

_DEEPEST = 450
"""JSON levels that are kept: those around a value, and four for each level that a value may have."""

_SURROGATE = re.compile(
    r"\\(?:\\|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_HALF = len(r"\ud83d")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_CUT_WORD = re.compile(r"(?:-|\.|[eE][-+]?|t|tr|tru|f|fa|fal|fals|n|nu|nul|u[0-9a-fA-F]{0,4})?")


class NotJsonError(Exception):
    """A text is no JSON.

    Attributes:
        line: of the fault, counted from 1.
        column: of the fault, in characters, counted from 1.
        is_cut: what is there is right, and its end is missing.
    """

    def __init__(
        self, reason: str, *, line: int = 1, column: int = 1, is_cut: bool = False
    ) -> None:
        self.line = line
        self.column = column
        self.is_cut = is_cut
        super().__init__(reason)


def decode(text: bytes) -> list[Json]:
    """The JSON values that stand one after another in a text; usually one.

    Half of a surrogate pair becomes U+FFFD, an integer of more digits than can be read becomes None, and so does what
    is nested deeper than anything of a span that is kept.

    Raises:
        NotJsonError: at the first that cannot be read, and where the text is not UTF-8.
    """
    try:
        return [_DECODER.decode(text)]
    except (ValueError, RecursionError):
        return _decode_patiently(text)


def _decode_patiently(raw: bytes) -> list[Json]:
    try:
        text = _SURROGATE.sub(_replace_half, raw.rstrip().decode())
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        column = error.start - raw.rfind(b"\n", 0, error.start)
        is_cut = error.reason == "unexpected end of data"
        raise NotJsonError("no valid UTF-8", line=line, column=column, is_cut=is_cut) from error
    try:
        return list(_values(text))
    except RecursionError:
        pass
    try:
        return list(_values(_shallow(text)))
    except RecursionError as error:
        raise NotJsonError("nested too deeply") from error


def _values(text: str) -> Iterator[Json]:
    decoder = json.JSONDecoder(parse_int=_integer)
    position = _after_space(text, 0)
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            is_cut = error.msg.startswith("Unterminated string") or bool(
                _CUT_WORD.fullmatch(text[error.pos :].rstrip())
            )
            raise NotJsonError(
                error.msg, line=error.lineno, column=error.colno, is_cut=is_cut
            ) from error
        yield value
        position = _after_space(text, end)


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _integer(digits: str) -> int | None:
    try:
        return int(digits)
    except ValueError:  # Python has a limit of its own: 4300 digits, unless it was set
        return None


def _replace_half(found: re.Match[str]) -> str:
    return r"\ufffd" if len(found[0]) == _HALF else found[0]


def _shallow(text: str) -> str:
    """The text with `null` for each list and object that lies deeper than `_DEEPEST`."""
    kept: list[str] = []
    depth = start = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth == _DEEPEST + 1:
                kept += [text[start : token.start()], "null"]
        elif token[0] in "]}":
            depth -= 1
            if depth == _DEEPEST:
                start = token.end()
    return "".join(kept) + (text[start:] if depth <= _DEEPEST else "")
