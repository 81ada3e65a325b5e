"""Texts in which a secret stands encoded: percent-encoded, with `+` for blanks, between colours of a terminal, or in base64.

No detection form shows there. So the automaton also looks for what such texts show: an escape that a detection form cannot
go without; the base64 forms of how secrets begin, one for each of the three places at which that can happen, short ones
only where ASCII follows; and words that say that there is base64.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64decode
from binascii import Error as NotBase64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from toolscore_otel.secrets.kind import Kind
from toolscore_otel.secrets.names import MAY_TELL

Plain = tuple[str, Callable[[int, int], tuple[int, int]]]
"""What a text stands for, and where an extent of it stands in the text."""

PERCENT = "%(?:3[AaDd]|2[BbDdEeFf12457]|5[Ff]|7[CcEe])|(?:%[3-7][0-9A-Fa-f]){4}"
"""Escapes of `:`, `=`, `+`, `/`, `!`, `$`, `|`, `%` and quotes, and of what needs none: `-._~`, or anything in a row."""

_COLOUR_BEGINS = r"(?:\x1b|\\{1,3}(?:x1b|033|u001b|e))\["
COLOURED = rf"(?i){MAY_TELL}[A-Za-z0-9_.:=\"'\\ -]{{0,20}}{_COLOUR_BEGINS}[0-9;]{{0,16}}m"
"""A sequence that colours a terminal, behind a name that may tell."""

_COLOUR = re.compile(rf"{_COLOUR_BEGINS}[0-9;]{{0,16}}[A-HJKSTfm]")
_FORM_WORDS = (
    "pass|pwd|pw|psk|secret|token|key|cred|auth|bearer|basic|cookie|login|identified|securestring"
    "|curl|mysql|mariadb|redis|docker|podman|mongo|openssl|zip|sqlcmd|ldap|echo|net.user|begin|kty"
)
FORM = rf"(?i)(?:{_FORM_WORDS})[A-Za-z0-9%:_.-]{{0,20}}\+[^\s\"'&]{{6}}"
"""A blank that is written `+`, behind a word that may tell."""

_FORM_VALUE = re.compile(r"(?:(?<=[=&?])|\A)[^\s\"'&=<>]+")
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


def without(text: str, piece: re.Pattern[str], said: Callable[[re.Match[str]], str]) -> Plain:
    """A text with something else in place of pieces of it, and where an extent of that stood in the text.

    Args:
        text: anything.
        piece: never empty.
        said: what stands for it.
    """
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    shifts = [0]
    done = length = 0
    for match in piece.finditer(text):
        stands_for = said(match)
        parts += (text[done : match.start()], stands_for)
        length += match.start() - done
        starts.append(length)
        length += len(stands_for)
        ends.append(length)
        done = match.end()
        shifts.append(done - length)

    def place(start: int, end: int) -> tuple[int, int]:
        return start + shifts[bisect_right(ends, start)], end + shifts[bisect_left(starts, end)]

    return "".join((*parts, text[done:])), place


def without_percent(text: str) -> Plain:
    """A text with what is percent-encoded in it decoded, as far as it is ASCII."""
    return without(text, _ESCAPE, lambda escape: chr(int(escape[1], 16)))


def without_plus(text: str) -> Plain:
    """A text with blanks for the `+` in values of a form."""
    return without(text, _FORM_VALUE, lambda value: value[0].replace("+", " "))


def without_colours(text: str) -> Plain:
    """A text without what colours a terminal."""
    return without(text, _COLOUR, lambda _: "")
