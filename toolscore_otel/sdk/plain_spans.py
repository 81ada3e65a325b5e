"""Spans that say nothing of agents or tools, kept until it is clear whether their trace has any.

Between an agent and its tool stand spans of all sorts: without them nobody could tell whose call it is. Most of an
application's traces have neither, and their spans must cost next to nothing: one dictionary look-up and one append,
both atomic, without a lock.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from toolscore_otel.model import Resource, Span
from toolscore_otel.wire.sdk import span_id, trace_id

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

TRACES = 1_000
"""Of how many traces spans are kept; past it the oldest trace's go."""

ENDED = 100
"""Of how many traces they are kept after the root has ended, for what goes on behind it; past it the oldest's go."""

SPANS = 1_000
"""How many of one trace are kept; past it none is added."""

PARTS = 4
"""Of a span are kept: its id, its parent's (0 for none), start and end (0 where they are not known), one after the other.

Numbers in one flat list, since objects that are kept are looked at by every garbage collection.
"""


class PlainSpans:
    """What is kept, by trace.

    Args:
        counters: `plain_spans_dropped` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._most = PARTS * SPANS
        self._traces: dict[int, list[int]] = {}
        self._ended: deque[int] = deque()

    def keep(self, span: ReadableSpan) -> None:
        """Keep a span that has ended and is of no interest of its own.

        A trace whose root has ended is kept for a while: if it had nothing of interest so far, it rarely has later.
        """
        context: Any = span.context
        parent = span.parent
        trace = context.trace_id
        kept = self._traces.get(trace)
        if kept is None:
            kept = self._start(trace)
        if len(kept) < self._most:
            above = 0 if parent is None else parent.span_id
            kept += (context.span_id, above, span.start_time or 0, span.end_time or 0)
        else:
            self._counters["plain_spans_dropped"] += 1
        if parent is None or parent.is_remote:
            self._ended.append(trace)
            if len(self._ended) > ENDED:
                self._traces.pop(self._ended.popleft(), None)

    def _start(self, trace: int) -> list[int]:
        kept = self._traces.setdefault(trace, [])
        if len(self._traces) > TRACES:
            self._drop_oldest()
        return kept

    def take(self, trace: int, resource: Resource) -> list[Span]:
        """What is kept of a trace, to be fed; it is kept no longer.

        Args:
            trace: its id.
            resource: of all of them.
        """
        kept = self._traces.pop(trace, None)
        if kept is None:
            return []
        ours = trace_id(trace)
        return [
            Span(
                trace_id=ours,
                span_id=span_id(kept[at]),
                parent_span_id=span_id(kept[at + 1]) if kept[at + 1] else None,
                start_ns=kept[at + 2] or None,
                end_ns=kept[at + 3] or None,
                resource=resource,
            )
            for at in range(0, len(kept), PARTS)
        ]

    def _drop_oldest(self) -> None:
        try:
            gone = self._traces.pop(next(iter(self._traces)))
        except (KeyError, StopIteration, RuntimeError):  # another thread was quicker
            return
        self._counters["plain_spans_dropped"] += len(gone) // PARTS
