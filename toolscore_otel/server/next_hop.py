"""Sends exports on to another OTLP server, over gRPC or HTTP, and says what it answered.

It keeps nothing: an export that was not taken is the sender's again, who is told so. Blocking, and safe to share between
threads.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol as Shape

import grpc
import httpx

from toolscore_otel.server.config import (
    ClientTls,
    Compression,
    NextHopConfig,
    Protocol,
    Target,
    seconds,
    target,
)
from toolscore_otel.server.fault import told
from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.hop_codes import of_grpc, of_http
from toolscore_otel.server.http_app import PATHS, PROTOBUF
from toolscore_otel.server.passage import HEADER, marked
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.tls import channel_credentials, client_context

_LOG = logging.getLogger(__name__)
_GZIP_LEVEL = 1
"""Quick: what is sent here goes a short way."""

_RECONNECT_MS = 5_000
"""The longest pause between two attempts to connect; gRPC's own goes up to two minutes."""

_CONNECTIONS = 64
"""Over HTTP, at once."""


class _Way(Shape):
    """One protocol."""

    def send(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply: ...

    def close(self) -> None: ...


class NextHop:
    """An OTLP server that exports go to.

    Args:
        config: where it is and how it is spoken to.
        instance: our own id, with which requests are marked so that they are known if they come back.

    Raises:
        ConfigError: certificates cannot be used.
    """

    def __init__(self, config: NextHopConfig, *, instance: str = "") -> None:
        to = target(config.endpoint)
        is_secure = not config.tls.insecure if to.is_secure is None else to.is_secure
        make = _Grpc if config.protocol is Protocol.GRPC else _Http
        self._way: _Way = make(config, to, is_secure=is_secure)
        self._headers = {name.lower(): text.reveal() for name, text in config.headers.items()}
        self._instance = instance
        self._name = str(to.address)
        self._is_down = False
        self._is_closed = False

    def send(self, signal: Signal, data: bytes, headers: Mapping[str, str] | None = None) -> Reply:
        """Send one export; returns what became of it. Never raises.

        Args:
            signal: what it holds.
            data: protobuf.
            headers: the export came with, keys in lower case; only the mark of where it came through is sent on.
        """
        if self._is_closed:
            return Reply(outcome=Outcome.RETRY, message="the server is stopping: try again")
        sent = dict(self._headers)
        if self._instance:
            sent[HEADER] = marked(headers or {}, self._instance)
        try:
            reply = self._way.send(signal, data, sent)
        except Exception as error:  # noqa: BLE001 - whatever it is, the sender keeps what it sent
            _LOG.error("sending failed: %s", told(error), extra={"endpoint": self._name})
            reply = Reply(outcome=Outcome.RETRY, message="sending to the next hop failed")
        self._tell(reply)
        return reply

    def close(self) -> None:
        """Close the connections; what is under way is broken off."""
        self._is_closed = True
        self._way.close()

    def _tell(self, reply: Reply) -> None:
        """One line when it stops taking what is sent, one when it takes it again; each refusal for good is a line."""
        extra = {"endpoint": self._name}
        if reply.outcome is Outcome.OK:
            if self._is_down:
                _LOG.info("the next hop takes what is sent again", extra=extra)
            self._is_down = False
        elif reply.outcome is not Outcome.RETRY:
            _LOG.error("the next hop refused an export for good: %s", reply.message, extra=extra)
        elif not self._is_down:
            self._is_down = True
            _LOG.warning("the next hop takes nothing: %s", reply.message, extra=extra)


class _Grpc:
    """OTLP over gRPC."""

    def __init__(self, config: NextHopConfig, to: Target, *, is_secure: bool) -> None:
        compression = (
            grpc.Compression.Gzip
            if config.compression is Compression.GZIP
            else grpc.Compression.NoCompression
        )
        options = _channel_options(config.tls)
        self._channel = (
            grpc.secure_channel(
                str(to.address), channel_credentials(config.tls), options, compression
            )
            if is_secure
            else grpc.insecure_channel(str(to.address), options, compression)
        )
        self._calls: dict[Signal, grpc.UnaryUnaryMultiCallable[bytes, bytes]] = {
            signal: self._channel.unary_unary(method) for signal, method in METHODS.items()
        }
        self._timeout_s = seconds(config.timeout)

    def send(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        try:
            body = self._calls[signal](
                data, timeout=self._timeout_s, metadata=tuple(headers.items())
            )
        except grpc.RpcError as error:
            return of_grpc(error)
        return Reply(outcome=Outcome.OK, body=body or None)

    def close(self) -> None:
        self._channel.close()


def _channel_options(tls: ClientTls) -> list[tuple[str, str | int]]:
    options: list[tuple[str, str | int]] = [
        ("grpc.max_send_message_length", -1),
        ("grpc.initial_reconnect_backoff_ms", 250),
        ("grpc.min_reconnect_backoff_ms", 250),
        ("grpc.max_reconnect_backoff_ms", _RECONNECT_MS),
    ]
    if tls.server_name_override is not None:
        options.append(("grpc.ssl_target_name_override", tls.server_name_override))
    return options


class _Http:
    """OTLP over HTTP, in protobuf."""

    def __init__(self, config: NextHopConfig, to: Target, *, is_secure: bool) -> None:
        scheme = "https" if is_secure else "http"
        self._url = f"{scheme}://{to.address}{to.path}"
        self._is_gzip = config.compression is Compression.GZIP
        self._client = httpx.Client(
            verify=client_context(config.tls) if is_secure else False,
            timeout=seconds(config.timeout),
            limits=httpx.Limits(max_connections=_CONNECTIONS),
            headers={"content-type": PROTOBUF},
        )

    def send(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        sent = dict(headers)
        if self._is_gzip:
            sent["content-encoding"] = "gzip"
            data = gzip.compress(data, _GZIP_LEVEL)
        try:
            answer = self._client.post(self._url + PATHS[signal], content=data, headers=sent)
        except httpx.TimeoutException:
            return Reply(outcome=Outcome.RETRY, message="the next hop did not answer in time")
        except httpx.HTTPError as error:
            return Reply(
                outcome=Outcome.RETRY,
                message=f"the next hop cannot be reached: {type(error).__name__}",
            )
        return of_http(
            answer.status_code, dict(answer.headers.items()), answer.content, datetime.now(UTC)
        )

    def close(self) -> None:
        self._client.close()
