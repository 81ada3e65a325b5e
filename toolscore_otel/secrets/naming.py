r"""How to write a kind that is known by the name it stands under: a JSON key, a variable, a header, a field.

Detection forms meet text as it was written, where a quote may be `\"` and a line end `\n`; whole forms meet what it
stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolscore_otel.secrets.document import INNER_KEYS
from toolscore_otel.secrets.kind import GAP, QUOTE, Kind, seen

_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$-"
_LONG, _LONGEST = 400, 8000
"""Characters: what may have so many in a text may have more where it is a whole string."""

REACH = 300
"""Characters of a name and of what parts it from its value, at most."""

_EQUALS = r"[:?]=|={1,3}>?|<-|->|\|\||\?\?|:\s?&?(?:'static\s)?[A-Za-z][\w.?\[\]]{0,20}\s?=|(?:as\s)?string\s?=|\[\d{0,4}\]\s?=|\{\s?get;[^{}]{0,20}\}\s?=|[:=：＝]"  # noqa: RUF001 - as East Asian text has them
_ELSE = r"""[A-Za-z_.]{1,30}(?:\[["']?\w{1,40}["']?\]|\(["']?\w{1,40}["']?\))?\s?(?:\|\||\?\?|or)\s{1,4}"""
"""What is taken if there is any; else, what follows."""

_GLUE = (
    rf"(?:{QUOTE}[\]}}]?|[\]}}]|\*{{1,2}}|</\w{{1,8}}>)?(?:[ ]\([a-z]{{2,12}}\)|[ ]for[ ][a-z]{{2,12}})?[ \t]{{0,4}}"
    rf"(?:{_EQUALS}|>(?=[^<>\n]{{1,200}}</)|>\s?<!\[CDATA\[|\{{(?={QUOTE}))(?:\*\*)?[ \t]{{0,4}}(?:&\w{{1,10}}[ ]|!!str[ ])?(?:(?:String::from|Some|Ok|Secret(?:Str|String)?)\((?={QUOTE}))?"
    rf"(?:\[[ \t]{{0,4}}(?={QUOTE}))?(?:{_ELSE}(?={QUOTE}))?(?:[@bfru](?={QUOTE}))?{QUOTE}?(?:\x1b\[[0-9;]{{0,16}}m)?"
)
_BESIDE = r"""[\\\])'"}]{0,5}(?: [a-z]{1,9})?[\\"]{1,8},[^{}]{0,60}[\\"](?:[vV]al(?:ue)?|text|ParameterValue)[\\"]{1,8}\s{0,4}:"""
_GLUE_SEEN = rf"""(?:(?:[\\"'`\]}}*]{{0,9}}|</\w{{1,8}}>)(?:[ ]\([a-z]{{2,12}}\)|[ ]for[ ][a-z]{{2,12}})?\s{{0,4}}(?:{_EQUALS}|[>,{{])|{_BESIDE})[*]{{0,2}}\s{{0,4}}(?:<!\[CDATA\[|&\w{{1,10}}[ ]|!!str[ ]|(?:from|some|ok|secret[a-z]{{0,6}})\()?\[?[@bfru]?[\\"'`]{{0,8}}"""
VALUE_BEFORE_NAME = r"""(?i)value[\\"]{1,8}\s{0,4}:\s{0,4}[\\"]{1,8}[^\s"']{6,200}[\\"]{1,8}\s{0,4},\s{0,4}[\\"]{1,8}(?:name|key)[\\"]{1,8}\s{0,4}:\s{0,4}[\\"]{1,8}[A-Za-z0-9_.-]{0,40}"""
"""Detection form of what stands before the words of a name, where its value stands before it: `"value": "...", "name": "..."`."""
NAME_ABOVE = (
    r"""[a-z0-9_-]{0,20}[\\"']{1,8}\s{0,4}:\s{0,9}\[?\s{0,9}\{[^{}]{0,80}[\\"'](?:"""
    + "|".join(sorted(INNER_KEYS)).lower()
    + r""")[\\"']{1,8}\s{0,4}:|(?:passwords|passwds|(?:api|access|secret|auth)[_-]?(?:keys|tokens))[\\"']{1,8}\s{0,4}:\s{0,9}[\[{]"""
    r"""|(?:\?{2,6}|(?:\\u[0-9a-f]{4}){2,6}|contrase(?:\?|\\u00f1)a)[\\"']{1,8}\s{0,4}:\s{0,4}[\\"']{1,8}[!#-&(->@-~]{6}"""  # in another script
)
"""Detection form of what stands behind the words of a name, where its value stands further inside: `"...": {"value": "..."}`."""
_STOP = r"""\s"'`,;&<>{}()\[\]|\\\x1b"""


def _value(alphabet: str, least: int, most: int) -> str:
    one = rf"(?=[{alphabet}])(?:[^{_STOP}.:]|[.:](?![{_STOP}]|\Z))"
    long = rf"(?![{alphabet}{_STOP}]{{{most + 1}}})" if alphabet.startswith("^") else ""  # quicker
    bare = rf"(?!\$){long}(?>(?:{one}){{{least},{most}}})(?![(\[{{]|{one})"
    quoted = rf"""(?<=["'`])(?!\\)[{alphabet}]{{{least},{most}}}(?=\\{{0,3}}["'`])"""
    return rf"(?P<secret>{quoted}|{bare})"


def named(  # noqa: PLR0917, D417 - a row of a table reads as one; the others are those of `Kind`
    name: str,
    about: str,
    words: str,
    alphabet: str,
    least: int,
    most: int,
    *,
    holds: Iterable[str],
    names: Callable[[str], bool],
    check: Callable[[str], bool],
    sample: str = "",
) -> Kind:
    """A kind whose name and value a sign parts: `name = value`, `"name": "value"`, `<name>value</name>`.

    Args:
        words: regular expression of the words that such a name holds; `names` decides in the end.
        alphabet: inside of a character class: what the secret is made of.
        least: shortest secret, in characters; `most`: longest.
        holds: texts, one of which stands in all that `words` matches.
    """
    return Kind(
        name=name,
        about=about,
        detect=seen(
            rf"""(?i)(?:{words})[A-Za-z0-9_-]{{0,20}}{_GLUE_SEEN}[^\s"'$<{{][^\s"']{{{least - 1}}}"""
        ),
        pattern=(
            rf"(?i)(?<![A-Za-z0-9_.$-])(?<!::)(?<!checksum/)(?<![GD]E[TL] )(?<!TTL )(?P<name>[A-Za-z0-9_.$-]{{0,40}}?(?:{words})[A-Za-z0-9_-]{{0,20}}){_GLUE}"
            rf"{_value(alphabet, least, most)}"
        ),
        check=check,
        confidence="medium",
        reach=REACH + least,
        names=names,
        value=rf"[{alphabet}]{{{least},{most if most < _LONG else _LONGEST}}}",
        words=tuple(holds),
        run=_RUN,
        sample=sample,
    )


_OPENED = rf"""(?:{QUOTE}\]?|\])?\s{{0,4}}(?::=|=>|[:=])\s{{0,4}}{QUOTE}"""
_OPENED_LEAST = 30  # characters of what is worth a look, at most
_OPENED_SEEN = r"""[\\"'`\]]{0,9}\s{0,4}[:=]{1,2}>?\s{0,4}[\\"'`]{1,8}"""


def opened(  # noqa: D417 - as `named`
    name: str,
    about: str,
    words: str,
    quoted: str,
    bare: str,
    *,
    least: str,
    least_bare: str,
    value: str,
    holds: Iterable[str],
    names: Callable[[str], bool],
    check: Callable[[str], bool],
) -> Kind:
    """A kind whose value is known to be whole: it ends with its quote, or stands bare behind `=`, or behind `: ` up to the end of its line.

    Args:
        quoted: regular expression of the secret between quotes, which may hold blanks.
        bare: of the secret without quotes.
        least: of the shortest beginning of what is quoted that is worth a look; `least_bare`: of what is bare.
        value: as that of `Kind`.
    """
    named_so = rf"(?:{words})[A-Za-z0-9_-]{{0,20}}"
    return Kind(
        name=name,
        about=about,
        detect=rf"(?i){named_so}(?:{_OPENED_SEEN}(?:{least})|(?:=|: ){least_bare})",
        pattern=(
            rf"(?i)(?<![A-Za-z0-9_.$-])(?<!::)(?P<name>[A-Za-z0-9_.$-]{{0,40}}?{named_so})(?:(?P<open>{_OPENED})|=|(?P<line>: ))"
            rf"""(?P<secret>(?(open)(?:{quoted})|{bare}))(?(open)(?=\\{{0,3}}["'`])|(?(line)(?=[ \t]*(?:[\r\n#]|\\{{1,3}}[rn]|\Z))|(?![^\s"'`;&,\\])))"""
        ),
        check=check,
        confidence="medium",
        reach=REACH + _OPENED_LEAST,
        names=names,
        value=value,
        words=tuple(holds),
        run=_RUN,
        tentative=True,
    )


_CALLED = rf"{QUOTE}\s?,\s{{0,4}}{QUOTE}{{1,2}}"
_IN_ROW = r"[*`]{0,2}[ \t]{0,20}\|[ \t]{0,20}`?"
_APART = (
    rf"{QUOTE}\s{{1,4}}(?:[a-z]{{1,9}}:)?(?:value|content)={QUOTE}"  # attributes of an element
    rf"|</key>{GAP}{{0,20}}<string>(?=[^<>\n]{{1,200}}</)"  # a property list
    rf"|{QUOTE}>(?=[^<>\n]{{1,200}}</)"  # an element with a name
    rf"|{QUOTE}?{GAP}{{1,20}}(?:-\s)?value:\s{{1,4}}{QUOTE}?"  # members of a YAML mapping
    rf"|{QUOTE}?(?:\s{{1,3}}--[a-z-]{{2,20}}[ =][^\s\"'-]{{1,40}}){{0,2}}\s{{1,3}}(?:(?:--(?:body|value|plaintext)|-b)[ =]{QUOTE}?|-b{QUOTE})"  # options of a command
)
_APART_SEEN = _APART.replace(r"(?=[^<>\n]{1,200}</)", "")
_LINE_END = r"[ \t]{0,4}(?:\r?\n|\\{1,3}(?:r\\{1,3})?n)"
_BELOW = rf"(?:[:：]\*{{0,2}}|\*\*)(?:[ \t]{{1,4}}[|>][+-]?)?(?:{_LINE_END}){{1,2}}[ \t]{{0,20}}[`*]{{0,2}}"  # noqa: RUF001
_BELOW_SEEN = rf"[:?*](?:[*|> +-]{{0,6}})(?:{_LINE_END}){{1,2}}[ \t]{{0,20}}[`*]{{0,2}}"


def paired(  # noqa: PLR0917, D417 - as `named`
    name: str,
    about: str,
    words: str,
    alphabet: str,
    least: int,
    most: int,
    *,
    holds: Iterable[str],
    names: Callable[[str], bool],
    check: Callable[[str], bool],
) -> Kind:
    """A kind whose name and value stand side by side: `put("name", "value")`, `set name value`, `| name | value |`.

    Args:
        words: as in `named`; so are the others.
    """
    named_so = rf"(?:{words})[A-Za-z0-9_-]{{0,20}}"
    return Kind(
        name=name,
        about=about,
        detect=seen(
            rf"""(?i)(?:\bset{GAP}{{1,3}}[^\s"']{{0,40}}{named_so}{GAP}{{1,3}}(?:--?[a-z]{{1,9}}[ =])?{QUOTE}?"""
            rf"""|{named_so}(?:{_CALLED}|{_IN_ROW}|{_APART_SEEN}|{_BELOW_SEEN}))[^\s"'$<{{][^\s"']{{{least - 1}}}"""
        ),
        pattern=(
            r"""(?i)(?:(?P<call>(?<=\(["'`])|(?<=\(\s["'`])|(?<=\bstring",\s["']))|(?P<set>(?<=\bset\s))|(?P<row>(?<=\|\s)|(?<=\|\s`)|(?<=\|\s\*\*))|)(?<![A-Za-z0-9_.$/:-])"""
            rf"(?P<name>[A-Za-z0-9_.$/:-]{{0,40}}?{named_so})"
            rf"(?(call){_CALLED}|(?(set)\s{{1,3}}(?:--?[a-z]{{1,9}}[ =])?{QUOTE}?|(?(row){_IN_ROW}|(?:{_APART}|(?P<below>{_BELOW})))))"
            rf"{_value(alphabet, least, most)}(?(below)(?=[`*]{{0,2}}(?:{_LINE_END}|[ \t]*\Z)))"
        ),
        check=check,
        confidence="medium",
        reach=REACH + least,
        names=names,
        words=tuple(holds),
        run=_RUN + "/:",
    )
