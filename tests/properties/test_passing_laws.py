"""Laws of requests that pass through, held against the official messages."""

import json
from contextlib import suppress
from typing import Any, TypeVar

from google.protobuf.message import Message
from hypothesis import given, strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from toolscore_otel import model
from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions import is_of_interest
from toolscore_otel.secrets import KINDS, Cleaner, Fingerprints, Measure, Scanner
from toolscore_otel.secrets.cleaner import Action
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.wire import ReadStats
from toolscore_otel.wire.editing import may_change, with_events, without_secrets
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_to_proto import json_to_proto
from toolscore_otel.wire.otlp_proto import read_request
from toolscore_otel.wire.passing import LogsRequest, TracesRequest

Some = TypeVar("Some", bound=Message)

UNKNOWN = (b"", b"\xd2\x3e\x03new", b"\xd0\x3e\x05", b"\xd3\x3e\x08\x01\xd4\x3e")
"""Nothing, and fields that no version of OTLP has: a text, a number, a group."""


def with_unknown(messages: st.SearchStrategy[Some]) -> st.SearchStrategy[Some]:
    def grown(message: Some, unknown: bytes) -> Some:
        message.MergeFromString(unknown)
        return message

    return st.builds(grown, messages, st.sampled_from(UNKNOWN))


SECRETS = st.builds(make_sample, st.sampled_from(KINDS), st.integers(0, 3))
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXTS = WORDS | SECRETS | SECRETS.map(lambda text: json.dumps({"a": [text]}))
NAMES = WORDS | st.sampled_from(
    ["gen_ai.tool.name", "password", "name", "value", "mcp.method.name"]
)
VALUES = st.recursive(
    st.builds(AnyValue)
    | st.builds(AnyValue, string_value=TEXTS)
    | st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1))
    | st.builds(AnyValue, double_value=st.floats())
    | st.builds(AnyValue, bytes_value=st.binary(max_size=4) | TEXTS.map(str.encode)),
    lambda inner: (
        st.builds(AnyValue, array_value=st.builds(ArrayValue, values=st.lists(inner, max_size=2)))
        | st.builds(
            AnyValue,
            kvlist_value=st.builds(
                KeyValueList,
                values=st.lists(st.builds(KeyValue, key=NAMES, value=inner), max_size=2),
            ),
        )
    ),
    max_leaves=4,
)
PAIRS = st.lists(
    with_unknown(st.builds(KeyValue, key=NAMES, value=with_unknown(VALUES))), max_size=3
)
IDS = st.binary(min_size=8, max_size=8).filter(any)
SPANS = with_unknown(
    st.builds(
        Span,
        trace_id=st.binary(min_size=16, max_size=16).filter(any),
        span_id=IDS,
        parent_span_id=st.just(b"") | IDS,
        name=st.sampled_from(["GET /", "execute_tool x", ""]),
        start_time_unix_nano=st.integers(1, 2**64 - 1),
        end_time_unix_nano=st.integers(0, 2**64 - 1),
        attributes=PAIRS,
        events=st.lists(with_unknown(st.builds(Span.Event, attributes=PAIRS)), max_size=1),
        links=st.lists(with_unknown(st.builds(Span.Link, attributes=PAIRS)), max_size=1),
        status=st.none() | with_unknown(st.builds(Status, message=TEXTS)),
        flags=st.integers(0, 9),
    )
)
PARTS = with_unknown(
    st.builds(
        ScopeSpans,
        scope=st.none() | with_unknown(st.builds(InstrumentationScope, name=WORDS)),
        spans=st.lists(SPANS, max_size=2),
        schema_url=WORDS,
    )
)
GROUPS = with_unknown(
    st.builds(
        ResourceSpans,
        resource=st.none() | with_unknown(st.builds(Resource, attributes=PAIRS)),
        scope_spans=st.lists(PARTS, max_size=2),
        schema_url=WORDS,
    )
)
REQUESTS = with_unknown(
    st.builds(ExportTraceServiceRequest, resource_spans=st.lists(GROUPS, max_size=2))
)
ACTIONS: list[Action] = ["redact", "hash", "drop"]
CLEANERS = st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=2).map(
    lambda actions: Cleaner(
        [Measure(Scanner(), action) for action in actions], Fingerprints(b"key")
    )
)


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    return [
        span
        for group in request.resource_spans
        for part in group.scope_spans
        for span in part.spans
    ]


def kept(spans: list[Any]) -> list[str]:
    """Comparable, NaN or not, in whatever order attributes come."""
    return [json.dumps(span, sort_keys=True, default=as_dict) for span in spans]


def as_dict(value: Any) -> Any:
    return {name: getattr(value, name) for name in value.__struct_fields__}


