"""An export in OTLP/JSON -> the same export in protobuf, so that everything behind it knows one form.

protobuf's own JSON does most of it. What OTLP does otherwise is done before: ids are hex. Names in snake_case, enums by
name, 64-bit numbers as numbers and null for absent are taken as well, as senders write them; unknown names are passed
over.

Source:
    OTLP specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

import re
from base64 import b64encode
from codecs import BOM_UTF8
from typing import Any

from toolscore_otel.errors import MissingExtraError
from toolscore_otel.model import Json
from toolscore_otel.wire import json_fields
from toolscore_otel.wire.fields import SPAN_ID_BYTES, TRACE_ID_BYTES, Unreadable
from toolscore_otel.wire.json_text import NotJsonError, decode

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
except ImportError as error:
    raise MissingExtraError("OTLP/JSON over HTTP", "server") from error

_REQUESTS: dict[str, Any] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
}

_IDS = {
    "traceId": TRACE_ID_BYTES,
    "trace_id": TRACE_ID_BYTES,
    "spanId": SPAN_ID_BYTES,
    "span_id": SPAN_ID_BYTES,
    "parentSpanId": SPAN_ID_BYTES,
    "parent_span_id": SPAN_ID_BYTES,
}

_WAY = re.compile(r"(?:Failed to parse \w+ field: )*")
_STEP = re.compile(r"parse (\w+) field")


def json_to_proto(data: bytes, signal: str) -> bytes:
    """The export as `Export...ServiceRequest` bytes.

    Args:
        data: one JSON object; a byte order mark before it is passed over.
        signal: `traces`, `logs` or `metrics`.

    Raises:
        Unreadable: it is none; says what is wrong and where, and repeats no value.
    """
    export = _object(data)
    _convert_ids(export)
    request = _REQUESTS[signal]()
    try:
        json_format.ParseDict(export, request, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise Unreadable(f"{_where(error)} holds what does not belong there") from None
    written: bytes = request.SerializeToString()
    return written


def _object(data: bytes) -> dict[str, Json]:
    try:
        values = decode(data.removeprefix(BOM_UTF8))
    except NotJsonError as error:
        raise Unreadable(f"no JSON: line {error.line}, column {error.column}") from None
    if len(values) != 1 or not json_fields.is_object(values[0]):
        raise Unreadable("an export is one JSON object, and this is something else")
    return values[0]


def _convert_ids(export: Json) -> None:
    """Ids from hex into what protobuf's JSON has for bytes, in place; attributes hold no such names."""
    waiting = [export]
    while waiting:
        node = waiting.pop()
        if json_fields.is_object(node):
            for name in node.keys() & _IDS.keys():
                node[name] = _base64(name, node[name])
            waiting.extend(node.values())
        elif json_fields.is_list(node):
            waiting.extend(node)


def _base64(name: str, value: Json) -> str | None:
    try:
        found = json_fields.identifier(value, _IDS[name])
    except Unreadable:
        raise Unreadable(f"`{name}` is no id: {2 * _IDS[name]} hex digits belong there") from None
    return None if found is None else b64encode(bytes.fromhex(found)).decode()


def _where(error: Exception) -> str:
    way = _WAY.match(str(error))
    steps = _STEP.findall(way[0]) if way else []
    return f"`{'.'.join(steps)}`" if steps else "the export"
