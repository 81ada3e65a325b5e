from typing import Any

import pytest
from inline_snapshot import snapshot

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
from toolscore_otel.wire.otlp_json import is_request, read_request

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "b7ad6b7169203331"
PARENT_ID = "00f067aa0ba902b7"


def items_of(request: Any, stats: ReadStats) -> list[Any]:
    return list(read_request(request, stats))


def test_a_span_is_read_whole(request_of, span, stats):
    request = request_of(
        span(
            parentSpanId=PARENT_ID,
            traceState="vendor=8",
            name="execute_tool search",
            kind=1,
            startTimeUnixNano="1700000000000000001",
            endTimeUnixNano="1700000000000000009",
            attributes=[{"key": "gen_ai.tool.name", "value": {"stringValue": "search"}}],
            droppedAttributesCount=3,
            events=[
                {
                    "timeUnixNano": "1700000000000000005",
                    "name": "exception",
                    "attributes": [{"key": "escaped", "value": {"boolValue": True}}],
                }
            ],
            links=[{"traceId": TRACE_ID, "spanId": PARENT_ID}],
            status={"code": 2, "message": "no answer"},
        )
    )
    group = request["resourceSpans"][0]
    group["resource"] = {
        "attributes": [{"key": "service.name", "value": {"stringValue": "support"}}],
        "entityRefs": [{"type": "service", "idKeys": ["service.name"]}],
    }
    group["scopeSpans"][0]["scope"] = {"name": "agents", "version": "1.2"}
    assert items_of(request, stats) == [
        Span(
            trace_id=TRACE_ID,
            span_id=SPAN_ID,
            parent_span_id=PARENT_ID,
            name="execute_tool search",
            kind=SpanKind.INTERNAL,
            start_ns=1_700_000_000_000_000_001,
            end_ns=1_700_000_000_000_000_009,
            attributes={"gen_ai.tool.name": "search"},
            events=(SpanEvent("exception", 1_700_000_000_000_000_005, {"escaped": True}),),
            links=(Link(TRACE_ID, PARENT_ID),),
            status=SpanStatus.ERROR,
            status_message="no answer",
            resource=Resource({"service.name": "support"}),
            scope=InstrumentationScope("agents", "1.2"),
            dropped_attributes=3,
            trace_state="vendor=8",
        )
    ]
    assert stats == ReadStats(spans=1)


def test_what_is_absent_is_not_observed(request_of, span, stats):
    bare = Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="chat")
    null = dict.fromkeys(("kind", "status", "events", "links", "attributes", "endTimeUnixNano"))
    zero = span(parentSpanId="0" * 16, startTimeUnixNano="0", status={}, kind=0)
    assert items_of(request_of(span(), span(**null), zero), stats) == [bare, bare, bare]


def test_resource_and_scope_are_shared_by_their_spans(request_of, span, stats):
    first, second = items_of(request_of(span(), span()), stats)
    assert first.resource is second.resource
    assert first.scope is second.scope


@pytest.mark.parametrize(
    "wrong",
    [
        {"traceId": None},
        {"traceId": "0" * 32},
        {"traceId": "not hex"},
        {"spanId": "b7ad"},
        {"spanId": 7},
        {"parentSpanId": "b7ad"},
        {"name": 7},
        {"kind": [1]},
        {"startTimeUnixNano": "yesterday"},
        {"endTimeUnixNano": -1},
        {"attributes": {"a": 1}},
        {"events": [7]},
        {"links": 7},
        {"status": "ok"},
        {"status": {"message": 7}},
        {"droppedAttributesCount": "some"},
        {"traceState": {}},
    ],
    ids=repr,
)
def test_a_malformed_span_is_counted_and_costs_no_other(wrong, request_of, span, stats):
    request = request_of(span(name="before"), span(**wrong), span(name="after"))
    assert [read.name for read in items_of(request, stats)] == ["before", "after"]
    assert stats == ReadStats(spans=2, unreadable=1)


@pytest.mark.parametrize("wrong", [None, 7, "span", []])
def test_what_is_no_span_at_all_is_counted(wrong, request_of, span, stats):
    assert len(items_of(request_of(wrong, span()), stats)) == 1
    assert stats == ReadStats(spans=1, unreadable=1)


