"""An export in protobuf -> the same export as one line of OTLP/JSON, whatever it holds.

protobuf's own JSON does most of it; ids become hex.

Source:
    OTLP specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

from toolscore_otel.errors import MissingExtraError
from toolscore_otel.model import Json
from toolscore_otel.wire.fields import Unreadable
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
    raise MissingExtraError("writing OTLP/JSON", "server") from error

_REQUESTS: dict[str, Any] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
}

_IDS = frozenset({"traceId", "spanId", "parentSpanId"})


def proto_to_json(data: bytes, signal: str) -> bytes:
    """One line, without its end.

    Args:
        data: an `Export...ServiceRequest`.
        signal: `traces`, `logs` or `metrics`.

    Raises:
        Unreadable: the bytes are none.
    """
    try:
        request = _REQUESTS[signal].FromString(data)
    except DecodeError:
        raise Unreadable("no protobuf message of that kind") from None
    export = json_format.MessageToDict(request, use_integers_for_enums=True)
    _convert_ids(export)
    return json.dumps(export, separators=(",", ":")).encode()


def _convert_ids(value: Json) -> None:
    """Base64 -> hex, in place. No attribute can be meant: their names stand as values of `key`."""
    if is_list(value):
        for entry in value:
            _convert_ids(entry)
    elif is_object(value):
        for key, entry in value.items():
            if key in _IDS and isinstance(entry, str):
                value[key] = b64decode(entry).hex()
            else:
                _convert_ids(entry)
