"""One row of the rule table, and the three ways to write one.

A kind has two forms. The *detection form* has no boundaries and ends as early as it can: an automaton looks for all of
them at once and reports where one ends. The *whole form* is what a secret really looks like, with its boundaries; it is
tried only where a detection form was seen, and then the kind's check decides.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from toolscore_otel.secrets.checks import plausible
from toolscore_otel.secrets.hit import Confidence

LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[abfnrtv0])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token may begin: not inside a word, but behind an escape (`\\nTOKEN`, `%3DTOKEN`)."""

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
        detect: detection form; a regular expression that RE2 and hyperscan understand. Every match of `pattern` holds
            one of it.
        pattern: whole form, for `re`; its group `secret` is the secret.
        check: whether a value of that form is one.
        confidence: of its findings.
        reach: how many characters before the end of a detection form its whole form may begin, at most.
        prefix: unmistakable beginning, for a text that was cut; None where there is none.
        names: for a kind known by the name it stands under, which names those are; `pattern` then has a group `name`.
        value: for such a kind, what the whole string under the name must look like.
    """

    name: str
    detect: str
    pattern: str
    check: Callable[[str], bool]
    confidence: Confidence = "high"
    reach: int = 120
    prefix: str | None = None
    names: Callable[[str], bool] | None = None
    value: str = ""


def token(
    name: str,
    lead: str,
    alphabet: str,
    least: int,
    most: int = 0,
    *,
    end: str = "",
    left: str = LEFT,
    check: Callable[[str], bool] = plausible,
    prefix: str | None = None,
    reach: int = 120,
) -> Kind:
    """A kind known by its form: `lead`, then `least` to `most` characters of one alphabet, then perhaps `end`.

    Args:
        name: of the kind.
        lead: regular expression of everything before the last variable part.
        alphabet: a character class, with its brackets.
        least: fewest characters of it.
        most: most of them; 0 for exactly `least`.
        end: regular expression of what may follow.
        left: regular expression of what must stand before, without width.
        check: as in `Kind`.
        prefix: shortest unmistakable beginning; left out, `lead`; empty for none.
        reach: as in `Kind`.
    """
    return Kind(
        name=name,
        detect=f"{lead}{alphabet}{{{least}}}",
        pattern=f"{left}(?P<secret>{lead}{alphabet}{{{least},{most or least}}}{end})(?!{alphabet}|[A-Za-z0-9])",
        check=check,
        reach=reach,
        prefix=lead if prefix is None else prefix,
    )


def framed(
    name: str,
    before: str,
    secret: str,
    least: str,
    *,
    after: str = "",
    check: Callable[[str], bool],
    confidence: Confidence = "medium",
    reach: int = 120,
) -> Kind:
    """A kind known by what stands around it.

    Args:
        name: of the kind.
        before: regular expression of what stands before; part of the match, not of the secret.
        secret: of the secret.
        least: of the shortest beginning of it that is worth a look.
        after: of what must follow; no part of the secret.
        check: as in `Kind`.
        confidence: as in `Kind`.
        reach: as in `Kind`.
    """
    return Kind(
        name=name,
        detect=f"{before}{least}",
        pattern=f"{LEFT}{before}(?P<secret>{secret}){after}",
        check=check,
        confidence=confidence,
        reach=reach,
    )


def named(
    name: str,
    words: str,
    alphabet: str,
    least: int,
    most: int,
    *,
    names: Callable[[str], bool],
    check: Callable[[str], bool],
) -> Kind:
    """A kind known by the name it stands under: a JSON key, a variable, a header, a field of a connection string.

    Args:
        name: of the kind.
        words: regular expression of the words that such a name holds; `names` decides in the end.
        alphabet: inside of a character class: what the secret is made of.
        least: shortest secret, in characters.
        most: longest.
        names: as in `Kind`.
        check: as in `Kind`.
    """
    one = rf"(?=[{alphabet}])(?:[^{_STOP}.:]|[.:](?![{_STOP}]|\Z))"
    bare = rf"(?![$%])(?>(?:{one}){{{least},{most}}})(?![(\[{{]|{one})"
    quoted = rf"""(?<=["'`])(?!\\)[{alphabet}]{{{least},{most}}}(?=\\{{0,3}}["'`])"""
    return Kind(
        name=name,
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
    )
