"""What a contract sees of a trace, its sums so far, and its parts by scope."""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.assembly.trajectory import cost_of
from toolscore_otel.contracts import Contract
from toolscore_otel.model import CostSource, Scope, Span, Trajectory
from toolscore_otel.rules import Totals


def sees(contract: Contract, span: Span, trace: TraceAssembly) -> bool:
    """Whether this span makes its trace one that the contract applies to."""
    node = trace.nodes.get(span.span_id)
    if node is None:
        return False
    agent = node.agent.name if node.agent else None
    if agent is None and node.call is not None:
        call = trace.calls.get(node.group.place.id)
        agent = call.agent if call else None
    return contract.sees(
        service=span.resource.service, environment=span.resource.environment, agent=agent
    )


def totals_of(trace: TraceAssembly) -> Totals:
    """The sums of a trace so far."""
    sums, spent, tokens = trace.sums, trace.spending.spent, trace.spending.tokens()
    known = sums.start_ns is not None and sums.end_ns is not None
    counted = [part for part in (tokens.input, tokens.output) if part is not None]
    return Totals(
        latency_ns=(sums.end_ns or 0) - (sums.start_ns or 0) if known else None,
        cost_usd=cost_of(trace),
        cost_source=CostSource.PRICED if spent.priced else CostSource.REPORTED,
        cost_whole=not spent.blind,
        tokens=sum(counted) if counted else None,
        calls=sums.made,
    )


def by_scope(trajectory: Trajectory, trace: TraceAssembly) -> dict[str, Trajectory]:
    """The trajectories of one trace: itself under "", and each agent invocation under its span id."""
    found = {"": trajectory}
    for place_id, node in trace.nodes.items():
        if node.agent is not None:
            found[place_id] = _invocation(trajectory, node)
    return found


def _invocation(trajectory: Trajectory, node: Node) -> Trajectory:
    place = node.place
    own = tuple(call for call in trajectory.calls if call.invocation_id == place.id)
    known = place.start_ns is not None and place.end_ns is not None
    return structs.replace(
        trajectory,
        scope=Scope.AGENT,
        agent=node.agent.name if node.agent else None,
        calls=own,
        start_ns=place.start_ns,
        end_ns=place.end_ns,
        latency_s=((place.end_ns or 0) - (place.start_ns or 0)) / 1e9 if known else None,
    )
