"""Which agent made a call, by what stands around its readings and what they say."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly.naming import name_of
from toolscore_otel.assembly.node import Node


def invocation_of(nodes: Sequence[Node]) -> Node | None:
    """The agent invocation around a call, which may itself be the invocation of another agent.

    Args:
        nodes: all readings of the call, the outermost first.
    """
    for node in nodes:
        around = node.agent_node
        if around is not None and around not in nodes and not _is_heard_by_another(node, nodes):
            return around
    return None


def agent_of(nodes: Sequence[Node], invocation: Node | None) -> str | None:
    """Who made a call: as its own spans say, else whose invocation is around it, else whose turn it was that asked.

    Args:
        nodes: as for `invocation_of`.
        invocation: what that gives.
    """
    for node in nodes:
        reading = node.call
        if reading is not None and reading.what in _RAN and (own := node.named or reading.agent):
            return own
    if (name := name_of(invocation)) is not None:
        return name
    asking = (node for node in nodes if node.call is not None and node.call.what == "request")
    return next(filter(None, map(_asker, asking)), None)


_RAN = ("span", "log")


def _is_heard_by_another(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether it is the answer to what may be a handoff, which the agent hears that takes over."""
    is_answer = node.call is not None and node.call.what == "response"
    return is_answer and any(each.target is not None for each in nodes)


def _asker(node: Node) -> str | None:
    step = node.in_step.step if node.in_step is not None else None
    own = node.named or (node.call.agent if node.call is not None else None)
    return own or (step.name if step is not None else None)
