"""One row of the rule table, and the three ways to write one.

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

_ESCAPED = r"(?<=\\[abfnrtv0])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"

LEFT = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
"""Where a token may begin: not inside a word, but behind an escape (`\\nTOKEN`, `%3DTOKEN`)."""

APART = rf"(?:(?<![A-Za-z0-9_.-])|{_ESCAPED})"
"""Where a token with a short beginning may: not behind a hyphen either (`cache-key-...`)."""

OUT_OF_BLOB = rf"(?:(?<![A-Za-z0-9/])(?<![A-Za-z0-9+/]\+)|{_ESCAPED})"
"""Where a token may whose characters are those of base64: at the beginning of a run."""

_VARIABLE = re.compile(r"\[|\\d")
_QUOTE = r"""(?:\\{0,3}["'`])"""
_GLUE = rf"""(?:{_QUOTE}\]?|\])?\s{{0,4}}(?::=|=>|:\s?[A-Za-z][\w.?]{{0,20}}\s?=|[:=]|>(?=[^<>\n]{{1,200}}</))\s{{0,4}}{_QUOTE}?"""
_GLUE_SEEN = (
    r"""[\\"'`\]]{0,9}\s{0,4}"""
    r"""(?::=|=>|:\s?[A-Za-z][\w.?]{0,20}\s?=|[:=>,]|,\s{0,4}[\\"]{1,8}[vV]alue[\\"]{1,8}\s{0,4}:)"""
    r"""\s{0,4}[\\"'`]{0,8}"""
)
_STOP = r"""\s"'`,;&<>{}()\[\]|\\"""


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
        value: for such a kind, what the whole string under the name must look like.
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
    sample: str = ""


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
) -> Kind:
    """A kind known by its form: `lead`, then `least` to `most` characters of one alphabet, then perhaps `end`.

    Args:
        lead: regular expression of everything before the last variable part.
        alphabet: a character class, with its brackets.
        least: fewest characters of it.
        most: most of them; 0 for exactly `least`.
        left: regular expression of what must stand before, without width.
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
    )


def _no_end_of(alphabet: str, right: str) -> str:
    """What may not follow a token of an alphabet; a full stop may, where it ends the sentence."""
    inside = alphabet.replace(".", "")
    more = r"\.[A-Za-z0-9_-]" if inside != alphabet else ""
    return "|".join(filter(None, (inside, "[A-Za-z0-9]", more, right)))


def framed(
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
    sample: str = "",
) -> Kind:
    """A kind known by what stands around it.

    Args:
        name: of the kind.
        about: as in `Kind`.
        before: regular expression of what stands before; part of the match, not of the secret.
        secret: of the secret.
        least: of the shortest beginning of it that is worth a look.
        left: of what must stand before all that, without width.
        after: of what must follow; no part of the secret.
        check: as in `Kind`.
        confidence: as in `Kind`.
        reach: as in `Kind`.
        sample: as in `Kind`.
    """
    return Kind(
        name=name,
        about=about,
        detect=f"{before}{least}",
        left=left,
        pattern=f"{before}(?P<secret>{secret}){after}",
        check=check,
        confidence=confidence,
        reach=reach,
        sample=sample,
    )


def named(  # noqa: PLR0917, D417 - as `token`
    name: str,
    about: str,
    words: str,
    alphabet: str,
    least: int,
    most: int,
    *,
    names: Callable[[str], bool],
    check: Callable[[str], bool],
    sample: str = "",
) -> Kind:
    """A kind known by the name it stands under: a JSON key, a variable, a header, a field of a connection string.

    Args:
        words: regular expression of the words that such a name holds; `names` decides in the end.
        alphabet: inside of a character class: what the secret is made of.
        least: shortest secret, in characters.
        most: longest.
    """
    one = rf"(?=[{alphabet}])(?:[^{_STOP}.:]|[.:](?![{_STOP}]|\Z))"
    bare = rf"(?![$%])(?>(?:{one}){{{least},{most}}})(?![(\[{{]|{one})"
    quoted = rf"""(?<=["'`])(?!\\)[{alphabet}]{{{least},{most}}}(?=\\{{0,3}}["'`])"""
    return Kind(
        name=name,
        about=about,
        detect=rf"""(?i)(?:{words})[A-Za-z0-9_-]{{0,20}}{_GLUE_SEEN}[^\s"'$%<{{][^\s"']{{{least - 1}}}""",
        pattern=(
            rf"(?i)(?<![A-Za-z0-9_.$-])(?P<name>[A-Za-z0-9_.$-]{{0,40}}?(?:{words})[A-Za-z0-9_-]{{0,20}}){_GLUE}"
            rf"(?P<secret>{quoted}|{bare})"
        ),
        check=check,
        confidence="medium",
        reach=300,
        names=names,
        value=rf"[{alphabet}]{{{least},{most}}}",
        sample=sample,
    )
