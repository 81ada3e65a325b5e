"""OTLP/JSON as protobuf."""

import codecs
import json
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_to_proto import json_to_proto

TRACE = "0aF7651916cd43dd8448eb211c80319c"


def export_of(**fields: Any) -> bytes:
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [fields]}]}]}
    return json.dumps(spans).encode()


def span_of(data: bytes) -> Span:
    request = ExportTraceServiceRequest.FromString(json_to_proto(data, "traces"))
    return request.resource_spans[0].scope_spans[0].spans[0]


def value_of(**value: Any) -> AnyValue:
    return span_of(export_of(attributes=[{"key": "k", "value": value}])).attributes[0].value


@pytest.mark.parametrize("written", [TRACE, TRACE.upper(), TRACE.lower()])
def test_ids_are_hex_in_either_case(written):
    span = span_of(export_of(traceId=written, spanId="B7ad6b7169203331", parentSpanId=""))
    assert (span.trace_id.hex(), span.span_id.hex()) == (TRACE.lower(), "b7ad6b7169203331")
    assert span.parent_span_id == b""


def test_ids_of_links_are_hex_too():
    assert span_of(export_of(links=[{"traceId": TRACE}])).links[0].trace_id.hex() == TRACE.lower()


def test_names_in_snake_case_are_taken():
    data = json.dumps(
        {
            "resource_spans": [
                {"scope_spans": [{"spans": [{"trace_id": TRACE, "end_time_unix_nano": "5"}]}]}
            ]
        }
    ).encode()
    assert (span_of(data).trace_id.hex(), span_of(data).end_time_unix_nano) == (TRACE.lower(), 5)


@pytest.mark.parametrize("kind", [3, "3", "SPAN_KIND_CLIENT"], ids=repr)
def test_an_enum_is_a_number_or_a_name(kind):
    assert span_of(export_of(kind=kind)).kind == Span.SPAN_KIND_CLIENT


@pytest.mark.parametrize("time", [1_700_000_000_000_000_001, "1700000000000000001"], ids=repr)
def test_a_large_number_is_a_number_or_a_text(time):
    assert span_of(export_of(startTimeUnixNano=time)).start_time_unix_nano == int(time)


def test_values_keep_their_kinds():
    assert value_of(intValue="-7").int_value == -7
    assert value_of(doubleValue="-Infinity").double_value == float("-inf")
    assert value_of(doubleValue=1).double_value == 1
    assert value_of(bytesValue="AQI=").bytes_value == b"\x01\x02"
    assert value_of(stringValue=None, boolValue=False).WhichOneof("value") == "bool_value"
    assert (
        value_of(arrayValue={"values": [{}, {"intValue": 1}]}).array_value.values[1].int_value == 1
    )


def test_null_is_absent_and_unknown_names_are_passed_over():
    span = span_of(
        export_of(name=None, traceId=None, status=None, new={"traceId": TRACE}, kind="NEW")
    )
    assert span == Span()


def test_a_byte_order_mark_is_passed_over():
    assert span_of(codecs.BOM_UTF8 + export_of(name="x")).name == "x"


def test_half_a_surrogate_pair_becomes_a_replacement():
    assert (
        span_of(b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"\\ud83d"}]}]}]}').name
        == "\ufffd"
    )


def test_logs_and_metrics_are_exports_too():
    logs = {
        "resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": TRACE, "severityNumber": 9}]}]}]
    }
    (record,) = (
        ExportLogsServiceRequest.FromString(json_to_proto(json.dumps(logs).encode(), "logs"))
        .resource_logs[0]
        .scope_logs[0]
        .log_records
    )
    assert (record.trace_id.hex(), record.severity_number) == (TRACE.lower(), 9)
    point = {"asInt": "3", "exemplars": [{"spanId": "b7ad6b7169203331", "asDouble": "NaN"}]}
    metric = {"name": "m", "sum": {"dataPoints": [point], "aggregationTemporality": 2}}
    metrics = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}
    request = ExportMetricsServiceRequest.FromString(
        json_to_proto(json.dumps(metrics).encode(), "metrics")
    )
    (found,) = request.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points
    assert found.as_int == 3
    assert found.exemplars[0].span_id.hex() == "b7ad6b7169203331"


def test_an_empty_object_is_an_empty_export():
    assert json_to_proto(b"{}", "traces") == b""


WORD = "hunter" + "2"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "one JSON object"),
        (b"[]", "one JSON object"),
        (b"{}{}", "one JSON object"),
        (b'{"a":\n  oops}', "line 2, column 3"),
        (b"\x0a\x05", "no JSON"),
        (b"\xff{}", "no JSON"),
        (export_of(traceId=WORD), "`traceId` is no id: 32 hex digits"),
        (export_of(spanId=5), "`spanId` is no id: 16 hex digits"),
        (export_of(startTimeUnixNano=WORD), "`resourceSpans.scopeSpans.spans.startTimeUnixNano`"),
        (export_of(startTimeUnixNano=-1), "`resourceSpans.scopeSpans.spans.startTimeUnixNano`"),
        (export_of(name={"a": WORD}), "`resourceSpans.scopeSpans.spans.name`"),
        (export_of(attributes={"a": WORD}), "`resourceSpans.scopeSpans.spans.attributes`"),
        (export_of(attributes=[None]), "`resourceSpans.scopeSpans.spans.attributes`"),
        (json.dumps({"resourceSpans": WORD}).encode(), "`resourceSpans`"),
    ],
    ids=range(14),
)
def test_what_is_no_export_is_refused_by_place_and_without_its_values(data, where):
    with pytest.raises(Unreadable) as caught:
        json_to_proto(data, "traces")
    assert where in str(caught.value)
    assert WORD not in str(caught.value)


def test_nesting_without_end_is_refused():
    value: dict[str, Any] = {"stringValue": "x"}
    for _ in range(200):
        value = {"arrayValue": {"values": [value]}}
    with pytest.raises(Unreadable):
        json_to_proto(export_of(attributes=[{"key": "k", "value": value}]), "traces")
