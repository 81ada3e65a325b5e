"""Texts in which a secret stands encoded: percent-encoded, or in base64.

No detection form shows there. So the automaton also looks for what such texts show: an escape that a detection form cannot
go without; the base64 forms of how secrets begin, one for each of the three places at which that can happen, short ones
only where ASCII follows; and words that say that there is base64.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64decode
from binascii import Error as NotBase64
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from toolscore_otel.secrets.kind import Kind

PERCENT = "%(?:3[AaDd]|2[BbDdEeFf7]|22|5[Ff]|7[Ee])|(?:%[3-7][0-9A-Fa-f]){4}"
"""Escapes of `:`, `=`, `+`, `/` and quotes, and of what needs none: `-._~`, or anything in a row."""

_ESCAPE = re.compile(r"%([2-7][0-9A-Fa-f])")
_RUN = re.compile(
    r"(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]{0,16})+[A-Za-z0-9+/]{1,76}={0,2}|[A-Za-z0-9+/_-]{20,}={0,2}"
)
_BREAK = re.compile(r"\s+")
_ASCII = (
    "[CDI-Za-f]",
    "[A-HQ-Xg-nw-z0-3]",
    "[ABEFIJMNQRUVYZcdghklopstwx014589]",
    "[A-Za-z0-9+/_-]",
)
"""What four characters of base64 are that stand for three of ASCII, which are no control characters but white space."""

SAID = r"""(?:base64 -|b64decode|FromBase64String|atob\(|kind[\\"': ]{1,12}Secret)"""
"""Words that say that there is base64, here or in another string beside it."""

_VARIABLE = re.compile(r"\\[dsnr]|\[[^\]]*-[^\]]*\]|(?<!\\)[*+{]")
_OPTIONS = re.compile(r"(?:\(\?:([^()]*)\)|\[([^\]]*)\])(\??)")
_WORDS = (
    "password",
    "Password",
    "PASSWORD",
    "api_key",
    "API_KEY",
    "apiKey",
    "secret",
    "SECRET",
    "token",
    "TOKEN",
    "Token",
    "passphrase",
    "_pass",
    "_PASS",
    "PASS=",
    "pass=",
    "pwd=",
    "Pwd=",
    "hooks.slack",
    ":AA",
    "Bearer ",
    "postgres",
    "mongodb",
    "mysql://",
    "redis://",
)
_FAINT_CHARS, _LEAST_CHARS, _MOST_CHARS = 3, 4, 10
"""Of a word: so few tell too little by themselves, so many tell enough, more are not needed."""

_FAINT_FOLLOWED = 12
_FIRST_WHOLE = (0, 2, 3)
"""Characters of base64 that also depend on the byte or the two before."""


def openings(prefix: str) -> Iterator[str]:
    """The texts that a prefix of the rule table stands for, each up to its first variable part."""
    prefix = _VARIABLE.split(prefix)[0]
    options = _OPTIONS.search(prefix)
    if options is None:
        yield prefix.replace("\\", "")
        return
    given = options[1].split("|") if options[1] is not None else [*options[2]]
    for option in (*given, "") if options[3] else given:
        yield from openings(prefix[: options.start()] + option + prefix[options.end() :])


def base64_forms(table: Iterable[Kind]) -> tuple[str, ...]:
    """Regular expressions of what base64 shows of a text that holds a secret."""
    begin = (kind.detect if kind.prefix == "" else kind.prefix or "" for kind in table)
    words = [*_WORDS, *(word for each in begin for word in openings(each))]
    long = dict.fromkeys(form for word in words for form in _forms(word))
    short = dict.fromkeys("|".join(_faint_forms(w)) for w in words if len(w) == _FAINT_CHARS)
    return f"(?:{'|'.join(long)})", *(f"(?:{forms})" for forms in short)


def _forms(word: str) -> Iterator[str]:
    if len(word) < _LEAST_CHARS:
        return
    for before, first in enumerate(_FIRST_WHOLE):
        data = bytes(before) + word[:_MOST_CHARS].encode()
        yield re.escape(b64encode(data).decode()[first : len(data) * 8 // 6])


def _faint_forms(word: str) -> Iterator[str]:
    for before, first in enumerate(_FIRST_WHOLE):
        data = bytes(before) + word.encode()
        last = len(data) * 8 // 6
        follow = "".join(_ASCII[at % 4] for at in range(last, last + _FAINT_FOLLOWED))
        yield re.escape(b64encode(data).decode()[first:last]) + follow


def base64_texts(text: str) -> Iterator[tuple[int, int, str]]:
    """What stands in base64 in a text: where, and what it is. Lines of one block are one run."""
    for run in _RUN.finditer(text):
        data = _BREAK.sub("", run[0]).rstrip("=").replace("+", "-").replace("/", "_")
        try:
            yield *run.span(), urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode()
        except (NotBase64, UnicodeDecodeError):
            continue


def without_percent(text: str) -> tuple[str, Callable[[int], int]]:
    """A text with what is percent-encoded in it decoded, as far as it is ASCII; and where an offset in that stood before."""
    places = [escape.start() - 2 * number for number, escape in enumerate(_ESCAPE.finditer(text))]

    def place(offset: int) -> int:
        return offset + 2 * bisect_left(places, offset)

    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text), place
