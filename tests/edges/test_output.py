"""How commands end whose output goes nowhere: the pipe is closed, the disk is full, the folder is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRACES = Path(__file__).parent.parent.parent / "docs" / "examples" / "traces.jsonl"
PROGRAM = [sys.executable, "-m", "toolscore_otel.cli"]
COMMANDS = [
    ["--help"],
    ["calls", "--help"],
    ["calls", str(TRACES)],
    ["calls", "--format", "jsonl", str(TRACES)],
    ["score", str(TRACES), "--contracts", "pack:loops"],
    ["demo", "--fast"],
    ["schema"],
]
"""Printed by click, by rich, and by ourselves."""


def ended(command: list[str], stdout: int, *, both: bool = False) -> tuple[int, str]:
    """Exit code, and what stands on stderr where that does not go the same way."""
    done = subprocess.run(
        [*PROGRAM, *command],
        stdout=stdout,
        stderr=subprocess.STDOUT if both else subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr or ""


@pytest.fixture
def closed_pipe():
    """The end to write to of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.fixture
def full_disk():
    """A file for which there is no room."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as file:
        yield file.fileno()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_closed_pipe_is_no_finding_and_no_error(command, closed_pipe) -> None:
    assert ended(command, closed_pipe) == (141, "")


def test_a_closed_pipe_for_everything_is_the_same(closed_pipe) -> None:
    assert ended(["schema"], closed_pipe, both=True)[0] == 141


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_is_said_and_ends_with_2(command, full_disk) -> None:
    said = "toolscore-otel: cannot write: No space left on device\n"
    assert ended(command, full_disk) == (2, said)


def test_a_full_disk_for_everything_ends_with_2_all_the_same(full_disk) -> None:
    assert ended(["schema"], full_disk, both=True)[0] == 2


def test_a_picture_into_a_folder_that_is_not_there_is_said_and_ends_with_2(tmp_path) -> None:
    file = tmp_path / "missing" / "demo.svg"
    said = f"toolscore-otel: cannot write: {file}: No such file or directory\n"
    assert ended(["demo", "--svg", str(file)], subprocess.PIPE) == (2, said)
