"""The official messages of exports, and where ids stand in their JSON; for what is converted as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolscore_otel.errors import MissingExtraError
from toolscore_otel.model import Json
from toolscore_otel.wire.fields import SPAN_ID_BYTES, TRACE_ID_BYTES
from toolscore_otel.wire.json_fields import is_list, is_object

try:
    from google.protobuf import json_format
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
except ImportError as error:
    raise MissingExtraError("converting OTLP exports", "server") from error

__all__ = ["IDS", "REQUESTS", "DecodeError", "convert_ids", "json_format"]

REQUESTS: dict[str, Any] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
}
"""Signal -> the message of an export."""

IDS = {
    "traceId": TRACE_ID_BYTES,
    "trace_id": TRACE_ID_BYTES,
    "spanId": SPAN_ID_BYTES,
    "span_id": SPAN_ID_BYTES,
    "parentSpanId": SPAN_ID_BYTES,
    "parent_span_id": SPAN_ID_BYTES,
}
"""Names of ids, as senders write them -> bytes."""


def convert_ids(export: Json, change: Callable[[str, Json], Json]) -> None:
    """Write every id of an export in another way, in place.

    No attribute can be meant: their names stand as values of `key`.

    Args:
        export: in the JSON of protobuf.
        change: is given an id's name and value.
    """
    waiting = [export]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            for name in node.keys() & IDS.keys():
                node[name] = change(name, node[name])
            waiting.extend(node.values())
        elif is_list(node):
            waiting.extend(node)
