"""What every matcher is: a small frozen thing with one question and one sentence."""

from __future__ import annotations

from typing import Protocol, TypeGuard, runtime_checkable

from toolscore_otel.matchers.answer import Answer
from toolscore_otel.matchers.value import Value


@runtime_checkable
class Matcher(Protocol):
    """Holds a value against what a contract says of it."""

    def match(self, value: Value) -> Answer:
        """Whether the value matches.

        Args:
            value: a value tree (`matchers.value`); never raises, whatever it is.
        """
        ...

    def describe(self) -> str:
        """What it asks for, as the end of a sentence: `is "x"`, `matches /x/`."""
        ...


def is_matcher(value: object) -> TypeGuard[Matcher]:
    """Whether it can be asked; a class of matchers that was not called cannot."""
    return isinstance(value, Matcher) and not isinstance(value, type)
