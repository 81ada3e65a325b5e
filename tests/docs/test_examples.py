"""Whatever README and docs show is run: Python, commands with their output, contracts.

- A Python block runs as it stands, and prints what its `#>` comments say. Those of the pages about frameworks need what is not
  installed here: tests/frameworks runs them, each in an environment of its own. Those about a new dialect are files of a copy
  of the repository: test_add_a_dialect_page runs them there.
- In a `console` or `bash` block each line that begins with `$ toolscore-otel` runs, all of one page in order and in one copy of
  `docs/examples`; the lines below it are its output. There `...` stands for whatever is on the rest of a line, or, alone, for any
  lines. A command that shows no output must succeed; `$ echo $?` shows how the command before it ended.
- A YAML block that begins with `contract:` loads as a contract.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "pages").rglob("*.md"))]
FRAMEWORKS = ROOT / "docs" / "pages" / "frameworks"
ADD_A_DIALECT = ROOT / "docs" / "pages" / "add_a_dialect.md"
RUN_HERE = [
    page
    for page in PAGES
    if FRAMEWORKS not in (page.parent, page.with_suffix("")) and page != ADD_A_DIALECT
]
EXAMPLES = ROOT / "docs" / "examples"
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
SECONDS = 60


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the line its text begins on, its language and text."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, text: str, *languages: str) -> Iterator[Block]:
    """The blocks of a page in these languages, in order."""
    for found in FENCE.finditer(text):
        if found["language"] in languages:
            line = text.count("\n", 0, found.start()) + 2
            yield Block(page, line, found["language"], dedent(found["text"]))


@dataclass(frozen=True)
class Command:
    """A command line of a block, and the output below it."""

    line: str
    shown: str

    @property
    def runs(self) -> bool:
        """Whether it is one of ours."""
        return self.line.startswith("toolscore-otel")


def commands(text: str) -> list[Command]:
    """The commands of a block; a command line may go on after a backslash."""
    parts = re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    return [Command(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]


def as_shown(shown: str) -> re.Pattern[str]:
    """What a shown output stands for."""
    lines = [
        r"(?:.*\n)*"
        if line.strip() == "..."
        else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"\n"
        for line in shown.strip("\n").split("\n")
    ]
    return re.compile("".join(lines))


def tidy(output: str) -> str:
    """An output without blank lines around it and white space at line ends."""
    return "".join(f"{line.rstrip()}\n" for line in output.strip("\n").split("\n"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the docs' working folder."""
    copy = tmp_path / "examples"
    if EXAMPLES.is_dir():
        shutil.copytree(EXAMPLES, copy)
    else:
        copy.mkdir()
    return copy


@pytest.mark.parametrize(
    "example",
    list(find_examples(*RUN_HERE)),
    ids=lambda example: str(example).replace(f"{ROOT}/", ""),
)
def test_python_does_what_it_shows(
    example: CodeExample, eval_example: EvalExample, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    eval_example.set_config(line_length=100)
    eval_example.run_print_check(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_is_shown(page: Path, folder: Path) -> None:
    for block in blocks(page, page.read_text(), "console", "bash"):
        status = 0
        for command in commands(block.text):
            if command.line.strip() == "echo $?":
                assert f"{status}" == command.shown.strip(), f"{block}: the command ended otherwise"
            elif command.runs:
                status, output = run(command.line, folder)
                check(block, command, status, output)


def run(line: str, folder: Path) -> tuple[int, str]:
    """Run a command line, and give back how it ended and all that it printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": path,
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "HOME": str(folder),
    }
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, text=True, check=False, timeout=SECONDS,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def check(block: Block, command: Command, status: int, output: str) -> None:
    """Hold the end and the output of a command against what its block shows."""
    said = f"{block}: $ {command.line}\n{output}"
    assert "Traceback" not in output, said
    if command.shown.strip():
        assert as_shown(command.shown).fullmatch(tidy(output)), said
    else:
        assert status == 0, said


CONTRACTS = [
    block
    for page in PAGES
    for block in blocks(page, page.read_text(), "yaml")
    if re.match(r"(?:#.*\n|\s)*contract:", block.text)
]


@pytest.mark.parametrize("block", CONTRACTS, ids=str)
def test_contracts_load(block: Block, folder: Path) -> None:
    (folder / "shown.yaml").write_text(block.text)
    status, output = run("toolscore-otel check shown.yaml", folder)
    assert status == 0, f"{block}\n{output}"


def test_a_shown_output_matches_itself_and_what_its_dots_stand_for() -> None:
    shown = as_shown("12 calls in ... s\n...\nend.")
    assert shown.fullmatch(tidy("12 calls in 0.4 s\n\none\ntwo\nend.  \n\n"))
    assert shown.fullmatch(tidy("12 calls in 0.4 s\nend."))
    assert not shown.fullmatch(tidy("13 calls in 0.4 s\nend."))
    assert not shown.fullmatch(tidy("12 calls in 0.4 s\nend!"))


def test_commands_are_found_with_their_output() -> None:
    text = "```console\n$ toolscore-otel calls \\\n    a.jsonl\none\n$ echo $?\n0\n```\n```text\n$ toolscore-otel\n```\n"
    (block,) = blocks(ROOT / "README.md", text, "console", "bash")
    assert commands(block.text) == [
        Command("toolscore-otel calls     a.jsonl", "one\n"),
        Command("echo $?", "0\n"),
    ]


def test_a_command_that_shows_no_output_must_succeed(folder: Path) -> None:
    block = Block(ROOT / "README.md", 1, "console", "")
    command = Command("toolscore-otel nonsense", "")
    with pytest.raises(AssertionError, match="nonsense"):
        check(block, command, *run("false", folder))
