"""The import ladder reports what it is there for."""

import os
import shutil
import subprocess
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
