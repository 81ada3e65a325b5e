"""Spans and log records, as recorded, free of any telemetry library."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from toolscore_otel.model.data import EMPTY, Json


class Resource(Struct, frozen=True, dict=True):
    """Who sent a span. All spans of a group share one, and each is asked for the same.

    Attributes:
        attributes: as recorded.
    """

    attributes: Mapping[str, Json] = EMPTY

    @cached_property
    def service(self) -> str | None:
        """`service.name`, or None where it is absent or no text."""
        return _text(self.attributes.get("service.name"))

    @cached_property
    def environment(self) -> str | None:
        """`deployment.environment.name`, else its older name."""
        for key in ("deployment.environment.name", "deployment.environment"):
            if (value := _text(self.attributes.get(key))) is not None:
                return value
        return None


class InstrumentationScope(Struct, frozen=True):
    """Which instrumentation wrote a span."""

    name: str = ""
    version: str = ""


class SpanEvent(Struct, frozen=True):
    """One event of a span."""

    name: str
    time_ns: int | None = None
    attributes: Mapping[str, Json] = EMPTY


class Link(Struct, frozen=True):
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Json] = EMPTY


class SpanKind(StrEnum):
    """OTLP span kinds."""

    UNSPECIFIED = "unspecified"
    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"
    PRODUCER = "producer"
    CONSUMER = "consumer"


class SpanStatus(StrEnum):
    """OTLP status codes."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


class Span(Struct, frozen=True, kw_only=True):
    """One finished span, as recorded.

    Attributes:
        trace_id: 32 hex digits.
        span_id: 16 hex digits.
        parent_span_id: None for a root.
        start_ns: None where it was not recorded (0 on the wire).
        end_ns: None where it was not recorded: the span had not ended.
        attributes: flat, values as JSON values; structured values stay structured.
        dropped_attributes: how many attributes the SDK dropped at its limit.
        trace_state: W3C trace state, as text.
    """

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    name: str = ""
    kind: SpanKind = SpanKind.UNSPECIFIED
    start_ns: int | None = None
    end_ns: int | None = None
    attributes: Mapping[str, Json] = EMPTY
    events: tuple[SpanEvent, ...] = ()
    links: tuple[Link, ...] = ()
    status: SpanStatus = SpanStatus.UNSET
    status_message: str = ""
    resource: Resource = Resource()
    scope: InstrumentationScope = InstrumentationScope()
    dropped_attributes: int = 0
    trace_state: str = ""


class LogRecord(Struct, frozen=True, kw_only=True):
    """One log record, as recorded.

    Attributes:
        trace_id: None where the record stands in no trace.
        event_name: the field, else the attribute `event.name`, else None.
        time_ns: when it happened, else when it was observed; None where neither was recorded.
        severity_text: what its sender calls the severity; empty where it says nothing.
        body: a JSON value.
    """

    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None
    time_ns: int | None = None
    severity_number: int = 0
    severity_text: str = ""
    body: Json = None
    attributes: Mapping[str, Json] = EMPTY
    resource: Resource = Resource()
    scope: InstrumentationScope = InstrumentationScope()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
