"""The import ladder reports what it is there for."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

BROKEN = {
    "imports only point down": ("model.py", "from toolscore_otel import engine"),
    "the pure part knows no telemetry library and no I/O": (
        "errors.py",
        "import opentelemetry.trace",
    ),
}


@pytest.fixture
def layers(root: Path) -> list[list[str]]:
    """The steps of the ladder, from the top, each with its parts; what is not written yet stands in brackets."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]  # fmt: skip
    (steps,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return [re.split(r" [|:] ", step) for step in steps]


def test_what_stands_in_brackets_is_not_written_yet(layers: list[list[str]], package: Path) -> None:
    parts = [part for step in layers for part in step]
    bracketed = [part.strip("()") for part in parts if part.startswith("(")]
    assert [p for p in bracketed if (package / p).exists() or (package / f"{p}.py").exists()] == []


def test_the_page_shows_the_same_ladder(layers: list[list[str]], root: Path) -> None:
    page = (root / "docs" / "pages" / "contributing.md").read_text()
    (shown,) = re.findall(r"(?:^    [a-z, ]+\n)+", page, re.MULTILINE)
    written = [[part for part in step if not part.startswith("(")] for step in layers]
    assert [line.strip().split(", ") for line in shown.splitlines()] == [s for s in written if s]


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """The package with its project file, to break."""
    shutil.copytree(
        root / "toolscore_otel",
        tmp_path / "toolscore_otel",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copy(root / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("promise", BROKEN)
def test_a_forbidden_import_breaks_its_promise(promise: str, copy: Path) -> None:
    file, line = BROKEN[promise]
    with (copy / "toolscore_otel" / file).open("a") as module:
        module.write(f"\n{line}  # a positive control\n")
    done = subprocess.run(
        ["lint-imports", "--no-cache"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"{promise} BROKEN" in done.stdout
