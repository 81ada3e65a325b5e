"""Spans of many traces in, calls and closed trajectories out. Memory is bounded, and time is an argument.

OTLP never says that a trace is over. A trajectory is closed when its root has ended and settled, when it was silent or
open too long, when too many are open, or when the caller ends it; which of these is recorded. A span that comes later
re-opens it, as long as it is remembered. Nothing is dropped without a counter.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct, structs

from toolscore_otel.assembly.across import Across
from toolscore_otel.assembly.call import assemble
from toolscore_otel.assembly.change import CallChange
from toolscore_otel.assembly.elsewhere import Elsewhere, may_have_twin, of_twin
from toolscore_otel.assembly.journal import Journal, Taken
from toolscore_otel.assembly.limits import Limits, counters
from toolscore_otel.assembly.node import Place, nodes_of
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.assembly.trajectory import trajectory
from toolscore_otel.conventions import read, read_log
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import EMPTY, ClosedBy, Gap, LogRecord, Span, ToolCall, Trajectory


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
        others: changes of calls of other traces that tell of the same ones.
        twins: what turned out to be true of other places that tell of the same call: `add` each of them.
    """

    trace_id: str
    changes: tuple[CallChange, ...] = ()
    closed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    twins: tuple[tuple[Place, SpanReading], ...] = ()
    others: Mapping[str, Sequence[CallChange]] = EMPTY


Item = tuple[Place, SpanReading | None]
"""A place, and what was said there; None: nothing, and only the place matters."""

Hear = Callable[[Span | LogRecord, SpanReading | None], SpanReading | None]
"""A reading with what was found in the messages of its span or log record (`SpanReading.heard`)."""


def placed(
    item: Span | LogRecord, asked: Collection[str] = (), hear: Hear | None = None
) -> Item | None:
    """What a span or log record says, with its place; None for a log record without one, or that says nothing.

    Args:
        item: from `wire`.
        asked: names of attributes that its place is to carry.
        hear: looks through its messages; None: nobody asks what stands there.
    """
    reading = read(item) if isinstance(item, Span) else read_log(item)
    if hear is not None:
        reading = hear(item, reading)
    if isinstance(item, Span):
        return Place.of_span(item, asked), reading
    place = Place.of_log(item, reading, asked) if reading is not None else None
    return None if place is None else (place, reading)


def placed_all(
    items: Iterable[Span | LogRecord], asked: Collection[str] = (), hear: Hear | None = None
) -> dict[str, list[Item]]:
    """What spans and log records say, as `placed`: by trace, in order."""
    traces: dict[str, list[Item]] = {}
    for item in items:
        if (found := placed(item, asked, hear)) is not None:
            traces.setdefault(found[0].trace_id, []).append(found)
    return traces


