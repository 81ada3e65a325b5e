"""Time moves for the pipeline even when nothing comes in."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from toolscore_otel.server.fault import told

INTERVAL_S = 0.25

_LOG = logging.getLogger(__name__)


class Ticker:
    """Calls something at an interval, from a thread of its own, until it is stopped.

    Args:
        tick: called; what it raises is logged.
        interval_s: from the end of one call to the next.
    """

    def __init__(self, tick: Callable[[], object], interval_s: float = INTERVAL_S) -> None:
        self._tick = tick
        self._interval_s = interval_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolscore-tick", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """No more calls; returns when the last one has ended."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._interval_s):
            try:
                self._tick()
            except Exception as error:  # noqa: BLE001 - the next one may do better
                _LOG.error("what was due could not be done: %s", told(error))
