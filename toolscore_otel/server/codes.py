"""What became of an export -> the codes and bodies of gRPC and HTTP.

Senders take these literally. After `UNAVAILABLE`, 429, 502, 503 and 504 they try again; after `INTERNAL`, `UNKNOWN`,
`INVALID_ARGUMENT`, 400 and 500, and after `RESOURCE_EXHAUSTED` without `RetryInfo`, the data is gone.

Source:
    OTLP specification, "OTLP/gRPC Response" and "OTLP/HTTP Response".
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolscore_otel.server.reply import Outcome, Reply, Signal

MESSAGE_LIMIT = 1_000
"""Characters of a message; gRPC carries it in trailers, which must stay under 8 KiB."""

DETAILS = "grpc-status-details-bin"
"""The trailer that carries a `google.rpc.Status`."""

GRPC: Mapping[Outcome, grpc.StatusCode] = {
    Outcome.OK: grpc.StatusCode.OK,
    Outcome.RETRY: grpc.StatusCode.UNAVAILABLE,
    Outcome.TOO_LARGE: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Outcome.BAD: grpc.StatusCode.INVALID_ARGUMENT,
    Outcome.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Outcome.DENIED: grpc.StatusCode.PERMISSION_DENIED,
    Outcome.REFUSED: grpc.StatusCode.FAILED_PRECONDITION,
}
HTTP: Mapping[Outcome, int] = {
    Outcome.OK: 200,
    Outcome.RETRY: 503,
    Outcome.TOO_LARGE: 413,
    Outcome.BAD: 400,
    Outcome.UNAUTHENTICATED: 401,
    Outcome.DENIED: 403,
    Outcome.REFUSED: 400,
}
_REJECTED = {
    Signal.TRACES: "rejected_spans",
    Signal.LOGS: "rejected_log_records",
    Signal.METRICS: "rejected_data_points",
}
_RESPONSES: Mapping[
    Signal,
    type[ExportTraceServiceResponse | ExportLogsServiceResponse | ExportMetricsServiceResponse],
] = {
    Signal.TRACES: ExportTraceServiceResponse,
    Signal.LOGS: ExportLogsServiceResponse,
    Signal.METRICS: ExportMetricsServiceResponse,
}


def status(reply: Reply) -> Status:
    """The error of a reply that is not OK, with how long to wait or what was wrong."""
    code: int = GRPC[reply.outcome].value[0]
    made = Status(code=code, message=reply.message[:MESSAGE_LIMIT])
    if reply.outcome is Outcome.RETRY and reply.retry_after_s is not None:
        wait = RetryInfo()
        wait.retry_delay.FromNanoseconds(round(reply.retry_after_s * 1e9))
        made.details.add().Pack(wait)
    if reply.outcome is Outcome.BAD:
        violation = BadRequest.FieldViolation(field="body", description=made.message)
        made.details.add().Pack(BadRequest(field_violations=[violation]))
    return made


def response(signal: Signal, reply: Reply) -> bytes:
    """The body of a reply that is OK, in protobuf: what the next hop said, and what we did not take.

    Where everything was taken, `partial_success` is not set.
    """
    if not reply.rejected and not reply.message:
        return reply.body or b""
    made = _RESPONSES[signal]()
    try:
        made.ParseFromString(reply.body or b"")
    except DecodeError:
        made.Clear()
    partial = made.partial_success
    name = _REJECTED[signal]
    setattr(partial, name, getattr(partial, name) + reply.rejected)
    told = "; ".join(text for text in (partial.error_message, reply.message) if text)
    partial.error_message = told[:MESSAGE_LIMIT]
    return made.SerializeToString()


def response_json(signal: Signal, reply: Reply) -> bytes:
    """The same in OTLP/JSON."""
    made = _RESPONSES[signal]()
    try:
        made.ParseFromString(response(signal, reply))
    except DecodeError:
        made.Clear()
    return as_json(made)


def as_json(message: Message) -> bytes:
    """A message without ids, in the JSON of protobuf."""
    return json_format.MessageToJson(message, indent=None).encode()


def retry_after(reply: Reply) -> dict[str, str]:
    """The header `Retry-After` of a reply that says how long to wait; whole seconds, at least one."""
    if reply.outcome is not Outcome.RETRY or reply.retry_after_s is None:
        return {}
    return {"retry-after": str(max(1, ceil(reply.retry_after_s)))}
