"""Spans in, findings out: assembly and contracts together.

The engine is incremental: what one call decides is said when that call arrives, and what a later span changes is said
as a correction. It holds no clock: `now` is an argument. Which findings stand in the end depends only on the spans that
were fed, never on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from toolscore_otel.assembly import Assembler, Entry, Fed, Item, Journal, Limits, placed, placed_all
from toolscore_otel.assembly.node import Node, Place
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.engine.judged import JudgedTrace
from toolscore_otel.engine.listener import Listener
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.engine.report import Report, by_call, coverage_of
from toolscore_otel.engine.sessions import Sessions
from toolscore_otel.engine.shares import NO_SHARES, Shares, late_shares, shares_of
from toolscore_otel.model import ClosedBy, Finding, LogRecord, Score, Span, Trajectory
from toolscore_otel.rules import RunContext
from toolscore_otel.secrets import Fingerprints


class Engine:
    """Holds calls against contracts while their spans arrive.

    Args:
        contracts: in use from the start.
        limits: of assembly.
        lateness_ns: how long a verdict waits that a span still to come could turn; None: until closing.
        fingerprint_key: of secrets' fingerprints; None: findings carry no fingerprint.
        keeps_records: what was taken in is kept until `take_new` asks for it.
        sessions: of the engine before this one, to go on with.

    Attributes:
        assembler: rebuilds the calls.
        sessions: those that are open or may go on.
        contracts: in use.
        asked: names of attributes that some of them looks at.
        listener: looks through messages, where some of them asks that.
        rule_errors: rules that raised, and how often.
        on_close: told of each trajectory when it is closed; of one that re-opened, each time.
        on_retract: told where a trace that was to be closed is no trajectory, or none any more.
    """

    def __init__(
        self,
        contracts: Sequence[Contract] = (),
        *,
        limits: Limits | None = None,
        lateness_ns: int | None = None,
        fingerprint_key: bytes | None = None,
        keeps_records: bool = False,
        sessions: Sessions | None = None,
    ) -> None:
        self.assembler = Assembler(limits)
        self.assembler.keeps_offers = any(r.uses_schemas for c in contracts for r in c.rules)
        self._journal = self.assembler.journal = Journal() if keeps_records else None
        self.rule_errors: Counter[str] = Counter()
        self.on_close: Callable[[Trajectory], None] | None = None
        self.on_retract: Callable[[Trajectory], None] | None = None
        self.contracts = tuple(contracts)
        self.asked = frozenset(name for contract in contracts for name in contract.asks)
        self._plans = [Plan(contract) for contract in contracts]
        self._lateness_ns = lateness_ns
        fingerprints = Fingerprints(fingerprint_key) if fingerprint_key else None
        self._presenting = Presenting(contracts)
        self._context = RunContext(fingerprints, self._presenting)
        self.listener = Listener(contracts, fingerprints)
        self.assembler.hears = bool(self.listener)
        of_sessions = [Plan(contract, of_sessions=True) for contract in contracts]
        self.sessions = Sessions(self.assembler.limits) if sessions is None else sessions
        self.sessions.use(
            [plan for plan in of_sessions if plan.rules],
            self._context,
            self._failed,
            self.assembler.counters,
        )
        self._measures = any(any(plan.of_totals.values()) or plan.hears for plan in self._plans)
        self._now = 0
        self._traces: dict[str, JudgedTrace] = {}
        self._waiting: dict[str, JudgedTrace] = {}

    def prepare(self) -> None:
        """Take the time now that the first finding would take: for callers that must not be kept waiting then."""
        self._presenting.prepare()

    def feed(self, item: Span | LogRecord, now: int) -> list[Finding]:
        """Take in one span or log record; returns the findings that are new or have changed.

        Args:
            item: from `wire`.
            now: nanoseconds; only compared with other values of `now`.
        """
        found = self.placed(item)
        return [] if found is None else self.add(*found, now)

    def placed(self, item: Span | LogRecord) -> Item | None:
        """What a span or log record says, with its place, as `add` takes it; None where that is nothing.

        Args:
            item: from `wire`.
        """
        return placed(item, self.asked, self.listener or None)

    def feed_all(self, items: Iterable[Span | LogRecord], now: int) -> list[Finding]:
        """Take in what came at one time; as `feed` of each, but every call is built and judged once.

        Args:
            items: from `wire`, of any traces.
            now: nanoseconds; only compared with other values of `now`.
        """
        traces = placed_all(items, self.asked, self.listener or None)
        return [
            finding
            for trace_id, of_trace in traces.items()
            for finding in self.add_all(trace_id, of_trace, now)
        ]

    def add(self, place: Place, reading: SpanReading | None, now: int) -> list[Finding]:
        """Take in what a span or a log record said, as `Assembler.add`; returns the findings that are new or have changed.

        Args:
            place: where it stood.
            reading: None: it says nothing, and only its place matters.
            now: nanoseconds; only compared with other values of `now`.
        """
        return self.add_all(place.trace_id, ((place, reading),), now)

    def add_all(self, trace_id: str, items: Sequence[Item], now: int) -> list[Finding]:
        """Take in what came at one time of one trace, as `Assembler.add_all`; returns as `add`.

        Args:
            trace_id: of all of them.
            items: places, and what was said there, as for `add`.
            now: nanoseconds; only compared with other values of `now`.
        """
        fed = self.assembler.add_all(trace_id, items, now)
        findings = self._take(fed, [place for place, _ in items], now)
        for other, changes in fed.others.items():
            findings += self._take(self.assembler.touch(other, changes, now), (), now)
        for twin in fed.twins:
            findings += self.add(*twin, now)
        return findings

    def _take(self, fed: Fed, places: Sequence[Place], now: int) -> list[Finding]:
        findings = [finding for closed in fed.closed for finding in self._close(closed)]
        for forgotten in fed.forgotten:
            self._forget(forgotten)
        return findings + self._judge(fed, places, now)

    def tick(self, now: int) -> list[Finding]:
        """Let time pass: close what is due, and say what has waited long enough."""
        findings = [
            finding for trace_id in self.assembler.tick(now) for finding in self._close(trace_id)
        ]
        for trace_id in list(self._waiting):
            findings += self._say_what_waited(trace_id, now)
        findings += self.sessions.tick(now)
        if self._lateness_ns is not None:
            findings += self.sessions.say_what_waited(now, self._lateness_ns)
        return findings

    def close(self, by: ClosedBy = ClosedBy.END_OF_INPUT) -> list[Finding]:
        """End everything that is open."""
        findings = [
            finding for trace_id in self.assembler.close(by) for finding in self._close(trace_id)
        ]
        return findings + self.sessions.close(by)

    def knows(self, trace_id: str) -> bool:
        """Whether something of this trace is held in memory."""
        return trace_id in self.assembler

    def open_traces(self) -> tuple[str, ...]:
        """Trace ids of what is open."""
        return self.assembler.open_ids()

    def take_new(self) -> Mapping[str, Sequence[Entry]]:
        """The entries of all traces since this was last asked; a trace may be no longer known."""
        return {} if self._journal is None else self._journal.take_new()

    def disregard(self, trace_id: str) -> None:
        """What is new of a trace so far is not, for `take_new`: it was replayed."""
        if self._journal is not None:
            self._journal.disregard(trace_id)

    def close_one(self, trace_id: str, by: ClosedBy) -> list[Finding]:
        """Close one trajectory, if it is open."""
        if not self.assembler.is_open(trace_id):
            return []
        self.assembler.close_one(trace_id, by)
        return self._close(trace_id)

    def resume(self, now: int) -> None:
        """Go on after a replay: while nothing could come, nothing was silent."""
        self.assembler.resume(now)

    def unload(self, keep: int) -> list[str]:
        """Let go of all but so many closed trajectories, the oldest first; returns their trace ids."""
        gone = self.assembler.unload(keep)
        for trace_id in gone:
            self._forget(trace_id)
        return gone

    def place_of(self, trace_id: str, span_id: str | None) -> Place | None:
        """Where a span stands; the earliest agent, model or tool span of its trace where there is none.

        Returns:
            None where nothing is known of the trace.
        """
        if not self.knows(trace_id):
            return None
        nodes = self.assembler.trace(trace_id).nodes
        if span_id is not None and (node := nodes.get(span_id)) is not None:
            return node.place
        first = min(nodes.values(), key=_begin, default=None)
        return None if first is None else first.place

    def scores_of(self, trajectory: Trajectory) -> list[Score]:
        """The scores of a trace that was closed; those of its session are in the report only.

        Args:
            trajectory: as it was closed.
        """
        judged = self._traces.get(trajectory.trace_id)
        if judged is None or trajectory.closed_by is None:
            return []
        scores = judged.scores(trajectory, self.assembler.trace(trajectory.trace_id))
        return list(map(self._presenting.score, scores))

    def report(self) -> Report:
        """All that was said, of every trajectory that is remembered."""
        trajectories = sorted(self._trajectories(), key=lambda t: (t.start_ns or 0, t.trace_id))
        traces = [
            judged for t in trajectories if (judged := self._traces.get(t.trace_id)) is not None
        ]
        said = [finding for judged in self._traces.values() for finding in judged.findings()]
        said += self.sessions.findings()
        outcomes = [outcome for judged in traces for outcome in judged.outcomes()]
        outcomes += self.sessions.outcomes()
        return Report(
            findings=by_call(said, trajectories),
            scores=(
                *(score for trajectory in trajectories for score in self.scores_of(trajectory)),
                *map(self._presenting.score, self.sessions.scores()),
            ),
            trajectories=tuple(trajectories),
            coverage=coverage_of(trajectories),
            outcomes=Counter(outcome.label for outcome in outcomes),
            judged=tuple(outcomes),
            unjudged=sum(1 for judged in traces if not judged.applies),
            errors=dict(self.rule_errors),
            counters=dict(self.assembler.counters),
        )

    def _judge(self, fed: Fed, places: Sequence[Place], now: int) -> list[Finding]:
        judged = self._traces.get(fed.trace_id)
        if judged is None:
            judged = JudgedTrace(fed.trace_id, self._plans, self._context, self._failed)
            self._traces[fed.trace_id] = judged
        self._now = now
        trace = self.assembler.trace(fed.trace_id)
        shares = self._altered(trace)
        findings = judged.take(fed.changes, places, shares, trace, now)
        if self.sessions:
            findings += self.sessions.take(
                fed.trace_id, fed.changes, shares, self.assembler, now, named=judged.named
            )
        if self._lateness_ns is not None:
            if judged.waits:
                self._waiting[fed.trace_id] = judged
                findings += self._say_what_waited(fed.trace_id, now)
            findings += self.sessions.say_what_waited(now, self._lateness_ns)
        return findings

    def _altered(self, trace: TraceAssembly) -> Shares:
        """What spans add to sums, of those of which that may have changed since this was last asked."""
        altered, trace.altered = trace.altered, {}
        wanted = self._measures or self.sessions or trace.hearing
        return shares_of(trace, altered) if wanted else NO_SHARES

    def _say_what_waited(self, trace_id: str, now: int) -> list[Finding]:
        judged = self._waiting[trace_id]
        findings = judged.say_what_waited(now, self._lateness_ns or 0)
        if not judged.waits:
            del self._waiting[trace_id]
        return findings

    def _close(self, trace_id: str) -> list[Finding]:
        trajectory, trace = self.assembler.trajectory(trace_id), self.assembler.trace(trace_id)
        self._waiting.pop(trace_id, None)
        judged = self._traces[trace_id]
        if not _is_trajectory(trajectory, trace):
            if self.on_retract is not None:
                self.on_retract(trajectory)
            return judged.retract()
        shares = late_shares(trace) if self._measures or self.sessions else NO_SHARES
        findings = judged.close(trajectory, shares, trace)
        if self.on_close is not None:
            self.on_close(trajectory)
        if self.sessions:
            findings += self.sessions.settle(
                trajectory, shares, self.assembler, self._now, named=judged.named
            )
        return findings

    def _forget(self, trace_id: str) -> None:
        self._traces.pop(trace_id, None)
        self._waiting.pop(trace_id, None)
        self.sessions.forget(trace_id)

    def _trajectories(self) -> Iterator[Trajectory]:
        for trace_id in self.assembler.trace_ids():
            trajectory = self.assembler.trajectory(trace_id)
            if _is_trajectory(trajectory, self.assembler.trace(trace_id)):
                yield trajectory

    def _failed(self, rule: str, error: Exception) -> None:
        self.rule_errors[f"{rule}: {type(error).__name__}"] += 1


def _begin(node: Node) -> tuple[bool, int, str]:
    start_ns = node.place.start_ns
    return start_ns is None, start_ns or 0, node.place.id


def _is_trajectory(trajectory: Trajectory, trace: TraceAssembly) -> bool:
    """A trace with at least one agent, model or tool span; an exception that was logged on any other makes none."""
    return bool(trajectory.calls) or any(
        node.call is None or not node.place.is_log for node in trace.nodes.values()
    )
