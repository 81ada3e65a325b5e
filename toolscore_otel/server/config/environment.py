"""References to environment variables in a configuration: `${env:NAME}`, `${env:NAME:-default}`, `${NAME}`; `$$` is a dollar.

They stand in values only, and what a variable holds is never read as YAML structure: a whole value that is one reference
becomes a plain scalar, anything else text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Self

from toolscore_otel.contracts import scalars
from toolscore_otel.model import Json

_REFERENCE = re.compile(r"\$(?:\$|\{([^{}]*)\})")
_NAME = re.compile(r"(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.ASCII | re.DOTALL)  # fmt: skip


class UnsetError(ValueError):
    """A reference cannot be followed: it is none, or its variable is not set."""


class Written(str):
    """A text that came from the environment; shown as it is written in the file."""

    __slots__ = ("written",)
    written: str

    def __new__(cls, text: str, written: str) -> Self:
        """A text.

        Args:
            text: what the variables hold.
            written: what stands in the file.
        """
        new = super().__new__(cls, text)
        new.written = written
        return new

    def __str__(self) -> str:
        return self.written


def refers(text: str) -> bool:
    """Whether anything in a text is to be replaced."""
    return _REFERENCE.search(text) is not None


def expanded(text: str, environment: Mapping[str, str]) -> str:
    """A text with its references replaced.

    Raises:
        UnsetError: a reference that cannot be followed.
    """
    return _REFERENCE.sub(lambda found: _replaced(found, environment), text)


def value_of(text: str, environment: Mapping[str, str]) -> Json:
    """What a text of the file stands for; a text in which a variable was put is `Written`.

    Raises:
        UnsetError: a reference that cannot be followed, or a number that cannot be read.
    """
    if not refers(text):
        return text
    whole = expanded(text, environment)
    if (found := _REFERENCE.fullmatch(text)) is not None and found[1] is not None:
        try:
            value = scalars.resolve(whole)
        except scalars.ScalarError:
            return Written(whole, text)
        return Written(value, text) if isinstance(value, str) else value
    return Written(whole, text)


def _replaced(found: re.Match[str], environment: Mapping[str, str]) -> str:
    inside = found[1]
    if inside is None:
        return "$"
    reference = _NAME.fullmatch(inside)
    if reference is None:
        raise UnsetError(
            "holds a `${...}` that is no reference: write `${env:NAME}` or `${env:NAME:-default}`, and `$$` for a dollar"
        )
    value = environment.get(reference["name"]) or reference["default"]
    if value is None:
        name = reference["name"]
        raise UnsetError(
            f"the environment variable `{name}` is not set: set it, or give a default as in `${{env:{name}:-default}}`"
        )
    return value
