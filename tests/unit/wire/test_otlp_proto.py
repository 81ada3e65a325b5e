from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs, ScopeLogs
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    Gauge,
    Metric,
    ResourceMetrics,
    ScopeMetrics,
)
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

from toolscore_otel.model import (
    InstrumentationScope,
    Link,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
    SpanKind,
    SpanStatus,
)
from toolscore_otel.wire import ReadStats
from toolscore_otel.wire.fields import MAX_DEPTH, Unreadable
from toolscore_otel.wire.otlp_proto import read_request
from toolscore_otel.wire.proto_messages import MESSAGES

TRACE_ID = bytes(range(16))
SPAN_ID = bytes(range(8, 16))
IDS: Any = {"trace_id": TRACE_ID, "span_id": SPAN_ID}


def items_of(data: bytes, stats: ReadStats) -> list[Any]:
    return list(read_request(data, stats))


def pair(key: str, **value: Any) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(**value))


def request_of(*spans: trace_pb2.Span, **changes: Any) -> bytes:
    group = ResourceSpans(scope_spans=[ScopeSpans(spans=spans)], **changes)
    return ExportTraceServiceRequest(resource_spans=[group]).SerializeToString()


def with_raw_items(*items: bytes) -> bytes:
    """A request around items that need not be spans."""
    part = b"".join(b"\x12" + bytes([len(item)]) + item for item in items)
    group = b"\x12" + bytes([len(part)]) + part
    return b"\x0a" + bytes([len(group)]) + group


def test_a_span_is_read_whole(stats):
    span = trace_pb2.Span(
        **IDS,
        parent_span_id=b"parentid",
        trace_state="vendor=8",
        name="execute_tool search",
        kind=trace_pb2.Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=1_700_000_000_000_000_001,
        end_time_unix_nano=1_700_000_000_000_000_009,
        attributes=[pair("gen_ai.tool.name", string_value="search")],
        dropped_attributes_count=3,
        events=[
            trace_pb2.Span.Event(
                name="exception", time_unix_nano=5, attributes=[pair("escaped", bool_value=True)]
            )
        ],
        links=[trace_pb2.Span.Link(**IDS, attributes=[pair("why", string_value="retry")])],
        status=trace_pb2.Status(code=trace_pb2.Status.STATUS_CODE_ERROR, message="no answer"),
    )
    group = ResourceSpans(
        resource=resource_pb2.Resource(attributes=[pair("service.name", string_value="support")]),
        scope_spans=[
            ScopeSpans(
                scope=common_pb2.InstrumentationScope(name="agents", version="1.2"), spans=[span]
            )
        ],
    )
    data = ExportTraceServiceRequest(resource_spans=[group]).SerializeToString()
    assert items_of(data, stats) == [
        Span(
            trace_id=TRACE_ID.hex(),
            span_id=SPAN_ID.hex(),
            parent_span_id=b"parentid".hex(),
            name="execute_tool search",
            kind=SpanKind.INTERNAL,
            start_ns=1_700_000_000_000_000_001,
            end_ns=1_700_000_000_000_000_009,
            attributes={"gen_ai.tool.name": "search"},
            events=(SpanEvent("exception", 5, {"escaped": True}),),
            links=(Link(TRACE_ID.hex(), SPAN_ID.hex(), {"why": "retry"}),),
            status=SpanStatus.ERROR,
            status_message="no answer",
            resource=Resource({"service.name": "support"}),
            scope=InstrumentationScope("agents", "1.2"),
            dropped_attributes=3,
            trace_state="vendor=8",
        )
    ]
    assert stats == ReadStats(spans=1)


def test_what_is_absent_is_not_observed(stats):
    bare = Span(trace_id=TRACE_ID.hex(), span_id=SPAN_ID.hex())
    zero = trace_pb2.Span(**IDS, parent_span_id=bytes(8))
    assert items_of(request_of(trace_pb2.Span(**IDS), zero), stats) == [bare, bare]


