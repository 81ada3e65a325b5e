"""The sessions of an engine, over all traces (docs/pages/contracts.md).

A call moves when its conversation, its service or the only conversation of its trace becomes known late: it is taken
out of one session and put into another, and what was said about it there is corrected. Bounded by `Limits.sessions` and
`Limits.session_calls`. Engines that follow each other share one of these: a session that is open goes on, by the rules
that it began with.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolscore_otel.assembly import Assembler, CallChange, Limits
from toolscore_otel.engine.belonging import SessionKey
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.report import RuleOutcome
from toolscore_otel.engine.session import JudgedSession
from toolscore_otel.engine.shares import Shares
from toolscore_otel.engine.slot import OnError
from toolscore_otel.engine.standing import Part, Standing
from toolscore_otel.engine.trace_note import TraceNote
from toolscore_otel.model import ClosedBy, Finding, Score, Trajectory
from toolscore_otel.rules import RunContext

_NEW = TraceNote()


class Sessions:
    """All sessions that are open, and those that are over and may go on.

    Args:
        limits: of assembly.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: OrderedDict[SessionKey, JudgedSession] = OrderedDict()
        self._closed: OrderedDict[SessionKey, JudgedSession] = OrderedDict()
        self._traces: dict[str, Standing] = {}
        self._waiting: dict[SessionKey, JudgedSession] = {}
        self._of_open: Counter[str] = Counter()
        self._kept: dict[str, bool] = {}
        self._calls = 0

    def use(
        self,
        plans: Sequence[Plan],
        context: RunContext,
        on_error: OnError,
        counters: Counter[str],
    ) -> None:
        """Sessions that begin from now on are held against these.

        Args:
            plans: of rules of scope `session`; none: nothing is kept.
            context: lent to rules.
            on_error: told of a rule that raised.
            counters: `sessions_forgotten`, `sessions_evicted` and `session_limit` count what went past a cap.
        """
        self._plans = plans
        self._context = context
        self._on_error = on_error
        self._counters = counters

    def __bool__(self) -> bool:
        """Whether there is anything to hold against rules about sessions."""
        return bool(self._plans or self._open)

    def take(
        self,
        trace_id: str,
        changes: Sequence[CallChange],
        shares: Shares,
        assembler: Assembler,
        now: int,
        *,
        named: bool,
    ) -> list[Finding]:
        """What some spans of a trace brought.

        Args:
            trace_id: of the trace.
            changes: of its calls.
            shares: what its spans add to sums now, of those that may have changed.
            assembler: that knows the trace.
            now: nanoseconds.
            named: whether some agent of the trace is known by name.
        """
        trace = assembler.trace(trace_id)
        standing = self._traces.get(trace_id)
        if standing is None:
            standing = self._traces[trace_id] = Standing(trace_id, assembler)
        findings: list[Finding] = []
        for key, part in standing.take(changes, shares, trace).items():
            session = self._session(key, now)
            if key in standing.sessions:
                known = session.traces.get(trace_id)
                self._keep(key, () if known else (trace_id,), 1)
                session.note(trace_id, (known or _NEW).gone_on(trace, named=named))
            findings += self._tell(key, session, part, now)
            if key not in standing.sessions:
                findings += self._left(key, session, trace_id)
        return [*findings, *self._make_room()]

    def settle(
        self,
        trajectory: Trajectory,
        shares: Shares,
        assembler: Assembler,
        now: int,
        *,
        named: bool,
    ) -> list[Finding]:
        """A trace is over: what its sessions keep of it. One that is its own session is over with it.

        Args:
            trajectory: the trace.
            shares: what may be different now of what its spans add to sums.
            assembler: that knows the trace.
            now: nanoseconds.
            named: whether some agent of it is known by name.
        """
        trace_id, by = trajectory.trace_id, trajectory.closed_by or ClosedBy.IDLE
        if trace_id not in self._traces:  # its sessions are forgotten
            return []
        findings = self.take(trace_id, (), shares, assembler, now, named=named)
        standing = self._traces.get(trace_id)
        for key in list(standing.sessions) if standing is not None else ():
            if self._note(key, trajectory, assembler, named=named):
                self._session(key, now)  # another session's spans tell more of the trace
            if key.trace_id:
                findings += self._close(key, by)
        return findings

    def tick(self, now: int) -> list[Finding]:
        """Close what is due."""
        due: list[tuple[SessionKey, ClosedBy]] = []
        for key, session in self._open.items():
            if key.trace_id:
                continue
            if now - session.last >= self._limits.session_idle_ns:
                due.append((key, ClosedBy.IDLE))
            elif now - session.first >= self._limits.session_max_age_ns:
                due.append((key, ClosedBy.MAX_AGE))
        return [finding for key, by in due for finding in self._close(key, by)]

    def say_what_waited(self, now: int, lateness_ns: int) -> list[Finding]:
        """Say what has waited long enough."""
        findings: list[Finding] = []
        for key, session in list(self._waiting.items()):
            findings += session.say_what_waited(now, lateness_ns)
            if not session.waits:
                del self._waiting[key]
        return findings

    def close(self, by: ClosedBy) -> list[Finding]:
        """End all that are open."""
        return [finding for key in list(self._open) for finding in self._close(key, by)]

    def forget(self, trace_id: str) -> None:
        """A trace is no longer in memory: conversations that it is part of go on, its own session is gone."""
        key = SessionKey(trace_id)
        for where in (self._open, self._closed):
            if (session := where.pop(key, None)) is not None:
                self._drop(key, session)

    def take_kept(self) -> Mapping[str, bool]:
        """Traces that have become part of an open conversation since this was last asked, or are no longer."""
        kept, self._kept = self._kept, {}
        return kept

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for session in (*self._closed.values(), *self._open.values()):
            yield from session.findings()

    def outcomes(self) -> Iterator[RuleOutcome]:
        """Of each rule of each session: failed, could not be checked, or held."""
        for session in (*self._closed.values(), *self._open.values()):
            if session.traces:
                yield from session.outcomes()

    def scores(self) -> Iterator[Score]:
        """Of those that are over."""
        for session in self._closed.values():
            if session.traces:
                yield from session.scores()

    def _session(self, key: SessionKey, now: int) -> JudgedSession:
        session = self._open.get(key)
        if session is None:
            if key in self._closed:
                session = self._closed.pop(key)
                session.closed_by = None
                session.first = session.last = now
            else:
                session = self._begun(key, now)
            self._open[key] = session
            self._keep(key, session.traces, 1)
        session.first, session.last = min(session.first, now), max(session.last, now)
        self._open.move_to_end(key)
        return session

    def _begun(self, key: SessionKey, now: int) -> JudgedSession:
        return JudgedSession(key, self._plans, self._context, self._failed, now)

    def _failed(self, rule: str, error: Exception) -> None:
        self._on_error(rule, error)

    def _tell(self, key: SessionKey, session: JudgedSession, part: Part, now: int) -> list[Finding]:
        calls, overflow = len(session.calls), session.overflow
        most = self._limits.spans_per_trajectory
        findings = session.take(part.changes, part.shares, now, most=most)
        self._calls += len(session.calls) - calls
        self._counters["session_limit"] += session.overflow - overflow
        if session.waits:
            self._waiting[key] = session
        return findings

    def _left(self, key: SessionKey, session: JudgedSession, trace_id: str) -> list[Finding]:
        """A trace has left a session; one without any trace is none."""
        session.leave(trace_id)
        self._keep(key, (trace_id,), -1)
        if session.traces:
            return []
        self._waiting.pop(key, None)
        self._closed[key] = self._open.pop(key)
        return session.empty()

    def _note(
        self, key: SessionKey, trajectory: Trajectory, assembler: Assembler, *, named: bool
    ) -> bool:
        """Keep what is known of a trace; whether it is something else than before."""
        trace = assembler.trace(trajectory.trace_id)
        session = self._open.get(key) or self._closed[key]
        return session.note(trajectory.trace_id, TraceNote.of(trajectory, trace, named=named))

    def _close(self, key: SessionKey, by: ClosedBy) -> list[Finding]:
        session = self._open.get(key)
        if session is None:
            return []
        for trace_id, note in list(session.traces.items()):
            assembler = self._traces[trace_id].assembler
            if not key.trace_id and assembler.is_open(trace_id):
                self._note(key, assembler.trajectory(trace_id), assembler, named=note.named)
        self._waiting.pop(key, None)
        self._closed[key] = self._open.pop(key)
        self._keep(key, session.traces, -1)
        return session.close(by)

    def _make_room(self) -> list[Finding]:
        findings: list[Finding] = []
        limits = self._limits
        while (
            len(self._open) + len(self._closed) > limits.sessions
            or self._calls > limits.session_calls
        ):
            if self._closed:
                self._counters["sessions_forgotten"] += 1
            else:
                self._counters["sessions_evicted"] += 1
                findings += self._close(next(iter(self._open)), ClosedBy.EVICTED)
            self._drop(*self._closed.popitem(last=False))
        return findings

    def _drop(self, key: SessionKey, session: JudgedSession) -> None:
        self._calls -= len(session.calls)
        self._waiting.pop(key, None)
        for trace_id in session.traces:
            if self._traces[trace_id].leave(key):
                del self._traces[trace_id]

    def _keep(self, key: SessionKey, trace_ids: Iterable[str], change: int) -> None:
        """Count in how many open conversations traces are."""
        for trace_id in trace_ids if not key.trace_id else ():
            before = self._of_open[trace_id]
            self._of_open[trace_id] = before + change
            if not (before and before + change):
                self._kept[trace_id] = change > 0
            if not self._of_open[trace_id]:
                del self._of_open[trace_id]
