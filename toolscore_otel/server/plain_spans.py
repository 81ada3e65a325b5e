"""Spans that say nothing of agents or tools, kept until it is clear whether their trace has any.

Between an agent and its tool stand spans of all sorts: without them nobody could tell whose call it is. Most traces that
pass through a pipeline have neither agents nor tools: of these nothing may be opened, and nothing kept for long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from toolscore_otel.assembly import Place

TRACES = 20_000
"""Of how many traces places are kept; past it the oldest trace's go."""

PLACES = 300_000
"""How many are kept of all traces together, about 450 bytes each; past it the oldest trace's go."""

SPANS = 1_000
"""How many of one trace are kept; past it none is added."""


class PlainSpans:
    """The places of spans, by trace.

    Args:
        counters: `plain_spans_dropped` counts what went past a cap.
        kept: those of before a restart.
    """

    def __init__(self, counters: Counter[str], kept: Iterable[Place] = ()) -> None:
        self._counters = counters
        self._traces: dict[str, list[Place]] = {}
        self._new: dict[str, list[Place]] = {}
        self._gone: list[str] = []
        self._places = 0
        for place in kept:
            self._traces.setdefault(place.trace_id, []).append(place)
            self._places += 1

    def keep(self, place: Place) -> None:
        """Keep where a span stood."""
        kept = self._traces.setdefault(place.trace_id, [])
        if len(kept) < SPANS:
            kept.append(place)
            self._places += 1
            self._new.setdefault(place.trace_id, []).append(place)
        else:
            self._counters["plain_spans_dropped"] += 1
        while len(self._traces) > TRACES or self._places > PLACES:
            gone = self.take(next(iter(self._traces)))
            self._counters["plain_spans_dropped"] += len(gone)

    def take(self, trace_id: str) -> list[Place]:
        """What is kept of a trace, to be fed; it is kept no longer."""
        kept = self._traces.pop(trace_id, [])
        self._places -= len(kept)
        if kept:
            self._new.pop(trace_id, None)
            self._gone.append(trace_id)
        return kept

    def take_changed(self) -> tuple[Mapping[str, Sequence[Place]], Sequence[str]]:
        """What was added since this was last asked, and the traces of which nothing is kept any longer."""
        changed = self._new, self._gone
        self._new, self._gone = {}, []
        return changed