def test_resource_and_scope_are_shared_by_their_spans(stats):
    first, second = items_of(request_of(trace_pb2.Span(**IDS), trace_pb2.Span(**IDS)), stats)
    assert first.resource is second.resource
    assert first.scope is second.scope


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"string_value": "x"}, "x"),
        ({"string_value": ""}, ""),
        ({"bool_value": False}, False),
        ({"int_value": -(2**63)}, -(2**63)),
        ({"int_value": 0}, 0),
        ({"double_value": 0.0}, 0.0),
        ({"double_value": float("inf")}, float("inf")),
        ({"bytes_value": b"\x00\xff"}, "AP8="),
        ({"array_value": ArrayValue()}, []),
        ({"array_value": ArrayValue(values=[AnyValue(int_value=1), AnyValue()])}, [1, None]),
        ({"kvlist_value": KeyValueList()}, {}),
        ({"kvlist_value": KeyValueList(values=[KeyValue(key="note"), pair("n", int_value=1)])}, {"note": None, "n": 1}),
        ({}, None),
    ],
    ids=repr,
)  # fmt: skip
def test_a_value_becomes_what_it_is_in_json(value, read, stats):
    span = trace_pb2.Span(**IDS, attributes=[pair("a", string_value="old"), pair("a", **value)])
    (found,) = items_of(request_of(span), stats)
    assert found.attributes == {"a": read}
    assert type(found.attributes["a"]) is type(read)


def nested(levels: int) -> Any:
    """An attribute value; made of our messages, since protobuf refuses to nest the official ones so deep."""
    value = MESSAGES["AnyValue"](string_value="core")
    for level in range(levels):
        if level % 2:
            holder = MESSAGES["ArrayValue"](values=[value])
            value = MESSAGES["AnyValue"](array_value=holder.SerializeToString())
        else:
            entry = MESSAGES["KeyValue"](key="k", value=value)
            holder = MESSAGES["KeyValueList"](values=[entry])
            value = MESSAGES["AnyValue"](kvlist_value=holder.SerializeToString())
    return MESSAGES["Span"](
        **IDS, kind=1, attributes=[MESSAGES["KeyValue"](key="a", value=value)]
    ).SerializeToString()


def test_nesting_ends_at_its_limit(stats):
    request = MESSAGES["Request"]()
    part = request.groups.add().parts.add()
    part.items.extend([nested(MAX_DEPTH), nested(MAX_DEPTH + 1), nested(1000)])
    deep, cut, cut_too = items_of(request.SerializeToString(), stats)
    below = deep.attributes["a"]
    for level in reversed(range(MAX_DEPTH)):
        below = below[0 if level % 2 else "k"]
    assert below == "core"
    assert cut.attributes == cut_too.attributes == {"a": None}
    assert stats == ReadStats(spans=3, unreadable_values=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"trace_id": b""},
        {"trace_id": bytes(16)},
        {"trace_id": b"short"},
        {"span_id": b"much too long"},
        {"parent_span_id": b"short"},
    ],
    ids=repr,
)
def test_a_malformed_span_is_counted_and_costs_no_other(wrong, stats):
    spans = [
        trace_pb2.Span(**IDS, kind=trace_pb2.Span.SPAN_KIND_INTERNAL),
        trace_pb2.Span(**IDS | wrong, kind=trace_pb2.Span.SPAN_KIND_INTERNAL),
    ]
    assert len(items_of(request_of(*spans, spans[0]), stats)) == 2
    assert stats == ReadStats(spans=2, unreadable=1)


@pytest.mark.parametrize("broken", [b"\x0a\xff", b"\x2a\x01\xff", b"", b"text"])
def test_a_broken_span_is_counted_and_costs_no_other(broken, stats):
    whole = trace_pb2.Span(
        **IDS, name="whole", kind=trace_pb2.Span.SPAN_KIND_INTERNAL
    ).SerializeToString()
    assert [read.name for read in items_of(with_raw_items(whole, broken), stats)] == ["whole"]
    assert stats == ReadStats(spans=1, unreadable=1)


