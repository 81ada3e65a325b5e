"""A server in the foreground of a process: runs until a signal ends it.

SIGTERM and SIGINT stop it gracefully, a second one at once. SIGHUP has it read its contracts and certificates again.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any, Protocol, Self

MOST_FILES = 65_536
"""Each connection is one; more than that are never asked for."""

COLLECTED_AFTER = 10_000
"""New objects until Python searches for circles among them. After its own 700 it searches all that is held so often that
a third of a busy server's time goes there, and most of what is let go of needs no search."""

_ENDING = (signal.SIGTERM, signal.SIGINT)


class _Running(Protocol):
    """What signals act upon."""

    def start(self) -> None: ...

    def reload(self) -> object: ...

    def drain(self) -> None: ...


class _Signals:
    """Signals as they come in; installed for as long as a `with` lasts."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[int] = SimpleQueue()
        self._before: dict[int, Any] = {}
        self._is_ending = False

    def next(self) -> int:
        """The next signal, once it is there."""
        return self._waiting.get()

    def __enter__(self) -> Self:
        for number in (*_ENDING, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._arrived)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _arrived(self, number: int, _frame: FrameType | None) -> None:
        if number in _ENDING:
            if self._is_ending:
                os._exit(128 + number)
            self._is_ending = True
        self._waiting.put(number)


def serve_until_signal(server: _Running) -> None:
    """Run a server; returns when it has stopped. To be called in the main thread.

    Args:
        server: not started yet.

    Raises:
        ToolscoreError: it cannot start.
    """
    _allow_files()
    with _Signals() as signals, _collecting_seldom():
        server.start()
        while signals.next() == signal.SIGHUP:
            server.reload()
        server.drain()


def _allow_files() -> None:
    """Take as many open files as this user may have: the usual 1024 are few connections."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


@contextmanager
def _collecting_seldom() -> Generator[None]:
    before = gc.get_threshold()
    gc.freeze()  # what is there by now, modules above all, stays
    gc.set_threshold(COLLECTED_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
