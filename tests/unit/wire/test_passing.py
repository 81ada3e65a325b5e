"""Requests that pass through."""

from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from toolscore_otel import model
from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions import attributes as names
from toolscore_otel.wire import read_bytes
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.passing import LogsRequest, TracesRequest

TRACE, SPAN, PARENT = b"t" * 16, b"s" * 8, b"p" * 8


def pair(key: str, **value: Any) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(**value))


def tool(number: int = 0, **fields: Any) -> Span:
    known: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": bytes([number + 1]) * 8,
        "parent_span_id": PARENT,
        "name": "execute_tool search",
        "start_time_unix_nano": 5,
        "end_time_unix_nano": 6,
        "attributes": [pair("gen_ai.tool.name", string_value="search")],
    }
    return Span(**(known | fields))


def plain(number: int = 0, **fields: Any) -> Span:
    known: dict[str, Any] = {"name": "GET /", "attributes": [pair("http.route", string_value="/")]}
    return tool(number, **(known | fields))


def request_of(*spans: Span, more: tuple[Span, ...] = ()) -> ExportTraceServiceRequest:
    """Spans of one scope, and others of a second."""
    scopes = [
        ScopeSpans(scope=InstrumentationScope(name=name, version="1"), spans=those)
        for name, those in (("agents", spans), ("http", more))
    ]
    resource = Resource(attributes=[pair("service.name", string_value="desk")])
    return ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(resource=resource, scope_spans=scopes)]
    )


def passing(*spans: Span, **more: Any) -> TracesRequest:
    return TracesRequest.of_bytes(request_of(*spans, **more).SerializeToString())


def test_nothing_replaced_goes_on_as_the_object_it_came_as():
    data = request_of(tool(), plain(1)).SerializeToString()
    request = TracesRequest.of_bytes(data)
    [span.raw for span in request.spans]
    assert request.serialise() is data


def test_spans_come_in_the_order_of_the_request():
    request = passing(tool(0), plain(1), more=(plain(2), tool(3)))
    assert [span.place and span.place.id for span in request.spans] == [
        f"{n + 1:02x}" * 8 for n in range(4)
    ]
    assert [span.is_of_interest for span in request.spans] == [True, False, False, True]


def test_a_span_of_interest_is_read_as_from_a_file():
    data = request_of(
        tool(
            kind=Span.SPAN_KIND_CLIENT,
            trace_state="a=b",
            dropped_attributes_count=2,
            events=[Span.Event(name="e", time_unix_nano=5, attributes=[pair("n", int_value=1)])],
            links=[
                Span.Link(trace_id=TRACE, span_id=SPAN, attributes=[pair("k", bool_value=True)])
            ],
            status={"code": 2, "message": "failed"},
        )
    ).SerializeToString()
    (span,) = TracesRequest.of_bytes(data).spans
    assert [span.span()] == list(read_bytes(data))
    assert span.span() is span.span()


@pytest.mark.parametrize("make", [tool, plain])
def test_a_place_is_that_of_the_span(make):
    data = request_of(make(dropped_attributes_count=3)).SerializeToString()
    (span,) = TracesRequest.of_bytes(data).spans
    (read,) = read_bytes(data)
    assert isinstance(read, model.Span)
    assert span.place == Place.of_span(read)


def test_a_root_that_has_not_ended_has_no_parent_and_no_end():
    (span,) = passing(plain(parent_span_id=b"", end_time_unix_nano=0)).spans
    assert span.place is not None
    assert (span.place.parent, span.place.end_ns, span.place.ended) == (None, None, False)


@pytest.mark.parametrize("name", sorted(names.MARKERS))
def test_every_marker_makes_a_span_of_interest(name):
    (span,) = passing(plain(attributes=[pair(name, int_value=1)])).spans
    assert span.is_of_interest


@pytest.mark.parametrize("name", names.SPAN_NAMES)
def test_every_span_name_makes_a_span_of_interest(name):
    (span,) = passing(plain(name=f"{name} x")).spans
    assert span.is_of_interest


def test_a_marker_in_a_value_makes_no_span_of_interest():
    (span,) = passing(plain(attributes=[pair("k", string_value="gen_ai.tool.name")])).spans
    assert not span.is_of_interest


@pytest.mark.parametrize(
    "ids",
    [
        {"trace_id": bytes(16)},
        {"trace_id": b""},
        {"trace_id": b"short"},
        {"span_id": bytes(8)},
        {"span_id": b"far too long"},
        {"parent_span_id": b"no id"},
    ],
)
@pytest.mark.parametrize("make", [tool, plain])
def test_impossible_ids_have_no_place_and_are_counted(make, ids):
    request = passing(make(**ids), make(1))
    assert [span.place is None for span in request.spans] == [True, False]
    assert request.serialise() == request_of(make(1)).SerializeToString()
    assert request.unacceptable == 1


def test_a_span_that_is_not_read_as_a_whole_says_so():
    for span in passing(plain(), tool(1, span_id=b"")).spans:
        with pytest.raises(ValueError, match="only a span of interest"):
            span.span()


