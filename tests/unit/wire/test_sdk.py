"""Spans and log records of the SDK, read."""

import enum
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from toolscore_otel import model
from toolscore_otel.wire.sdk import SHARED, SdkReader, attributes_of, attributes_of_interest

TRACE, SPAN = 0xABC, 0xDEF


def context(span_id=SPAN, *, remote=False):
    return SpanContext(TRACE, span_id, is_remote=remote, trace_flags=TraceFlags(1))


def ended(**fields):
    """A span as an exporter gets it."""
    known = {"name": "s", "context": context(), "start_time": 5, "end_time": 9}
    return ReadableSpan(**(known | fields))


@pytest.fixture
def reader():
    return SdkReader()


def test_a_span_is_read_with_all_that_it_carries(reader):
    span = ended(
        parent=context(1),
        kind=SpanKind.CLIENT,
        status=Status(StatusCode.ERROR, "broke"),
        attributes={"a": 1, "b": ("x", "y"), "c": True, "d": 0.5},
        events=[Event("e", {"k": ("v",)}, timestamp=7)],
        links=[Link(context(2), {"l": "m"})],
        resource=Resource({"service.name": "shop"}),
        instrumentation_scope=InstrumentationScope("lib", "1.0"),
    )
    assert reader.span(span) == model.Span(
        trace_id=f"{TRACE:032x}",
        span_id=f"{SPAN:016x}",
        parent_span_id=f"{1:016x}",
        name="s",
        kind=model.SpanKind.CLIENT,
        start_ns=5,
        end_ns=9,
        attributes={"a": 1, "b": ["x", "y"], "c": True, "d": 0.5},
        events=(model.SpanEvent("e", 7, {"k": ["v"]}),),
        links=(model.Link(f"{TRACE:032x}", f"{2:016x}", {"l": "m"}),),
        status=model.SpanStatus.ERROR,
        status_message="broke",
        resource=model.Resource({"service.name": "shop"}),
        scope=model.InstrumentationScope("lib", "1.0"),
    )


def test_a_bare_span_is_read(reader):
    span = reader.span(ended())
    assert (span.parent_span_id, span.attributes, span.events) == (None, {}, ())
    assert (span.scope, span.status) == (model.InstrumentationScope(), model.SpanStatus.UNSET)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(model.SpanKind[kind.name], kind) for kind in SpanKind]
)
def test_every_kind_is_read(reader, ours, theirs):
    assert reader.span(ended(kind=theirs)).kind is ours


@pytest.mark.parametrize(
    ("ours", "theirs"), [(model.SpanStatus[code.name], code) for code in StatusCode]
)
def test_every_status_is_read(reader, ours, theirs):
    assert reader.span(ended(status=Status(theirs))).status is ours


class Colour(enum.StrEnum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (b"abc", "YWJj"),
        ({"a": {1: (2, None)}}, {"a": {"1": [2, None]}}),
        (Colour.RED, "red"),
        (Number.ONE, 1),
        (object(), None),
        ([object(), "x"], [None, "x"]),
    ],
)
def test_odd_values_are_what_they_would_be_on_the_wire(reader, given, read):
    found = reader.span(ended(attributes={"k": given})).attributes["k"]
    assert (found, type(found)) == (read, type(read))


def test_a_value_that_nests_too_deep_ends_in_nothing(reader):
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    found = reader.span(ended(attributes={"k": deep})).attributes["k"]
    assert json.dumps(found).endswith("null" + "]" * 100)


def test_what_is_read_belongs_to_nobody_else(reader):
    given = {"a": ("x",)}
    assert reader.span(ended(attributes=given)).attributes == {"a": ["x"]}
    assert given == {"a": ("x",)}


def test_dropped_attributes_are_known(reader):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("t").start_as_current_span("s") as live:
        live.set_attributes({f"k{number}": number for number in range(130)})
    (span,) = exporter.get_finished_spans()
    assert reader.span(span).dropped_attributes == 2
    assert attributes_of(span) == {f"k{number}": number for number in range(2, 130)}


def test_a_resource_is_converted_once(reader):
    resource = Resource({"service.name": "shop"})
    spans = [reader.span(ended(resource=resource)) for _ in range(2)]
    assert spans[0].resource is spans[1].resource


def test_an_equal_resource_is_still_another(reader):
    first, second = Resource({"a": "1"}), Resource({"a": "1"})
    assert reader.resource(first) == reader.resource(second)
    assert reader.resource(first) is not reader.resource(second)


def test_no_more_resources_are_kept_than_said(reader):
    for number in range(3 * SHARED):
        reader.resource(Resource({"n": number}))
    assert len(reader._resources) <= SHARED


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("GET /", {"http.route": "/"}, False),
        ("anything", {"gen_ai.tool.name": "rm"}, True),
        ("execute_tool rm", {}, True),
        ("GET /", None, False),
    ],
)
def test_spans_of_no_interest_are_told_apart_unread(name, attributes, expected):
    span = ended(name=name, attributes=attributes)
    found = attributes_of_interest(span)
    assert found == (attributes if expected else None)


class Plain(Mapping[str, object]):
    """Attributes of a span that somebody built: a mapping that cannot be copied."""

    def __init__(self, **attributes):
        self._attributes = attributes

    def __getitem__(self, key):
        return self._attributes[key]

    def __iter__(self):
        return iter(self._attributes)

    def __len__(self):
        return len(self._attributes)


class Copied(Plain):
    """The same, copied into a mapping of its own sort."""

    def copy(self):
        return Copied(**self._attributes)


@pytest.mark.parametrize("mapping", [Plain, Copied])
def test_attributes_in_some_other_mapping_are_copied(mapping):
    span: Any = SimpleNamespace(name="execute_tool rm", attributes=mapping(k=1))
    found = attributes_of_interest(span)
    assert (type(found), found) == (dict, {"k": 1})


class Record:
    """A log record by parts, as any version of the SDK has it."""

    def __init__(self, **fields):
        known = {
            "trace_id": TRACE,
            "span_id": SPAN,
            "event_name": "gen_ai.tool.message",
            "timestamp": 3,
            "observed_timestamp": 4,
            "severity_number": None,
            "body": None,
            "attributes": None,
        }
        self.__dict__.update(known | fields)


class Data:
    """What a log record processor is given."""

    instrumentation_scope = InstrumentationScope("lib", "2")

    def __init__(self, record, **fields):
        self.log_record = record
        self.__dict__.update(fields)


def test_a_log_record_is_read(reader):
    record = Record(body={"k": (1,)}, attributes={"a": "b"})
    data = Data(record, resource=Resource({"service.name": "shop"}))
    assert reader.log_record(data) == model.LogRecord(
        trace_id=f"{TRACE:032x}",
        span_id=f"{SPAN:016x}",
        event_name="gen_ai.tool.message",
        time_ns=3,
        body={"k": [1]},
        attributes={"a": "b"},
        resource=model.Resource({"service.name": "shop"}),
        scope=model.InstrumentationScope("lib", "2"),
    )


def test_an_older_log_record_has_its_resource_with_it(reader):
    data = Data(Record(trace_id=0, span_id=0, resource=Resource({"service.name": "old"})))
    found = reader.log_record(data)
    assert (found.trace_id, found.span_id, found.resource.service) == (None, None, "old")
