"""What the page "Add a dialect" says is done, block by block, in a copy of the repository; then its commands are run there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_examples import EXAMPLES, ROOT

PAGE = ROOT / "docs" / "pages" / "add_a_dialect.md"
BLOCK = re.compile(
    r'^```(?P<language>\w+) title="(?P<file>[^"]+)"\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL
)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOLDER = "tests/corpus/frameworks"
TAKEN = ("toolscore_otel", "tests/corpus", "tests/unit/conventions", "tests/properties")


def with_lines(text: str, diff: str) -> str:
    """A text with the lines of a diff that begin with `+`, where the others stand."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines)
    assert text.count(before) == 1, f"stands {text.count(before)} times:\n{before}"
    return text.replace(before, after)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, as far as it matters, with what the page adds."""
    copy = tmp_path_factory.mktemp("copy")
    for name in TAKEN:
        leave = shutil.ignore_patterns("__pycache__", "*.jsonl*", "*.pb*")
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    for name in ("pyproject.toml", "README.md", "tests/conftest.py"):
        shutil.copy(ROOT / name, copy / name)
    for found in BLOCK.finditer(PAGE.read_text()):
        path = copy / found["file"]
        if found["language"] == "diff":
            path.write_text(with_lines(path.read_text(), found["text"]))
        else:
            assert not path.exists(), found["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found["text"])
    return copy


def run(copy: Path, *words: str) -> str:
    """Run a program of the environment in the copy; it must succeed."""
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run(
        [str(program), *words[1:]],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


COMMANDS = [
    shlex.split(line.removeprefix("uv run --all-groups "), comments=True)
    for block in SHELL.findall(PAGE.read_text())
    for line in block.splitlines()
    if line.startswith("uv run --all-groups pytest")
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_tests_that_the_page_names_pass(copy: Path, words: list[str]) -> None:
    said = run(copy, *words, "-q", "-p", "no:cacheprovider")
    assert re.search(r"^\d+ passed", said, re.MULTILINE)


def test_the_call_is_rebuilt_with_its_agent_and_the_switch_is_named(copy: Path) -> None:
    recording = f"{FOLDER}/acme__native__1.0.0/a_two_calls.otlp.jsonl"
    program = ["python", "-m", "toolscore_otel.cli"]
    assert "desk ✓ lookup id=7" in run(copy, *program, "calls", recording)
    assert "Acme, convention acme" in run(copy, *program, "doctor", recording)


def test_the_reader_is_as_the_house_wants_it(copy: Path) -> None:
    reader = "toolscore_otel/conventions/acme.py"
    changed = ["toolscore_otel/conventions/__init__.py", "toolscore_otel/conventions/attributes.py"]
    test = "tests/unit/conventions/test_acme.py"
    run(copy, "ruff", "check", "--no-cache", reader, test, *changed)
    run(copy, "ruff", "format", "--no-cache", "--check", reader, test, *changed)
    run(copy, "lint-imports", "--no-cache")


def test_what_stands_on_spans_is_shown() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    said = run(EXAMPLES, "python", "-c", program)
    assert "pydantic-ai 'chat gpt-4o-mini' unset []\n" in said
    assert "    gen_ai.operation.name = 'execute_tool'\n" in said


def test_a_line_that_is_not_there_is_noticed() -> None:
    with pytest.raises(AssertionError, match="stands 0 times"):
        with_lines("one\n", " two\n+three\n")
    assert with_lines("one\ntwo\n", " one\n+more\n two\n") == "one\nmore\ntwo\n"
