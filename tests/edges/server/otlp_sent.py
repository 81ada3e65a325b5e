"""Exports as senders send them, on bytes, and what is in the answers."""

from typing import Any

import grpc
import httpx
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.reply import Signal

MIB = 1024 * 1024
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}


def export(at, data=b"", signal=Signal.TRACES, metadata=(), **options):
    """One export over gRPC, on bytes."""
    with grpc.insecure_channel(at, **options) as channel:
        call: Any = channel.unary_unary(METHODS[signal])
        return call(data, metadata=metadata, timeout=10)


def failed(at, *arguments, **options) -> Any:
    """Code of an export that is not taken, and its `Status`, or None."""
    with pytest.raises(grpc.RpcError) as error:
        export(at, *arguments, **options)
    failure: Any = error.value  # every error of a call is the call, too
    trailers = dict(failure.trailing_metadata() or ())
    details = trailers.get("grpc-status-details-bin")
    return failure.code(), None if details is None else Status.FromString(details)


def post(at, path="/v1/traces", content: Any = b"", **headers):
    """One export over HTTP."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(at + path, content=content, headers=PROTOBUF | named, timeout=10)


def detail(status, kind):
    """The one detail of that kind, or None."""
    found = [kind.FromString(d.value) for d in status.details if d.Is(kind.DESCRIPTOR)]
    return found[0] if found else None


def came(handle):
    """Signal and span name of the last export."""
    signal, data, _ = handle.got[-1]
    request = ExportTraceServiceRequest.FromString(data)
    return signal, request.resource_spans[0].scope_spans[0].spans[0].name
