"""Spans made by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from toolscore_otel.conventions import read
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import (
    InstrumentationScope,
    Resource,
    Span,
    SpanEvent,
    SpanKind,
    SpanStatus,
)

MakeSpan = Callable[..., Span]


@pytest.fixture
def make_span() -> MakeSpan:
    """A span that took one second; attributes first, everything else by name."""

    def make(
        attributes: dict[str, Any] | None = None,
        *,
        name: str = "span",
        kind: str = "internal",
        scope: str = "",
        status: str = "unset",
        status_message: str = "",
        events: tuple[tuple[str, dict[str, Any]], ...] = (),
        end_ns: int | None = 2_000_000_000,
        dropped_attributes: int = 0,
        resource: dict[str, Any] | None = None,
    ) -> Span:
        return Span(
            trace_id="a" * 32,
            span_id="b" * 16,
            name=name,
            kind=SpanKind(kind),
            start_ns=1_000_000_000,
            end_ns=end_ns,
            attributes=attributes or {},
            events=tuple(SpanEvent(title, None, fields) for title, fields in events),
            status=SpanStatus(status),
            status_message=status_message,
            resource=Resource(resource or {}),
            scope=InstrumentationScope(scope),
            dropped_attributes=dropped_attributes,
        )

    return make


@pytest.fixture
def read_span(make_span: MakeSpan) -> Callable[..., SpanReading | None]:
    """What all readers together say of a span made from the same arguments."""
    return lambda *args, **kwargs: read(make_span(*args, **kwargs))


@pytest.fixture
def read_call(make_span: MakeSpan) -> Callable[..., CallReading]:
    """The one call that a span made from the same arguments tells of."""

    def call(*args: Any, **kwargs: Any) -> CallReading:
        reading = read(make_span(*args, **kwargs))
        assert reading is not None
        (only,) = reading.calls
        return only

    return call
