"""Python literals as some instrumentations write them (`str()` of a dict) where JSON was meant.

The text is rewritten, token by token, to JSON and then decoded as such: this takes time and memory in proportion to the
text and cannot overflow on deep nesting, which `ast.literal_eval` does not promise. Only what `repr()` writes for JSON
values and tuples is understood; anything else is no literal.
"""

from __future__ import annotations

import re

import msgspec

from toolscore_otel.model import Json

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<text>'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+")
      | (?P<word>True|False|None)\b
      | (?P<number>-?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?)(?![\w.])
      | (?P<mark>[{}\[\]():,])
    )\s*+""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_BRACKETS = {"(": "[", ")": "]"}
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def decode(text: str) -> Json:
    """The value that a Python literal stands for, tuples as lists.

    Raises:
        ValueError: it is none, or nests too deeply to be decoded.
    """
    try:
        return msgspec.json.decode(_to_json(text))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _to_json(text: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"no literal at character {at}")
        at = token.end()
        if token["mark"] == ")" and parts and parts[-1] == ",":
            parts.pop()  # the comma of a one-tuple
        parts.append(_json_token(token))
    return "".join(parts)


def _json_token(token: re.Match[str]) -> str:
    if (quoted := token["text"]) is not None:
        return msgspec.json.encode(_ESCAPE.sub(_unescaped, quoted[1:-1])).decode()
    if (word := token["word"]) is not None:
        return _WORDS[word]
    if (number := token["number"]) is not None:
        return str(number)
    return _BRACKETS.get(token["mark"], token["mark"])


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    try:
        return _ESCAPES[code]
    except KeyError:
        raise ValueError(f"unknown escape \\{code}") from None
