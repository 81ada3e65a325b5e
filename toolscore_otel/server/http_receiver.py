"""OTLP over HTTP: the listener."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import HttpReceiver, address
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.http_app import application
from toolscore_otel.server.http_thread import HttpThread
from toolscore_otel.server.listening import in_use
from toolscore_otel.server.tls import load_pair, server_context

MIB = 1024 * 1024


def _always(context: ssl.SSLContext) -> Callable[..., ssl.SSLContext]:
    """The context, whatever uvicorn would make."""
    return lambda *_: context


class HttpServer:
    """Listens for OTLP over HTTP.

    Args:
        config: of the receiver.
        entrance: what requests pass.

    Raises:
        ConfigError: certificates cannot be used.
    """

    def __init__(self, config: HttpReceiver, entrance: Entrance) -> None:
        self._config = config
        self._address = address(config.endpoint)
        self._context: ssl.SSLContext | None = None
        options: dict[str, Any] = {}
        if config.tls is not None:
            self._context = context = server_context(config.tls)
            options["ssl_context_factory"] = _always(context)
        limit_bytes = config.max_request_body_size_mib * MIB
        app = application(entrance, limit_bytes=limit_bytes)
        self._thread = HttpThread(app, self._address.host, self._address.port, **options)

    def start(self) -> int:
        """Listen; returns the port.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        try:
            return self._thread.start()
        except ConfigError as error:
            raise in_use("receivers.otlp.protocols.http.endpoint", self._address) from error

    def reload_certificates(self) -> None:
        """Read changed certificates; the next connection meets them.

        Raises:
            ConfigError: they cannot be used.
        """
        if self._context is not None and self._config.tls is not None:
            server_context(self._config.tls)  # bad files are found before ours are touched
            load_pair(self._context, self._config.tls)

    def stop(self, grace_s: float) -> None:
        """Take no more requests, let open ones end, and return once that is done or the time is over."""
        self._thread.stop(grace_s)
