"""What stands around what in one trace: the nearest node, and the nearest agent invocation or step, while spans come in any order."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from toolscore_otel.assembly.forest import Forest
from toolscore_otel.assembly.node import Node


class Surroundings:
    """The places of one trace.

    Args:
        nodes: all that say something, by place id; the caller keeps it up to date.

    Attributes:
        placed: all that has a place, and under what it stands, by place id.
        forest: these.
    """

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self.forest = Forest()
        self.placed = self.forest.parents
        self._nodes = nodes
        self._marked = self.forest.nearest()
        self._agents = self.forest.nearest()

    def plant(self, place_id: str, parent: str | None, node: Node | None = None) -> list[str]:
        """Put a span that is not known yet in its place, with what it says.

        Returns:
            It, and those around which something else may stand now, in order.
        """
        cut = self.forest.add(place_id, parent)
        is_agent = node is not None and (node.agent is not None or node.step is not None)
        freed = [place_id]
        freed += self._marked.came(place_id, marked=node is not None)
        freed += self._agents.came(place_id, marked=is_agent)
        return freed if cut is None else [*self._marked.cut(cut), *self._agents.cut(cut), *freed]

    def mark(self, node: Node) -> list[str]:
        """What a known span says is known now; returns the same as `plant`."""
        place_id = node.place.id
        around = [place_id, *self._marked.mark(place_id)]
        if node.names_agent:
            around += self._agents.mark(place_id)
        return around

    def enclosing(self, node: Node) -> tuple[Node | None, bool]:
        """The nearest node around another one, and whether that is final."""
        found, is_final = self._marked.above(node.place.id)
        return (None if found is None else self._nodes[found]), is_final

    def agent(self, node: Node, outer: Node) -> Node | None:
        """The nearest agent invocation or step around a node.

        Args:
            node: of which the nearest node around it is known. Where there is none yet, `plant` names it when there is.
            outer: that one.
        """
        if outer.names_agent:
            return outer
        found, _ = self._agents.above(node.place.id)
        return None if found is None else self._nodes[found]

    def inside(self, node: Node) -> Collection[str]:
        """Everything under a node as far as the next agent invocations or steps, these included."""
        return self._agents.below(node.place.id)
