"""Calls that were opened and whose message does not come: each holds one of a few threads, so none may do so for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

PATIENCE_S = 10.0
"""How long a message may take, from the begin of its call. What senders wait for the whole answer is no longer."""

_INTERVAL_S = 1.0


class Stalls:
    """Ends calls that wait too long, from a thread of its own.

    Args:
        patience_s: how long they may.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[float, Callable[[], object]]] = {}
        self._next = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolscore-stalls", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no longer."""
        self._over.set()

    @contextmanager
    def waiting(self, end: Callable[[], object]) -> Generator[None]:
        """While something is waited for.

        Args:
            end: ends the call, from another thread; after that, waiting raises.
        """
        with self._lock:
            self._next = number = self._next + 1
            self._waiting[number] = time.monotonic() + self._patience_s, end
        try:
            yield
        finally:
            with self._lock:
                del self._waiting[number]

    def _run(self) -> None:
        while not self._over.wait(min(self._patience_s, _INTERVAL_S)):
            now = time.monotonic()
            with self._lock:
                late = [end for until, end in self._waiting.values() if until <= now]
            for end in late:
                end()
