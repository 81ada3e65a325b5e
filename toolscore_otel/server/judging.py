"""The engine of a server: spans and log records in, revisions of findings out, and the sums kept.

Knows no socket, file or thread: one caller at a time, which is the pipeline. What was said before (by this engine, by the
one before a reload, or before a restart) is remembered, so that nothing is said twice and every revision has its number.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from toolscore_otel.assembly import Entry, Item, Limits, Place
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.emit.finding_store import FindingStore
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.emit.score_store import COUNTERS as OF_SCORES
from toolscore_otel.engine import Engine
from toolscore_otel.engine.listener import Listener
from toolscore_otel.model import ClosedBy, Finding, LogRecord, Span, Trajectory
from toolscore_otel.secrets import Fingerprints
from toolscore_otel.server.deliveries import Batch, Delivery
from toolscore_otel.server.fault import told
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.plain_spans import PlainSpans
from toolscore_otel.server.restoring import CLOSED_IN_MEMORY, Recalled, Restoring
from toolscore_otel.server.room import SPAN_BYTES, Room
from toolscore_otel.server.state import State
from toolscore_otel.server.telling_scores import TellingScores

_LOG = logging.getLogger(__name__)

FINDINGS = 100_000
"""How many findings are remembered; past it the oldest traces' are forgotten."""

LAST = 200
"""How many of the last findings are shown to people."""

COUNTERS = {
    "errors": "spans and log records that could not be judged, and were passed on as they came",
    "marked": "spans that carried findings of ours when they came, and were passed on unjudged",
    "findings_forgotten": "findings that are no longer known, past `FINDINGS`",
    "plain_spans_dropped": "spans of no interest of their own that were not kept, past a cap of `plain_spans`",
    **OF_SCORES,
}


class Arrived(NamedTuple):
    """A span or log record of an export.

    Attributes:
        place: where it stands.
        reading: what it says; None: nothing.
        content_bytes: about how much memory that takes.
    """

    place: Place
    reading: SpanReading | None = None
    content_bytes: int = 0


class Rules(Struct, frozen=True, kw_only=True):
    """What an engine is made with.

    Attributes:
        lateness_ns: how long a verdict waits that a span still to come could turn.
        fingerprint_key: of secrets.
        memory_bytes: of all open and closed trajectories together, as `Room` estimates them.
        tells_scores: scores of closed trajectories are said, too.
    """

    contracts: Sequence[Contract]
    limits: Limits
    lateness_ns: int
    fingerprint_key: bytes
    memory_bytes: int = 512 * 1024 * 1024
    tells_scores: bool = False

    def engine(self, before: Engine | None = None) -> Engine:
        """A new engine, to go on with the sessions of the one before it."""
        return Engine(
            self.contracts,
            limits=self.limits,
            lateness_ns=self.lateness_ns,
            fingerprint_key=self.fingerprint_key,
            keeps_records=True,
            sessions=None if before is None else before.sessions,
        )


