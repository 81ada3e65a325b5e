"""Another project, at work in a process and an environment of its own: some cannot stand among our dependencies."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.frameworks.environments import python_of
from tests.parts.programs import ROOT


@dataclass(frozen=True)
class Peer:
    """Called, it does its work once more, and gives the nanoseconds that took of its own thread.

    Attributes:
        found: what its work came to.
    """

    found: Any
    asked: IO[str]
    answers: IO[str]

    def __call__(self) -> int:
        self.asked.write("\n")
        self.asked.flush()
        taken: int = json.loads(self.answers.readline())
        return taken


@contextmanager
def at_work(name: str, way: str, given: object) -> Generator[Peer]:
    """A peer that is ready for rounds.

    Args:
        name: of its program and of its pinned environment, in this folder.
        way: what it is to do, by the name its program has for it.
        given: to do it with.

    Raises:
        NoEnvironmentError: it is not installed, and cannot be.
    """
    command = [str(python_of(name, Path(__file__).parent)), "-m", f"tests.bench.peers.{name}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps([way, given])}\n")
        process.stdin.flush()
        yield Peer(json.loads(process.stdout.readline()), process.stdin, process.stdout)
