"""How much may be on its way through the server at once, in bytes; past it senders are asked to try again.

Counted are bytes, not requests: sixty small ones weigh nothing, four of the largest fill the machine.
"""

from __future__ import annotations

from threading import Lock
from types import TracebackType
from typing import Self

from toolscore_otel.server.reply import Outcome, Reply

BUSY_S = 1.0
"""What a sender is told to wait when too much is in flight, in seconds."""

_BUSY = Reply(
    outcome=Outcome.RETRY,
    message="too much is in flight (`limits.in_flight_mib`): try again",
    retry_after_s=BUSY_S,
)
_DRAINING = Reply(
    outcome=Outcome.RETRY, message="the server is stopping: try again", retry_after_s=BUSY_S
)


class Admission:
    """Counts what is in flight. Safe to share between threads.

    Attributes:
        limit_bytes: a request that would exceed it waits its turn at the sender; one that is alone may be larger.
        in_flight_bytes: held right now.
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.in_flight_bytes = 0
        self._draining = False
        self._lock = Lock()

    def hold(self) -> Held:
        """Room for one request, none of it taken yet; used in a `with`."""
        return Held(self)

    def drain(self) -> None:
        """Let nothing new in; what is in may finish."""
        self._draining = True

    def take(self, held: int, more: int) -> Reply | None:
        """More bytes of a request that holds some.

        Returns:
            None where they are let in, else the answer.
        """
        with self._lock:
            if self._draining and not held:
                return _DRAINING
            others = self.in_flight_bytes - held
            if others > 0 and self.in_flight_bytes + more > self.limit_bytes:
                return _BUSY
            self.in_flight_bytes += more
            return None

    def give_back(self, held: int) -> None:
        """What a request held is free."""
        with self._lock:
            self.in_flight_bytes -= held


class Held:
    """What one request holds; given back when the `with` ends.

    Attributes:
        size_bytes: held so far.
    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self.size_bytes = 0

    def grow(self, more: int) -> Reply | None:
        """Take room for more bytes.

        Returns:
            None where there is room, else the answer to the sender.
        """
        refusal = self._admission.take(self.size_bytes, more)
        if refusal is None:
            self.size_bytes += more
        return refusal

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._admission.give_back(self.size_bytes)
