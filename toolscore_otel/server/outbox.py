"""Hands findings to every sink, at least once, from one thread; nothing waits for it but itself.

Findings are put into the outbox by being committed to the state. Each sink has its own place in the row of them: one that
is down holds up no other, is tried again after ever longer pauses, and finds all that it missed. What a sink refuses for
good is dropped, counted and said.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from toolscore_otel.errors import StateError
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.fault import told
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.reply import Outcome, Reply
from toolscore_otel.server.state import State

LOG = logging.getLogger("toolscore_otel.server")

BATCH = 256
"""Most findings that are handed over at once."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0

MOST_WAITING = 100_000
"""How many findings wait for a sink; past it the oldest are dropped for this one."""

_IDLE_S = 1.0
"""The longest sleep while there is nothing to do."""


class Sink(Protocol):
    """Somewhere findings go."""

    @property
    def name(self) -> str:
        """The same in every process: its place in the row is kept under it."""
        ...

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """Hand a batch over: `ok`, `retry`, or anything else, which drops it."""
        ...

    @property
    def close(self) -> Callable[[], None]:
        """Lets go of connections."""
        ...


class _Line:
    """One sink, and how far it has come.

    Attributes:
        cursor: number of the last delivery that it has had.
        batch: how many it is given at once.
        retry_at: not to be tried before, in seconds of the clock.
        failures: in a row.
    """

    __slots__ = ("batch", "cursor", "failures", "retry_at", "sink")

    def __init__(self, sink: Sink, cursor: int) -> None:
        self.sink = sink
        self.cursor = cursor
        self.batch = BATCH
        self.retry_at = 0.0
        self.failures = 0


class Outbox:
    """Delivers what the state keeps.

    Args:
        state: where findings wait.
        sinks: where they go.
        counting: told how it goes, sink by sink.
        clock: seconds, never backwards.

    Raises:
        StateError: the state cannot be written.
    """

    def __init__(
        self,
        state: State | NoState,
        sinks: Sequence[Sink],
        counting: Counting,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self._counting = counting
        self._clock = clock
        cursors = state.cursors([sink.name for sink in sinks])
        self._lines = [_Line(sink, cursors[sink.name]) for sink in sinks]
        self._wake = threading.Event()
        self._is_over = False
        self._late = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolscore-outbox", daemon=True)
        for sink in sinks:
            for counter in ("delivered", "failed", "dropped"):
                counting.count(f"toolscore.outbox.{counter}", 0, sink=sink.name)
            counting.set("toolscore.outbox.waiting", 0, sink=sink.name)

    def start(self) -> None:
        """Begin to deliver; what waited since before a restart goes first."""
        self._thread.start()

    def wake(self) -> None:
        """Something was committed. Returns at once."""
        self._wake.set()

    def stop(self, grace_s: float) -> None:
        """Deliver what waits, each sink tried once more, and close the sinks.

        Args:
            grace_s: how long that may take; what is left then stays in the state.
        """
        self._is_over = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(grace_s)
        self._late.set()  # a thread that goes on all the same finds its sinks closed: that refuses nothing
        for line in self._lines:
            line.sink.close()
            if left := self._state.waiting(line.cursor):
                LOG.warning("%d findings were not delivered", left, extra={"sink": line.sink.name})

    def deliver(self) -> float:
        """Hand over what is due; returns after how many seconds to come again."""
        pending = list(self._lines)
        while pending:
            pending = [line for line in pending if self._step(line)]
        waits = [_IDLE_S]
        for line in self._lines:
            waiting = self._trimmed(line)
            self._counting.set("toolscore.outbox.waiting", waiting, sink=line.sink.name)
            if waiting:
                waits.append(max(0.0, line.retry_at - self._clock()))
        return min(waits)

    def _run(self) -> None:
        while not self._is_over:
            self._wake.wait(self._deliver_safely())
            self._wake.clear()
        for line in self._lines:
            line.retry_at = 0.0
        self._deliver_safely()

    def _deliver_safely(self) -> float:
        try:
            return self.deliver()
        except StateError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - the next try may work, and the server goes on
            why = told(error)
        LOG.error("findings cannot be delivered: %s", why)
        return FIRST_PAUSE_S

    def _step(self, line: _Line) -> bool:
        """One batch to one sink; returns whether it may be given another at once."""
        if self._late.is_set() or self._clock() < line.retry_at:
            return False
        batch = self._state.pending(line.cursor, line.batch)
        if not batch:
            return False
        reply = _sent(line.sink, [delivery for _, delivery in batch])
        if self._late.is_set():
            return False
        if reply.outcome is Outcome.TOO_LARGE and len(batch) > 1:
            line.batch = len(batch) // 2
            return True
        if reply.outcome is Outcome.RETRY:
            self._pause(line, reply)
            return False
        self._note(line, reply, len(batch))
        line.batch = BATCH
        self._advance(line, batch[-1][0])
        return True

    def _pause(self, line: _Line, reply: Reply) -> None:
        name = line.sink.name
        self._counting.count("toolscore.outbox.failed", sink=name)
        if not line.failures:
            LOG.warning(
                "findings wait, and are tried again: %s", reply.message, extra={"sink": name}
            )
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(line.failures, 10))
        line.failures += 1
        line.retry_at = self._clock() + max(pause_s, reply.retry_after_s or 0.0)

    def _note(self, line: _Line, reply: Reply, count: int) -> None:
        name, failures = line.sink.name, line.failures
        line.failures = 0
        if reply.outcome is not Outcome.OK:
            LOG.error(
                "%d findings were refused for good, and are dropped: %s",
                count,
                reply.message,
                extra={"sink": name},
            )
            self._counting.count("toolscore.outbox.dropped", count, sink=name)
            return
        if failures:
            LOG.info("findings are delivered again", extra={"sink": name})
        self._counting.count("toolscore.outbox.delivered", count, sink=name)

    def _advance(self, line: _Line, number: int) -> None:
        line.cursor = number
        self._state.delivered(line.sink.name, number)

    def _trimmed(self, line: _Line) -> int:
        """How many findings wait for a sink; those past the cap are dropped."""
        waiting = self._state.waiting(line.cursor)
        excess = waiting - MOST_WAITING
        if excess <= 0:
            return waiting
        first = self._state.pending(line.cursor, 1)[0][0]
        self._advance(line, first + excess - 1)
        name = line.sink.name
        LOG.error("%d findings waited too long, and are dropped", excess, extra={"sink": name})
        self._counting.count("toolscore.outbox.dropped", excess, sink=name)
        return MOST_WAITING


def _sent(sink: Sink, deliveries: Sequence[Delivery]) -> Reply:
    try:
        return sink.send(deliveries)
    except Exception as error:  # noqa: BLE001 - a batch that breaks a sink would break it for ever
        return Reply(outcome=Outcome.REFUSED, message=f"the sink failed: {told(error)}")
