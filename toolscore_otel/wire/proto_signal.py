"""Spans, log records or metrics? In protobuf their requests look alike, down to the items themselves.

The items tell by which fields they have in which wire form. No mark below means two things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto

from toolscore_otel.wire.fields import SPAN_ID_BYTES, TRACE_ID_BYTES

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_MORE = 0x80
"""Bit of a varint's byte: another one follows."""

_SPAN_MARKS = {(6, _VARINT), (7, _FIXED64), (8, _FIXED64), (15, _LENGTH), (16, _FIXED32)}
"""kind, start, end, status, flags."""

_LOG_MARKS = {
    (1, _FIXED64),
    (2, _VARINT),
    (6, _LENGTH),
    (7, _VARINT),
    (8, _FIXED32),
    (11, _FIXED64),
}
"""time, severity, attributes, dropped attributes, flags, observed time."""


class Signal(Enum):
    """What the items of a request are."""

    SPANS = auto()
    LOGS = auto()
    METRICS = auto()


def signal_of(items: Iterable[bytes]) -> Signal:
    """What these items are: the first that says so decides; spans where none does.

    Args:
        items: serialised `Span`s, `LogRecord`s or `Metric`s of one scope.
    """
    for item in items:
        found = _signal(item)
        if found is not None:
            return found
    return Signal.SPANS


def _signal(item: bytes) -> Signal | None:
    sizes: dict[int, int] = {}
    for number, form, size in _fields(item):
        if (number, form) in _SPAN_MARKS:
            return Signal.SPANS
        if (number, form) in _LOG_MARKS:
            return Signal.LOGS
        sizes[number] = size
    if 1 not in sizes:
        return Signal.LOGS if item else None
    is_span = (sizes[1], sizes.get(2)) == (TRACE_ID_BYTES, SPAN_ID_BYTES)
    return Signal.SPANS if is_span else Signal.METRICS  # ids, or a name and a description


def _fields(message: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, wire form and size of each field, up to the first that is broken."""
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        form = tag & 7
        if form == _LENGTH:
            size, position = _varint(message, position)
        elif form == _VARINT:
            _, end = _varint(message, position)
            size = end - position
        elif form in (_FIXED64, _FIXED32):
            size = 8 if form == _FIXED64 else 4
        else:
            return
        yield tag >> 3, form, size
        position += size


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    for at in range(position, len(message)):
        value |= (message[at] & 0x7F) << shift
        shift += 7
        if not message[at] & _MORE:
            return value, at + 1
    return value, len(message)