def test_a_broken_nested_value_costs_only_itself(stats):
    bad = b"\x0a\x01a\x12\x03\x2a\x01\xff"  # `a`: an array of one broken byte
    item = (
        trace_pb2.Span(**IDS, kind=trace_pb2.Span.SPAN_KIND_INTERNAL).SerializeToString()
        + b"\x4a"
        + bytes([len(bad)])
        + bad
    )
    (read,) = items_of(with_raw_items(item), stats)
    assert read.attributes == {"a": None}
    assert stats == ReadStats(spans=1, unreadable_values=1)


def test_a_link_that_names_no_span_costs_no_span(stats):
    span = trace_pb2.Span(**IDS, links=[trace_pb2.Span.Link(), trace_pb2.Span.Link(**IDS)])
    (read,) = items_of(request_of(span), stats)
    assert read.links == (Link(TRACE_ID.hex(), SPAN_ID.hex()),)
    assert stats == ReadStats(spans=1, unreadable_values=1)


def test_a_broken_resource_or_scope_costs_no_span(stats):
    span = trace_pb2.Span(**IDS, kind=trace_pb2.Span.SPAN_KIND_INTERNAL).SerializeToString()
    part = b"\x0a\x01\xff" + b"\x12" + bytes([len(span)]) + span
    group = b"\x0a\x01\xff" + b"\x12" + bytes([len(part)]) + part
    data = b"\x0a" + bytes([len(group)]) + group
    assert [(read.resource, read.scope) for read in items_of(data, stats)] == [
        (Resource(), InstrumentationScope())
    ]
    assert stats == ReadStats(spans=1, unreadable_values=2)


@pytest.mark.parametrize("data", [b"\x0a\x05ab", b"\x0a\x01\xff", b"\x0a"])
def test_a_broken_request_is_unreadable(data, stats):
    with pytest.raises(Unreadable):
        items_of(data, stats)


def log_request(*records: logs_pb2.LogRecord) -> bytes:
    group = ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[group]).SerializeToString()


def test_a_log_record_is_read_whole(stats):
    record = logs_pb2.LogRecord(
        **IDS,
        time_unix_nano=5,
        observed_time_unix_nano=6,
        severity_number=logs_pb2.SEVERITY_NUMBER_INFO,
        event_name="gen_ai.choice",
        body=AnyValue(kvlist_value=KeyValueList(values=[pair("index", int_value=0)])),
        attributes=[pair("event.name", string_value="older name")],
    )
    assert items_of(log_request(record), stats) == [
        LogRecord(
            trace_id=TRACE_ID.hex(),
            span_id=SPAN_ID.hex(),
            event_name="gen_ai.choice",
            time_ns=5,
            severity_number=9,
            body={"index": 0},
            attributes={"event.name": "older name"},
        )
    ]
    assert stats == ReadStats(logs=1)


def test_a_log_record_falls_back_to_older_places(stats):
    record = logs_pb2.LogRecord(
        observed_time_unix_nano=6, attributes=[pair("event.name", string_value="gen_ai.choice")]
    )
    (read,) = items_of(log_request(record), stats)
    assert (read.event_name, read.time_ns, read.trace_id, read.body) == (
        "gen_ai.choice",
        6,
        None,
        None,
    )


def test_a_malformed_log_record_is_counted(stats):
    wrong = logs_pb2.LogRecord(time_unix_nano=1, trace_id=b"short")
    assert items_of(log_request(wrong), stats) == []
    assert stats == ReadStats(unreadable=1)


def test_metrics_are_counted_and_skipped(stats):
    parts = [ScopeMetrics(metrics=[Metric(name="calls", gauge=Gauge())])] * 2
    groups = [ResourceMetrics(scope_metrics=parts)] * 3
    data = ExportMetricsServiceRequest(resource_metrics=groups).SerializeToString()
    assert items_of(data, stats) == []
    assert stats == ReadStats(metrics=3)


def test_requests_of_several_signals_may_follow_each_other(stats):
    data = log_request(logs_pb2.LogRecord(time_unix_nano=1)) + request_of(trace_pb2.Span(**IDS))
    assert [type(read) for read in items_of(data, stats)] == [LogRecord, Span]
