"""Handoffs that only what comes after them shows: the agent that a call names takes over.

A call named like a handoff is one where the agent of that name is invoked when the call has begun, or later, in the same
trace, whatever of the two is known first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.handoffs import (
    BEGINNINGS,
    is_said,
    is_told_numbers,
    known_as,
    target_of,
)
from toolscore_otel.model import CallKind, ContentState

_OBSERVED, _TOOL = ContentState.OBSERVED, CallKind.TOOL


class _Agent(Struct):
    """One agent, by what it is known as.

    Attributes:
        starts: of its invocations, in order.
        calls: readings of calls that name it, by start.
    """

    starts: list[int] = field(default_factory=list[int])
    calls: list[Node] = field(default_factory=list[Node])

    @property
    def last(self) -> int:
        return self.starts[-1] if self.starts else -1


class Handoffs:
    """The agents of one trace, and the calls that name one. It sets `Node.target` and `Node.is_followed`."""

    def __init__(self) -> None:
        self._agents: dict[str, _Agent] = {}

    def enter(self, node: Node) -> Iterable[Node]:
        """A node came; returns the readings of calls for which that is news."""
        call = node.call
        if call is not None and call.name is not None and call.name.startswith(BEGINNINGS):
            node.target = target_of(call)
            if node.target is not None:
                self._name(node, node.target)
        if node.agent is None and node.step is None:
            return ()
        return self._run(node, begins=True)

    def leave(self, node: Node) -> Iterable[Node]:
        """A node is withdrawn; returns the readings of calls for which that is news."""
        start = node.place.start_ns
        if node.target is not None and start is not None:
            self._agents[node.target].calls.remove(node)
        return self._run(node, begins=False) if node.names_agent else ()

    def _name(self, node: Node, target: str) -> None:
        start = node.place.start_ns
        if start is None:
            return
        agent = self._agents.setdefault(target, _Agent())
        insort(agent.calls, node, key=_start)
        node.is_followed = start <= agent.last

    def _run(self, node: Node, *, begins: bool) -> Sequence[Node]:
        invocation = node.agent or node.step
        name = None if invocation is None else known_as(invocation.name)
        start = node.place.start_ns
        if name is None or start is None:
            return ()
        agent = self._agents.setdefault(name, _Agent())
        before = agent.last
        if begins:
            insort(agent.starts, start)
        else:
            del agent.starts[bisect_left(agent.starts, start)]
        since, until = sorted((before, agent.last))
        first = bisect_right(agent.calls, since, key=_start)
        turned = agent.calls[first : bisect_right(agent.calls, until, key=_start)]
        for call in turned:
            call.is_followed = begins
        return turned


def kind_among(nodes: Sequence[Node], told: CallKind) -> CallKind:
    """What sort of tool a call is of.

    Args:
        nodes: all readings of the call.
        told: what these say by themselves.
    """
    for node in nodes:
        if node.target is not None:
            break
    else:  # most calls
        return told
    return _kind_by_what_follows(nodes) if told is _TOOL else told


def _kind_by_what_follows(nodes: Sequence[Node]) -> CallKind:
    targets = [node.target for node in nodes if node.target is not None]
    calls = [node.call for node in nodes if node.call is not None]
    args = [call.args.value for call in calls if call.args.state is _OBSERVED]
    if any(map(is_told_numbers, args)):
        return _TOOL
    answers = [call.result.value for call in calls if call.result.state is _OBSERVED]
    is_handoff = any(node.is_followed for node in nodes) or any(
        is_said(target, answer, args) for target in targets for answer in answers
    )
    return CallKind.HANDOFF if is_handoff else _TOOL


def _start(node: Node) -> int:
    return node.place.start_ns or 0
