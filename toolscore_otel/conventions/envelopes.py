"""What some writers put around a list of messages: bytes instead of text, a byte order mark, one message a line, an object.

Source:
    OTLP: `bytesValue` is base64 in JSON, and the same here from protobuf. JSON lines and `{"messages": [...]}` are what requests and
    data sets are made of (OpenAI, LangGraph's state); the latter also stands under `input`.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Sequence

from toolscore_otel.conventions.cut import CutList, ends_inside
from toolscore_otel.conventions.fields import a_list, an_object
from toolscore_otel.model import Json

_MARK = "\ufeff"
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_STRUCTURE = ("[", "{")
_KEYS = ("messages", "input")
_MOST_AROUND = 2


def text_in(recorded: str) -> str:
    """The text itself, where it was recorded as bytes or begins with a byte order mark; only JSON is looked for."""
    text = recorded.removeprefix(_MARK)
    if text.lstrip()[:1] in _STRUCTURE or len(text) % 4 or not _BASE64.fullmatch(text):
        return text
    try:
        inner = binascii.a2b_base64(text).decode().removeprefix(_MARK)
    except ValueError:
        return text
    return inner if inner.lstrip()[:1] in _STRUCTURE else text


def lines_in(text: str) -> Sequence[str] | None:
    """The messages of JSON lines, each as its text; None where a text is none. The last one may be cut."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    is_whole = all(line[0] == "{" and line[-1] == "}" for line in lines[:-1])
    if len(lines) < 2 or lines[-1][0] != "{" or not is_whole:  # noqa: PLR2004 - one is an object
        return None
    if not ends_inside(lines[-1]):
        return lines
    cut = CutList(text)
    cut += lines
    return cut


def messages_in(value: Json) -> Sequence[Json]:
    """The messages of a list, of an object around one, or of the object that is one itself; else none."""
    for _ in range(_MOST_AROUND):
        found = an_object(value)
        if found is None:
            break
        if "role" in found:
            return [found]
        value = next((found[key] for key in _KEYS if key in found), None)
    return a_list(value) or ()
