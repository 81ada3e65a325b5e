"""Laws of reading files: nothing breaks it, and the form in which telemetry stands changes nothing."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import given, strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from toolscore_otel.errors import InputError
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
from toolscore_otel.wire import ReadStats, read_bytes, to_otlp_json
from toolscore_otel.wire.json_to_proto import json_to_proto
from toolscore_otel.wire.write_proto import logs_request, traces_request

KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=4)
TRACE_IDS = st.binary(min_size=16, max_size=16).filter(any).map(bytes.hex)
SPAN_IDS = st.binary(min_size=8, max_size=8).filter(any).map(bytes.hex)
TIMES = st.none() | st.integers(1, 2**64 - 1)
RESOURCES = st.builds(Resource, ATTRIBUTES)
SCOPES = st.builds(InstrumentationScope, KEYS, KEYS)
SPANS = st.builds(
    Span,
    trace_id=TRACE_IDS,
    span_id=SPAN_IDS,
    parent_span_id=st.none() | SPAN_IDS,
    name=KEYS,
    kind=st.sampled_from(SpanKind),
    start_ns=TIMES,
    end_ns=TIMES,
    attributes=ATTRIBUTES,
    events=st.lists(st.builds(SpanEvent, KEYS, TIMES, ATTRIBUTES), max_size=2).map(tuple),
    links=st.lists(st.builds(Link, TRACE_IDS, SPAN_IDS, ATTRIBUTES), max_size=2).map(tuple),
    status=st.sampled_from(SpanStatus),
    status_message=KEYS,
    resource=RESOURCES,
    scope=SCOPES,
    dropped_attributes=st.integers(0, 2**32 - 1),
    trace_state=KEYS,
)
RECORDS = st.builds(
    LogRecord,
    trace_id=st.none() | TRACE_IDS,
    span_id=st.none() | SPAN_IDS,
    event_name=st.none() | KEYS.filter(bool),
    time_ns=TIMES,
    severity_number=st.integers(1, 24),
    severity_text=KEYS,
    body=VALUES,
    attributes=ATTRIBUTES.map(lambda found: {f"a.{key}": value for key, value in found.items()}),
    resource=RESOURCES,
    scope=SCOPES,
)
SEVERAL_SPANS = st.lists(SPANS, max_size=4)
SEVERAL_RECORDS = st.lists(RECORDS, max_size=4)


def as_json(items: Sequence[Span | LogRecord]) -> bytes:
    return json.dumps(to_otlp_json(items), ensure_ascii=False).encode()


def with_base64_ids(request: Any) -> Any:
    """The same request as plain protobuf-JSON has it: ids are bytes like any others."""
    if isinstance(request, list):
        return [with_base64_ids(entry) for entry in request]
    if not isinstance(request, dict):
        return request
    return {
        name: base64.b64encode(bytes.fromhex(value)).decode()
        if name in {"traceId", "spanId", "parentSpanId"}
        else with_base64_ids(value)
        for name, value in request.items()
    }


def as_protobuf(items: Sequence[Span | LogRecord], message: type[Message]) -> bytes:
    request = with_base64_ids(to_otlp_json(items))
    return json_format.ParseDict(request, message()).SerializeToString()


def read(data: bytes) -> list[Span | LogRecord]:
    return list(read_bytes(data))


def spans_in(data: bytes) -> list[Message]:
    groups = ExportTraceServiceRequest.FromString(data).resource_spans
    return [span for group in groups for part in group.scope_spans for span in part.spans]


def same(left: Sequence[object], right: Sequence[object]) -> bool:
    """Equal in types too: in Python `1 == True == 1.0`."""
    return repr(left) == repr(right)


@given(SEVERAL_SPANS, SEVERAL_RECORDS)
def test_what_is_written_is_read_back(spans, records):
    assert same(read(as_json([*spans, *records])), [*spans, *records])


@given(SEVERAL_SPANS)
def test_protobuf_says_the_same_as_json(spans):
    data = as_protobuf(spans, ExportTraceServiceRequest)
    assert same(read(data or b"{}"), spans)
    assert same(read(as_json(spans)), spans)


@given(SEVERAL_RECORDS)
def test_protobuf_says_the_same_as_json_of_logs(records):
    assert same(read(as_protobuf(records, ExportLogsServiceRequest) or b"{}"), records)


@given(SEVERAL_SPANS)
def test_spans_written_as_protobuf_are_those_of_the_official_messages(spans):
    official = as_protobuf(spans, ExportTraceServiceRequest)
    assert spans_in(traces_request(spans)) == spans_in(official)
    assert same(read(traces_request(spans) or b"{}"), spans)


@given(SEVERAL_RECORDS)
def test_log_records_written_as_protobuf_are_read_back(records):
    data = logs_request(records)
    assert ExportLogsServiceRequest.FromString(data).SerializeToString() == data
    assert same(read(data or b"{}"), records)


@given(SEVERAL_SPANS, SEVERAL_RECORDS)
def test_json_in_protobuf_says_the_same(spans, records):
    both = as_json([*spans, *records])
    assert json_to_proto(both, "traces") == as_protobuf(spans, ExportTraceServiceRequest)
    assert json_to_proto(both, "logs") == as_protobuf(records, ExportLogsServiceRequest)


@given(SEVERAL_SPANS)
def test_base64_ids_say_the_same_as_hex(spans):
    assert same(read(json.dumps(with_base64_ids(to_otlp_json(spans))).encode()), spans)


@given(SEVERAL_SPANS)
def test_names_in_snake_case_say_the_same(spans):
    message = json_format.ParseDict(
        with_base64_ids(to_otlp_json(spans)), ExportTraceServiceRequest()
    )
    text = json_format.MessageToJson(message, preserving_proto_field_name=True)
    assert same(read(text.encode()), spans)


@given(st.lists(SPANS | RECORDS, min_size=1, max_size=6), st.sampled_from([None, 1]))
def test_how_requests_are_split_over_lines_changes_nothing(items, indent):
    kept = sorted(items, key=lambda item: isinstance(item, LogRecord))
    lines = [json.dumps(to_otlp_json([item]), indent=indent) for item in kept]
    assert same(read("\n".join(lines).encode()), kept)
    assert same(read(f"[{','.join(lines)}]".encode()), kept)
    assert same(read(as_json(kept)), kept)


@given(SEVERAL_SPANS)
def test_a_length_before_each_message_changes_nothing(spans):
    messages = [as_protobuf([span], ExportTraceServiceRequest) for span in spans]
    framed = b"".join(len(message).to_bytes(4, "big") + message for message in messages)
    assert same(read(framed or b"{}"), spans)
    assert same(read(b"".join(messages) or b"{}"), spans)


@given(SEVERAL_SPANS, st.data())
def test_gzip_changes_nothing(spans, data):
    for plain in (as_json(spans), as_protobuf(spans, ExportTraceServiceRequest) or b"[{}]"):
        cut = data.draw(st.integers(0, len(plain)))
        members = gzip.compress(plain[:cut]) + gzip.compress(plain[cut:])
        assert same(read(members), spans)


def outcome(data: bytes) -> str:
    """`read` or `refused`; anything else than an `InputError` gets out."""
    try:
        read(data)
    except InputError:
        return "refused"
    return "read"


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"{", b"[", b"\x0a", b"\0\0\0\x09\x0a", b"\x1f\x8b"]),
)
def test_bytes_raise_nothing_but_input_errors(data, beginning):
    assert outcome(beginning + data) in {"read", "refused"}


WHOLE = [
    Span(
        trace_id="0a" * 16,
        span_id="0b" * 8,
        start_ns=5,
        attributes={"a": [1, {"b": None}], "é": "x", "f": 0.5},
        events=(SpanEvent("e", 1, {"k": True}),),
        links=(Link("0c" * 16, "0d" * 8),),
        resource=Resource({"service.name": "s"}),
    )
]
FORMS = {
    "json": as_json(WHOLE),
    "lines": as_json(WHOLE) + b"\n" + as_json(WHOLE),
    "indented": json.dumps(to_otlp_json(WHOLE), indent=1).encode(),
    "protobuf": as_protobuf(WHOLE, ExportTraceServiceRequest),
    "gzip": gzip.compress(as_json(WHOLE), mtime=0),
}


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_damage_raises_nothing_but_input_errors(form, data):
    whole = FORMS[form]
    at = data.draw(st.integers(0, len(whole)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=4) | st.sampled_from([b'"', b"{}", b"[", b"null", b"-1"]))
    assert outcome(whole[:at] + new + whole[at + gone :]) in {"read", "refused"}


@pytest.mark.parametrize("form", FORMS)
def test_no_beginning_of_a_file_is_mistaken_for_the_whole(form):
    whole = FORMS[form]
    second_line = whole.find(b"\n", 0, -1) if form == "lines" else -1
    wrongly_read = [
        end
        for end in range(len(whole))
        if end not in {second_line, second_line + 1} and outcome(whole[:end]) == "read"
    ]
    assert outcome(whole) == "read"
    assert wrongly_read == []


NAMES = sorted(
    {name for span in [to_otlp_json(WHOLE)] for name in re.findall(r'"(\w+)":', json.dumps(span))}
    | {"resourceLogs", "scopeLogs", "logRecords", "body", "resourceMetrics", "status", "bytesValue"}
)
WILD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(
        ["", "0a" * 16, "0b" * 8, "CgoKCgoKCgo=", "5", "NaN", "SPAN_KIND_SERVER", "x"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=30,
)


@given(WILD, WILD, WILD)
def test_json_of_any_shape_raises_nothing_but_input_errors(one, two, three):
    inside = {
        "resourceSpans": [{"resource": one, "scopeSpans": [{"scope": two, "spans": [three]}]}]
    }
    assert outcome(json.dumps(one).encode()) in {"read", "refused"}
    assert outcome(json.dumps(inside).encode()) == "read"


ONE_SPAN = SPANS.map(
    lambda span: to_otlp_json([span])["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
)


@given(st.lists(ONE_SPAN | WILD, max_size=4))
def test_every_span_is_given_out_or_counted(spans):
    stats = ReadStats()
    request = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    given_out = list(read_bytes(json.dumps(request).encode(), stats=stats))
    assert len(given_out) == stats.spans
    assert stats.spans + stats.unreadable == len(spans)
