"""The trajectory of one trace as it stands: its calls in order, its sums, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from operator import attrgetter
from typing import Any

from msgspec import structs

from toolscore_otel.assembly.following import followed
from toolscore_otel.assembly.node import Node, Usage
from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.assembly.roll_ups import totals_among
from toolscore_otel.assembly.spending import Spending
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.assembly.turns import asked_in, turns_among
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    Gap,
    Json,
    Stage,
    ToolCall,
    Trajectory,
)

_EXECUTED, _REQUESTED, _TOOL = Stage.EXECUTED, Stage.REQUESTED, CallKind.TOOL


def in_order(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls by start, then by place in the asking message; those without a start last."""
    known = list(calls)
    timed = [call for call in known if call.start_ns is not None]
    timeless = [call for call in known if call.start_ns is None]
    return (*sorted(timed, key=_BY_START), *sorted(timeless, key=_BY_PLACE))


_BY_START = attrgetter("start_ns", "position", "key")
_BY_PLACE = attrgetter("position", "key")


def trajectory(
    trace: TraceAssembly,
    alone: Sequence[ToolCall],
    trace_id: str,
    closed_by: ClosedBy | None,
    gaps: AbstractSet[Gap] = frozenset(),
) -> Trajectory:
    """All that is known of one trace.

    Args:
        trace: what is known of it.
        alone: calls past the cap, which were not placed.
        trace_id: 32 hex digits.
        closed_by: None while it is open.
        gaps: what is known to be lacking already.
    """
    nodes = list(trace.nodes.values())
    calls = in_order([*_standing(trace, gaps), *alone])
    lacking = _by_others(trace, _lacks(nodes, calls) | _sums_lack(trace.spending) | gaps)
    return Trajectory(
        trace_id=trace_id,
        conversation_id=trace.only,
        agent=_root_agent(nodes),
        **_sent_by(nodes),
        scenario=min(trace.scenarios, default=None),
        start_ns=trace.sums.start_ns,
        end_ns=trace.sums.end_ns,
        latency_s=trace.sums.length_s,
        active_s=_active(trace, calls),
        calls=calls,
        **_used(trace.spending),
        closed_by=closed_by,
        attributes=gathered([n.place.attributes for n in nodes if n.place.attributes]),
        incomplete=not _INCOMPLETE.isdisjoint(lacking),
        gaps=tuple(sorted(lacking)),
        models=_models(trace),
    )


def _used(spending: Spending) -> dict[str, Any]:
    """Tokens and money, in all and in parts."""
    return {
        "tokens": spending.tokens(),
        "cost_usd": spending.spent.usd,
        "cost_source": spending.spent.source,
        "turns": turns_among(spending.counted()),
        "agent_totals": totals_among(spending.roll_ups.standing()),
    }


def _standing(trace: TraceAssembly, gaps: AbstractSet[Gap]) -> Iterable[ToolCall]:
    """The calls of a trace, with what only the whole of it shows."""
    lacks_spans = trace.is_sampled or Gap.SPAN_LIMIT in gaps
    turns, only = {} if lacks_spans else followed(trace), trace.only
    if only is None and not turns:
        return trace.standing()
    return [_told(call, only, turns.get(call.key)) for call in trace.standing()]


def gathered(found: Iterable[Mapping[str, Json]]) -> Mapping[str, tuple[Json, ...]]:
    """The values of attributes that stand on several spans, each once and in a stable order."""
    values: dict[str, dict[str, Json]] = {}
    for attributes in found:
        for key, value in attributes.items():
            values.setdefault(key, {})[repr(value)] = value
    return {key: tuple(of[said] for said in sorted(of)) for key, of in sorted(values.items())}


def _sent_by(nodes: Iterable[Node]) -> dict[str, Any]:
    """Service and environment; most spans share one resource."""
    resources = {id(node.place.resource): node.place.resource for node in nodes}.values()
    return {
        "service": _first(resource.service for resource in resources),
        "environment": _first(resource.environment for resource in resources),
    }


def _models(trace: TraceAssembly) -> tuple[str, ...]:
    """Those that its model calls name; what a second span tells of one of them counts for nothing."""
    named = (node.model.model for node in trace.spending.counted() if node.model is not None)
    return tuple(sorted({name for name in named if name}))


