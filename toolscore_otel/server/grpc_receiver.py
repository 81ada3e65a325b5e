"""OTLP over gRPC: the Export methods of traces, logs and metrics, on bytes, and the health service.

Requests are not decoded here: bytes that cannot be read are answered by who reads them, so that the code is
`INVALID_ARGUMENT`. gRPC itself answers a message over the limit with `RESOURCE_EXHAUSTED` (which senders rightly do not
try again) and a compression other than gzip and deflate with `INTERNAL`, before any of our code runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from toolscore_otel.errors import ConfigError
from toolscore_otel.server import codes
from toolscore_otel.server.config import Address, GrpcReceiver, address, nanoseconds
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.listening import in_use
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.stalls import PATIENCE_S, Stalls
from toolscore_otel.server.tls import GrpcCertificates

THREADS = 32
"""Requests that are worked on at once; further ones wait in their connections."""

MIB = 1024 * 1024
TRANSPORT = "grpc"
"""Name of this way in, in metrics."""

_NOTHING = Reply(outcome=Outcome.BAD, message="a call without a message")
_SERVICES = {
    Signal.TRACES: "opentelemetry.proto.collector.trace.v1.TraceService",
    Signal.LOGS: "opentelemetry.proto.collector.logs.v1.LogsService",
    Signal.METRICS: "opentelemetry.proto.collector.metrics.v1.MetricsService",
}
METHODS: Mapping[Signal, str] = {
    signal: f"/{service}/Export" for signal, service in _SERVICES.items()
}
"""Signal -> the method that takes it."""


class GrpcServer:
    """Listens for OTLP over gRPC.

    Args:
        config: of the receiver.
        entrance: what requests pass.
        patience_s: how long a message may take to come in.
    """

    def __init__(
        self, config: GrpcReceiver, entrance: Entrance, *, patience_s: float = PATIENCE_S
    ) -> None:
        self._address = address(config.endpoint)
        self._certificates = None if config.tls is None else GrpcCertificates(config.tls)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="toolscore-grpc")
        self._stalls = Stalls(patience_s)
        export = _Export(entrance, self._stalls)
        self._server = grpc.server(self._pool, [export], options=_options(config))
        self._health = health.HealthServicer(experimental_non_blocking=True)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    def start(self) -> int:
        """Listen; returns the port.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        where = str(self._address)
        try:
            port = (
                self._server.add_insecure_port(where)
                if self._certificates is None
                else self._server.add_secure_port(where, self._certificates.credentials)
            )
        except RuntimeError as error:
            raise _cannot_listen(self._address) from error
        if port == 0:
            raise _cannot_listen(self._address)
        self._stalls.start()
        self._server.start()
        for service in ("", *_SERVICES.values()):
            self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        return port

    def reload_certificates(self) -> None:
        """Read changed certificates; the next connection meets them.

        Raises:
            ConfigError: they cannot be used; what was there stays in use.
        """
        if self._certificates is not None:
            self._certificates.reload()

    def drain(self) -> None:
        """Say over the health service that no more should be sent."""
        self._health.enter_graceful_shutdown()

    def stop(self, grace_s: float) -> None:
        """Take no more requests, let open ones end, and return once that is done or the time is over."""
        self._server.stop(grace_s).wait(grace_s + 1)
        self._stalls.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Export(grpc.GenericRpcHandler):
    """The Export methods, on bytes."""

    def __init__(self, entrance: Entrance, stalls: Stalls) -> None:
        self._handlers = {
            method: _handler(signal, entrance, stalls) for signal, method in METHODS.items()
        }

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        return self._handlers.get(handler_call_details.method)


def _handler(
    signal: Signal, entrance: Entrance, stalls: Stalls
) -> grpc.RpcMethodHandler[bytes, bytes]:
    """Takes one message, as a stream: on the wire that is the same, and who may not send is answered before it came."""

    def answer(messages: Iterator[bytes], context: grpc.ServicerContext) -> Reply:
        headers = _headers(context)
        if (refusal := entrance.refusal(headers)) is not None:
            return refusal
        with stalls.waiting(context.cancel):
            data = next(messages, None)
        if data is None:
            return _NOTHING
        with entrance.hold() as held:
            return held.grow(len(data)) or entrance.handle(signal, data, headers)

    def export(messages: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        reply = answer(messages, context)
        entrance.tell(signal, TRANSPORT, reply)
        if reply.outcome is not Outcome.OK:
            _abort(context, reply)
        return codes.response(signal, reply)

    return grpc.stream_unary_rpc_method_handler(export)


def _abort(context: grpc.ServicerContext, reply: Reply) -> None:
    """End the call with a status; raises."""
    details = codes.status(reply).SerializeToString()
    context.set_trailing_metadata(((codes.DETAILS, details),))
    context.abort(codes.GRPC[reply.outcome], reply.message[: codes.MESSAGE_LIMIT])


def _headers(context: grpc.ServicerContext) -> dict[str, str]:
    return {
        key.lower(): value for key, value in context.invocation_metadata() if isinstance(value, str)
    }


def _options(config: GrpcReceiver) -> list[tuple[str, Any]]:
    server = config.keepalive.server_parameters
    policy = config.keepalive.enforcement_policy
    options = {
        "grpc.so_reuseport": 0,  # else a second server takes half of the requests unseen
        "grpc.max_receive_message_length": config.max_recv_msg_size_mib * MIB,
        "grpc.max_concurrent_streams": config.max_concurrent_streams,
        "grpc.max_connection_idle_ms": _ms(server.max_connection_idle),
        "grpc.max_connection_age_ms": _ms(server.max_connection_age),
        "grpc.max_connection_age_grace_ms": _ms(server.max_connection_age_grace),
        "grpc.keepalive_time_ms": _ms(server.time),
        "grpc.keepalive_timeout_ms": _ms(server.timeout),
        "grpc.http2.min_ping_interval_without_data_ms": _ms(policy.min_time),
        "grpc.keepalive_permit_without_calls": int(policy.permit_without_stream),
    }
    return [(name, value) for name, value in options.items() if value is not None]


def _ms(duration: str | None) -> int | None:
    return None if duration is None else nanoseconds(duration) // 1_000_000


def _cannot_listen(where: Address) -> ConfigError:
    return in_use("receivers.otlp.protocols.grpc.endpoint", where)
