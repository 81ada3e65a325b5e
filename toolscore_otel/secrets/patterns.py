"""Kinds of the caller's own: a name, a regular expression in RE2's syntax, and what narrows it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from math import log2
from typing import Any, Literal

from msgspec import Struct

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.confirm import Claims, Extent, Found
from toolscore_otel.secrets.kinds import KINDS
from toolscore_otel.secrets.matches import matches

re2: Any = import_module("re2")  # has no types

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LINE_BREAK = re.compile(r"\n")


FIRST_GROUP = -1


class Exempt(Struct, frozen=True):
    """What is no secret although it matches.

    Attributes:
        regexes: RE2 expressions.
        stopwords: words that the secret holds, in lower case.
        target: what the expressions are looked for in: the secret, all that matched, or the line.
        all_of: whether both an expression and a word must be there; else one is enough.
    """

    regexes: tuple[str, ...] = ()
    stopwords: tuple[str, ...] = ()
    target: Literal["secret", "match", "line"] = "secret"
    all_of: bool = False


class OwnPattern(Struct, frozen=True):
    """A kind of a caller.

    Attributes:
        name: letters, digits and `_.-`, at most 64; none of `KINDS`.
        regex: RE2 expression. Where it has a group `secret`, only that is the secret.
        group: number of the group that is the secret, where none is called so; 0: all of it; `FIRST_GROUP`: the first that
            holds anything, or all of it where none does.
        keywords: one of them, in whatever case, must stand in a text to make it worth a look; none: any text is.
        entropy: fewest bits a character of the secret, by Shannon.
        exempt: what is none all the same.
    """

    name: str
    regex: str
    group: int = 0
    keywords: tuple[str, ...] = ()
    entropy: float = 0.0
    exempt: tuple[Exempt, ...] = ()


Described = OwnPattern | tuple[str, str]
"""A kind of a caller, or only its name and its expression."""


def described(patterns: Iterable[Described]) -> tuple[OwnPattern, ...]:
    """All of them at length."""
    return tuple(each if isinstance(each, OwnPattern) else OwnPattern(*each) for each in patterns)


class Patterns:
    """Compiled kinds of a caller.

    Args:
        patterns: the kinds.

    Raises:
        ConfigError: a name that is none or that is taken, or an expression that RE2 does not take.

    Attributes:
        names: in order.
    """

    __slots__ = ("_compiled", "names")

    def __init__(self, patterns: Iterable[OwnPattern]) -> None:
        compiled: dict[str, _Compiled] = {}
        for pattern in patterns:
            name = pattern.name
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"`{clip(name)}` names no secret pattern: use 1 to 64 of A-Z a-z 0-9 _ . -"
                )
            if name in KINDS or name in compiled:
                raise ConfigError(
                    f"the secret pattern `{name}` has the name of another kind; rename it"
                )
            compiled[name] = _Compiled(pattern)
        self._compiled = tuple(compiled.values())
        self.names = tuple(compiled)

    def find(self, text: str, claims: Claims) -> Iterator[Found]:
        """What they find in a text."""
        if not text.isascii():  # RE2 takes no lone surrogates; this keeps the offsets
            text = text.encode("utf-8", "replace").decode()
        lowered = text.lower()
        for compiled in self._compiled:
            keywords = compiled.keywords
            if not keywords or any(word in lowered for word in keywords):
                yield from compiled.find(text, claims)


class _Compiled:
    """One kind, ready to look."""

    __slots__ = ("_exempt", "_group", "_pattern", "_regex", "keywords")

    def __init__(self, pattern: OwnPattern) -> None:
        self._pattern = pattern
        self._regex = _compile(pattern.name, pattern.regex)
        self._group: int = self._regex.groupindex.get("secret", pattern.group)
        if self._group > self._regex.groups:
            raise ConfigError(f"the secret pattern `{pattern.name}` has no group {self._group}")
        self._exempt = [
            (each, [_compile(pattern.name, regex) for regex in each.regexes])
            for each in pattern.exempt
        ]
        self.keywords = tuple(word.lower() for word in pattern.keywords)

    def find(self, text: str, claims: Claims) -> Iterator[Found]:
        exemptions = [_Exemption(each, regexes, text) for each, regexes in self._exempt]
        for shift, match in matches(self._regex, text):
            whole = _moved(match.span(), shift)
            extent = _moved(self._extent(match), shift)
            secret = text[slice(*extent)]
            if (
                secret
                and (not self._pattern.entropy or entropy(secret) > self._pattern.entropy)
                and not any(each.holds(whole, secret) for each in exemptions)
                and claims.take(extent, whole)
            ):
                yield Found(self._pattern.name, *extent, "medium", secret)

    def _extent(self, match: Any) -> Extent:
        if self._group != FIRST_GROUP:
            extent: Extent = match.span(self._group)
            return extent
        numbers = range(1, self._regex.groups + 1)
        first = next((number for number in numbers if match[number]), 0)
        found: Extent = match.span(first)
        return found


def _moved(extent: Extent, shift: int) -> Extent:
    return extent[0] + shift, extent[1] + shift


class _Exemption:
    """What is exempt in one text; of a line, asked once."""

    __slots__ = ("_exempt", "_lines", "_regexes", "_starts", "_text")

    def __init__(self, exempt: Exempt, regexes: list[Any], text: str) -> None:
        self._exempt = exempt
        self._regexes = regexes
        self._text = text
        self._lines: dict[tuple[int, int], bool] = {}
        self._starts: list[int] = []

    def holds(self, whole: tuple[int, int], secret: str) -> bool:
        """Whether what matched is none.

        Args:
            whole: extent of all that matched.
            secret: what of it is the secret.
        """
        told: list[bool] = []
        if self._regexes:
            told.append(self._matches(whole, secret))
        if self._exempt.stopwords:
            lowered = secret.lower()
            told.append(any(word in lowered for word in self._exempt.stopwords))
        return bool(told) and (all(told) if self._exempt.all_of else any(told))

    def _matches(self, whole: tuple[int, int], secret: str) -> bool:
        if self._exempt.target == "secret":
            return self._searched(secret)
        if self._exempt.target == "match":
            return self._searched(self._text[slice(*whole)])
        lines = self._around(whole)
        if lines not in self._lines:
            self._lines[lines] = self._searched(self._text[slice(*lines)])
        return self._lines[lines]

    def _around(self, whole: tuple[int, int]) -> tuple[int, int]:
        """The lines that a match is in."""
        if not self._starts:
            breaks = (line.end() for line in _LINE_BREAK.finditer(self._text))
            self._starts = [0, *breaks, len(self._text) + 1]
        first = bisect_right(self._starts, whole[0]) - 1
        last = bisect_right(self._starts, max(whole[0], whole[1] - 1))
        return self._starts[first], self._starts[last] - 1

    def _searched(self, place: str) -> bool:
        return any(regex.search(place) for regex in self._regexes)


def entropy(text: str) -> float:
    """Bits a character, by Shannon.

    Args:
        text: not empty.
    """
    return -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values())


def _compile(name: str, expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        said = error.args[0]
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ConfigError(
            f"the secret pattern `{name}` is no RE2 expression: {clip(why)}"
        ) from None
