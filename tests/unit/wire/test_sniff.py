import gzip
import lzma

import pytest

from toolscore_otel.wire.sniff import Format, describe, is_text, sniff

PROTOBUF = b"\x0a\x2e\x12\x2c\x0a\x00\x12\x28\x0a\x10"


@pytest.mark.parametrize(
    "head", [b"", b"{", b"[", b"  \n{", b"\n\n\n", b'{"a":"\x01"}', b'\n{"a":1}']
)
def test_what_begins_like_json_is_json(head):
    assert sniff(head) is Format.JSON


def test_a_line_feed_may_be_a_protobuf_tag():
    assert sniff(PROTOBUF) is Format.PROTOBUF


@pytest.mark.parametrize("length", b"{[ \t\r\n")
def test_the_length_behind_the_tag_may_look_like_json(length):
    head = bytes([0x0A, length]) + PROTOBUF
    assert sniff(head) is Format.PROTOBUF
    assert sniff(head.replace(b"\x00", b"{")) is Format.PROTOBUF


@pytest.mark.parametrize("length", [b"\x00\x00\x00\x30", b"\x00\x00\x0a\x00", b"\x01\x00\x00\x00"])
def test_a_length_before_the_message_makes_frames(length):
    assert sniff(length + PROTOBUF) is Format.FRAMES
    assert sniff(length + b"\x28\xb5\x2f\xfd") is Format.FRAMES


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "a PNG image"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (gzip.compress(b"x", mtime=0), "gzip inside gzip: unpack it once"),
        (lzma.compress(b"x"), "xz: unpack it first"),
        (b"\x28\xb5\x2f\xfd\x24", "zstd: unpack it first"),
        ("{}".encode("utf-16"), "UTF-16 text: save it as UTF-8"),
        (b"hello", "text without a JSON object"),
        (b"\nhello", "text without a JSON object"),
        ("é".encode()[:1] + b"\x00", "data of an unknown format"),
        (b"\x00\x00\x00\x00", "data of an unknown format"),
    ],
)  # fmt: skip
def test_what_is_no_otlp_is_named(head, name):
    assert sniff(head) is None
    assert describe(head) == name


def test_text_may_be_cut_inside_a_character_and_holds_no_control_characters():
    assert is_text("naïve é".encode()[:-1])
    assert not is_text(b"a\x00b")
    assert not is_text(b"\xff")
