"""One engine inside an application: spans in from any thread, findings out, and nobody waits.

A span is put into a queue, which takes no lock. Whoever finds the engine free works through the queue; whoever finds it
busy goes on, and the one inside takes the span along. So an application's thread never waits for another, a span that
ends while one is being scored (a finalizer, a signal, a contract's own code) is no deadlock, and the engine sees one
span at a time. Nothing that is raised here leaves.

Time moves with spans, flushes and metric collections; there is no thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.finding_store import FindingStore
from toolscore_otel.emit.score_store import ScoreRevision, ScoreStore
from toolscore_otel.engine import Engine, Report
from toolscore_otel.model import ClosedBy, Finding, LogRecord, Resource, Score, Trajectory
from toolscore_otel.sdk.config import MS, SdkConfig
from toolscore_otel.sdk.counters import counters
from toolscore_otel.sdk.plain_spans import PlainSpans
from toolscore_otel.wire.sdk import SdkReader, attributes_of_interest

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

LOG = logging.getLogger("toolscore_otel")

QUEUE = 10_000
"""How many spans may wait for a busy engine; past it they are dropped (counter `queue_full`)."""

SCORES = 20_000
"""Of how many scores it is remembered that they were said (counter `scores_forgotten`)."""

TICK_NS = 250 * MS
"""How often the engine is told the time: rarely enough to cost nothing, often enough that few traces close at once."""

PATIENCE_S = 1.0
"""How long an exporter or a report waits for a busy engine."""

LAST_PATIENCE_S = 30.0
"""How long the end of everything does, by default: as long as OpenTelemetry's own `force_flush` and `shutdown`."""

Work = tuple["ReadableSpan | LogRecord", dict[str, Any] | None]
"""A span, with its attributes where they were looked at; or a log record."""

Revision = tuple[Finding, Finding | None]
"""A finding, and its revision before where there is one that is still known."""

Listener = Callable[[Finding, Finding | None], None]
"""Told of a revision."""

ScoreListener = Callable[[ScoreRevision, Trajectory], None]
"""Told of a revision of a score, and of its trajectory."""

Scores = tuple[Trajectory, Sequence[Score], Sequence[ScoreRevision]]
"""A trajectory that was closed, its scores, and those that are to be said."""


