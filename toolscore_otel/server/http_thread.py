"""An HTTP server in a thread of its own, beside the others of the process."""

from __future__ import annotations

import socket
import threading
from typing import Any

import uvicorn

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.http_connection import connections

BACKLOG = 1024
"""How many connections may wait to be accepted."""

GRACE_S = 5
"""How long open requests may take to end once the server stops, unless `stop` says less."""


class HttpThread:
    """An ASGI application on uvicorn.

    Args:
        app: what answers; its lifespan is not used.
        host: name or address to listen on.
        port: 0: any that is free.
        options: of `uvicorn.Config`, such as those of TLS.
    """

    def __init__(self, app: Any, host: str, port: int, **options: Any) -> None:
        self._address = (host, port)
        given: dict[str, Any] = {
            "lifespan": "off",
            "log_config": None,  # ours stays as it is
            "access_log": False,
            "server_header": False,
            "ws": "none",
            "http": connections(),
            "backlog": BACKLOG,
            "timeout_graceful_shutdown": GRACE_S,
        }
        self._server = uvicorn.Server(uvicorn.Config(app, **(given | options)))
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        """Listen; returns the port.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        self._server.config.load()  # a bad certificate shows here
        listening = _listen(*self._address)
        port: int = listening.getsockname()[1]
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [listening]},
            name=f"toolscore-http-{port}",
            daemon=True,
        )
        self._thread.start()
        return port

    def stop(self, grace_s: float = GRACE_S) -> None:
        """Take no more connections, let open requests end, and return once that is done or the time is over."""
        if self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join(grace_s)
        self._server.force_exit = True
        self._thread.join(1)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ConfigError(f"cannot listen on `{host}:{port}`: {why}") from None
    # Connections inherit it. asyncio sets it only on sockets made for TCP by name; without, an answer with a body waits
    # 40 ms for the other end.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
