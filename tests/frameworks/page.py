"""What a page about a framework holds: its program, the commands that run it, and what they print.

A block with a title is a file: ```` ```python title="agent.py" ````. The blocks of `frameworks.md` stand beside every program.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent.parent.parent / "docs" / "pages"
INDEX = PAGES / "frameworks.md"
PROGRAM = "agent.py"
RUNS = ("by default", "with the switch")
"""The words for the first and the second command of a page."""

_FILE = re.compile(r'^```\w+ title="(?P<name>[^"]+)"\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """One way to run the program.

    Attributes:
        variables: in front of the command.
        shown: what it prints; `...` stands for whatever is there.
    """

    variables: dict[str, str]
    shown: str

    @property
    def switch(self) -> str:
        """The variables, for a table."""
        return " ".join(f"`{name}={value}`" for name, value in self.variables.items())


@dataclass(frozen=True)
class Page:
    """The page of a framework, by the framework's name."""

    name: str

    @property
    def path(self) -> Path:
        """Where it stands."""
        return PAGES / "frameworks" / f"{self.name}.md"

    @property
    def files(self) -> dict[str, str]:
        """The program and what it needs beside it: name -> text."""
        return _files(INDEX) | _files(self.path)

    @property
    def commands(self) -> dict[str, Command]:
        """By the words for them, as many as there are."""
        (console,) = _CONSOLE.findall(self.path.read_text())
        _, *parts = re.split(r"^\$ ", console, flags=re.MULTILINE)
        return {word: _command(part) for word, part in zip(RUNS, parts, strict=False)}

    @property
    def installed(self) -> list[str]:
        """What stands on its line of `pip install`, sorted."""
        (line,) = re.findall(r"^pip install (.*)$", self.path.read_text(), re.MULTILINE)
        return sorted(shlex.split(line))


def _files(page: Path) -> dict[str, str]:
    return {found["name"]: found["text"] for found in _FILE.finditer(page.read_text())}


def _command(part: str) -> Command:
    line, _, shown = part.partition("\n")
    *variables, python, program = shlex.split(line)
    assert (python, program) == ("python", PROGRAM), line
    return Command(dict(variable.split("=", 1) for variable in variables), shown)
