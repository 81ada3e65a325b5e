"""The far end of a pipeline: an OTLP receiver that keeps every export, and misbehaves when told to."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.parts.ports import free_port
from tests.parts.process import wait_for

SERVICES = {
    "traces": "opentelemetry.proto.collector.trace.v1.TraceService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
}
OPTIONS = (("grpc.max_receive_message_length", 64 * 1024 * 1024), ("grpc.so_reuseport", 0))


class Mood(StrEnum):
    """How it answers."""

    WELL = "well"
    """It takes what comes, and keeps it."""
    SLOW = "slow"
    """No answer, until it is in another mood; then nothing is kept of what waited."""
    FULL = "full"
    """Come again: UNAVAILABLE, 503."""
    REFUSING = "refusing"
    """Never come again: INVALID_ARGUMENT, 400."""
    FORGETFUL = "forgetful"
    """It takes and keeps what comes, and says come again: what a lost answer looks like."""


_CODES = {
    Mood.WELL: (grpc.StatusCode.OK, 200),
    Mood.SLOW: (grpc.StatusCode.UNAVAILABLE, 503),
    Mood.FULL: (grpc.StatusCode.UNAVAILABLE, 503),
    Mood.REFUSING: (grpc.StatusCode.INVALID_ARGUMENT, 400),
    Mood.FORGETFUL: (grpc.StatusCode.UNAVAILABLE, 503),
}


@dataclass(frozen=True)
class Export:
    """One request that was taken.

    Attributes:
        signal: `traces`, `logs` or `metrics`.
        data: its protobuf, inflated.
        headers: keys in lower case.
    """

    signal: str
    data: bytes
    headers: dict[str, str]


class Sink:
    """Listens for OTLP over gRPC and HTTP on 127.0.0.1.

    Attributes:
        grpc: `127.0.0.1:PORT`.
        http: `127.0.0.1:PORT`.
        mood: how it answers.
        exports: what was taken, in order.
        tried: requests of any outcome.
    """

    def __init__(self) -> None:
        self._grpc_port, self._http_port = free_port(), free_port()
        self.grpc = f"127.0.0.1:{self._grpc_port}"
        self.http = f"127.0.0.1:{self._http_port}"
        self.exports: list[Export] = []
        self.tried = 0
        self._mood = Mood.WELL
        self._awake = Event()
        self._stop: list[Any] = []
        self.live()

    @property
    def mood(self) -> Mood:
        """How it answers."""
        return self._mood

    @mood.setter
    def mood(self, mood: Mood) -> None:
        waiting, self._awake = self._awake, Event()
        self._mood = mood
        waiting.set()

    def live(self) -> None:
        """Listen, on the same ports as before."""
        server = grpc.server(ThreadPoolExecutor(32), options=OPTIONS)
        server.add_generic_rpc_handlers(
            tuple(self._service(signal, name) for signal, name in SERVICES.items())
        )
        assert server.add_insecure_port(self.grpc) == self._grpc_port
        server.start()
        web = _web_server(self, self._http_port)
        thread = Thread(target=web.serve_forever, args=(0.05,))
        thread.start()
        self._stop = [
            lambda: server.stop(0).wait(),
            web.shutdown,
            thread.join,
            web.server_close,
        ]

    def die(self) -> None:
        """Listen no more; connections are refused."""
        self._awake.set()
        for step in self._stop:
            step()
        self._stop = []

    def take(self, signal: str, data: bytes, headers: dict[str, str]) -> Mood:
        """What becomes of one request: the mood in which it was answered."""
        self.tried += 1
        mood = self.mood
        if mood is Mood.SLOW:
            self._awake.wait()
        elif mood in (Mood.WELL, Mood.FORGETFUL):
            self.exports.append(Export(signal, data, headers))
        return mood

    def spans(self) -> list[Span]:
        """All spans that were taken, in order."""
        return [
            span
            for export in self._of("traces")
            for resource in ExportTraceServiceRequest.FromString(export.data).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def logs(self) -> list[LogRecord]:
        """All log records that were taken, in order."""
        return [
            record
            for export in self._of("logs")
            for resource in ExportLogsServiceRequest.FromString(export.data).resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def metric_names(self) -> set[str]:
        """Names of all metrics that were taken."""
        return {
            metric.name
            for export in self._of("metrics")
            for resource in ExportMetricsServiceRequest.FromString(export.data).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def times(self) -> Counter[bytes]:
        """How often each span id came."""
        return Counter(span.span_id for span in self.spans())

    def wait_for_all(self, sent: Mapping[bytes, Span]) -> None:
        """Wait until each of these spans has come at least once.

        Raises:
            AssertionError: time is up.
        """
        try:
            wait_for(lambda: self.times().keys() >= sent.keys(), "all spans")
        except AssertionError as error:
            missing = len(sent.keys() - self.times().keys())
            raise AssertionError(f"{error}: {missing} of {len(sent)} are missing") from None

    def _of(self, signal: str) -> Iterator[Export]:
        return (export for export in list(self.exports) if export.signal == signal)

    def _service(self, signal: str, name: str) -> grpc.GenericRpcHandler:
        def export(data: bytes, context: grpc.ServicerContext) -> bytes:
            headers = {key: str(value) for key, value in context.invocation_metadata()}
            mood = self.take(signal, data, headers)
            if mood is not Mood.WELL:
                context.abort(_CODES[mood][0], mood)
            return b""

        method: Any = grpc.unary_unary_rpc_method_handler(export)
        return grpc.method_handlers_generic_handler(name, {"Export": method})


def _web_server(sink: Sink, port: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            headers = {key.lower(): value for key, value in self.headers.items()}
            mood = sink.take(self.path.removeprefix("/v1/"), body, headers)
            self.send_response(_CODES[mood][1])
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, its name above
            """Print nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)
