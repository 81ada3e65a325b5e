"""What happens to one export: read, judged, kept, and (inline) annotated, redacted and sent on.

An export is acknowledged when everything that it changed was kept and, inline, when the next hop acknowledged it: the
sender's queue is the only queue. What goes wrong over one span is that span's alone: it is passed on as it came.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import structs

from toolscore_otel.assembly import Place, placed
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import read
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.emit.redaction import Redaction
from toolscore_otel.errors import StateError
from toolscore_otel.model import ClosedBy, LogRecord
from toolscore_otel.server.annotating import Annotating, Found
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.judging import Arrived, Judging, Rules
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.room import density
from toolscore_otel.server.showing import shown
from toolscore_otel.server.state import State
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.marks import is_marked
from toolscore_otel.wire.metric_points import count_points
from toolscore_otel.wire.passing import LogsRequest, PassingSpan, TracesRequest

_LOG = logging.getLogger(__name__)

BUSY_S = 5.0
"""What a sender is told to wait when its export cannot be kept, in seconds."""

DROPPED = "toolscore.receiver.dropped"


class Sends(Protocol):
    """Sends an export on; as `NextHop.send`."""

    def __call__(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        """Send one export; never raises."""
        ...


class Pipeline:
    """Takes exports, from many threads.

    Args:
        rules: contracts and limits.
        state: keeps what an export changed.
        sums: behind the metrics.
        counting: of the server itself.
        send: inline: where exports go on to; None: a mirror.
        wake: told that findings wait to be delivered.
        clock: nanoseconds since the epoch.

    Raises:
        StateError: the state cannot be read.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        state: State | NoState,
        sums: Sums,
        counting: Counting,
        send: Sends | None = None,
        wake: Callable[[], None] = lambda: None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._lock = threading.Lock()
        self._state = state
        self._send = send
        self._wake = wake
        self._clock = clock
        self._counting = counting
        self._now = 0
        self._judging = Judging(rules, state, sums, self._time())
        self._annotating = self._make_annotating(rules)
        self._handlers = {
            Signal.TRACES: self._traces,
            Signal.LOGS: self._logs,
            Signal.METRICS: self._metrics,
        }
        for signal in Signal:
            counting.count(DROPPED, 0, signal=signal.value)
        self._commit()

    @property
    def began_ns(self) -> int:
        """Since when the sums count, in nanoseconds since the epoch."""
        return self._judging.began_ns

    @property
    def contracts(self) -> Sequence[Contract]:
        """In use."""
        return self._judging.rules.contracts

    def handle(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        """Take one export; returns when it may be acknowledged.

        Args:
            signal: what it holds.
            data: protobuf.
            headers: of the request, keys in lower case.
        """
        try:
            return self._handlers[signal](data, headers)
        except Unreadable as error:
            return Reply(
                outcome=Outcome.BAD, message=f"this is no OTLP export of {signal}: {error}"
            )
        except StateError as error:
            _LOG.error("an export could not be kept: %s", error)
            return Reply(
                outcome=Outcome.RETRY, message="what came could not be kept: try again", retry_after_s=BUSY_S
            )  # fmt: skip

    def tick(self) -> None:
        """Let time pass: close what is due, and hand on what waited."""
        with self._lock:
            self._judging.tick(self._time())
            self._safely_commit()

    def close(self) -> None:
        """End what is open, unless it goes on after a restart."""
        with self._lock:
            if isinstance(self._state, NoState):
                self._judging.close(ClosedBy.SHUTDOWN, self._time())
            self._safely_commit()

    def reload(self, contracts: Sequence[Contract]) -> None:
        """Judge what is new by these contracts from now on; what is open keeps those it began with.

        Raises:
            StateError: it cannot be kept; what was there stays in use.
        """
        old = self._judging.rules
        rules = structs.replace(old, contracts=contracts)
        with self._lock:
            self._state.use(contracts)
            self._judging.reload(rules)
            self._annotating = self._make_annotating(rules)
            self._safely_commit()

    def counters(self) -> Mapping[str, int]:
        """How often what happened, since the state began."""
        with self._lock:
            return self._judging.all_counters()

    def rule_errors(self) -> Mapping[str, int]:
        """Rules that raised, and how often."""
        with self._lock:
            return self._judging.rule_errors()

    @property
    def open_trajectories(self) -> int:
        """How many are open."""
        with self._lock:
            return self._judging.open_trajectories

    def debug(self) -> dict[str, list[dict[str, Any]]]:
        """Open trajectories, contracts and the last findings, for people; nothing of arguments or results."""
        with self._lock:
            return {part: self._clean(rows) for part, rows in shown(self._judging).items()}

    def _traces(self, data: bytes, headers: Mapping[str, str]) -> Reply:
        request = TracesRequest.of_bytes(data)
        count = len(request.spans)
        with self._lock:
            self._state.flush()
            now = self._time()
            weight = density(data)
            self._take(now, (self._arrived(span, weight) for span in request.spans))
            self._commit()
            found: Found = self._annotating.found(request.spans) if self._send else {}
        if self._send is None:
            return Reply(outcome=Outcome.OK, rejected=request.unacceptable, items=count)
        self._annotating.write(request, found)
        reply = self._send(Signal.TRACES, request.serialise(), headers)
        return structs.replace(reply, rejected=request.unacceptable, items=count)

    def _take(self, now: int, items: Iterable[Arrived | None]) -> None:
        """Trace by trace: each of its calls is built and judged once, however many spans of it came."""
        traces: dict[str, list[Arrived]] = {}
        for item in items:
            if item is not None:
                traces.setdefault(item.place.trace_id, []).append(item)
        for trace_id, arrived in traces.items():
            self._judging.take(trace_id, arrived, now)

    def _arrived(self, span: PassingSpan, weight: float) -> Arrived | None:
        if span.place is None:
            return None
        if span.is_marked:
            self._judging.counters["marked"] += 1
        elif span.is_of_interest:
            whole, asked = span.span(), self._judging.asked
            place = Place.of_span(whole, asked) if asked or whole.links else span.place
            reading = self._judging.listen(whole, read(whole))
            return Arrived(place, reading, int(weight * span.size_bytes))
        return Arrived(span.place)

    def _arrived_log(self, record: LogRecord, content_bytes: float) -> Arrived | None:
        judging = self._judging
        found = None if is_marked(record) else placed(record, judging.asked, judging.listen)
        return None if found is None else Arrived(*found, int(content_bytes))

    def _logs(self, data: bytes, headers: Mapping[str, str]) -> Reply:
        request = LogsRequest.of_bytes(data)
        count = len(request.records) + request.unacceptable
        with self._lock:
            self._state.flush()
            now = self._time()
            weight = density(data)
            sized = zip(request.records, request.sizes, strict=True)
            self._take(now, (self._arrived_log(record, weight * size) for record, size in sized))
            self._commit()
        if self._send is None:
            return Reply(outcome=Outcome.OK, rejected=request.unacceptable, items=count)
        reply = self._send(Signal.LOGS, self._annotating.clean_logs(data), headers)
        return structs.replace(reply, items=count)

    def _metrics(self, data: bytes, headers: Mapping[str, str]) -> Reply:
        count = count_points(data)
        if self._send is None:
            self._counting.count(DROPPED, count, signal=Signal.METRICS.value)
            return Reply(outcome=Outcome.OK, items=count)
        return structs.replace(self._send(Signal.METRICS, data, headers), items=count)

    def _commit(self) -> None:
        self._judging.make_room(self._now)
        batch = self._judging.taken()
        self._state.commit(batch)
        self._judging.unload()
        if batch.deliveries:
            self._wake()

    def _safely_commit(self) -> None:
        try:
            self._commit()
        except StateError as error:  # kept for the next try
            _LOG.error("what happened could not be kept yet: %s", error)

    def _clean(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The same without secrets: names come from outside."""
        clean: list[dict[str, Any]] = self._state.sealer.plain(rows)
        return clean

    def _make_annotating(self, rules: Rules) -> Annotating:
        redaction = Redaction(rules.contracts, rules.fingerprint_key)
        return Annotating(self._judging, redaction, self._counting)

    def _time(self) -> int:
        """The wall clock, which never goes backwards here."""
        self._now = max(self._now, self._clock())
        return self._now
