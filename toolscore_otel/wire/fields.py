"""What JSON and protobuf share: the closed lists of OTLP, and what makes a field unreadable."""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.model import Json, SpanKind, SpanStatus

MAX_DEPTH = 100
"""Deepest nesting of arrays and kvlists inside one value; what is deeper is replaced by None and counted."""

TRACE_ID_BYTES = 16
SPAN_ID_BYTES = 8

_KINDS = tuple(SpanKind)
_STATUSES = tuple(SpanStatus)


class Unreadable(Exception):  # noqa: N818 - says what is wrong with the data
    """A request, a span, a log record or a value has another shape than OTLP's; nothing of its content is repeated."""


def span_kind(number: int) -> SpanKind:
    """The kind of that number; unspecified for one that no version of OTLP knows."""
    return _KINDS[number] if 0 <= number < len(_KINDS) else SpanKind.UNSPECIFIED


def span_status(number: int) -> SpanStatus:
    """The status of that code; unset for one that no version of OTLP knows."""
    return _STATUSES[number] if 0 <= number < len(_STATUSES) else SpanStatus.UNSET


def event_name(field: str, attributes: Mapping[str, Json]) -> str | None:
    """The name of an event record: its field, else the attribute that stood for it before there was one."""
    name = field or attributes.get("event.name")
    return name if isinstance(name, str) and name else None
