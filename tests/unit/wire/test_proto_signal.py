from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Gauge, Histogram, Metric, Sum
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from toolscore_otel.wire.proto_signal import Signal, signal_of

IDS: Any = {"trace_id": b"t" * 16, "span_id": b"s" * 8}
PAIRS = [KeyValue(key="k", value=AnyValue(int_value=1))]


@pytest.mark.parametrize(
    "span",
    [
        Span(**IDS),
        Span(**IDS, name="chat", attributes=PAIRS),
        Span(kind=Span.SPAN_KIND_CLIENT),
        Span(start_time_unix_nano=1),
        Span(name="x", end_time_unix_nano=1),
        Span(status=Status()),
        Span(flags=1),
    ],
    ids=lambda span: "-".join(field.name for field, _ in span.ListFields()),
)
def test_a_span_is_known_by_its_ids_kind_times_status_or_flags(span):
    assert signal_of([span.SerializeToString()]) is Signal.SPANS


@pytest.mark.parametrize(
    "record",
    [
        LogRecord(time_unix_nano=1),
        LogRecord(observed_time_unix_nano=1),
        LogRecord(severity_number=logs_pb2.SEVERITY_NUMBER_INFO),
        LogRecord(body=AnyValue(string_value="x")),
        LogRecord(attributes=PAIRS),
        LogRecord(dropped_attributes_count=1),
        LogRecord(flags=1),
        LogRecord(**IDS),
        LogRecord(event_name="x"),
    ],
    ids=lambda record: "-".join(field.name for field, _ in record.ListFields()),
)
def test_a_log_record_is_known_by_any_of_its_fields(record):
    assert signal_of([record.SerializeToString()]) is Signal.LOGS


@pytest.mark.parametrize(
    "metric",
    [
        Metric(name="gen_ai.tokens", gauge=Gauge()),
        Metric(name="gen_ai.client.op", description="x", sum=Sum()),  # as long as a trace id
        Metric(name="calls", unit="1", histogram=Histogram()),
    ],
    ids=lambda metric: metric.name,
)
def test_a_metric_is_known_by_its_name(metric):
    assert signal_of([metric.SerializeToString()]) is Signal.METRICS


def test_the_first_item_that_says_anything_decides():
    assert signal_of([b"", b"\xff\xff", LogRecord(flags=1).SerializeToString()]) is Signal.LOGS
    assert signal_of([]) is Signal.SPANS
