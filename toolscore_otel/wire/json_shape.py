"""OTLP/JSON spans in the shape that nearly every exporter writes: read straight into it, in half the time of plain values.

A text of another form is no error here: it is read as plain values then (`json_text`), and what it lacks is found there.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from toolscore_otel.model import Json
from toolscore_otel.wire.fields import Unreadable

Number = int | float | str | None
"""64-bit numbers come as text or as numbers, enums as numbers or names."""


class Pair(Struct, gc=False):
    """An attribute, with its `AnyValue` as it stands."""

    key: str | None = None
    value: Json = None


class RawStatus(Struct, gc=False):
    """How a span ended."""

    code: Number = None
    message: str | None = None


class RawSpan(Struct, gc=False, rename="camel"):
    """A span; events and links, which few have, as they stand."""

    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    trace_state: str | None = None
    name: str | None = None
    kind: Number = None
    start_time_unix_nano: Number = None
    end_time_unix_nano: Number = None
    attributes: list[Pair] | None = None
    events: list[Json] | None = None
    links: list[Json] | None = None
    status: RawStatus | None = None
    dropped_attributes_count: Number = None


class ScopeSpans(Struct, gc=False):
    """The spans of one instrumentation."""

    scope: Json = None
    spans: list[RawSpan] | None = None


class ResourceSpans(Struct, gc=False, rename="camel"):
    """The spans of one sender."""

    resource: Json = None
    scope_spans: list[ScopeSpans] | None = None


class _Request(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    """A request of spans and nothing else."""

    resource_spans: list[ResourceSpans]


_DECODER = msgspec.json.Decoder(_Request)


def spans_in(text: bytes) -> list[ResourceSpans] | None:
    """The spans of the one request that a text holds; None where it holds anything else, or all is not as it should be."""
    try:
        if not text.isascii():
            text.decode()  # the decoder does not look into what it passes over
        return _DECODER.decode(text).resource_spans
    except (ValueError, RecursionError):
        return None


def raw_span(value: Json) -> RawSpan:
    """A span that was read as a plain value."""
    try:
        return msgspec.convert(value, RawSpan)
    except ValueError as error:
        raise Unreadable from error