class Judging:
    """What a server knows of calls and findings, going on from what its state kept.

    Args:
        rules: contracts and limits.
        state: what was kept; committed to by the caller.
        sums: told of every revision and every closed trajectory.
        now: nanoseconds of the wall clock.

    Attributes:
        engine: rebuilds and judges what is new.
        store: findings by the span they sit on.
        counters: `COUNTERS`.
        last: the last findings, for people.

    Raises:
        StateError: the state cannot be read.
    """

    def __init__(self, rules: Rules, state: State | NoState, sums: Sums, now: int) -> None:
        self.counters: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self.store = FindingStore(FINDINGS, self.counters)
        self.last: deque[Finding] = deque(maxlen=LAST)
        self._sums = sums
        self._room = Room(rules.memory_bytes)
        self._makes_room = False
        self._state = state
        self._errors_said: set[str] = set()
        self._said: list[Delivery] = []
        self._closing: dict[str, ClosedBy | None] = {}
        self._scores = TellingScores(self.counters)
        kept = state.restore()
        self._plain = PlainSpans(self.counters, kept.plain)
        sums.add_contracts(rules.contracts)
        sums.load(kept.sums)
        self.began_ns = kept.began_ns or now
        self._earlier_errors: Counter[str] = Counter()
        self._earlier = Counter(kept.counters)
        self._older: list[Engine] = []
        self._restoring = Restoring(state, sums, rules.contracts, kept.contracts)
        self._use(rules, None)
        state.use(rules.contracts)
        self._recall(self._restoring.start(self.engine, now), now)

    def _use(self, rules: Rules, before: Engine | None) -> None:
        self.rules = rules
        self.engine = rules.engine(before)
        self.engine.prepare()
        self.engine.on_close = self._on_close
        self.engine.on_retract = self._on_retract
        contracts = (contract for engine in self._engines() for contract in engine.contracts)
        self._listener = Listener(contracts, Fingerprints(rules.fingerprint_key))

    def take(self, trace_id: str, arrived: Sequence[Arrived], now: int) -> None:
        """Take in what one export holds of one trace.

        Args:
            trace_id: of all of it.
            arrived: spans and log records, in order. What says nothing of a trace that is not known is only kept until
                the trace turns out to be of interest.
            now: nanoseconds of the wall clock, never backwards.

        Raises:
            StateError: the trace was kept, and cannot be read.
        """
        engine = self._knowing(trace_id)
        if engine is None:
            if all(one.reading is None for one in arrived):
                for one in arrived:
                    self._plain.keep(one.place)
                return
            engine = self.engine
            if (recalled := self._restoring.recall(engine, trace_id)) is not None:
                self._recall(recalled, now)
        plain = [Arrived(place) for place in self._plain.take(trace_id)]
        self._add(engine, trace_id, [*plain, *arrived], now)

    def tick(self, now: int) -> None:
        """Let time pass."""
        for engine in self._engines():
            self._say(engine, engine.tick(now), now)

    def make_room(self, now: int) -> None:
        """Close what was silent longest, where more is held than may be; to be called before `taken` and `unload`."""
        if not self._room.is_short(lambda trace_id: self._knowing(trace_id) is not None):
            return
        self._makes_room = True
        for engine in self._engines():
            for trace_id in engine.assembler.trace_ids():
                if self._room.is_enough:
                    return
                self._room.drop(trace_id)
                if engine.assembler.is_open(trace_id):
                    engine.assembler.counters["evicted"] += 1
                    self._say(engine, engine.close_one(trace_id, ClosedBy.EVICTED), now)

    def close(self, by: ClosedBy, now: int) -> None:
        """End everything that is open."""
        for engine in self._engines():
            self._say(engine, engine.close(by), now)

    def reload(self, rules: Rules) -> None:
        """Judge what is new by other contracts from now on; what is open keeps the contracts it began with."""
        self._older.append(self.engine)
        self._use(rules, self.engine)
        self._sums.add_contracts(rules.contracts)
        self._restoring.use(rules.contracts)

    def open_traces(self) -> Iterator[tuple[str, TraceAssembly]]:
        """What is open, with its trace id."""
        for engine in self._engines():
            for trace_id in engine.open_traces():
                yield trace_id, engine.assembler.trace(trace_id)

    @property
    def asked(self) -> Collection[str]:
        """Names of attributes that decide what a contract sees."""
        return self.engine.asked

    def listen(self, item: Span | LogRecord, reading: SpanReading | None) -> SpanReading | None:
        """A reading with what was found in messages, where some contract asks that."""
        return self._listener(item, reading) if self._listener else reading

    @property
    def open_trajectories(self) -> int:
        """How many are open."""
        return sum(engine.assembler.open_trajectories for engine in self._engines())

    def rule_errors(self) -> Counter[str]:
        """Rules that raised, and how often."""
        errors = Counter(self._earlier_errors)
        for engine in self._engines():
            errors.update(engine.rule_errors)
        return errors

    def taken(self) -> Batch:
        """Everything that changed since this was last asked."""
        said, self._said = self._said, []
        entries: dict[str, Sequence[Entry]] = {}
        for engine in self._engines():
            entries.update(engine.take_new())
        for engine in [old for old in self._older if not old.assembler.open_trajectories]:
            self._earlier.update(engine.assembler.counters)
            self._earlier_errors.update(engine.rule_errors)
            self._older.remove(engine)
        plain, plain_gone = self._plain.take_changed()
        return Batch(
            entries=entries,
            deliveries=said,
            scores=self._scores.take_changed(),
            sums=self._sums.take_changed(),
            counters=self.all_counters(),
            plain=plain,
            plain_gone=plain_gone,
            of_sessions=self.engine.sessions.take_kept(),
        )

    def unload(self) -> None:
        """Let go of what is safe on disk, and of what room has no place for; to be called when all was committed."""
        for engine in self._engines():
            if not self._makes_room:
                self._restoring.unload(engine)
                continue
            left = sum(trace_id in self._room for trace_id in _closed(engine))
            self._restoring.unload(engine, min(left, CLOSED_IN_MEMORY))
            if isinstance(self._state, NoState):
                engine.assembler.counters["forgotten"] += len(engine.unload(left))
        self._makes_room = False

    def hash_of(self, finding: Finding) -> str | None:
        """The hash of the contract that a finding was judged by; None where that is not known any more."""
        engine = self._knowing(finding.trace_id)
        return None if engine is None else _hash_of(engine, finding.contract)

    def all_counters(self) -> Mapping[str, int]:
        """Those of assembly and those of this part, since the state began."""
        total = Counter(self._earlier)
        for engine in self._engines():
            total.update(engine.assembler.counters)
        total.update(self.counters)
        return total

    def _engines(self) -> list[Engine]:
        return [*self._older, self.engine]

    def _knowing(self, trace_id: str) -> Engine | None:
        return next((engine for engine in self._engines() if engine.knows(trace_id)), None)

    def _add(self, engine: Engine, trace_id: str, arrived: Sequence[Arrived], now: int) -> None:
        counters = engine.assembler.counters
        known = counters["duplicates"]
        items = [self._restoring.as_kept(one.place, one.reading) for one in arrived]
        try:
            self._say(engine, engine.add_all(trace_id, items, now), now)
        except Exception:  # noqa: BLE001 - one of them cannot be judged: it is found below
            self._add_one_by_one(engine, items, now)
        new = len(arrived) - (counters["duplicates"] - known)
        if new > 0:
            size_bytes = sum(SPAN_BYTES + one.content_bytes for one in arrived)
            self._room.take(trace_id, size_bytes * new // len(arrived))

    def _add_one_by_one(self, engine: Engine, items: Sequence[Item], now: int) -> None:
        """What stands beside something that cannot be judged is judged; what was taken in already says nothing new."""
        for place, reading in items:
            try:
                self._say(engine, engine.add(place, reading, now), now)
            except Exception as error:  # noqa: BLE001 - this one is passed on as it came
                self._failed(error)

    def _recall(self, recalled: Recalled, now: int) -> None:
        for trace_id, size_bytes in recalled.sizes.items():
            self._room.take(trace_id, size_bytes)
        for finding in recalled.kept:
            known = self.store.get(finding)
            if known is None or known.revision <= finding.revision:
                self.store.put(finding)
        self._scores.recall(recalled.scores)
        self._say(self.engine, recalled.findings, now)

    def _say(self, engine: Engine, findings: Iterable[Finding], now: int) -> None:
        for finding in findings:
            known = self.store.get(finding)
            new = _next(finding, known)
            if new is None or not self._restoring.may_be_said(new):
                continue
            self.store.put(new)
            self._sums.finding(new, known)
            self.last.append(new)
            self._said.append(self._delivery(engine, new, now))
        self._said += self._scores.take(now)
        self._closing.clear()

    def _delivery(self, engine: Engine, finding: Finding, now: int) -> Delivery:
        return Delivery.of(
            finding,
            engine.place_of(finding.trace_id, finding.span_id),
            now,
            contract_hash=_hash_of(engine, finding.contract),
            closed_by=self._closing.get(finding.trace_id),
        )

    def _on_close(self, trajectory: Trajectory) -> None:
        engine = self._knowing(trajectory.trace_id) or self.engine
        scores = engine.scores_of(trajectory)
        self._sums.trajectory(trajectory, scores)
        if self.rules.tells_scores:
            self._scores.closed(engine, trajectory, scores)
        self._closing[trajectory.trace_id] = trajectory.closed_by

    def _on_retract(self, trajectory: Trajectory) -> None:
        """What was said of its scores is taken back."""
        engine = self._knowing(trajectory.trace_id) or self.engine
        self._scores.closed(engine, trajectory, ())

    def _failed(self, error: Exception) -> None:
        self.counters["errors"] += 1
        what = told(error)
        if what not in self._errors_said:
            self._errors_said.add(what)
            _LOG.error("a span could not be judged, and is passed on as it came: %s", what)


def _hash_of(engine: Engine, contract: str) -> str | None:
    return next((known.hash for known in engine.contracts if known.id == contract), None)


def _closed(engine: Engine) -> Sequence[str]:
    known = tuple(engine.assembler.trace_ids())
    return known[: len(known) - engine.assembler.open_trajectories]


def _next(finding: Finding, known: Finding | None) -> Finding | None:
    """The revision to be said after the one that is known; None where it says the same."""
    if known is None:
        return finding
    if structs.replace(finding, revision=known.revision) == known:
        return None
    return structs.replace(finding, revision=max(finding.revision, known.revision + 1))
