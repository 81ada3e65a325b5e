"""Our description of the messages, held against the official one."""

import pytest
from google.protobuf.descriptor import FieldDescriptor
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from toolscore_otel.wire.proto_messages import FIELDS, MESSAGES

SAME_NAMES = [
    ("Resource", resource_pb2.Resource),
    ("Scope", common_pb2.InstrumentationScope),
    ("KeyValue", common_pb2.KeyValue),
    ("AnyValue", common_pb2.AnyValue),
    ("ArrayValue", common_pb2.ArrayValue),
    ("KeyValueList", common_pb2.KeyValueList),
    ("Span", trace_pb2.Span),
    ("Event", trace_pb2.Span.Event),
    ("Link", trace_pb2.Span.Link),
    ("Status", trace_pb2.Status),
    ("LogRecord", logs_pb2.LogRecord),
    ("PlainSpan", trace_pb2.Span),
]
SAME_SHAPE = [
    ("Request", trace_service_pb2.ExportTraceServiceRequest),
    ("Request", logs_service_pb2.ExportLogsServiceRequest),
    ("Request", metrics_service_pb2.ExportMetricsServiceRequest),
    ("Request", trace_pb2.TracesData),
    ("Group", trace_pb2.ResourceSpans),
    ("Group", logs_pb2.ResourceLogs),
    ("Group", metrics_pb2.ResourceMetrics),
    ("Part", trace_pb2.ScopeSpans),
    ("Part", logs_pb2.ScopeLogs),
    ("Part", metrics_pb2.ScopeMetrics),
    ("Envelope", trace_service_pb2.ExportTraceServiceRequest),
    ("Envelope", logs_service_pb2.ExportLogsServiceRequest),
    ("EnvelopeGroup", trace_pb2.ResourceSpans),
    ("EnvelopeGroup", logs_pb2.ResourceLogs),
    ("SpanPart", trace_pb2.ScopeSpans),
    ("PlainPart", trace_pb2.ScopeSpans),
    ("LogPart", logs_pb2.ScopeLogs),
]

LENGTH = "length"
WIRE_FORMS = {
    FieldDescriptor.TYPE_STRING: LENGTH,
    FieldDescriptor.TYPE_BYTES: LENGTH,
    FieldDescriptor.TYPE_MESSAGE: LENGTH,
    FieldDescriptor.TYPE_ENUM: "varint",
    FieldDescriptor.TYPE_INT32: "varint",
    FieldDescriptor.TYPE_UINT32: "varint",
    FieldDescriptor.TYPE_INT64: "varint",
    FieldDescriptor.TYPE_BOOL: "varint",
    FieldDescriptor.TYPE_FIXED64: "fixed64",
    FieldDescriptor.TYPE_DOUBLE: "double",
}


def on_the_wire(field: FieldDescriptor) -> tuple[str, bool]:
    return WIRE_FORMS[field.type], field.is_repeated


@pytest.mark.parametrize(("name", "official"), SAME_NAMES)
def test_a_message_has_the_numbers_and_wire_forms_of_the_official_one(name, official):
    ours = MESSAGES[name].DESCRIPTOR.fields_by_name
    theirs = official.DESCRIPTOR.fields_by_name
    assert set(ours) == set(FIELDS[name])
    assert {key: (field.number, *on_the_wire(field)) for key, field in ours.items()} == {
        key: (theirs[key].number, *on_the_wire(theirs[key])) for key in ours
    }


@pytest.mark.parametrize(("name", "official"), SAME_SHAPE)
def test_the_outer_messages_of_all_signals_have_one_shape(name, official):
    ours = MESSAGES[name].DESCRIPTOR.fields_by_number
    theirs = official.DESCRIPTOR.fields_by_number
    assert {number: on_the_wire(field) for number, field in ours.items()} == {
        number: on_the_wire(theirs[number]) for number in ours
    }


def test_every_message_was_compared():
    assert {name for name, _ in SAME_NAMES} | {name for name, _ in SAME_SHAPE} == set(FIELDS)
