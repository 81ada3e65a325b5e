"""Spans of many traces in, calls and closed trajectories out. Memory is bounded, and time is an argument.

OTLP never says that a trace is over. A trajectory is closed when its root has ended and settled, when it was silent or
open too long, when too many are open, or when the caller ends it; which of these is recorded. A span that comes later
re-opens it, as long as it is remembered. Nothing is dropped without a counter.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct, structs

from toolscore_otel.assembly.call import assemble
from toolscore_otel.assembly.limits import Limits, counters
from toolscore_otel.assembly.node import Place, nodes_of
from toolscore_otel.assembly.trace import CallChange, TraceAssembly
from toolscore_otel.assembly.trajectory import trajectory
from toolscore_otel.conventions import read
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import ClosedBy, Gap, Span, ToolCall, Trajectory


@dataclass(slots=True)
class _Held:
    """One trace and its clock, in nanoseconds of `now`."""

    trace: TraceAssembly
    first: int
    last: int
    root_ended: int | None = None
    closed_by: ClosedBy | None = None
    gaps: set[Gap] = field(default_factory=set[Gap])
    alone: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])


class Fed(Struct, frozen=True):
    """What one span brought.

    Attributes:
        trace_id: of the span.
        changes: of calls.
        closed: trajectories that had to be closed to make room.
        forgotten: trace ids that are no longer remembered.
    """

    trace_id: str
    changes: tuple[CallChange, ...] = ()
    closed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()


class Assembler:
    """Joins spans into calls and calls into trajectories.

    Attributes:
        counters: what was seen and what caps were reached (`limits.COUNTERS`).
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.counters: Counter[str] = counters()
        self._open: OrderedDict[str, _Held] = OrderedDict()
        self._closed: OrderedDict[str, _Held] = OrderedDict()

    def feed(self, span: Span, now: int) -> Fed:
        """Take in one span.

        Args:
            span: from `wire`.
            now: nanoseconds; only compared with other values of `now`.
        """
        return self.add(Place.of_span(span), read(span), now)

    def add(self, place: Place, reading: SpanReading | None, now: int) -> Fed:
        """Take in what a span, a message or a log record said.

        Args:
            place: where it stood.
            reading: None: it says nothing, and only its place matters.
            now: nanoseconds; only compared with other values of `now`.
        """
        self.counters["spans"] += 1
        held, closed, forgotten = self._touch(place.trace_id, now)
        if place.is_ended_root:
            held.root_ended = now
        changes = self._place(held, place, reading)
        return Fed(place.trace_id, tuple(changes), closed, forgotten)

    def _place(self, held: _Held, place: Place, reading: SpanReading | None) -> list[CallChange]:
        if place.id in held.trace or len(held.trace) < self.limits.spans_per_trajectory:
            return held.trace.add(place, reading)
        self.counters["span_limit"] += 1
        held.gaps.add(Gap.SPAN_LIMIT)
        return list(self._alone(held, place, reading))

    def _alone(
        self, held: _Held, place: Place, reading: SpanReading | None
    ) -> Iterator[CallChange]:
        """Past the cap: calls for themselves, not joined and not placed."""
        for node in nodes_of(place, reading or SpanReading()):
            key = node.place.id
            if node.call is None or key in held.alone:
                continue
            call = assemble([node])
            gaps = tuple(sorted({*call.gaps, Gap.SPAN_LIMIT}))
            call = structs.replace(call, key=key, gaps=gaps)
            self.counters["calls"] += 1
            if len(held.alone) < self.limits.spans_per_trajectory:
                held.alone[key] = call
            yield CallChange(None, call, alone=True)

    def _touch(self, trace_id: str, now: int) -> tuple[_Held, tuple[str, ...], tuple[str, ...]]:
        held = self._open.get(trace_id)
        if held is not None:
            held.last = now
            self._open.move_to_end(trace_id)
            return held, (), ()
        held = self._open[trace_id] = self._opened(trace_id, now)
        forgotten = (
            self._forget()
        )  # before more are closed: what is said to be closed can be asked for
        closed: list[str] = []
        while len(self._open) > self.limits.open_trajectories:
            oldest = next(iter(self._open))
            self.counters["evicted"] += 1
            self._close(oldest, ClosedBy.EVICTED)
            closed.append(oldest)
        return held, tuple(closed), forgotten

    def _opened(self, trace_id: str, now: int) -> _Held:
        held = self._closed.pop(trace_id, None)
        if held is None:
            return _Held(TraceAssembly(self.counters), first=now, last=now)
        self.counters["late"] += 1
        if held.closed_by is ClosedBy.EVICTED:
            held.gaps.add(Gap.REOPENED_AFTER_EVICTION)
        held.first = held.last = now
        held.closed_by = None
        return held

    def tick(self, now: int) -> list[str]:
        """Close what is due; returns the trace ids that were closed."""
        due = [
            (trace_id, why)
            for trace_id, held in self._open.items()
            if (why := self._due(held, now))
        ]
        for trace_id, why in due:
            self._close(trace_id, why)
        return [trace_id for trace_id, _ in due]

    def close(self, by: ClosedBy) -> list[str]:
        """Close everything; returns the trace ids that were closed."""
        all_open = list(self._open)
        for trace_id in all_open:
            self._close(trace_id, by)
        return all_open

    def _due(self, held: _Held, now: int) -> ClosedBy | None:
        if (
            held.root_ended is not None
            and now - max(held.root_ended, held.last) >= self.limits.settle_ns
        ):
            return ClosedBy.ROOT_ENDED
        if now - held.last >= self.limits.idle_ns:
            return ClosedBy.IDLE
        if now - held.first >= self.limits.max_age_ns:
            return ClosedBy.MAX_AGE
        return None

    def _close(self, trace_id: str, by: ClosedBy) -> None:
        held = self._open.pop(trace_id)
        held.closed_by = by
        self._closed[trace_id] = held

    def _forget(self) -> tuple[str, ...]:
        gone: list[str] = []
        while len(self._closed) > self.limits.closed_trajectories:
            trace_id, _ = self._closed.popitem(last=False)
            self.counters["forgotten"] += 1
            gone.append(trace_id)
        return tuple(gone)

    def trajectory(self, trace_id: str) -> Trajectory:
        """A trajectory as it stands.

        Raises:
            KeyError: it is not known, or was forgotten.
        """
        held = self._open.get(trace_id) or self._closed[trace_id]
        return trajectory(
            held.trace,
            tuple(held.alone.values()),
            trace_id=trace_id,
            closed_by=held.closed_by,
            gaps=held.gaps,
        )

    def trace(self, trace_id: str) -> TraceAssembly:
        """What is known of one trace.

        Raises:
            KeyError: it is not known, or was forgotten.
        """
        return (self._open.get(trace_id) or self._closed[trace_id]).trace

    def trace_ids(self) -> Iterable[str]:
        """All that are remembered, closed ones first."""
        return (*self._closed, *self._open)

    @property
    def open_trajectories(self) -> int:
        """How many are open."""
        return len(self._open)
