"""One session under judgement: all its rules, over the calls and spans of all its traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange, in_order
from toolscore_otel.assembly.trajectory import gathered
from toolscore_otel.engine.belonging import SessionKey
from toolscore_otel.engine.ledger import Where
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.report import RuleOutcome
from toolscore_otel.engine.running import Running
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.engine.shares import Share, Shares
from toolscore_otel.engine.slot import OnError
from toolscore_otel.engine.trace_note import TraceNote
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    Finding,
    Gap,
    Scope,
    Score,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import RunContext

_OF_CALLS = frozenset({Gap.REQUESTED_NOT_RUN, Gap.TOOL_SPANS_MISSING, Gap.FRAGMENT})
"""Looked at anew for the session: what one of its traces lacks another may have."""

_INCOMPLETE = frozenset({*_OF_CALLS, Gap.SPAN_LIMIT})


class JudgedSession:
    """One session, held against the rules of scope `session` of every contract.

    Attributes:
        traces: what is known of each trace, by id.
        calls: as they stand, by the key that tells them apart over all traces.
        spans: its agent, model and tool spans, by names that tell them apart over all traces.
        overflow: how many calls and spans of it were not placed.
        first: when it began, in nanoseconds of `now`.
        last: when something of it came last.
        closed_by: None while it is open.
    """

    def __init__(
        self,
        key: SessionKey,
        plans: Sequence[Plan],
        context: RunContext,
        on_error: OnError,
        now: int,
    ) -> None:
        self.key = key
        self.traces: dict[str, TraceNote] = {}
        self._named: set[str] = set()
        self._known: Where | None = None
        self.calls: dict[str, ToolCall] = {}
        self.spans: set[str] = set()
        self.overflow = 0
        self.first = self.last = now
        self.closed_by: ClosedBy | None = None
        self._running = [Running(plan, key.scope_key, context, on_error) for plan in plans]

    @property
    def waits(self) -> bool:
        """Whether something waits to be said."""
        return any(running.waits for running in self._running)

    def note(self, trace_id: str, note: TraceNote) -> bool:
        """Keep what is known of a trace; whether it is something else than before."""
        before = self.traces.get(trace_id)
        if note == before:
            return False
        self.traces[trace_id] = note
        (self._named.add if note.named else self._named.discard)(trace_id)
        known = self._known
        if known is not None and (
            known.trace_id == trace_id or _says_more(note, self.traces, known)
        ):
            self._known = None
        return True

    def leave(self, trace_id: str) -> None:
        """A trace is no longer part of it."""
        del self.traces[trace_id]
        self._named.discard(trace_id)
        self._known = None

    def take(
        self,
        changes: Sequence[CallChange],
        shares: Shares,
        now: int,
        *,
        most: int,
    ) -> list[Finding]:
        """What one of its traces brought.

        Args:
            changes: of its calls.
            shares: what its spans add to sums now.
            now: nanoseconds.
            most: how many calls and how many spans are placed; past it calls are only told to rules about single calls.
        """
        changes = [self._within(change, most) for change in changes]
        shares = {
            name: share for name, share in shares.items() if self._has_room(name, share, most)
        }
        where, named = self._where(), bool(self._named)
        findings: list[Finding] = []
        for running in self._running:
            findings += running.take(changes, where, now, named=named)
            findings += running.measure(shares, where, now)
        return findings

    def say_what_waited(self, now: int, lateness_ns: int) -> list[Finding]:
        """Say what has waited long enough."""
        where = self._where()
        return [
            finding
            for running in self._running
            if running.waits
            for finding in running.say_what_waited(now, lateness_ns, where)
        ]

    def close(self, by: ClosedBy) -> list[Finding]:
        """The session is over; may be called again when it goes on and is over anew."""
        self.closed_by = by
        trajectory = self.trajectory()
        findings: list[Finding] = []
        for running in self._running:
            if running.plan.sees_everything or running.sees_any:
                findings += running.close(Scoped(trajectory), named=bool(self._named))
            else:
                findings += running.retract()
        return findings

    def empty(self) -> list[Finding]:
        """Nothing belongs to it any more: it is no trajectory."""
        return [finding for running in self._running for finding in running.retract()]

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for running in self._running:
            yield from running.findings()

    def outcomes(self) -> Iterator[RuleOutcome]:
        """Of each rule that applies: failed, could not be checked, or held."""
        for running in self._running:
            yield from running.outcomes()

    def scores(self) -> Iterator[Score]:
        """Of each contract that applies; it is over."""
        scoped = Scoped(self.trajectory())
        for running in self._running:
            if running.plan.sees_everything or running.sees_any:
                yield from running.scores(scoped)

    def trajectory(self) -> Trajectory:
        """All that is known of it."""
        notes, calls = list(self.traces.values()), in_order(self.calls.values())
        gaps = self._gaps(notes, calls)
        where = self._where()
        return Trajectory(
            scope=Scope.SESSION,
            trace_id=where.trace_id,
            conversation_id=where.conversation_id,
            agent=_only(note.agent for note in notes),
            service=where.service,
            environment=where.environment,
            scenario=_least(note.scenario for note in notes),
            start_ns=min((n.start_ns for n in notes if n.start_ns is not None), default=None),
            end_ns=max((n.end_ns for n in notes if n.end_ns is not None), default=None),
            calls=calls,
            closed_by=self.closed_by,
            attributes=gathered(
                {key: value}
                for note in notes
                for key, values in note.attributes.items()
                for value in values
            ),
            incomplete=not _INCOMPLETE.isdisjoint(gaps),
            gaps=gaps,
        )

    def _within(self, change: CallChange, most: int) -> CallChange:
        known, call = change.before, change.after
        was_known = known is not None and self.calls.pop(known, None) is not None
        if call is None or change.alone:
            return change
        if not was_known and len(self.calls) >= most:
            self.overflow += 1
            return structs.replace(change, alone=True)
        self.calls[call.key] = call
        return change

    def _has_room(self, name: str, share: Share | None, most: int) -> bool:
        if share is None:
            self.spans.discard(name)
        elif name not in self.spans:
            if len(self.spans) >= most:
                self.overflow += 1
                return False
            self.spans.add(name)
        return True

    def _where(self) -> Where:
        """What is known beside calls; worked out anew only where a trace may have changed it."""
        if self._known is None:
            notes = self.traces.items()
            first = min((_begin(note), trace_id) for trace_id, note in notes)
            self._known = Where(
                trace_id=first[1],
                conversation_id=self.key.conversation or None,
                service=self.key.service or None,
                environment=_least(note.environment for _, note in notes),
            )
        return self._known

    def _gaps(self, notes: Sequence[TraceNote], calls: Sequence[ToolCall]) -> tuple[Gap, ...]:
        told = {gap for note in notes for gap in note.gaps}
        gaps = told - _OF_CALLS
        if any(call.stage is Stage.REQUESTED and call.kind is CallKind.TOOL for call in calls):
            gaps.add(Gap.REQUESTED_NOT_RUN)
        if Gap.TOOL_SPANS_MISSING in told and not calls:
            gaps.add(Gap.TOOL_SPANS_MISSING)
        if self.overflow:
            gaps.add(Gap.SPAN_LIMIT)
        if Gap.FRAGMENT in told and not any(note.acts for note in notes):
            gaps.add(Gap.FRAGMENT)
        return tuple(sorted(gaps))


def _begin(note: TraceNote) -> int:
    return note.start_ns or 0


def _says_more(note: TraceNote, traces: Mapping[str, TraceNote], known: Where) -> bool:
    """Whether a trace begins before the one that was first, or stands in another environment."""
    first = traces[known.trace_id]
    return _begin(note) <= _begin(first) or note.environment not in (None, known.environment)


def _only(values: Iterable[str | None]) -> str | None:
    found = {value for value in values if value}
    return found.pop() if len(found) == 1 else None


def _least(values: Iterable[str | None]) -> str | None:
    return min((value for value in values if value), default=None)
