"""The first bytes of a file -> what it is."""

from __future__ import annotations

import codecs
import re
from enum import Enum, auto

HEAD_BYTES = 512
"""How much of a file is looked at."""

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

EXPECTED = "Give OTLP as JSON, as JSON lines (what the Collector's file exporter writes), as protobuf, or gzip of these."

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FIRST_TAG = 0x0A
"""Of every OTLP request in protobuf: field 1, with a length. It is also a line feed."""

_LENGTH_BYTES = 4

_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"BZh", "bzip2: unpack it first"),
    (b"\xfd7zXZ", "xz: unpack it first"),
    (ZSTD, "zstd: unpack it first"),
    (GZIP, "gzip inside gzip: unpack it once"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (codecs.BOM_UTF16_LE, "UTF-16 text: save it as UTF-8"),
    (codecs.BOM_UTF16_BE, "UTF-16 text: save it as UTF-8"),
)


class Format(Enum):
    """A way to write OTLP into a file."""

    JSON = auto()
    PROTOBUF = auto()
    FRAMES = auto()
    """Protobuf requests, each behind its length in four bytes, most significant first."""


def sniff(head: bytes) -> Format | None:
    """The format that these first bytes belong to; None for none.

    Args:
        head: `HEAD_BYTES` of the file, or all where it has fewer; unpacked, and without a byte order mark.
    """
    if _begins_json(head):
        return Format.JSON
    if is_text(head):
        return None
    if head[0] == _FIRST_TAG:
        return Format.PROTOBUF
    after_length = head[_LENGTH_BYTES : _LENGTH_BYTES + 1]
    if head[0] < _FIRST_TAG and after_length in (bytes([_FIRST_TAG]), ZSTD[:1]):
        return Format.FRAMES
    return None


def describe(head: bytes) -> str:
    """What a file is that is no OTLP, in words; nothing of its content is repeated."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return "text without a JSON object" if is_text(head) else "data of an unknown format"


def is_text(head: bytes) -> bool:
    """Whether it is UTF-8 without control characters; the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(head)


def _begins_json(head: bytes) -> bool:
    first = head.lstrip()[:1]
    if head[:1] != first and _CONTROL.search(head):
        return False  # the line feed is a protobuf tag
    return first in (b"", b"{", b"[")
