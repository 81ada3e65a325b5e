"""Starting programs, waiting until they are ready, stopping them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import httpx

Found = TypeVar("Found")

PATIENCE_S = 60.0
"""How long anything is waited for. Nothing takes that long; a busy machine may."""


def wait_for(look: Callable[[], Found | None], what: str, patience_s: float = PATIENCE_S) -> Found:
    """Ask again and again until there is an answer, and give it.

    Args:
        look: its answer counts once it is true.
        what: what is waited for, for the message.

    Raises:
        AssertionError: time is up.
    """
    end = time.monotonic() + patience_s
    while not (found := look()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience_s:.0f} s in vain for {what}")
        time.sleep(0.02)
    return found


def answers(url: str) -> bool:
    """Whether a GET is answered with 200."""
    try:
        return httpx.get(url, timeout=5).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


class Running:
    """A program that was started.

    Attributes:
        process: the program.
        log: the file that holds what it prints.
    """

    def __init__(
        self,
        command: list[str],
        log: Path,
        variables: Mapping[str, str] | None = None,
        *,
        is_group: bool = False,
    ) -> None:
        """Start a program.

        Args:
            command: its arguments, the program itself first.
            log: file for what it prints; its folder becomes the program's working directory.
            variables: environment variables, besides those that stand.
            is_group: it starts others that outlive it; `kill` ends them, too.
        """
        self.log = log
        self._is_group = is_group
        self._name = Path(command[0]).name
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                cwd=log.parent,
                env=dict(os.environ) | dict(variables or {}),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=is_group,
            )

    def wait_until_ready(self, url: str, patience_s: float = PATIENCE_S) -> None:
        """Wait until an address answers 200.

        Raises:
            AssertionError: the program ended, or time is up; with what it printed.
        """
        try:
            wait_for(
                lambda: self.must_run() and answers(url), f"`{self._name}` at {url}", patience_s
            )
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.printed()[-4000:]}") from None

    def printed(self) -> str:
        """What it printed until now."""
        return self.log.read_text(errors="replace")

    def stop(self) -> int:
        """Ask it to end, wait for it, and give its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"`{self._name}` did not end\n{self.printed()[-4000:]}") from None

    def kill(self) -> None:
        """End it without giving it a chance."""
        if self._is_group:
            with suppress(ProcessLookupError):  # all of them have ended
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()

    def must_run(self) -> bool:
        """True.

        Raises:
            AssertionError: it has ended.
        """
        code = self.process.poll()
        if code is not None:
            raise AssertionError(f"`{self._name}` ended with {code}")
        return True