@pytest.mark.parametrize(
    "request_",
    [
        {"resourceSpans": 7},
        {"resourceSpans": [7]},
        {"resourceSpans": [{"scopeSpans": {}}]},
        {"resourceSpans": [{"scopeSpans": ["x"]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": "x"}]}]},
        {"resourceMetrics": "x"},
    ],
    ids=repr,
)
def test_a_list_of_another_shape_is_counted(request_, stats):
    assert items_of(request_, stats) == []
    assert stats == ReadStats(unreadable=1)


@pytest.mark.parametrize("wrong", [7, {"attributes": 7}, {"attributes": [7]}])
def test_a_malformed_resource_costs_no_span(wrong, request_of, span, stats):
    request = request_of(span())
    request["resourceSpans"][0]["resource"] = wrong
    assert [read.resource for read in items_of(request, stats)] == [Resource()]
    assert stats == ReadStats(spans=1, unreadable_values=1)


@pytest.mark.parametrize("wrong", [7, {"name": 7}, {"version": []}])
def test_a_malformed_scope_costs_no_span(wrong, request_of, span, stats):
    request = request_of(span())
    request["resourceSpans"][0]["scopeSpans"][0]["scope"] = wrong
    assert [read.scope for read in items_of(request, stats)] == [InstrumentationScope()]
    assert stats == ReadStats(spans=1, unreadable_values=1)


@pytest.mark.parametrize("wrong", [7, {}, {"traceId": TRACE_ID}, {"traceId": "x", "spanId": "y"}])
def test_a_link_that_names_no_span_costs_no_span(wrong, request_of, span, stats):
    link = {"traceId": TRACE_ID, "spanId": PARENT_ID}
    (read,) = items_of(request_of(span(links=[wrong, link])), stats)
    assert read.links == (Link(TRACE_ID, PARENT_ID),)
    assert stats == ReadStats(spans=1, unreadable_values=1)


def logs(*records: object) -> dict[str, object]:
    return {
        "resourceLogs": [{"scopeLogs": [{"scope": {"name": "log"}, "logRecords": list(records)}]}]
    }


def test_a_log_record_is_read_whole(stats):
    record = {
        "timeUnixNano": "5",
        "observedTimeUnixNano": "6",
        "severityNumber": 9,
        "eventName": "gen_ai.choice",
        "body": {"kvlistValue": {"values": [{"key": "index", "value": {"intValue": "0"}}]}},
        "attributes": [{"key": "event.name", "value": {"stringValue": "older name"}}],
        "traceId": TRACE_ID,
        "spanId": SPAN_ID,
    }
    assert items_of(logs(record), stats) == snapshot(
        [
            LogRecord(
                trace_id=TRACE_ID,
                span_id=SPAN_ID,
                event_name="gen_ai.choice",
                time_ns=5,
                severity_number=9,
                body={"index": 0},
                attributes={"event.name": "older name"},
                scope=InstrumentationScope(name="log"),
            )
        ]
    )
    assert stats == ReadStats(logs=1)


def test_a_log_record_falls_back_to_older_places(stats):
    attribute = {"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}
    record = {"observedTimeUnixNano": "6", "attributes": [attribute]}
    (read,) = items_of(logs(record), stats)
    assert (read.event_name, read.time_ns) == ("gen_ai.choice", 6)


def test_a_log_record_may_say_nothing(stats):
    assert items_of(logs({}), stats) == [LogRecord(scope=InstrumentationScope("log"))]


def test_an_event_name_that_is_no_text_names_nothing(stats):
    attribute = {"key": "event.name", "value": {"intValue": 7}}
    assert [read.event_name for read in items_of(logs({"attributes": [attribute]}), stats)] == [
        None
    ]


@pytest.mark.parametrize("wrong", [{"traceId": "x"}, {"severityNumber": {}}, {"eventName": 7}, 7])
def test_a_malformed_log_record_is_counted_and_costs_no_other(wrong, stats):
    assert len(items_of(logs({}, wrong), stats)) == 1
    assert stats == ReadStats(logs=1, unreadable=1)


def test_one_request_may_hold_every_signal(request_of, span, stats):
    request = {"resourceMetrics": [{}, {}], **logs({}), **request_of(span())}
    assert [type(read) for read in items_of(request, stats)] == [Span, LogRecord]
    assert stats == ReadStats(spans=1, logs=1, metrics=2)


def test_snake_case_says_the_same(request_of, span, stats):
    plain = span(
        parentSpanId=PARENT_ID,
        startTimeUnixNano="5",
        droppedAttributesCount=2,
        attributes=[{"key": "snake_case_key", "value": {"stringValue": "a_b"}}],
    )
    snake = {
        "trace_id": TRACE_ID,
        "span_id": SPAN_ID,
        "parent_span_id": PARENT_ID,
        "name": "chat",
        "start_time_unix_nano": "5",
        "dropped_attributes_count": 2,
        "attributes": [{"key": "snake_case_key", "value": {"string_value": "a_b"}}],
    }
    request = {"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]}
    expected = items_of(request_of(plain), stats)
    assert items_of(request, stats) == expected
    assert expected[0].attributes == {"snake_case_key": "a_b"}


@pytest.mark.parametrize(
    "name", ["resourceSpans", "resource_spans", "resourceLogs", "resourceMetrics"]
)
def test_a_request_is_known_by_its_names(name):
    assert is_request({name: [], "other": 1})


def test_nothing_but_an_empty_object_is_a_request_without_names():
    assert is_request({})
    assert not any(map(is_request, (None, [], "x", {"spans": []})))
