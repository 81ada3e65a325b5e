"""Running sums of one trace: its first start and last end, the calls made, and what calls report of their cost."""

from __future__ import annotations

from toolscore_otel.assembly.node import PICO, Node
from toolscore_otel.model import CallKind, Stage, ToolCall


class Sums:
    """Kept up to date call by call.

    Attributes:
        start_ns: first start of agent, model and tool spans.
        end_ns: last end of these.
        made: executed calls of kind `tool`.
        reported: picodollars that calls report, less what stands inside them (which is counted by itself).
        reporting: how many calls report a cost.
    """

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.end_ns: int | None = None
        self.made = 0
        self.reported = 0
        self.reporting = 0
        self._shares: dict[str, tuple[int, int, int]] = {}

    def reach(self, start_ns: int | None, end_ns: int | None) -> None:
        """A span of interest stands here."""
        if start_ns is not None:
            self.start_ns = start_ns if self.start_ns is None else min(self.start_ns, start_ns)
        if end_ns is not None:
            self.end_ns = end_ns if self.end_ns is None else max(self.end_ns, end_ns)

    def put(self, root: str, call: ToolCall, node: Node) -> None:
        """A call is new or has changed."""
        self.drop(root)
        made = int(call.kind is CallKind.TOOL and call.stage is Stage.EXECUTED)
        own = next(
            (n.call.cost_usd for n in node.members if n.call and n.call.cost_usd is not None), None
        )
        reported = 0 if own is None else round(own * PICO) - node.spent.total
        self._add(root, (made, reported, int(own is not None)), 1)

    def drop(self, root: str) -> None:
        """A call is no call of its own any more."""
        if (share := self._shares.get(root)) is not None:
            self._add(root, share, -1)
            del self._shares[root]

    def _add(self, root: str, share: tuple[int, int, int], sign: int) -> None:
        self.made += sign * share[0]
        self.reported += sign * share[1]
        self.reporting += sign * share[2]
        self._shares[root] = share
