"""A receiver of webhooks that keeps what it gets."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request.

    Attributes:
        path: of the address that was called.
        body: its JSON.
        at_s: when it came, on the monotonic clock.
    """

    path: str
    body: Any
    at_s: float = field(default_factory=time.monotonic)


class Webhook:
    """Listens on a free port until it is closed.

    Attributes:
        calls: what came, in order.
        address: `127.0.0.1:PORT`.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        calls = self.calls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                calls.append(Call(self.path, json.loads(body)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002, its name above
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
