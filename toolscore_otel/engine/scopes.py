"""What a contract sees of a trace, and its parts by scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, structs

from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.shares import agent_of
from toolscore_otel.model import Scope, ToolCall, Trajectory

Sees = Callable[[Node], bool]
"""Whether a contract sees a span, or a message in it."""


class Scoped(Struct, frozen=True):
    """A trace, and its agent invocations that a contract applies to; or a session.

    Attributes:
        whole: the trace, or the session.
        invocations: by span id.
        has_invocations: whether there are any at all, seen or not; without them the trace is the trajectory of rules
            of scope `agent`, too.
    """

    whole: Trajectory
    invocations: Mapping[str, Trajectory] = {}
    has_invocations: bool = False

    def trajectories(self, *, of_agents: bool) -> Mapping[str, Trajectory]:
        """Those of one scope, by what tells them apart within the whole."""
        if of_agents and self.has_invocations:
            return self.invocations
        return {"": self.whole}

    def only(self, seen: Iterable[str]) -> Scoped:
        """The same with no other invocations than these."""
        return Scoped(
            self.whole,
            {key: self.invocations[key] for key in seen if key in self.invocations},
            self.has_invocations,
        )


def seen_by(contract: Contract, trace: TraceAssembly) -> Sees:
    """The question whether a contract sees a node of this trace."""

    def sees(node: Node) -> bool:
        place = node.place
        return contract.sees(
            service=place.resource.service,
            environment=place.resource.environment,
            agent=agent_of(node, trace),
            attributes=place.attributes,
        )

    return sees


def seen_invocations(contract: Contract, scoped: Scoped, trace: TraceAssembly) -> dict[str, None]:
    """Span ids of the agent invocations of which a contract sees some span or call; "" for what is outside of them all."""
    found: dict[str, None] = {}
    sees = seen_by(contract, trace)
    for node in trace.nodes.values():
        if sees(node):
            around = node if node.agent is not None else node.agent_node
            found[around.place.id if around else ""] = None
    for call in scoped.whole.calls:
        if contract.sees_call(call):
            found[call.invocation_id or ""] = None
    return found


def by_scope(trajectory: Trajectory, trace: TraceAssembly) -> Scoped:
    """A trace and all of its agent invocations."""
    calls: dict[str | None, list[ToolCall]] = {}
    for call in trajectory.calls:
        calls.setdefault(call.invocation_id, []).append(call)
    invocations = {
        place_id: structs.replace(
            trajectory,
            scope=Scope.AGENT,
            agent=node.agent.name,
            start_ns=node.place.start_ns,
            end_ns=node.place.end_ns,
            calls=tuple(calls.get(place_id, ())),
        )
        for place_id, node in trace.nodes.items()
        if node.agent is not None
    }
    return Scoped(trajectory, invocations, bool(invocations))
