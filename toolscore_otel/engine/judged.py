"""One trace under judgement: all contracts that run on it, and what is known of it beside its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange
from toolscore_otel.assembly.node import Node, Place
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.engine.coverage import COVERAGE, covered
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.running import Running
from toolscore_otel.engine.scopes import Scoped, Sees, by_scope, seen_by, seen_invocations
from toolscore_otel.engine.slot import OnError
from toolscore_otel.engine.totals import totals_at_end, totals_so_far
from toolscore_otel.model import Finding, Label, Resource, Trajectory
from toolscore_otel.rules import RunContext


class _Seen:
    """How much of a trace one contract sees.

    Attributes:
        applies: whether it saw some span, as far as is known.
        whole: whether it saw every span, whoever's it may turn out to be, so that the sums of the trace are its sums.
    """

    __slots__ = ("applies", "whole")

    def __init__(self) -> None:
        self.applies = False
        self.whole = True


class JudgedTrace:
    """One trace, held against every contract."""

    def __init__(
        self, trace_id: str, plans: Sequence[Plan], context: RunContext, on_error: OnError
    ) -> None:
        self._running = [(Running(plan, trace_id, context, on_error), _Seen()) for plan in plans]
        self._sums = any(plan.of_totals for plan in plans)
        self._named = False
        self._where = Where()
        self._resource: Resource | None = None
        self._coverage = Ledger(COVERAGE, trace_id, context.present)

    @property
    def waits(self) -> bool:
        """Whether something waits to be said."""
        return any(running.waits for running, _ in self._running)

    @property
    def applies(self) -> bool:
        """Whether some contract applies to it."""
        return any(seen.applies for _, seen in self._running)

    def take(
        self, changes: Sequence[CallChange], places: Sequence[Place], trace: TraceAssembly, now: int
    ) -> list[Finding]:
        """What some spans brought.

        Args:
            changes: of calls.
            places: where they stand.
            trace: as it stands with them.
            now: nanoseconds.
        """
        seen_places = [place for place in places if place.id in trace.nodes]
        resources = {id(place.resource): place.resource for place in seen_places}.values()
        self._note(changes, (trace.nodes[place.id] for place in seen_places), resources)
        findings: list[Finding] = []
        totals = totals_so_far(trace) if self._sums else None
        for running, seen in self._running:
            findings += running.take(changes, self._where, now, named=self._named)
            for resource in resources:
                _look(running.plan, seen, resource)
            seen.applies = seen.applies or running.holds_calls
            if totals is not None and seen.whole:
                findings += running.total(totals, self._where, now)
        return findings

    def say_what_waited(self, now: int, lateness_ns: int) -> list[Finding]:
        """Say what has waited long enough."""
        return [
            finding
            for running, _ in self._running
            if running.waits
            for finding in running.say_what_waited(now, lateness_ns, self._where)
        ]

    def close(self, trajectory: Trajectory, trace: TraceAssembly) -> list[Finding]:
        """The trace is over."""
        findings = list(covered(self._coverage, trajectory))
        scoped = by_scope(trajectory, trace)
        self._where = Where.of(trajectory)
        self._named = any(call.agent for call in trajectory.calls) or any(
            node.agent is not None and node.agent.name for node in trace.nodes.values()
        )
        for running, seen in self._running:
            seen.applies, parts = _applying(running.plan, scoped, trace)
            if not seen.applies:
                findings += running.retract()
                continue
            if running.plan.of_totals:
                totals = totals_at_end(trace, _seeing(running.plan, trace))
                findings += running.total(totals, self._where, 0)
            findings += running.close(parts, named=self._named)
        return findings

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for running, _ in self._running:
            yield from running.findings()
        yield from self._coverage.said.values()

    def outcomes(self) -> Iterator[Label]:
        """Of each rule of each contract that applies: failed, could not be checked, or held."""
        for running, seen in self._running:
            if seen.applies:
                yield from running.outcomes()

    def _note(
        self,
        changes: Sequence[CallChange],
        nodes: Iterable[Node],
        resources: Iterable[Resource],
    ) -> None:
        if any(node.agent is not None and node.agent.name for node in nodes) or any(
            change.after and change.after.agent for change in changes
        ):
            self._named = True
        for resource in resources:
            if resource is not self._resource:
                self._resource = resource
                self._note_origin(resource)

    def _note_origin(self, resource: Resource) -> None:
        here = (resource.service, resource.environment)
        known = (self._where.service, self._where.environment)
        if here != known:
            service, environment = map(_least, here, known)
            self._where = structs.replace(self._where, service=service, environment=environment)


def _least(one: str | None, other: str | None) -> str | None:
    return min((word for word in (one, other) if word), default=None)


def _look(plan: Plan, seen: _Seen, resource: Resource) -> None:
    """Note whether a contract sees a span of this resource, whatever its agent."""
    if plan.sees_everything:
        seen.applies = True
        return
    sees = plan.contract.sees(
        service=resource.service, environment=resource.environment, agent=None
    )
    seen.applies = seen.applies or sees
    seen.whole = seen.whole and sees


def _seeing(plan: Plan, trace: TraceAssembly) -> Sees | None:
    return None if plan.sees_everything else seen_by(plan.contract, trace)


def _applying(plan: Plan, scoped: Scoped, trace: TraceAssembly) -> tuple[bool, Scoped]:
    """Whether a contract applies to a trace, and the parts that it applies to."""
    if plan.sees_everything:
        return True, scoped
    invocations = seen_invocations(plan.contract, scoped, trace)
    return bool(invocations), scoped.only(invocations)
