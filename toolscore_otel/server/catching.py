"""Catches the telemetry of one program, in a file: receivers on loopback ports that are free."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.admission import Admission
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.config import GrpcReceiver, HttpReceiver
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.grpc_receiver import GrpcServer
from toolscore_otel.server.http_receiver import HttpServer
from toolscore_otel.server.reply import OK, Outcome, Reply, Signal
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.proto_to_json import proto_to_json

GRACE_S = 2.0
"""How long requests that are under way may take to end."""

_IN_FLIGHT_BYTES = 256 * 1024 * 1024
_ANY = "127.0.0.1:0"


class Catching:
    """Receivers whose exports end up in a file, a line each; they listen for as long as a `with` lasts.

    Args:
        path: made anew, for its owner's eyes only: what is caught is kept as it came, secrets included.

    Attributes:
        grpc_port: where OTLP over gRPC is listened for.
        http_port: where OTLP over HTTP is.

    Raises:
        ConfigError: the file is there already, or cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.grpc_port = self.http_port = 0
        self._lock = threading.Lock()
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise ConfigError(f"cannot keep telemetry in `{path}`: {why}") from error
        self._file = os.fdopen(descriptor, "wb")
        entrance = Entrance(
            self._catch, auth=Auth(()), admission=Admission(_IN_FLIGHT_BYTES), instance="run"
        )
        self._grpc = GrpcServer(GrpcReceiver(endpoint=_ANY), entrance)
        self._http = HttpServer(HttpReceiver(endpoint=_ANY), entrance)

    def __enter__(self) -> Self:
        self.grpc_port, self.http_port = self._grpc.start(), self._http.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._grpc.stop(GRACE_S)
        self._http.stop(GRACE_S)
        self._file.close()

    def _catch(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:  # noqa: ARG002 - as `Handle` has it
        try:
            line = proto_to_json(data, signal.value)
        except Unreadable as error:
            return Reply(
                outcome=Outcome.BAD, message=f"this is no OTLP export of {signal}: {error}"
            )
        with self._lock:
            self._file.write(line + b"\n")
            self._file.flush()
        return OK
