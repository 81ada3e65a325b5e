"""Spans in, findings out: assembly and contracts together.

The engine is incremental: what one call decides is said when that call arrives, and what a later span changes is said
as a correction. It holds no clock: `now` is an argument. Which findings stand in the end depends only on the spans that
were fed, never on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from toolscore_otel.assembly import Assembler, CallChange, Fed, Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Ledger, Where, Whose
from toolscore_otel.engine.report import Report, coverage_of
from toolscore_otel.engine.running import Plan, Running
from toolscore_otel.engine.scopes import by_scope, sees, totals_of
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    Finding,
    FindingKind,
    Label,
    Scope,
    Severity,
    Span,
    Stage,
    Trajectory,
)
from toolscore_otel.rules import RunContext, Totals, Verdict
from toolscore_otel.secrets import Fingerprints

COVERAGE = Whose(
    contract="", rule="coverage", severity=Severity.WARNING, shadow=False, scope=Scope.TRACE
)
"""The one rule that needs no contract: calls were asked for, and none was seen to run."""


@dataclass(slots=True)
class _Judged:
    """One trace under judgement."""

    running: list[Running]
    named: bool = False
    totals: Totals = field(default_factory=Totals)
    coverage: Ledger = field(default_factory=lambda: Ledger(COVERAGE))


class Engine:
    """Holds calls against contracts while their spans arrive.

    Args:
        contracts: in use from the start.
        limits: of assembly.
        lateness_ns: how long a verdict waits that a span still to come could turn; None: until closing.
        fingerprint_key: of secrets' fingerprints; None: findings carry no fingerprint.
    """

    def __init__(
        self,
        contracts: Sequence[Contract] = (),
        *,
        limits: Limits | None = None,
        lateness_ns: int | None = None,
        fingerprint_key: bytes | None = None,
    ) -> None:
        self.assembler = Assembler(limits)
        self.rule_errors: Counter[str] = Counter()
        self._plans = [Plan(contract) for contract in contracts]
        self._lateness_ns = lateness_ns
        self._context = RunContext(Fingerprints(fingerprint_key) if fingerprint_key else None)
        self._traces: dict[str, _Judged] = {}

    def feed(self, span: Span, now: int) -> list[Finding]:
        """Take in one span; returns the findings that are new or have changed.

        Args:
            span: from `wire`.
            now: nanoseconds; only compared with other values of `now`.
        """
        fed = self.assembler.feed(span, now)
        findings = [finding for trace_id in fed.closed for finding in self._close(trace_id)]
        for trace_id in fed.forgotten:
            self._traces.pop(trace_id, None)
        findings.extend(self._judge(fed, span, now))
        return findings

    def tick(self, now: int) -> list[Finding]:
        """Let time pass: close what is due, and say what has waited long enough."""
        findings = [
            finding for trace_id in self.assembler.tick(now) for finding in self._close(trace_id)
        ]
        if self._lateness_ns is not None:
            for trace_id, judged in self._traces.items():
                for running in judged.running:
                    findings.extend(running.tick(now, self._lateness_ns, Where(trace_id=trace_id)))
        return findings

    def close(self, by: ClosedBy = ClosedBy.END_OF_INPUT) -> list[Finding]:
        """End everything that is open."""
        return [
            finding for trace_id in self.assembler.close(by) for finding in self._close(trace_id)
        ]

    def report(self) -> Report:
        """All that was said, of every trajectory that is remembered."""
        trajectories = sorted(self._trajectories(), key=lambda t: (t.start_ns or 0, t.trace_id))
        runs = [running for judged in self._traces.values() for running in judged.running]
        said = [finding for running in runs for finding in running.findings()]
        said.extend(f for judged in self._traces.values() for f in judged.coverage.said.values())
        applied = {
            t for t, judged in self._traces.items() if any(r.applies for r in judged.running)
        }
        return Report(
            findings=tuple(_in_order(said, trajectories)),
            trajectories=tuple(trajectories),
            coverage=coverage_of(trajectories),
            outcomes=Counter(
                label for running in runs if running.applies for label in running.outcomes()
            ),
            unjudged=sum(1 for trajectory in trajectories if trajectory.trace_id not in applied),
            errors=dict(self.rule_errors),
            counters=dict(self.assembler.counters),
        )

    def _judge(self, fed: Fed, span: Span, now: int) -> Iterator[Finding]:
        judged = self._traces.get(fed.trace_id)
        if judged is None:
            running = [Running(plan, self._context, self._failed) for plan in self._plans]
            judged = self._traces[fed.trace_id] = _Judged(running)
        where = Where(
            trace_id=fed.trace_id,
            service=span.resource.service,
            environment=span.resource.environment,
        )
        changes = fed.changes
        trace = self.assembler.trace(fed.trace_id)
        for running in judged.running:
            running.applies = running.applies or sees(running.plan.contract, span, trace)
        if not judged.named and any(change.after and change.after.agent for change in changes):
            judged.named = True
            for running in judged.running:
                yield from running.agents_are_named(where, now)
        for running in judged.running:
            yield from _apply(running, changes, where, now, named=judged.named)
        if span.span_id in trace.nodes:
            yield from self._total(judged, totals_of(trace), where, now)

    def _total(self, judged: _Judged, totals: Totals, where: Where, now: int) -> Iterator[Finding]:
        if totals == judged.totals:
            return
        judged.totals = totals
        for running in judged.running:
            if running.applies:
                yield from running.total(totals, where, now)

    def _close(self, trace_id: str) -> Iterator[Finding]:
        judged = self._traces.get(trace_id)
        trajectory = self.assembler.trajectory(trace_id)
        if judged is None or not _is_trajectory(trajectory, self.assembler, trace_id):
            return
        yield from _covered(judged.coverage, trajectory)
        for running in judged.running:
            if running.applies:
                scoped = by_scope(trajectory, self.assembler.trace(trace_id))
                yield from running.close(scoped)

    def _trajectories(self) -> Iterable[Trajectory]:
        for trace_id in self.assembler.trace_ids():
            trajectory = self.assembler.trajectory(trace_id)
            if _is_trajectory(trajectory, self.assembler, trace_id):
                yield trajectory

    def _failed(self, rule: str, error: Exception) -> None:
        self.rule_errors[f"{rule}: {type(error).__name__}"] += 1


def _is_trajectory(trajectory: Trajectory, assembler: Assembler, trace_id: str) -> bool:
    """A trace with at least one agent, model or tool span."""
    return bool(trajectory.calls or assembler.trace(trace_id).nodes)


def _apply(
    running: Running, changes: Sequence[CallChange], where: Where, now: int, *, named: bool
) -> Iterator[Finding]:
    seen = running.plan.contract.sees_call
    for change in changes:
        gone = change.before is not None and (
            change.after is None or change.after.key != change.before
        )
        if gone or (change.after is not None and change.before and not seen(change.after)):
            yield from running.drop(change.before or "", where, now)
    for change in changes:
        if change.after is not None and seen(change.after):
            yield from running.put(change.after, where, now, named=named, alone=change.alone)


def _covered(ledger: Ledger, trajectory: Trajectory) -> Iterator[Finding]:
    asked = [call for call in trajectory.calls if call.kind is CallKind.TOOL]
    where = Where.of(trajectory)
    if not asked or any(call.stage is Stage.EXECUTED for call in asked):
        yield from ledger.take({"": None}, where)
        return
    verdict = Verdict(
        label=Label.FAIL,
        kind=FindingKind.COVERAGE_GAP,
        explanation=f"{len(asked)} tool calls were asked for, and none was seen to run: "
        "this telemetry has no tool spans, or they were dropped on the way",
        count=len(asked),
    )
    yield from ledger.take({"": verdict}, where)


def _in_order(findings: Iterable[Finding], trajectories: Sequence[Trajectory]) -> list[Finding]:
    starts = {
        (t.trace_id, call.span_id): call.start_ns or 0 for t in trajectories for call in t.calls
    }
    ends = {t.trace_id: t.end_ns or 0 for t in trajectories}
    return sorted(
        findings,
        key=lambda f: (
            ends.get(f.trace_id, 0),
            f.trace_id,
            starts.get((f.trace_id, f.span_id), ends.get(f.trace_id, 0)),
            f.contract,
            f.rule,
            f.path or "",
            f.id,
        ),
    )
