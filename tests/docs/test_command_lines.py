"""Every command line of ours that stands anywhere is one that the program takes; it is read, not run.

That is: in shell blocks of README and docs, in indented lines of `collector-config/README.md`, in the table of commands, and in
the examples of the program's own help. In running text, also that of the configurations that ship, its commands are there.
"""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click
import pytest

from tests.docs.test_examples import PAGES, ROOT, blocks
from toolscore_otel.cli.commands import COMMANDS, cli, loaded

PAGE = ROOT / "docs" / "pages" / "commands.md"
SHIPPED = ROOT / "collector-config"
CALL = re.compile(r"(?:^|\s)toolscore-otel (.*)")
NAMED = re.compile(r"`toolscore-otel ([a-z-]+)")
UV_RUN = re.compile(r"\buv run ([^`\n]+)")
OF_TESTS = re.compile(r"(?<![\w/])tests/[\w/]+(?:\.py)?(?!\w)")
MADE_BY_A_PAGE = re.compile(r'^```\w+ title="([^"]+)"$', re.MULTILINE)
ENDS = {"|", "&&", ">", ";"}


class Line(NamedTuple):
    """A command line, and where it stands."""

    where: str
    words: list[str]

    def __str__(self) -> str:
        return f"{self.where}: {shlex.join(self.words)}"


def lines(where: str, text: str) -> Iterator[Line]:
    """The command lines of ours in a text, what follows `toolscore-otel`; a line may go on after a backslash."""
    for found in CALL.finditer(text.replace("\\\n", "")):
        words = shlex.split(found[1], comments=True)
        end = next((at for at, word in enumerate(words) if word in ENDS), len(words))
        yield Line(where, words[:end])


def table() -> list[str]:
    """The commands that the page lists."""
    return re.findall(r"^\| `(toolscore-otel [^`]+)` \|", PAGE.read_text(), re.MULTILINE)


def shown() -> Iterator[Line]:
    """All of them."""
    for page in PAGES:
        for block in blocks(page, page.read_text(), "sh", "bash", "console"):
            yield from lines(str(block), block.text)
    indented = re.findall(r"^    .*\n", (SHIPPED / "README.md").read_text(), re.MULTILINE)
    yield from lines("collector-config/README.md", "".join(indented))
    for row in table():
        yield from lines("docs/pages/commands.md", row)
    for command in map(loaded, COMMANDS):
        yield from lines(f"{command.name} --help", (command.help or "").partition("Example")[2])


SHOWN = list(shown())


@pytest.mark.parametrize("line", SHOWN, ids=str)
def test_a_command_line_is_one_that_the_program_takes(line):
    with cli.make_context("toolscore-otel", list(line.words)) as context:
        name, command, rest = cli.resolve_command(context, line.words)
        assert command is not None
        with command.make_context(name, rest, parent=context):
            """It was taken, and is not run."""


def test_they_are_found_where_they_stand():
    places = {line.where.partition(":")[0] for line in SHOWN}
    assert places >= {
        "README.md",
        "docs/pages/commands.md",
        "docs/pages/server.md",
        "docs/pages/collector.md",
        "collector-config/README.md",
        "run --help",
    }


@pytest.mark.parametrize("words", [["serv"], ["serve", "--confg", "x"], ["score", "a.jsonl"]])
def test_one_that_the_program_does_not_take_is_noticed(words):
    with pytest.raises(click.UsageError):
        test_a_command_line_is_one_that_the_program_takes(Line("here", words))


@pytest.mark.parametrize(
    "file", [*PAGES, *sorted(SHIPPED.rglob("*.*"))], ids=lambda file: str(file.relative_to(ROOT))
)
def test_a_command_that_is_named_is_there(file):
    assert set(NAMED.findall(file.read_text())) <= COMMANDS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_run_from_the_repository_is_there_and_has_its_dependencies(page):
    text = page.read_text()
    made = MADE_BY_A_PAGE.findall(text)
    missing = [path for path in OF_TESTS.findall(text) if not (ROOT / path).exists()]
    assert [path for path in missing if not any(name.startswith(path) for name in made)] == []
    runs = [shlex.split(found, comments=True) for found in UV_RUN.findall(text)]
    assert [words for words in runs if words[0] not in ("tests/all", "toolscore-otel", "--all-groups")] == []  # fmt: skip


def test_the_table_lists_every_command_in_the_order_of_the_help():
    assert [row.split()[1] for row in table()] == list(COMMANDS)
