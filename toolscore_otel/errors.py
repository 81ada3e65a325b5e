"""The error tree. Whose fault it was decides the class.

    ToolscoreError
      ContractError      the contract's author: `problems`, each with its place
      ConfigError        the operator: a limit, an address or a setting that makes no sense
      StateError         the operator, or the disk: what a server keeps cannot be read or written
      InputError         the input: a file or a stream that cannot be read as telemetry
      MissingExtraError  the installation: a part that an extra brings is not there

A message says what, where and what to do, in one paragraph. Identifiers stand in backticks, values are cut at 100
characters, and a secret never stands in one. A span that cannot be read raises nothing: it is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

VALUE_LIMIT = 100
"""Longest piece of somebody else's text that a message repeats, in characters."""


def on_one_line(value: object) -> str:
    """A value as text without line breaks."""
    return " ".join(str(value).split())


def clip(value: object, limit: int = VALUE_LIMIT) -> str:
    """A value as text that fits into a message: one line, cut at `limit` characters."""
    text = on_one_line(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file.

    Attributes:
        path: the file as the user named it.
        line: counted from 1; None where only the file is known.
    """

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a contract, and where."""

    where: Location
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class ToolscoreError(Exception):
    """Base of everything that this package raises on purpose."""


class ContractError(ToolscoreError):
    """A contract cannot be used.

    Attributes:
        problems: everything that was found wrong, of all files at once, in file order; never empty.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class ConfigError(ToolscoreError):
    """A limit, an address or a setting makes no sense; found at start."""


class StateError(ToolscoreError):
    """What a server keeps on disk cannot be read or written."""


class InputError(ToolscoreError):
    """A file or a stream cannot be read as telemetry."""

    def __init__(self, where: Location, message: str) -> None:
        self.where = where
        super().__init__(f"{where}: {message}")


class MissingExtraError(ToolscoreError):
    """A part of the package needs an extra that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an extra that is not installed: pip install 'toolscore-otel[{extra}]'"
        )