def _by_others(trace: TraceAssembly, lacking: set[Gap]) -> set[Gap]:
    """What it lacks, where other traces tell of its calls, or spans were left out on the way."""
    if trace.is_sampled:
        lacking = lacking | {Gap.SAMPLED_UPSTREAM}
    if not trace.retold:
        return lacking
    ran = any(told is not None and is_elsewhere(told) for told in trace.retold.values())
    return lacking - {Gap.TOOL_SPANS_MISSING} | ({Gap.RAN_ELSEWHERE} if ran else set())


_INCOMPLETE = frozenset(
    {Gap.REQUESTED_NOT_RUN, Gap.RAN_ELSEWHERE, Gap.FRAGMENT, Gap.SPAN_LIMIT, Gap.TOOL_SPANS_MISSING}
)


def _told(call: ToolCall, only: str | None, turn: Usage | None) -> ToolCall:
    """A call without a conversation of its own takes the only one of its trace; one without a turn that after which it ran."""
    changes: dict[str, object] = {}
    if call.conversation_id is None and only is not None:
        changes["conversation_id"] = only
    if call.turn_id is None and turn is not None:
        changes |= asked_in(turn)
    return structs.replace(call, **changes) if changes else call


def _first(values: Iterable[str | None]) -> str | None:
    return min((value for value in values if value), default=None)


def _root_agent(nodes: Sequence[Node]) -> str | None:
    """The named agent that no other one encloses; None where there are several, or none is named."""
    known: dict[str, bool] = {}
    outer = {n.agent.name for n in nodes if n.agent and n.agent.name and not _is_inside(n, known)}
    return outer.pop() if len(outer) == 1 else None


def _is_inside(node: Node, known: dict[str, bool]) -> bool:
    """Whether a named agent is around it, through any that have no name; `known` is the answer for these."""
    passed: list[str] = []
    inside = False
    around = node.agent_node
    while around is not None:
        if around.place.id in known:
            inside = known[around.place.id]
            break
        if around.agent is not None and around.agent.name:
            inside = True
            break
        passed.append(around.place.id)
        around = around.agent_node
    known.update(dict.fromkeys(passed, inside))
    return inside


def _active(trace: TraceAssembly, calls: Sequence[ToolCall]) -> float | None:
    """Length of the union of tool and model call intervals, in seconds."""
    models = [(node.place.start_ns, node.place.end_ns) for node in trace.spending.counted()]
    made = [(call.start_ns, call.end_ns) for call in calls if call.stage is _EXECUTED]
    known = sorted([(a, b) for a, b in models + made if a is not None and b is not None])
    if not known:
        return None
    total, reached = 0, known[0][0]
    for start, end in known:
        if end > reached:
            total += max(0, end - max(start, reached))
            reached = end
    return total / 1e9


def _sums_lack(spending: Spending) -> set[Gap]:
    gaps: set[Gap] = set()
    if spending.spent.blind:
        gaps.add(Gap.COST_NOT_KNOWN)
    told = [node.model for node in spending.counted()]
    rolled = [one.said.used for one in spending.roll_ups.counted()]
    if any(used.is_unclear for used in (*told, *rolled) if used is not None):
        gaps.add(Gap.TOKENS_UNCLEAR)
    if any(spending.roll_ups.standing()):
        gaps.add(Gap.ONLY_TOTALS_OBSERVED)
    return gaps


def _lacks(nodes: Sequence[Node], calls: Sequence[ToolCall]) -> set[Gap]:
    gaps: set[Gap] = set()
    if [call for call in calls if call.stage is _REQUESTED and call.kind is _TOOL]:
        gaps.add(Gap.REQUESTED_NOT_RUN)
    if not calls and any(node.model is not None and node.model.asks for node in nodes):
        gaps.add(Gap.TOOL_SPANS_MISSING)
    if [node for node in nodes if not node.settled]:
        gaps.add(Gap.PARENT_MISSING)
    if not [node for node in nodes if node.agent or node.model] and any(
        node.call is not None
        and node.call.what == "span"
        and (node.place.parent is None or not node.settled)
        for node in nodes
    ):
        gaps.add(Gap.FRAGMENT)
    return gaps
