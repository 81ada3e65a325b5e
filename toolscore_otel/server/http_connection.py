"""One HTTP connection, which does not wait for ever: uvicorn itself has no limit to how slowly a request may come in."""

from __future__ import annotations

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 30.0
"""How long a request may take to come in, its body too, in seconds; then its connection is closed."""

MOST_CONNECTIONS = 1_000
"""Open at once to one listener, if there are enough files for that; further ones are closed at once."""


def most_connections() -> int:
    """How many connections may be open to one listener: of the files that this process may open, a fourth at most."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 4)  # fmt: skip


def connections(request_s: float = REQUEST_S, most: int | None = None) -> type[asyncio.Protocol]:
    """What uvicorn is to make of each connection.

    Args:
        request_s: how long a request may take to come in.
        most: open at once; None: `most_connections`.
    """
    limit = most_connections() if most is None else most

    class Connection(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limit:
                transport.abort()
            else:
                self._late = self.loop.call_later(request_s, transport.abort)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            is_waiting = self.timeout_keep_alive_task is None and self.conn.their_state is h11.IDLE
            if not is_waiting and self.conn.their_state is not h11.SEND_BODY:
                self._calm()
            elif self._late is None:
                self._late = self.loop.call_later(request_s, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self._calm()
            super().connection_lost(exc)

        def _calm(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Connection