class Scoring:
    """The engine of one tracer provider.

    Args:
        contracts: in use.
        config: limits.
        clock: nanoseconds, never backwards.

    Attributes:
        counters: what was dropped or went wrong here (`counters.COUNTERS`).
        listeners: told of every revision, outside of the engine.
        on_close: told of every trajectory that was closed, with its scores.
        score_listeners: told of every revision of a score, where scores go out as events.
        on_fork: called in the child of a fork, once everything was forgotten.
        fed_by_processor: whether spans come as they end; else they come when they are exported.
        is_over: the provider was shut down; a new one may come with the same resource.
        resources: those of its spans, by identity.
        providers: those known to be its own; one, as a rule.
        logger_providers: those whose log records it takes in.
    """

    def __init__(
        self,
        contracts: Sequence[Contract],
        config: SdkConfig,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.contracts = tuple(contracts)
        self.config = config
        self.fed_by_processor = False
        self.is_over = False
        self.resources: dict[int, Any] = {}
        self.providers: WeakSet[Any] = WeakSet()
        self.logger_providers: WeakSet[Any] = WeakSet()
        self.listeners: list[Listener] = []
        self.on_close: list[Callable[[Trajectory, Sequence[Score]], None]] = []
        self.score_listeners: list[ScoreListener] = []
        self.on_fork: list[Callable[[], None]] = []
        self._clock = clock
        self._errors_said: set[str] = set()
        self.start_anew()

    def start_anew(self) -> None:
        """Forget everything, as in a process that was just forked: what is open belongs to the parent."""
        self.counters: Counter[str] = counters()
        self.engine = Engine(
            self.contracts,
            limits=self.config.limits(),
            lateness_ns=self.config.lateness_ms * MS,
            fingerprint_key=self.config.secret_key.encode(),
        )
        self.engine.prepare()
        self.engine.on_close = self._closed
        self.store = FindingStore(self.config.findings, self.counters)
        self._busy = threading.Lock()
        self._who_is_inside: int | None = None
        self._queue: deque[Work] = deque()
        self._plain = PlainSpans(self.counters)
        self._live: dict[int, Resource] = {}
        self._reader = SdkReader()
        self._next_tick = self._clock() + TICK_NS
        self._said_scores = ScoreStore(SCORES, self.counters)
        self._over: deque[Scores] = deque()

    def take(self, span: ReadableSpan) -> None:
        """Score a span that has ended. Never raises, never waits."""
        try:
            attributes = attributes_of_interest(span)
            if attributes is not None or (self._live and self._ends_open_trace(span)):
                self._enqueue((span, attributes))
            else:
                self._plain.keep(span)
                if not self._live:
                    return
            self._work()
        except Exception as error:  # noqa: BLE001 - an application must not notice
            self._failed("take", error)

    def take_log(self, record: LogRecord) -> None:
        """Take in a log record. Never raises, never waits."""
        try:
            self._enqueue((record, None))
            self._work()
        except Exception as error:  # noqa: BLE001 - an application must not notice
            self._failed("take", error)

    def tick(self) -> None:
        """Let time pass, if the engine is free."""
        self._next_tick = min(self._next_tick, self._clock())
        self._work()

    def settle(self) -> bool:
        """Score all that waits; returns whether that was possible in time."""
        with self._inside() as inside:
            revisions = self._drain() if inside else []
        self._tell(revisions)
        return inside

    def close(self, by: ClosedBy, patience_s: float = LAST_PATIENCE_S) -> bool:
        """End everything that is open; returns whether that was possible in time.

        Args:
            by: what ends it.
            patience_s: how long to wait for a busy engine.
        """
        with self._inside(patience_s) as inside:
            revisions = self._drain() + self._closing(by) if inside else []
        self._tell(revisions)
        return inside

    def findings(self) -> tuple[Finding, ...]:
        """The last revision of each finding that is kept, by trace."""
        with self._inside() as inside:
            return tuple(self.store) if inside else ()

    def on_span(self, trace_id: str, span_id: str, *, is_root: bool) -> list[Finding]:
        """As `FindingStore.on_span`."""
        if not self.store:
            return []
        with self._inside() as inside:
            return self.store.on_span(trace_id, span_id, is_root=is_root) if inside else []

    def report(self) -> Report:
        """All that the engine has to say."""
        with self._inside() as inside:
            return self.engine.report() if inside else Report()

    def all_counters(self) -> dict[str, int]:
        """Those of assembly and those of this way in."""
        return {**self.engine.assembler.counters, **self.counters}

    def count(self, counter: str) -> None:
        """Count something that went wrong."""
        self.counters[counter] += 1

    def _ends_open_trace(self, span: ReadableSpan) -> bool:
        """Whether it is the root, in this process, of a trace that has something of interest."""
        context: Any = span.context
        parent = span.parent
        return context.trace_id in self._live and (parent is None or parent.is_remote)

    def _enqueue(self, work: Work) -> None:
        if len(self._queue) >= QUEUE:
            self.counters["queue_full"] += 1
        else:
            self._queue.append(work)

    def _work(self) -> None:
        while self._queue or self._clock() >= self._next_tick:
            if not self._enter(0):
                return
            try:
                revisions = self._drain()
            finally:
                self._leave()
            self._tell(revisions)

    @contextmanager
    def _inside(self, patience_s: float = PATIENCE_S) -> Generator[bool]:
        inside = self._enter(patience_s)
        if not inside:
            self.counters["busy"] += 1
        try:
            yield inside
        finally:
            if inside:
                self._leave()

    def _enter(self, patience_s: float) -> bool:
        """Take the engine; a thread that has it already (a signal came, a finalizer) would wait for itself, and does not."""
        me = threading.get_ident()
        if self._who_is_inside == me or not self._busy.acquire(
            timeout=min(max(patience_s, 0), threading.TIMEOUT_MAX)
        ):
            return False
        self._who_is_inside = me
        return True

    def _leave(self) -> None:
        self._who_is_inside = None
        self._busy.release()

    def _drain(self) -> list[Revision]:
        findings: list[Finding] = []
        now = self._clock()
        while self._queue:
            span, attributes = self._queue.popleft()
            try:
                findings += self._feed(span, attributes, now)
            except Exception as error:  # noqa: BLE001 - one span that cannot be scored
                self._failed("feed", error)
        if now >= self._next_tick:
            self._next_tick = now + TICK_NS
            findings += self._ending(lambda: self.engine.tick(now), now)
        return self._kept(findings)

    def _feed(
        self, item: ReadableSpan | LogRecord, attributes: dict[str, Any] | None, now: int
    ) -> list[Finding]:
        if isinstance(item, LogRecord):
            trace = int(item.trace_id, 16) if item.trace_id else 0
            return self._feed_live(trace, item.resource, now) + self.engine.feed(item, now)
        context: Any = item.context
        findings = self._feed_live(context.trace_id, self._reader.resource(item.resource), now)
        return findings + self.engine.feed(self._reader.span(item, attributes), now)

    def _feed_live(self, trace: int, resource: Resource, now: int) -> list[Finding]:
        """Feed the plain spans that were kept of a trace, and all that come from now on."""
        if not trace:
            return []
        self._live[trace] = resource
        while len(self._live) > self.config.open_trajectories:
            del self._live[next(iter(self._live))]
        return self._feed_plain(trace, now)

    def _feed_plain(self, trace: int, now: int) -> list[Finding]:
        bare = self._plain.take(trace, self._live[trace])
        return [finding for span in bare for finding in self.engine.feed(span, now)]

    def _closing(self, by: ClosedBy) -> list[Revision]:
        findings = self._ending(lambda: self.engine.close(by), self._clock())
        self._live.clear()
        return self._kept(findings)

    def _ending(self, end: Callable[[], list[Finding]], now: int) -> list[Finding]:
        try:
            findings = [f for trace in list(self._live) for f in self._feed_plain(trace, now)]
            findings += end()
        except Exception as error:  # noqa: BLE001 - as for a span
            self._failed("close", error)
            return []
        return findings

    def _kept(self, findings: Sequence[Finding]) -> list[Revision]:
        return [(finding, self.store.put(finding)) for finding in findings]

    def _closed(self, trajectory: Trajectory) -> None:
        if not self.on_close and not self.score_listeners:
            return
        scores = self.engine.scores_of(trajectory)
        said = self._said_scores.take(trajectory.trace_id, scores) if self.score_listeners else ()
        self._over.append((trajectory, scores, said))

    def _tell(self, revisions: Sequence[Revision]) -> None:
        for revision in revisions:
            for listener in self.listeners:
                self._safely(listener, *revision)
        while self._over:
            try:
                trajectory, scores, said = self._over.popleft()
            except IndexError:  # another thread was quicker
                return
            for told in self.on_close:
                self._safely(told, trajectory, scores)
            for score in said:
                for listens in self.score_listeners:
                    self._safely(listens, score, trajectory)

    def _safely(self, tell: Callable[..., None], *what: object) -> None:
        try:
            tell(*what)
        except Exception as error:  # noqa: BLE001 - a finding is kept, whoever could not take it
            self._failed("tell", error)

    def _failed(self, where: str, error: Exception) -> None:
        self.counters["errors"] += 1
        what = f"{where}: {type(error).__name__}"
        if what not in self._errors_said:
            self._errors_said.add(what)
            LOG.warning("a span could not be scored (%s); the application goes on", what)
