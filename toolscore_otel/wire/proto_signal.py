"""Spans, log records or metrics? In protobuf their requests look alike, down to the items themselves.

The items tell by which fields they have in which wire form. No mark below means two things.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from toolscore_otel.wire.fields import SPAN_ID_BYTES, TRACE_ID_BYTES
from toolscore_otel.wire.proto_fields import FIXED32, FIXED64, LENGTH, VARINT, fields

_SPAN_MARKS = {(6, VARINT), (7, FIXED64), (8, FIXED64), (15, LENGTH), (16, FIXED32)}
"""kind, start, end, status, flags."""

_LOG_MARKS = {
    (1, FIXED64),
    (2, VARINT),
    (6, LENGTH),
    (7, VARINT),
    (8, FIXED32),
    (11, FIXED64),
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
    for field in fields(item):
        if (field.number, field.form) in _SPAN_MARKS:
            return Signal.SPANS
        if (field.number, field.form) in _LOG_MARKS:
            return Signal.LOGS
        sizes[field.number] = field.end - field.start
    if 1 not in sizes:
        return Signal.LOGS if item else None
    is_span = (sizes[1], sizes.get(2)) == (TRACE_ID_BYTES, SPAN_ID_BYTES)
    return Signal.SPANS if is_span else Signal.METRICS  # ids, or a name and a description
