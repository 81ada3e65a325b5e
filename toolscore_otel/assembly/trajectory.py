"""The trajectory of one trace as it stands: its calls in order, its sums, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly.node import PICO, Node
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    CostSource,
    Gap,
    Stage,
    ToolCall,
    Trajectory,
)

_NEVER = 1 << 63


def in_order(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls by start, then by place in the asking message; those without a start last."""
    return tuple(sorted(calls, key=_order))


def _order(call: ToolCall) -> tuple[int, int, str]:
    return (_NEVER if call.start_ns is None else call.start_ns, call.position, call.key)


def trajectory(
    trace: TraceAssembly,
    alone: Sequence[ToolCall],
    *,
    trace_id: str,
    closed_by: ClosedBy | None,
    over_limit: bool,
) -> Trajectory:
    """All that is known of one trace.

    Args:
        trace: what is known of it.
        alone: calls past the cap, which were not placed.
        trace_id: 32 hex digits.
        closed_by: None while it is open.
        over_limit: whether spans were not placed.
    """
    nodes = list(trace.nodes.values())
    only = _only({node.conversation_id for node in nodes})
    calls = in_order([*(_told(call, only) for call in trace.calls.values()), *alone])
    start, end = trace.sums.start_ns, trace.sums.end_ns
    cost, source, gaps = _cost(trace)
    gaps |= _lacks(nodes, calls) | ({Gap.SPAN_LIMIT} if over_limit else set())
    return Trajectory(
        trace_id=trace_id,
        conversation_id=only,
        agent=_root_agent(nodes),
        service=_first(node.place.resource.service for node in nodes),
        environment=_first(node.place.resource.environment for node in nodes),
        scenario=_first(node.scenario for node in nodes),
        start_ns=start,
        end_ns=end,
        latency_s=None if start is None or end is None else (end - start) / 1e9,
        active_s=_active(trace, calls),
        calls=calls,
        tokens=trace.spending.tokens(),
        cost_usd=cost,
        cost_source=source,
        closed_by=closed_by,
        incomplete=not gaps.isdisjoint(_INCOMPLETE),
        gaps=tuple(sorted(gaps)),
    )


_INCOMPLETE = frozenset({Gap.REQUESTED_NOT_RUN, Gap.FRAGMENT, Gap.SPAN_LIMIT})


def _told(call: ToolCall, only: str | None) -> ToolCall:
    """A call without a conversation of its own takes the only one of its trace."""
    if call.conversation_id is None and only is not None:
        return structs.replace(call, conversation_id=only)
    return call


def _only(ids: set[str | None]) -> str | None:
    known = ids - {None}
    return known.pop() if len(known) == 1 else None


def _first(values: Iterable[str | None]) -> str | None:
    return min((value for value in values if value), default=None)


def _root_agent(nodes: Sequence[Node]) -> str | None:
    """The agent that no other agent encloses; None where there are several, or none is named."""
    outer = {n.agent.name for n in nodes if n.agent and n.agent.name and _is_outermost(n)}
    return outer.pop() if len(outer) == 1 else None


def _is_outermost(node: Node) -> bool:
    around = node.agent_node
    while around is not None:
        if around.agent is not None and around.agent.name:
            return False
        around = around.agent_node
    return True


def _cost(trace: TraceAssembly) -> tuple[float | None, CostSource | None, set[Gap]]:
    spent = trace.spending.spent
    gaps = {Gap.COST_NOT_KNOWN} if spent.blind else set[Gap]()
    usd = cost_of(trace)
    if usd is None:
        return None, None, gaps
    return usd, CostSource.PRICED if spent.priced else CostSource.REPORTED, gaps


def cost_of(trace: TraceAssembly) -> float | None:
    """USD of a trace: every model call once, and what calls report themselves instead of what stands inside them."""
    spent, sums = trace.spending.spent, trace.sums
    if not spent.known and not sums.reporting:
        return None
    return (spent.total + sums.reported) / PICO


def _active(trace: TraceAssembly, calls: Sequence[ToolCall]) -> float | None:
    """Length of the union of tool and model call intervals, in seconds."""
    models = ((node.place.start_ns, node.place.end_ns) for node in trace.spending.counted())
    made = ((call.start_ns, call.end_ns) for call in calls if call.stage is Stage.EXECUTED)
    known = sorted((a, b) for a, b in (*models, *made) if a is not None and b is not None)
    if not known:
        return None
    total, reached = 0, known[0][0]
    for start, end in known:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total / 1e9


def _lacks(nodes: Sequence[Node], calls: Sequence[ToolCall]) -> set[Gap]:
    gaps: set[Gap] = set()
    if any(call.stage is Stage.REQUESTED and call.kind is CallKind.TOOL for call in calls):
        gaps.add(Gap.REQUESTED_NOT_RUN)
    tools = [node for node in nodes if node.call is not None]
    if any(not node.settled for node in nodes):
        gaps.add(Gap.PARENT_MISSING)
    alone = not any(node.agent or node.model for node in nodes)
    if alone and any(not node.settled or node.place.parent is None for node in tools):
        gaps.add(Gap.FRAGMENT)
    return gaps
