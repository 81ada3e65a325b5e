"""Exports in protobuf as OTLP/JSON."""

import json

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_to_proto import json_to_proto
from toolscore_otel.wire.proto_to_json import proto_to_json


def traces() -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    span = (
        request.resource_spans.add()
        .scope_spans.add()
        .spans.add(
            trace_id=b"\x01" * 16,
            span_id=b"\x02" * 8,
            parent_span_id=b"\x03" * 8,
            kind=3,
            start_time_unix_nano=2**62,
            attributes=[
                KeyValue(key="traceId", value=AnyValue(string_value="AQID")),
                KeyValue(key="raw", value=AnyValue(bytes_value=b"\x00\xff")),
                KeyValue(key="nan", value=AnyValue(double_value=float("nan"))),
            ],
        )
    )
    span.links.add(trace_id=b"\x04" * 16, span_id=b"\x05" * 8)
    return request


def test_ids_are_hex_and_enums_numbers_on_one_line() -> None:
    line = proto_to_json(traces().SerializeToString(), "traces")
    span = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]

    assert b"\n" not in line
    assert (span["traceId"], span["spanId"], span["parentSpanId"]) == (
        "01" * 16,
        "02" * 8,
        "03" * 8,
    )
    assert span["links"] == [{"traceId": "04" * 16, "spanId": "05" * 8}]
    assert (span["kind"], span["startTimeUnixNano"]) == (3, str(2**62))
    assert span["attributes"][0] == {"key": "traceId", "value": {"stringValue": "AQID"}}


@pytest.mark.parametrize(
    ("signal", "request_"),
    [
        ("traces", traces()),
        ("logs", ExportLogsServiceRequest()),
        ("metrics", ExportMetricsServiceRequest()),
    ],
)
def test_what_is_written_reads_as_what_it_was(
    signal: str,
    request_: ExportTraceServiceRequest | ExportLogsServiceRequest | ExportMetricsServiceRequest,
) -> None:
    data = request_.SerializeToString()

    assert json_to_proto(proto_to_json(data, signal), signal) == data


def test_bytes_that_are_no_export_are_unreadable() -> None:
    with pytest.raises(Unreadable):
        proto_to_json(b"\xff" * 9, "traces")
