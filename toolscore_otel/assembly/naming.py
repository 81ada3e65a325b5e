"""Agents that one span or record of a trace names by an id, and others only by that id."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly.node import Node


class Naming:
    """Ids of agents, and their names, in whatever order both come. It sets `Node.named`.

    An id that two names are given has none.
    """

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        self._nodes: dict[str, list[Node]] = {}

    def name(self, agent_id: str, name: str) -> Sequence[Node]:
        """An agent is named; returns the nodes for which that may be news."""
        names = self._names.setdefault(agent_id, set())
        if name in names:
            return ()
        names.add(name)
        nodes = self._nodes.get(agent_id, ())
        for node in nodes:
            node.named = self._name_of(agent_id)
        return nodes

    def enter(self, node: Node, agent_id: str) -> None:
        """A reading came of a call that the agent of this id made."""
        self._nodes.setdefault(agent_id, []).append(node)
        node.named = self._name_of(agent_id)

    def leave(self, node: Node) -> None:
        """A node is withdrawn."""
        agent_id = None if node.call is None else node.call.agent_id
        if agent_id is not None:
            self._nodes[agent_id].remove(node)

    def leave_all(self) -> None:
        """All nodes are withdrawn; the names stay."""
        self._nodes.clear()

    def _name_of(self, agent_id: str) -> str | None:
        names = self._names.get(agent_id, ())
        return next(iter(names)) if len(names) == 1 else None


def name_of(invocation: Node | None) -> str | None:
    """The name of the agent of an invocation, which may stand on the span around it."""
    if invocation is None or invocation.agent is None:
        return None
    outer = invocation.agent_node if invocation.agent.runs_outer else None
    if outer is None or outer.agent is None or invocation.enclosing is not outer:
        return invocation.agent.name
    return invocation.agent.name or outer.agent.name
