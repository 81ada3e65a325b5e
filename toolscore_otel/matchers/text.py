"""Matchers of texts: `$regex $fullmatch $glob $casefold`. Anything else than a text is no."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, yes_if
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.globs import certain_from, compile_glob, possible_from
from toolscore_otel.matchers.pattern import compile_pattern, encoded, may_begin, search_prefix
from toolscore_otel.matchers.shape import shown
from toolscore_otel.matchers.value import CutText, Value, is_unseen, seen

_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
"""Characters that mean something else than themselves in a pattern."""


@dataclass(frozen=True, slots=True)
class Regex:
    """`$regex`: the pattern (RE2 syntax) is found somewhere in the text. One that means itself is looked for as it is."""

    pattern: str
    _compiled: Any = field(init=False, repr=False, compare=False)
    _is_plain: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", compile_pattern(self.pattern))
        object.__setattr__(self, "_is_plain", _SPECIAL.isdisjoint(self.pattern))

    def match(self, value: Value) -> Answer:
        """Whether the pattern is found."""
        value = seen(value)
        if isinstance(value, str):
            if self._is_plain:
                return YES if self.pattern in value else NO
            return yes_if(self._compiled.search(encoded(value)) is not None)
        if isinstance(value, CutText):
            return search_prefix(self._compiled, self.pattern, value.prefix)
        return UNSURE if is_unseen(value) else NO

    def describe(self) -> str:
        """As in `matches /x/`."""
        return f"matches /{self.pattern}/"


@dataclass(frozen=True, slots=True)
class FullMatch:
    """`$fullmatch`: the pattern (RE2 syntax) takes the whole text."""

    pattern: str
    _compiled: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", compile_pattern(self.pattern))

    def match(self, value: Value) -> Answer:
        """Whether the pattern takes the whole text."""
        value = seen(value)
        if isinstance(value, str):
            return yes_if(self._compiled.fullmatch(encoded(value)) is not None)
        if isinstance(value, CutText):
            return UNSURE if may_begin(self.pattern, value.prefix) else NO
        return UNSURE if is_unseen(value) else NO

    def describe(self) -> str:
        """As in `matches all of /x/`."""
        return f"matches all of /{self.pattern}/"


@dataclass(frozen=True, slots=True)
class Glob:
    """`$glob`: a shell pattern takes the whole text; case counts."""

    pattern: str
    _compiled: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _demand_text(self.pattern, "a shell pattern")
        object.__setattr__(self, "_compiled", compile_glob(self.pattern))

    def match(self, value: Value) -> Answer:
        """Whether the pattern takes the text."""
        value = seen(value)
        if isinstance(value, str):
            return yes_if(self._compiled.match(value) is not None)
        if isinstance(value, CutText):
            if certain_from(self.pattern, value.prefix):
                return YES
            return UNSURE if possible_from(self.pattern, value.prefix) else NO
        return UNSURE if is_unseen(value) else NO

    def describe(self) -> str:
        """As in `is like "a*"`."""
        return f"is like {shown(self.pattern)}"


@dataclass(frozen=True, slots=True)
class Casefold:
    """`$casefold`: equal after Unicode case folding."""

    text: str
    _folded: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _demand_text(self.text, "a text")
        object.__setattr__(self, "_folded", self.text.casefold())

    def match(self, value: Value) -> Answer:
        """Whether the value is this text, in whatever case."""
        value = seen(value)
        if isinstance(value, str):
            return yes_if(value.casefold() == self._folded)
        if isinstance(value, CutText):
            return UNSURE if self._folded.startswith(value.prefix.casefold()) else NO
        return UNSURE if is_unseen(value) else NO

    def describe(self) -> str:
        """As in `is "x" in whatever case`."""
        return f"is {shown(self.text)} in whatever case"


def _demand_text(given: object, what: str) -> None:
    if not isinstance(given, str):
        raise MatcherError((), f"must be {what}")
