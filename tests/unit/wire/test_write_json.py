import json

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
from toolscore_otel.wire import read_bytes, to_otlp_json

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "b7ad6b7169203331"

SPAN = Span(
    trace_id=TRACE_ID,
    span_id=SPAN_ID,
    parent_span_id="00f067aa0ba902b7",
    name="execute_tool search",
    kind=SpanKind.INTERNAL,
    start_ns=1_700_000_000_000_000_001,
    end_ns=1_700_000_000_000_000_009,
    attributes={"text": "x", "yes": True, "n": 2**63, "f": 0.5, "none": None, "l": [1, {"a": ()}]},
    events=(SpanEvent("exception", 5, {"a": "b"}),),
    links=(Link(TRACE_ID, SPAN_ID),),
    status=SpanStatus.ERROR,
    status_message="no answer",
    resource=Resource({"service.name": "support"}),
    scope=InstrumentationScope("agents", "1.2"),
    dropped_attributes=3,
    trace_state="vendor=8",
)


def test_a_span_is_written_as_otlp_json_says():
    assert to_otlp_json([SPAN]) == snapshot(
        {
            "resourceSpans": [
                {
                    "resource": {
                        "attributes": [{"key": "service.name", "value": {"stringValue": "support"}}]
                    },
                    "scopeSpans": [
                        {
                            "scope": {"name": "agents", "version": "1.2"},
                            "spans": [
                                {
                                    "traceId": "0af7651916cd43dd8448eb211c80319c",
                                    "spanId": "b7ad6b7169203331",
                                    "parentSpanId": "00f067aa0ba902b7",
                                    "traceState": "vendor=8",
                                    "name": "execute_tool search",
                                    "kind": 1,
                                    "startTimeUnixNano": "1700000000000000001",
                                    "endTimeUnixNano": "1700000000000000009",
                                    "attributes": [
                                        {"key": "text", "value": {"stringValue": "x"}},
                                        {"key": "yes", "value": {"boolValue": True}},
                                        {"key": "n", "value": {"intValue": "9223372036854775808"}},
                                        {"key": "f", "value": {"doubleValue": 0.5}},
                                        {"key": "none", "value": {}},
                                        {
                                            "key": "l",
                                            "value": {
                                                "arrayValue": {
                                                    "values": [
                                                        {"intValue": "1"},
                                                        {
                                                            "kvlistValue": {
                                                                "values": [
                                                                    {
                                                                        "key": "a",
                                                                        "value": {
                                                                            "arrayValue": {
                                                                                "values": []
                                                                            }
                                                                        },
                                                                    }
                                                                ]
                                                            }
                                                        },
                                                    ]
                                                }
                                            },
                                        },
                                    ],
                                    "droppedAttributesCount": 3,
                                    "events": [
                                        {
                                            "timeUnixNano": "5",
                                            "name": "exception",
                                            "attributes": [
                                                {"key": "a", "value": {"stringValue": "b"}}
                                            ],
                                        }
                                    ],
                                    "links": [
                                        {
                                            "traceId": "0af7651916cd43dd8448eb211c80319c",
                                            "spanId": "b7ad6b7169203331",
                                            "attributes": [],
                                        }
                                    ],
                                    "status": {"code": 2, "message": "no answer"},
                                }
                            ],
                        }
                    ],
                }
            ]
        }
    )


def test_a_bare_span_is_written_without_what_is_not_known():
    request = to_otlp_json([Span(trace_id=TRACE_ID, span_id=SPAN_ID)])
    assert request == {
        "resourceSpans": [
            {
                "resource": {"attributes": []},
                "scopeSpans": [
                    {
                        "scope": {},
                        "spans": [{"traceId": TRACE_ID, "spanId": SPAN_ID, "name": "", "kind": 0}],
                    }
                ],
            }
        ]
    }


def test_neighbours_of_one_origin_share_a_group():
    other = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    groups = to_otlp_json([SPAN, SPAN, other, SPAN])["resourceSpans"]
    assert [len(group["scopeSpans"][0]["spans"]) for group in groups] == [2, 1, 1]


def test_what_was_written_is_read_back_spans_first():
    record = LogRecord(
        trace_id=TRACE_ID,
        span_id=SPAN_ID,
        event_name="gen_ai.choice",
        time_ns=7,
        severity_number=9,
        body={"index": 0},
        attributes={"a": [1.5, "x"]},
        resource=SPAN.resource,
        scope=SPAN.scope,
    )
    text = json.dumps(to_otlp_json([record, LogRecord(), SPAN])).encode()
    span, *records = read_bytes(text)
    assert isinstance(span, Span)
    assert records == [record, LogRecord()]
    assert span.attributes == {**SPAN.attributes, "l": [1, {"a": []}]}
    assert span.events == SPAN.events


def test_numbers_that_json_cannot_write_are_texts():
    values = {"a": float("nan"), "b": float("inf"), "c": float("-inf")}
    request = to_otlp_json([LogRecord(attributes=values)])
    text = json.dumps(request, allow_nan=False).encode()
    (record,) = read_bytes(text)
    assert repr(record.attributes) == repr(values)


def test_nothing_is_an_empty_request():
    assert to_otlp_json([]) == {}
