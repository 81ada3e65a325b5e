"""Fields by their place in the bytes."""

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from toolscore_otel.wire.proto_fields import (
    FIXED32,
    FIXED64,
    LENGTH,
    VARINT,
    fields,
    replaced,
    varint,
)

SPAN = Span(name="chat", kind=Span.SPAN_KIND_CLIENT, start_time_unix_nano=7, flags=1)


def contents(message: bytes) -> list[tuple[int, int, bytes]]:
    return [(f.number, f.form, message[f.start : f.end]) for f in fields(message)]


def test_fields_stand_where_protobuf_put_them():
    assert contents(SPAN.SerializeToString()) == [
        (5, LENGTH, b"chat"),
        (6, VARINT, b"\x03"),
        (7, FIXED64, b"\x07" + bytes(7)),
        (16, FIXED32, b"\x01\0\0\0"),
    ]


def test_what_stands_inside_a_group_is_passed_over():
    group = b"\x0b\x2a\x01x\x0c"  # field 1 as a group, with a field 5 in it
    assert contents(group + b"\x2a\x01y") == [(5, LENGTH, b"y")]


def test_an_unknown_wire_form_ends_the_walk():
    assert contents(b"\x2a\x01y\x2e\x2a\x01z") == [(5, LENGTH, b"y")]


@pytest.mark.parametrize(
    ("number", "written"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02")]
)
def test_a_varint_has_seven_bits_a_byte(number, written):
    assert varint(number).hex() == written


def test_the_same_content_leaves_the_same_object():
    message = SPAN.SerializeToString()
    assert replaced(message, lambda _, content: content) is message


def test_a_longer_content_stands_behind_its_length():
    message = replaced(SPAN.SerializeToString(), lambda _field, _content: b"x" * 200)
    assert Span.FromString(message) == Span(
        name="x" * 200, kind=Span.SPAN_KIND_CLIENT, start_time_unix_nano=7, flags=1
    )


def test_none_takes_the_field_out():
    message = replaced(SPAN.SerializeToString(), lambda _field, _content: None)
    assert not Span.FromString(message).name
    assert Span.FromString(message).flags == 1


def test_fields_before_between_and_behind_stay_as_they_were():
    message = b"\x10\x05" + b"\x0a\x01a" + b"\x10\x85\x00" + b"\x8a\x00\x01b" + b"\x10\x07"
    changed = replaced(message, lambda _field, content: content.upper() if content else content)
    assert changed == b"\x10\x05" + b"\x0a\x01A" + b"\x10\x85\x00" + b"\x8a\x00\x01B" + b"\x10\x07"
