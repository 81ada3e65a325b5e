"""Texts in which a secret stands encoded: percent-encoded, or in base64.

No detection form shows there. So the automaton also looks for what such texts show: an escape that a detection form cannot
go without, and the base64 forms of how secrets begin, one for each of the three places at which that can happen.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64decode
from binascii import Error as NotBase64
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from toolscore_otel.secrets.kind import Kind

PERCENT = "%(?:3[AaDd]|2[BbFf7]|22)"
"""Escapes of `:`, `=`, `+`, `/` and quotes."""

_ESCAPE = re.compile(r"%([2-7][0-9A-Fa-f])")
_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_VARIABLE = re.compile(r"\\[dsnr]|\[[^\]]*-[^\]]*\]|[*+{]")
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
    "Bearer ",
    "postgres",
    "mongodb",
    "mysql://",
    "redis://",
)
_LEAST_CHARS, _MOST_CHARS = 4, 10  # of a word: fewer tell too little, more are not needed
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


def base64_forms(table: Iterable[Kind]) -> str:
    """A regular expression of what base64 shows of a text that holds a secret."""
    words = [*_WORDS, *(word for kind in table for word in openings(kind.prefix or ""))]
    forms: dict[str, None] = {}
    for word in (word for word in words if len(word) >= _LEAST_CHARS):
        for before, first in enumerate(_FIRST_WHOLE):
            data = bytes(before) + word[:_MOST_CHARS].encode()
            forms[b64encode(data).decode()[first : len(data) * 8 // 6]] = None
    return f"(?:{'|'.join(map(re.escape, forms))})"


def base64_texts(text: str, ends: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """What stands in base64 in a text: where, and what it is.

    Args:
        text: anything.
        ends: where the forms were seen to end; runs of base64 without any are passed over. A negative one is anywhere.
    """
    for run in _RUN.finditer(text):
        start, end = run.span()
        if not any(at < 0 or start < at <= end for at in ends):
            continue
        data = run[0].rstrip("=").replace("+", "-").replace("/", "_")
        try:
            yield start, end, urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode()
        except (NotBase64, UnicodeDecodeError):
            continue


def without_percent(text: str) -> tuple[str, Callable[[int], int]]:
    """A text with what is percent-encoded in it decoded, as far as it is ASCII; and where an offset in that stood before."""
    places = [escape.start() - 2 * number for number, escape in enumerate(_ESCAPE.finditer(text))]

    def place(offset: int) -> int:
        return offset + 2 * bisect_left(places, offset)

    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text), place
