"""The OTLP messages, with the fields that are read and no others.

A private description in a private pool: the official package is not needed, and an application that has it loaded is
not disturbed. Three things differ from the official one, none of them on the wire:

- resource, scope, span, log record and nested values are `bytes`, and parsed one by one: a broken one costs itself and
  not its request, and no nesting, however deep, meets protobuf's own limit;
- one message serves the requests of all signals, since they have the same outer shape;
- enums are numbers.

What a server passes on is read by `Envelope` and the `...Part` messages instead: all spans of one scope at once, since a
request with a broken span is no request. `PlainSpan` has only what says where a span stood. Attributes as a protobuf map
would be quicker, and the same on the wire, but a pair with a field that is not known here would not be seen in it.

Source:
    opentelemetry-proto 1.x: trace.proto, logs.proto, common.proto, resource.proto.
"""

from __future__ import annotations

from typing import Any

from toolscore_otel.errors import MissingExtraError

try:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import DecodeError
    from google.protobuf.message_factory import GetMessageClass
except ImportError as error:
    raise MissingExtraError("reading protobuf files", "cli") from error

__all__ = ["MESSAGES", "DecodeError"]

_PACKAGE = "toolscore.otlp"

_LABELS = {
    "": FieldDescriptorProto.LABEL_OPTIONAL,
    "repeated": FieldDescriptorProto.LABEL_REPEATED,
}

_TYPES = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "fixed64": FieldDescriptorProto.TYPE_FIXED64,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
}

_PLACE = {
    "trace_id": (1, "bytes"),
    "span_id": (2, "bytes"),
    "parent_span_id": (4, "bytes"),
    "start_time_unix_nano": (7, "fixed64"),
    "end_time_unix_nano": (8, "fixed64"),
    "dropped_attributes_count": (10, "uint32"),
}

FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "Request": {"groups": (1, "repeated Group")},
    "Group": {"resource": (1, "bytes"), "parts": (2, "repeated Part")},
    "Part": {"scope": (1, "bytes"), "items": (2, "repeated bytes")},
    "Resource": {"attributes": (1, "repeated KeyValue")},
    "Scope": {"name": (1, "string"), "version": (2, "string")},
    "KeyValue": {"key": (1, "string"), "value": (2, "AnyValue")},
    "AnyValue": {
        "string_value": (1, "string"),
        "bool_value": (2, "bool"),
        "int_value": (3, "int64"),
        "double_value": (4, "double"),
        "array_value": (5, "bytes"),
        "kvlist_value": (6, "bytes"),
        "bytes_value": (7, "bytes"),
    },
    "ArrayValue": {"values": (1, "repeated AnyValue")},
    "KeyValueList": {"values": (1, "repeated KeyValue")},
    "Span": _PLACE
    | {
        "trace_state": (3, "string"),
        "name": (5, "string"),
        "kind": (6, "int32"),
        "attributes": (9, "repeated KeyValue"),
        "events": (11, "repeated Event"),
        "links": (13, "repeated Link"),
        "status": (15, "Status"),
    },
    "Event": {
        "time_unix_nano": (1, "fixed64"),
        "name": (2, "string"),
        "attributes": (3, "repeated KeyValue"),
    },
    "Link": {
        "trace_id": (1, "bytes"),
        "span_id": (2, "bytes"),
        "attributes": (4, "repeated KeyValue"),
    },
    "Status": {"message": (2, "string"), "code": (3, "int32")},
    "LogRecord": {
        "time_unix_nano": (1, "fixed64"),
        "severity_number": (2, "int32"),
        "severity_text": (3, "string"),
        "body": (5, "AnyValue"),
        "attributes": (6, "repeated KeyValue"),
        "trace_id": (9, "bytes"),
        "span_id": (10, "bytes"),
        "observed_time_unix_nano": (11, "fixed64"),
        "event_name": (12, "string"),
    },
    "Envelope": {"groups": (1, "repeated EnvelopeGroup")},
    "EnvelopeGroup": {"resource": (1, "bytes"), "parts": (2, "repeated bytes")},
    "PlainPart": {"scope": (1, "bytes"), "items": (2, "repeated PlainSpan")},
    "SpanPart": {"scope": (1, "bytes"), "items": (2, "repeated Span")},
    "LogPart": {"scope": (1, "bytes"), "items": (2, "repeated LogRecord")},
    "PlainSpan": _PLACE,
}
"""Message -> field -> number and type."""


def _message_classes() -> dict[str, Any]:
    file = FileDescriptorProto(name="toolscore/otlp.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        if name == "AnyValue":
            message.oneof_decl.add(name="value")
        for field_name, (number, declared) in fields.items():
            label, _, type_name = declared.rpartition(" ")
            field = message.field.add(name=field_name, number=number, label=_LABELS[label])
            if type_name in _TYPES:
                field.type = _TYPES[type_name]
            else:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{type_name}"
            if name == "AnyValue":
                field.oneof_index = 0
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in FIELDS
    }


MESSAGES = _message_classes()
"""Message name -> class; the classes are made at import, and have no static type."""