def test_only_the_replaced_span_differs():
    message = request_of(tool(0), tool(1), more=(plain(2),))
    request = TracesRequest.of_bytes(message.SerializeToString())
    request.spans[1].replace(tool(7).SerializeToString())
    message.resource_spans[0].scope_spans[0].spans[1].CopyFrom(tool(7))
    assert request.serialise() == message.SerializeToString()
    assert request.spans[1].raw == tool(7).SerializeToString()


def test_a_span_may_become_empty():
    request = passing(tool())
    request.spans[0].replace(b"")
    (scope, _) = (
        ExportTraceServiceRequest.FromString(request.serialise()).resource_spans[0].scope_spans
    )
    assert list(scope.spans) == [Span()]


def test_the_same_bytes_replace_nothing():
    data = request_of(tool()).SerializeToString()
    request = TracesRequest.of_bytes(data)
    request.spans[0].replace(request.spans[0].raw)
    assert request.serialise() is data


def test_what_a_scope_and_a_resource_hold_is_shared():
    one, two, three = passing(tool(0), tool(1), more=(tool(2),)).spans
    assert one.span().resource is two.span().resource is three.span().resource
    assert one.span().scope is two.span().scope
    assert three.span().scope == model.InstrumentationScope("http", "1")


def test_a_large_resource_is_read_too():
    message = request_of(tool())
    message.resource_spans[0].resource.attributes.append(pair("k", string_value="x" * 20_000))
    (span,) = TracesRequest.of_bytes(message.SerializeToString()).spans
    assert span.span().resource.attributes["k"] == "x" * 20_000


@pytest.mark.parametrize("data", [b"\x0a\x05a", b"no", b"\x0a\x04\x12\x02\x12\x09"])
def test_broken_bytes_are_no_request(data):
    with pytest.raises(Unreadable):
        TracesRequest.of_bytes(data)
    with pytest.raises(Unreadable):
        LogsRequest.of_bytes(data)


@pytest.mark.parametrize("data", [b"", b"\x0a\x00", b"\x0a\x02\x12\x00"])
def test_an_empty_request_holds_nothing(data):
    request = TracesRequest.of_bytes(data)
    assert (request.spans, request.serialise(), request.unacceptable) == ([], data, 0)
    assert LogsRequest.of_bytes(data).records == []


@pytest.mark.parametrize(
    "fields",
    [
        {"attributes": [pair("toolscore.finding.id", string_value="f")]},
        {"attributes": [pair("toolscore.score.id", string_value="s")]},
        {
            "events": [
                Span.Event(attributes=[pair("k", int_value=1)]),
                Span.Event(attributes=[pair("toolscore.finding.id", string_value="f")]),
            ]
        },
    ],
)
def test_a_span_that_tells_of_a_finding_or_a_score_is_marked(fields):
    fields["attributes"] = [
        *fields.get("attributes", []),
        pair("gen_ai.tool.name", string_value="x"),
    ]
    marked, other = passing(tool(0, **fields), tool(1)).spans
    assert (marked.is_marked, other.is_marked) == (True, False)


def test_a_text_about_findings_marks_nothing():
    said = pair("gen_ai.tool.call.result", string_value="toolscore.finding.id")
    (span,) = passing(tool(attributes=[pair("gen_ai.tool.name", string_value="x"), said])).spans
    assert not span.is_marked


@pytest.mark.parametrize(
    ("value", "shows_all"),
    [
        ({"string_value": "x"}, True),
        ({"int_value": 1}, True),
        ({"bytes_value": b"x"}, False),
        ({"array_value": {"values": [{"bytes_value": b"x"}]}}, False),
        ({"kvlist_value": {"values": [pair("k"), pair("k")]}}, False),
    ],
)
def test_a_span_says_whether_texts_of_it_are_missing(value, shows_all):
    (span,) = passing(tool(attributes=[pair("gen_ai.tool.name", **value)])).spans
    assert span.shows_all is shows_all


def test_a_name_that_comes_twice_hides_a_text():
    pairs = [pair("gen_ai.tool.name", string_value=text) for text in ("x", "y")]
    (span,) = passing(tool(attributes=pairs)).spans
    assert span.span().attributes == {"gen_ai.tool.name": "y"}
    assert not span.shows_all


def test_log_records_are_read_as_from_a_file():
    record = LogRecord(
        time_unix_nano=5,
        severity_number=logs_pb2.SEVERITY_NUMBER_INFO,
        severity_text="INFO",
        body=AnyValue(string_value="b"),
        attributes=[pair("k", int_value=1)],
        trace_id=TRACE,
        span_id=SPAN,
        event_name="e",
    )
    bad = LogRecord(time_unix_nano=5, trace_id=b"short")
    scope = ScopeLogs(scope=InstrumentationScope(name="s"), log_records=[record, bad, record])
    data = ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(scope_logs=[scope])]
    ).SerializeToString()
    request = LogsRequest.of_bytes(data)
    assert request.records == list(read_bytes(data))
    assert request.records[0].severity_text == "INFO"
    assert request.unacceptable == 1
