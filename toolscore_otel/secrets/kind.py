"""One row of the rule table, and two ways to write one; `naming` has more.

A kind has two forms. The *detection form* has no boundaries and ends as early as it can: an automaton looks for all of
them at once and reports where one ends. The *whole form* is what a secret really looks like, with its boundaries; it is
tried only where a detection form was seen, and then the kind's check decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from toolscore_otel.secrets.checks import plausible
from toolscore_otel.secrets.hit import Confidence

_COLOUR_CHARS = 16  # between the bracket and the letter of a sequence that colours a terminal
_COLOURED = "|".join(rf"(?<=\[[0-9;]{{{n}}}[A-HJKSTfm])" for n in range(_COLOUR_CHARS + 1))
ESCAPED = (
    r"(?<=\\[abfnrtv0])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
    rf"|(?<=[0-9;\[][A-HJKSTfm])(?:{_COLOURED})"
)

"""Where an escape ends, or a sequence that colours a terminal: what follows is not inside its word."""

LEFT = rf"(?:(?<![A-Za-z0-9])|{ESCAPED})"
"""Where a token may begin: not inside a word, but behind an escape (`\\nTOKEN`, `%3DTOKEN`, `[32mTOKEN`)."""

APART = rf"(?:(?<![A-Za-z0-9_.-])|(?<=[_-])(?<![A-Za-z0-9_.-][_-])|(?<=\.\.\.)|{ESCAPED})"
"""Where a token with a short beginning may: not behind a word and a hyphen either (`cache-key-...`), but behind a hyphen
that begins a line of a difference."""

OUT_OF_BLOB = rf"(?:(?<![A-Za-z0-9/])(?<![A-Za-z0-9+/]\+)|{ESCAPED})"
"""Where a token may whose characters are those of base64: at the beginning of a run."""

QUOTE = r"""(?:\\{0,3}["'`])"""
"""A quote, in text as it was written: escaped or not."""

GAP = r"(?:\s|\\{1,3}[nrt])"
"""White space, escaped or not."""

_VARIABLE = re.compile(r"\[|\\d")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of secret.

    Attributes:
        name: lower case with underscores.
        about: what it opens, for people.
        detect: detection form; a regular expression that RE2 and hyperscan understand. Every match of `pattern` holds
            one of it.
        pattern: whole form, for `re`; its group `secret` is the secret.
        left: what must stand before it, without width; apart, so that `re` can leap to how the form begins.
        check: whether a value of that form is one.
        confidence: of its findings.
        reach: how many characters before the end of a detection form its whole form may begin, at most.
        prefix: unmistakable beginning, for a text that was cut; empty where there is none, None for a kind that its
            surroundings tell.
        names: for a kind known by the name it stands under, which names those are; `pattern` then has a group `name`.
        value: for such a kind, what the whole string under the name must look like; where it has a group `secret`, all places
            in the string that look like it are meant.
        words: for such a kind, in lower case: each match of `pattern` begins with a name that holds one of them, which is
            much quicker to look for than `pattern`.
        run: characters of such names, blanks apart.
        tentative: what has its form and is none may still be another kind.
        sample: how `samples` makes one: text, and `[CLASS]{COUNT}` for characters at random.
    """

    name: str
    about: str
    detect: str
    pattern: str
    check: Callable[[str], bool]
    confidence: Confidence = "high"
    reach: int = 120
    prefix: str | None = None
    names: Callable[[str], bool] | None = None
    left: str = ""
    value: str = ""
    words: tuple[str, ...] = ()
    run: str = ""
    sample: str = ""
    tentative: bool = False


def token(  # noqa: PLR0917, D417 - a row of a table reads as one; the others are those of `Kind`
    name: str,
    about: str,
    lead: str,
    alphabet: str,
    least: int,
    most: int = 0,
    *,
    end: str = "",
    left: str = LEFT,
    right: str = "",
    check: Callable[[str], bool] = plausible,
    prefix: str | None = None,
    reach: int = 120,
    detect: str = "",
    sample: str = "",
    tentative: bool = False,
) -> Kind:
    """A kind known by its form: `lead`, then `least` to `most` characters of one alphabet, then perhaps `end`.

    Args:
        lead: regular expression of everything before the last variable part.
        alphabet: a character class, with its brackets.
        least: fewest characters of it; so many exactly where `most` is 0.
        right: a character class of what may not follow, beside letters, digits and the alphabet.
        prefix: shortest unmistakable beginning; left out, `lead` up to its first variable part; empty for none.
        detect: left out, `lead` and the least that follows it; so is `sample`.
    """
    return Kind(
        name=name,
        about=about,
        detect=detect or f"{lead}{alphabet}{{{least}}}",
        left=left,
        pattern=f"(?P<secret>{lead}{alphabet}{{{least},{most or least}}}{end})(?!{_no_end_of(alphabet, right)})",
        check=check,
        reach=reach,
        prefix=_VARIABLE.split(lead)[0] if prefix is None else prefix,
        sample=sample or f"{lead}{alphabet}{{{least}}}",
        tentative=tentative,
    )


def _no_end_of(alphabet: str, right: str) -> str:
    """What may not follow a token of an alphabet; a full stop may, where it ends the sentence."""
    inside = alphabet.replace(".", "")
    more = r"\.[A-Za-z0-9_-]" if inside != alphabet else ""
    return "|".join(filter(None, (inside, "[A-Za-z0-9]", more, right)))


def seen(expression: str) -> str:
    """A detection form for text in which a question mark stands for each character that is not ASCII."""
    return _NOT_ASCII.sub(r"\?", expression)


def framed(  # noqa: D417 - the others are those of `Kind`
    name: str,
    about: str,
    before: str,
    secret: str,
    least: str,
    *,
    left: str = LEFT,
    after: str = "",
    check: Callable[[str], bool],
    confidence: Confidence = "medium",
    reach: int = 120,
    names: Callable[[str], bool] | None = None,
    detect: str = "",
    sample: str = "",
    tentative: bool = False,
) -> Kind:
    """A kind known by what stands around it.

    Args:
        before: regular expression of what stands before; part of the match, not of the secret.
        secret: of the secret.
        least: of the shortest beginning of it that is worth a look.
        left: of what must stand before all that, without width.
        after: of what must follow; no part of the secret.
        detect: left out, `before` and `least`.
    """
    return Kind(
        name=name,
        about=about,
        detect=seen(detect or re.sub(r"\?P<\w+>", "?:", before) + least),
        left=left,
        pattern=f"{before}(?P<secret>{secret}){after}",
        check=check,
        confidence=confidence,
        reach=reach,
        names=names,
        sample=sample,
        tentative=tentative,
    )
