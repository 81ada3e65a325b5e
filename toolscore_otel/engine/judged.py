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
from toolscore_otel.engine.report import RuleOutcome
from toolscore_otel.engine.running import Running
from toolscore_otel.engine.scopes import Scoped, by_scope, seen_invocations
from toolscore_otel.engine.shares import Shares
from toolscore_otel.engine.slot import OnError
from toolscore_otel.model import Finding, Resource, Score, Trajectory
from toolscore_otel.rules import RunContext


class JudgedTrace:
    """One trace, held against every contract.

    Attributes:
        named: whether some agent of it is known by name.
    """

    def __init__(
        self, trace_id: str, plans: Sequence[Plan], context: RunContext, on_error: OnError
    ) -> None:
        self._running = [Running(plan, (trace_id, ""), context, on_error) for plan in plans]
        self._applying: set[int] = set()
        self._where = Where(trace_id=trace_id)
        self._resource: Resource | None = None
        self._coverage = Ledger(COVERAGE, (trace_id, ""), context.present)
        self.named = False

    @property
    def waits(self) -> bool:
        """Whether something waits to be said."""
        return any(running.waits for running in self._running)

    @property
    def applies(self) -> bool:
        """Whether some contract applies to it."""
        return bool(self._applying)

    def take(
        self,
        changes: Sequence[CallChange],
        places: Sequence[Place],
        shares: Shares,
        trace: TraceAssembly,
        now: int,
    ) -> list[Finding]:
        """What some spans brought.

        Args:
            changes: of calls.
            places: where they stand.
            shares: what was altered by them of what spans add to sums.
            trace: as it stands with them.
            now: nanoseconds.
        """
        seen_places = [place for place in places if place.id in trace.nodes]
        resources = {id(place.resource): place.resource for place in seen_places}.values()
        self._note(changes, (trace.nodes[place.id] for place in seen_places), resources)
        findings: list[Finding] = []
        for number, running in enumerate(self._running):
            findings += running.take(changes, self._where, now, named=self.named)
            findings += running.measure(shares, self._where, now)
            if running.holds_calls or any(_looks_at(running.plan, place) for place in seen_places):
                self._applying.add(number)
        return findings

    def say_what_waited(self, now: int, lateness_ns: int) -> list[Finding]:
        """Say what has waited long enough."""
        return [
            finding
            for running in self._running
            if running.waits
            for finding in running.say_what_waited(now, lateness_ns, self._where)
        ]

    def close(self, trajectory: Trajectory, shares: Shares, trace: TraceAssembly) -> list[Finding]:
        """The trace is over.

        Args:
            trajectory: as it stands.
            shares: what may be different now of what spans add to sums.
            trace: of which it was made.
        """
        findings = list(covered(self._coverage, trajectory))
        scoped = by_scope(trajectory, trace)
        self._where = Where.of(trajectory)
        self.named = any(call.agent for call in trajectory.calls) or any(
            node.agent is not None and node.agent.name for node in trace.nodes.values()
        )
        for number, running in enumerate(self._running):
            findings += running.measure(shares, self._where, 0)
            parts = _applying(running.plan, scoped, trace)
            if parts is None:
                self._applying.discard(number)
                findings += running.retract()
            else:
                self._applying.add(number)
                findings += running.close(parts, named=self.named)
        return findings

    def retract(self) -> list[Finding]:
        """What was taken for a trace of agents, models or tools is none: nothing stands."""
        self._applying.clear()
        findings = [finding for running in self._running for finding in running.retract()]
        return [*findings, *self._coverage.retract()]

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for running in self._running:
            yield from running.findings()
        yield from self._coverage.said.values()

    def outcomes(self) -> Iterator[RuleOutcome]:
        """Of each rule of each contract that applies: failed, could not be checked, or held."""
        for number in sorted(self._applying):
            yield from self._running[number].outcomes()

    def scores(self, trajectory: Trajectory, trace: TraceAssembly) -> Iterator[Score]:
        """Of each contract that applies.

        Args:
            trajectory: as it was closed.
            trace: of which it was made.
        """
        scoped = by_scope(trajectory, trace)
        for number in sorted(self._applying):
            running = self._running[number]
            yield from running.scores(_applying(running.plan, scoped, trace) or scoped)

    def _note(
        self,
        changes: Sequence[CallChange],
        nodes: Iterable[Node],
        resources: Iterable[Resource],
    ) -> None:
        if any(node.agent is not None and node.agent.name for node in nodes) or any(
            change.after and change.after.agent for change in changes
        ):
            self.named = True
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


def _looks_at(plan: Plan, place: Place) -> bool:
    """Whether a contract sees a span, as long as its agent is not known."""
    resource = place.resource
    return plan.sees_everything or plan.contract.sees(
        service=resource.service,
        environment=resource.environment,
        agent=None,
        attributes=place.attributes,
    )


def _applying(plan: Plan, scoped: Scoped, trace: TraceAssembly) -> Scoped | None:
    """The parts of a trace that a contract applies to; None where it does not apply to it."""
    if plan.sees_everything:
        return scoped
    invocations = seen_invocations(plan.contract, scoped, trace)
    return scoped.only(invocations) if invocations else None