@given(REQUESTS)
def test_what_is_only_looked_at_goes_on_as_the_object_it_came_as(request):
    data = request.SerializeToString()
    passing = TracesRequest.of_bytes(data)
    raws = [span.raw for span in passing.spans]
    assert raws == [span.SerializeToString() for span in spans_of(request)]
    assert passing.serialise() is data


@given(REQUESTS)
def test_spans_are_read_as_from_a_file(request):
    data = request.SerializeToString()
    spans = TracesRequest.of_bytes(data).spans
    read = [span for span in read_request(data, ReadStats()) if isinstance(span, model.Span)]
    of_interest = [span for span in read if is_of_interest(span.name, span.attributes)]
    assert kept([span.span() for span in spans if span.is_of_interest]) == kept(of_interest)
    assert kept([span.place for span in spans]) == kept([Place.of_span(span) for span in read])


@given(REQUESTS, st.data())
def test_only_what_is_replaced_differs(request, data):
    passing = TracesRequest.of_bytes(request.SerializeToString())
    for span, message in zip(passing.spans, spans_of(request), strict=True):
        if data.draw(st.booleans()):
            new = data.draw(SPANS)
            span.replace(new.SerializeToString())
            message.CopyFrom(new)
    assert passing.serialise() == request.SerializeToString()


@given(SPANS, CLEANERS)
def test_a_clean_span_stays_as_it_is(span, cleaner):
    once = without_secrets(span.SerializeToString(), cleaner)
    assert without_secrets(once, cleaner) is once
    Span.FromString(once)


@given(SPANS, CLEANERS)
def test_redaction_takes_out_and_changes_nothing_else(span, cleaner):
    raw = span.SerializeToString()
    once = without_secrets(raw, cleaner)
    if once is raw:
        return
    clean = Span.FromString(once)
    for name in ("attributes", "events", "links", "status"):
        clean.ClearField(name)
        span.ClearField(name)
    assert clean.SerializeToString() == span.SerializeToString()


@given(SPANS, CLEANERS)
def test_what_the_quick_look_passes_is_clean(span, cleaner):
    span.name = "execute_tool x"
    part = ScopeSpans(spans=[span])
    request = ExportTraceServiceRequest(resource_spans=[ResourceSpans(scope_spans=[part])])
    (passing,) = TracesRequest.of_bytes(request.SerializeToString()).spans
    raw = passing.raw
    assert may_change(passing, cleaner) or without_secrets(raw, cleaner) is raw


CLEANER = Cleaner([Measure(Scanner(), "redact")], Fingerprints(b"key"))


def use(data: bytes) -> None:
    """Everything that is done with bytes from outside; anything else than `Unreadable` gets out."""
    for signal in ("traces", "logs", "metrics"):
        with suppress(Unreadable):
            json_to_proto(data, signal)
    with suppress(Unreadable):
        LogsRequest.of_bytes(data)
    with suppress(Unreadable):
        without_secrets(data, CLEANER)
    with suppress(Unreadable):
        pass_on(data)


def pass_on(data: bytes) -> None:
    passing = TracesRequest.of_bytes(data)
    for span in passing.spans:
        if span.is_of_interest and span.place is not None:
            may_change(span, CLEANER)
            span.replace(with_events(without_secrets(span.raw, CLEANER), [("e", {})], 1))
    going_on = [span for span in passing.spans if span.place is not None]
    assert len(TracesRequest.of_bytes(passing.serialise()).spans) == len(going_on)


@given(st.binary(max_size=200), st.sampled_from([b"", b"{", b'{"resourceSpans":[', b"\x0a"]))
def test_bytes_raise_nothing_but_unreadable(data, beginning):
    use(beginning + data)


@given(REQUESTS, st.data())
def test_damage_raises_nothing_but_unreadable(request, data):
    whole = request.SerializeToString()
    at = data.draw(st.integers(0, len(whole)))
    new = data.draw(st.binary(max_size=3))
    use(whole[:at] + new + whole[at + data.draw(st.integers(0, 4)) :])


JSON_NAMES = [
    "spans",
    "traceId",
    "span_id",
    "kind",
    "name",
    "attributes",
    "key",
    "value",
    "arrayValue",
    "values",
    "links",
    "status",
    "endTimeUnixNano",
    "stringValue",
]
WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "0a" * 16, "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(JSON_NAMES),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(WILD, WILD, WILD)
def test_json_of_any_shape_raises_nothing_but_unreadable(one, two, three):
    inside = {
        "resourceSpans": [{"resource": one, "scopeSpans": [{"scope": two, "spans": [three]}]}]
    }
    use(json.dumps(one).encode())
    use(json.dumps(inside).encode())