class Assembler:
    """Joins spans into calls and calls into trajectories.

    Attributes:
        counters: what was seen and what caps were reached (`limits.COUNTERS`).
        journal: keeps what was taken in; None: nothing does.
        scenario: test scenario of trajectories that name none.
        keeps_offers: whether calls are told the schemas that their traces record.
        hears: whether rules ask what stands in messages.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.counters: Counter[str] = counters()
        self.journal: Journal | None = None
        self.scenario: str | None = None
        self.keeps_offers = False
        self.hears = False
        self._elsewhere = Elsewhere(self.counters)
        self._across = Across(self.counters)
        self._open: OrderedDict[str, _Held] = OrderedDict()
        self._closed: OrderedDict[str, _Held] = OrderedDict()

    def feed(self, item: Span | LogRecord, now: int) -> Fed:
        """Take in one span or log record.

        Args:
            item: from `wire`.
            now: nanoseconds; only compared with other values of `now`.

        Returns:
            With an empty trace id for a log record that says nothing, or that has no place.
        """
        found = placed(item)
        if found is None:
            return Fed("")
        fed = self.add(*found, now)
        for twin in fed.twins:
            self.add(*twin, now)
        return fed

    def feed_all(self, items: Iterable[Span | LogRecord], now: int) -> None:
        """Take in what came at one time; as `feed` of each, but every call is built once.

        Args:
            items: from `wire`, of any traces.
            now: nanoseconds; only compared with other values of `now`.
        """
        for trace_id, of_trace in placed_all(items).items():
            for twin in self.add_all(trace_id, of_trace, now).twins:
                self.add(*twin, now)

    def add(self, place: Place, reading: SpanReading | None, now: int) -> Fed:
        """Take in what a span, a message or a log record said.

        Args:
            place: where it stood.
            reading: None: it says nothing, and only its place matters.
            now: nanoseconds; only compared with other values of `now`.
        """
        return self.add_all(place.trace_id, ((place, reading),), now)

    def add_all(self, trace_id: str, items: Iterable[Item], now: int) -> Fed:
        """Take in what came at one time of one trace; calls are built once for all of it.

        Args:
            trace_id: of all of them.
            items: places, and what was said there, as for `add`.
            now: nanoseconds; only compared with other values of `now`.
        """
        held, closed, forgotten = self._touch(trace_id, now)
        alone: list[CallChange] = []
        twins: list[tuple[Place, SpanReading]] = []
        fed = 0
        for place, told in items:
            fed += told is None or not (told.is_twin or told.logged)
            reading = told
            if told is not None and may_have_twin(told):
                reading = of_twin(told) if self._elsewhere.is_twin(place, told) else told
                twins += self._elsewhere.twins(place, told)
            if reading is not None and reading.offer is not None and not self.keeps_offers:
                reading = structs.replace(reading, offer=None)
            if place.parent is None and place.is_ended_root:
                held.root_ended = now
            self._take_in(held, place, reading, alone, now)
        self.counters["spans"] += fed
        found = self._across.take(trace_id, held.trace.settle(), held.trace)
        changes = (*found.pop(trace_id), *alone)
        news = tuple(twin for twin in twins if self._is_news(*twin))
        return Fed(trace_id, changes, closed, forgotten, news, found)

    def _is_news(self, place: Place, reading: SpanReading) -> bool:
        return place.trace_id in self and not self.trace(place.trace_id).knows(place, reading)

    def touch(self, trace_id: str, changes: Sequence[CallChange], now: int) -> Fed:
        """Go on with a trace of which another one has changed calls (`Fed.others`)."""
        _, closed, forgotten = self._touch(trace_id, now)
        return Fed(trace_id, tuple(changes), closed, forgotten)

    def _take_in(
        self,
        held: _Held,
        place: Place,
        reading: SpanReading | None,
        alone: list[CallChange],
        now: int,
    ) -> None:
        known = self.counters["duplicates"]
        brief, there = reading, held.trace.placed
        if self.journal is not None and reading is not None:
            brief = held.trace.offers.brief(reading)
        if place.id in there or len(there) < self.limits.spans_per_trajectory:
            held.trace.take_in(place, reading)
        else:
            self.counters["span_limit"] += 1
            held.gaps.add(Gap.SPAN_LIMIT)
            others = list(self._alone(held, place, reading))
            alone += others
            if not others:
                return
        if self.journal is not None and self.counters["duplicates"] == known:
            self.journal.note(place.trace_id, Taken(place, brief, now))

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
            self.close_one(oldest, ClosedBy.EVICTED)
            closed.append(oldest)
        return held, tuple(closed), forgotten

    def _opened(self, trace_id: str, now: int) -> _Held:
        held = self._closed.pop(trace_id, None)
        if held is None:
            trace = TraceAssembly(self.counters)
            trace.hearing.is_asked = self.hears
            return _Held(trace, first=now, last=now)
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
            self.close_one(trace_id, why)
        return [trace_id for trace_id, _ in due]

    def close(self, by: ClosedBy) -> list[str]:
        """Close everything; returns the trace ids that were closed."""
        all_open = list(self._open)
        for trace_id in all_open:
            self.close_one(trace_id, by)
        return all_open

    def resume(self, now: int) -> None:
        """Go on after a while in which nothing could come: no open trajectory was silent then."""
        for held in self._open.values():
            held.last = now

    def unload(self, keep: int) -> list[str]:
        """Let go of closed trajectories that are kept elsewhere, the oldest first; returns their trace ids.

        Args:
            keep: how many stay.
        """
        gone = list(self._closed)[: max(0, len(self._closed) - keep)]
        for trace_id in gone:
            self._drop(trace_id)
        return gone

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

    def close_one(self, trace_id: str, by: ClosedBy) -> None:
        """Close one trajectory.

        Raises:
            KeyError: it is not open.
        """
        held = self._open.pop(trace_id)
        held.closed_by = by
        self._closed[trace_id] = held
        if self.journal is not None:
            self.journal.note(trace_id, by)

    def _forget(self) -> tuple[str, ...]:
        gone: list[str] = []
        while len(self._closed) > self.limits.closed_trajectories:
            trace_id = next(iter(self._closed))
            self._drop(trace_id)
            self.counters["forgotten"] += 1
            gone.append(trace_id)
        return tuple(gone)

    def _drop(self, trace_id: str) -> None:
        del self._closed[trace_id]
        self._across.forget(trace_id)

    def __contains__(self, trace_id: str) -> bool:
        return trace_id in self._open or trace_id in self._closed

    def trajectory(self, trace_id: str) -> Trajectory:
        """A trajectory as it stands.

        Raises:
            KeyError: it is not known, or was forgotten.
        """
        held = self._open.get(trace_id) or self._closed[trace_id]
        told = trajectory(
            held.trace,
            tuple(held.alone.values()),
            trace_id=trace_id,
            closed_by=held.closed_by,
            gaps=held.gaps,
        )
        return told if told.scenario else structs.replace(told, scenario=self.scenario)

    def trace(self, trace_id: str) -> TraceAssembly:
        """What is known of one trace.

        Raises:
            KeyError: it is not known, or was forgotten.
        """
        return (self._open.get(trace_id) or self._closed[trace_id]).trace

    def trace_ids(self) -> Iterable[str]:
        """All that are remembered, closed ones first."""
        return (*self._closed, *self._open)

    def is_open(self, trace_id: str) -> bool:
        """Whether it is open."""
        return trace_id in self._open

    def open_ids(self) -> tuple[str, ...]:
        """Trace ids of those that are open, the one that was silent longest first."""
        return tuple(self._open)

    @property
    def open_trajectories(self) -> int:
        """How many are open."""
        return len(self._open)
