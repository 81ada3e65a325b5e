"""Matchers made of matchers: `$not`, `$all`, `$or`."""

from __future__ import annotations

from dataclasses import dataclass

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, negate
from toolscore_otel.matchers.matcher import Matcher
from toolscore_otel.matchers.shape import as_matcher
from toolscore_otel.matchers.value import Value


@dataclass(frozen=True, slots=True, init=False)
class Not:
    """`$not`: the matcher (or the literal) does not hold; so it does of a path known to be absent."""

    matcher: Matcher

    def __init__(self, matcher: object) -> None:
        object.__setattr__(self, "matcher", as_matcher(matcher))

    def match(self, value: Value) -> Answer:
        """The other answer; unknown stays unknown."""
        return negate(self.matcher.match(value))

    def describe(self) -> str:
        """As in `not (is 1)`."""
        return f"not ({self.matcher.describe()})"


@dataclass(frozen=True, slots=True, init=False)
class AllOf:
    """`$all`: every matcher holds."""

    matchers: tuple[Matcher, ...]

    def __init__(self, *matchers: object) -> None:
        object.__setattr__(self, "matchers", tuple(map(as_matcher, matchers)))

    def match(self, value: Value) -> Answer:
        """Kleene's `and` over the matchers, written out to save frames on deep matchers."""
        answer = YES
        for matcher in self.matchers:
            one = matcher.match(value)
            if one is NO:
                return NO
            if one is UNSURE:
                answer = UNSURE
        return answer

    def describe(self) -> str:
        """As in `(is of type string) and (matches /x/)`."""
        return " and ".join(f"({matcher.describe()})" for matcher in self.matchers)


@dataclass(frozen=True, slots=True, init=False)
class AnyOf:
    """`$or`: some matcher holds."""

    matchers: tuple[Matcher, ...]

    def __init__(self, *matchers: object) -> None:
        object.__setattr__(self, "matchers", tuple(map(as_matcher, matchers)))

    def match(self, value: Value) -> Answer:
        """Kleene's `or` over the matchers."""
        answer = NO
        for matcher in self.matchers:
            one = matcher.match(value)
            if one is YES:
                return YES
            if one is UNSURE:
                answer = UNSURE
        return answer

    def describe(self) -> str:
        """As in `(is 1) or (is 2)`."""
        return " or ".join(f"({matcher.describe()})" for matcher in self.matchers)
