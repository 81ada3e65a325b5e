"""Spans and log records written as requests, read by the official messages."""

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from toolscore_otel.model import InstrumentationScope, LogRecord, Resource, Span
from toolscore_otel.wire.write_proto import logs_request, traces_request

DESK = Resource({"service.name": "desk"})
SHOP = Resource({"service.name": "shop"})
RECORD = LogRecord(
    trace_id="0a" * 16,
    span_id="0b" * 8,
    event_name="gen_ai.evaluation.result",
    time_ns=5,
    severity_number=21,
    severity_text="CRITICAL",
    attributes={"toolscore.count": 2, "toolscore.shadow": False},
    resource=DESK,
    scope=InstrumentationScope("toolscore", "1"),
)


def test_a_log_record_has_all_its_fields():
    request = ExportLogsServiceRequest.FromString(logs_request([RECORD]))
    (group,) = request.resource_logs
    (part,) = group.scope_logs
    assert group.resource.attributes == [
        KeyValue(key="service.name", value=AnyValue(string_value="desk"))
    ]
    assert (part.scope.name, part.scope.version) == ("toolscore", "1")
    assert list(part.log_records) == [
        logs_pb2.LogRecord(
            time_unix_nano=5,
            observed_time_unix_nano=5,
            severity_number=logs_pb2.SEVERITY_NUMBER_FATAL,
            severity_text="CRITICAL",
            attributes=[
                KeyValue(key="toolscore.count", value=AnyValue(int_value=2)),
                KeyValue(key="toolscore.shadow", value=AnyValue(bool_value=False)),
            ],
            trace_id=b"\x0a" * 16,
            span_id=b"\x0b" * 8,
            event_name="gen_ai.evaluation.result",
        )
    ]


def test_neighbours_that_share_a_resource_share_a_group():
    records = [LogRecord(resource=whose) for whose in (DESK, DESK, SHOP, DESK)]
    request = ExportLogsServiceRequest.FromString(logs_request(records))
    assert [len(group.scope_logs[0].log_records) for group in request.resource_logs] == [2, 1, 1]


def test_a_span_says_nothing_of_what_is_not_known():
    data = traces_request([Span(trace_id="0a" * 16, span_id="0b" * 8)])
    request = ExportTraceServiceRequest.FromString(data)
    (span,) = request.resource_spans[0].scope_spans[0].spans
    assert span == trace_pb2.Span(trace_id=b"\x0a" * 16, span_id=b"\x0b" * 8)


def test_no_spans_make_an_empty_request():
    assert traces_request([]) == b""
