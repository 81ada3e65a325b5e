"""Spans that say nothing of agents or tools, kept until it is clear whether their trace has any.

Between an agent and its tool stand spans of all sorts: without them nobody could tell whose call it is. Most of an
application's traces have neither, and their spans must cost next to nothing: one dictionary look-up and one append,
both atomic, without a lock.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from toolscore_otel.model import Span
from toolscore_otel.wire.sdk import SdkReader, span_id, trace_id

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

TRACES = 1_000
"""Of how many traces spans are kept; past it the oldest trace's go."""

SPANS = 1_000
"""How many of one trace are kept; past it none is added."""

Kept = tuple[Any, Any, int | None, int | None, Any]
"""Context, parent's context, start, end, resource."""


class PlainSpans:
    """What is kept, by trace.

    Args:
        counters: `plain_spans_dropped` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._traces: dict[int, list[Kept]] = {}

    def keep(self, span: ReadableSpan) -> None:
        """Keep a span that has ended."""
        context: Any = span.context
        kept = self._traces.setdefault(context.trace_id, [])
        if len(kept) < SPANS:
            kept.append((context, span.parent, span.start_time, span.end_time, span.resource))
        else:
            self._counters["plain_spans_dropped"] += 1
        if len(self._traces) > TRACES:
            self._drop_oldest()

    def take(self, trace: int, reader: SdkReader) -> list[Span]:
        """What is kept of a trace, to be fed; it is kept no longer."""
        return [_bare(kept, reader) for kept in self._traces.pop(trace, ())]

    def forget(self, trace: int) -> None:
        """The trace is over, and had nothing of interest."""
        self._traces.pop(trace, None)

    def clear(self) -> None:
        """Forget all."""
        self._traces.clear()

    def _drop_oldest(self) -> None:
        try:
            gone = self._traces.pop(next(iter(self._traces)))
        except (KeyError, StopIteration, RuntimeError):  # another thread was quicker
            return
        self._counters["plain_spans_dropped"] += len(gone)


def _bare(kept: Kept, reader: SdkReader) -> Span:
    context, parent, start, end, resource = kept
    return Span(
        trace_id=trace_id(context.trace_id),
        span_id=span_id(context.span_id),
        parent_span_id=span_id(parent.span_id) if parent is not None else None,
        start_ns=start or None,
        end_ns=end or None,
        resource=reader.resource(resource),
    )
