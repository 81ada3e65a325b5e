"""Messages for people without the secrets in them: what somebody typed, named a file by, or wrote into a configuration."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile

from toolscore_otel.secrets.redaction import redact_text
from toolscore_otel.secrets.scanner import Scanner

_CUT = "…"
"""Where `errors.clip` has cut a value: what stands before it may be the beginning of a secret."""

_WORD_END = re.compile(r"[\s\"'`]")
_SHOWN = 5
"""So many characters of a secret tell nothing."""


def hidden(message: object) -> str:
    """A message that shows no secret, not even one that was cut, or that a file is named by.

    Args:
        message: an error, or anything else with a text.
    """
    *cut, last = str(message).split(_CUT)
    told = [_without_end(_redacted(part, cut=True)) for part in cut]
    return _CUT.join((*told, _redacted(last)))


def _redacted(text: str, *, cut: bool = False) -> str:
    """Also without those that are told from a word in base64 only where no path leads to them."""
    names = redact_text(text, _scanner(), cut=cut).split("/")
    return "/".join(redact_text(name, _scanner()) for name in names)


def _without_end(text: str) -> str:
    """Without the end of its last word that may be the beginning of what only its whole form would tell."""
    word = _WORD_END.split(text)[-1]
    plain = takewhile(_is_plain, word.split("/"))
    return text[: len(text) - len(word)] + "/".join(plain)


def _is_plain(name: str) -> bool:
    is_in_words = name in {name.lower(), name.upper()} and not any(map(str.isdigit, name))
    return is_in_words or len(name) <= _SHOWN or name.endswith("]")  # of a mark


@cache
def _scanner() -> Scanner:
    return Scanner(engine="re2")  # ready half a second sooner than the other, which finds the same
