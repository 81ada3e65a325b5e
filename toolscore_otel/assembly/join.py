"""Which readings tell of the same call, and the call that they tell of together.

Two readings are joined where one span encloses the other directly (no agent or model call between), or where they share
the model's call id, and only if nothing that both observed differs. Two records of the same instrumentation on the same
layer are two calls, however equal: a tool that calls itself really ran twice. Being joined is decided pair by pair, so
the order of arrival does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly.node import LAYER_RANK, Node
from toolscore_otel.conventions.reading import CallReading, Layer
from toolscore_otel.model import (
    NOT_OBSERVED,
    ContentState,
    Gap,
    Payload,
    Source,
    Stage,
    Status,
    ToolCall,
)

_MCP_PREFIX = re.compile(r"^mcp__.+?__")
"""`mcp__SERVER__TOOL`, as coding agents name the tools of an MCP server."""


def same_tool(one: str | None, other: str | None) -> bool:
    """Whether two recorded names can mean one tool; a name that was not recorded can mean any."""
    if one is None or other is None or one == other:
        return True
    return _MCP_PREFIX.sub("", one) == _MCP_PREFIX.sub("", other)


def nested_is_same(outer: Node, inner: Node) -> bool:
    """Whether a tool span and the tool span directly around it tell of one call.

    An inner one without a name of its own (the part in which a tool runs) can only tell of the call around it.
    """
    if outer.call is None or inner.call is None:
        return False
    apart = inner.call.name is None or _told_apart(outer, inner)
    return apart and _agree(outer.call, inner.call)


def id_is_same(one: Node, other: Node) -> bool:
    """Whether two readings with the same call id, neither around the other, tell of one call."""
    if one.call is None or other.call is None:
        return False
    if not (_told_apart(one, other) and _agree(one.call, other.call)):
        return False
    return Layer.MESSAGE in (one.call.layer, other.call.layer) or _overlap(one, other)


def _told_apart(one: Node, other: Node) -> bool:
    """Different layers, or different instrumentations of the same one."""
    return _writer(one) != _writer(other)


def _writer(node: Node) -> tuple[Layer | None, str, str]:
    call = node.call
    return (call.layer if call else None, call.convention if call else "", node.place.scope.name)


def _agree(one: CallReading, other: CallReading) -> bool:
    if one.call_id and other.call_id and one.call_id != other.call_id:
        return False
    if not same_tool(one.name, other.name):
        return False
    both = one.args.state is ContentState.OBSERVED and other.args.state is ContentState.OBSERVED
    return not both or bool(one.args.value == other.args.value)


def _overlap(one: Node, other: Node) -> bool:
    a, b = one.place, other.place
    if a.start_ns is None or b.start_ns is None or a.end_ns is None or b.end_ns is None:
        return True
    return a.start_ns <= b.end_ns and b.start_ns <= a.end_ns


def outermost_first(nodes: Iterable[Node]) -> list[Node]:
    """The readings of one call, the outermost span first, messages and logs last."""
    return sorted(nodes, key=_outwardness)


def _outwardness(node: Node) -> tuple[int, int, int, int, str]:
    call, place = node.call, node.place
    assert call is not None  # noqa: S101 - for the type checker
    return (
        0 if call.what == "span" else 1,
        LAYER_RANK[call.layer],
        place.start_ns or 0,
        -(place.end_ns or 0),
        place.id,
    )


def assemble(nodes: Sequence[Node]) -> ToolCall:
    """One call from all its readings.

    The outermost span gives times and id, inner ones fill gaps, the deepest gives the error.

    Args:
        nodes: all readings of one call, `outermost_first`.
    """
    readings = [node.call for node in nodes if node.call is not None]
    outer = nodes[0]
    name = _first(reading.name for reading in readings)
    call = ToolCall(
        tool=name or "",
        recorded_name=name or "",
        kind=readings[0].kind,
        stage=_stage(readings),
        call_id=_first(reading.call_id for reading in readings),
        trace_id=outer.place.trace_id,
        span_id=outer.place.span_id,
        parent_span_id=outer.place.parent,
        agent=_agent(outer.agent_node, readings),
        invocation_id=outer.agent_node.place.id if outer.agent_node else None,
        conversation_id=_conversation(nodes),
        service=_first(node.place.resource.service for node in nodes),
        environment=_first(node.place.resource.environment for node in nodes),
        start_ns=_time(nodes, "start_ns"),
        end_ns=_time(nodes, "end_ns"),
        cost_usd=next((r.cost_usd for r in readings if r.cost_usd is not None), None),
        convention=readings[0].convention,
        position=max(reading.position for reading in readings),
        sources=tuple(
            Source(r.what, r.convention, node.place.span_id)
            for node, r in zip(nodes, readings, strict=True)
        ),
    )
    return _with_evidence(call, nodes, readings)


def _with_evidence(
    call: ToolCall, nodes: Sequence[Node], readings: Sequence[CallReading]
) -> ToolCall:
    args = _best([reading.args for reading in readings])
    result = _best([reading.result for reading in readings])
    failed = _failure(nodes)
    return structs.replace(
        call,
        args=args.value,
        args_text=args.text,
        args_state=args.state,
        result=result.value,
        result_text=result.text,
        result_state=result.state,
        status=_status(nodes),
        error_type=_first(reading.error_type for reading in failed),
        error_message=_first(reading.error_message for reading in failed),
        gaps=_gaps(nodes, readings, args, result),
    )


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _best(payloads: Sequence[Payload]) -> Payload:
    for state in (ContentState.OBSERVED, ContentState.TRUNCATED, ContentState.UNPARSABLE):
        for payload in payloads:
            if payload.state is state:
                return payload
    return NOT_OBSERVED


def _stage(readings: Sequence[CallReading]) -> Stage:
    ran = any(reading.stage is Stage.EXECUTED for reading in readings)
    return Stage.EXECUTED if ran else Stage.REQUESTED


def _last_tries(nodes: Sequence[Node]) -> list[CallReading]:
    """Of each layer and instrumentation the last attempt: an inner call that was tried again counts as it ended."""
    last: dict[tuple[Layer, str], Node] = {}
    for node in sorted(nodes, key=lambda n: (n.place.start_ns or 0, n.place.id)):
        if node.call is not None:
            last[node.call.layer, node.place.scope.name] = node
    return [node.call for node in outermost_first(last.values()) if node.call is not None]


def _status(nodes: Sequence[Node]) -> Status:
    said = {reading.status for reading in _last_tries(nodes)}
    for status in (Status.ERROR, Status.OK):
        if status in said:
            return status
    return Status.UNKNOWN


def _failure(nodes: Sequence[Node]) -> list[CallReading]:
    """The readings that say that it failed, the deepest first."""
    return [r for r in reversed(_last_tries(nodes)) if r.status is Status.ERROR]


def _agent(agent: Node | None, readings: Sequence[CallReading]) -> str | None:
    if agent is not None and agent.agent is not None and agent.agent.name:
        return agent.agent.name
    return _first(reading.agent for reading in readings)


def _conversation(nodes: Sequence[Node]) -> str | None:
    around = (node.agent_node for node in nodes)
    return _first(node.conversation_id for node in nodes) or _first(
        node.conversation_id for node in around if node is not None
    )


def _time(nodes: Sequence[Node], which: str) -> int | None:
    times = (getattr(node.place, which) for node in nodes if node.call and node.call.what == "span")
    found: int | None = next((time for time in times if time is not None), None)
    if found is None:
        found = next(
            (t for t in (getattr(node.place, which) for node in nodes) if t is not None), None
        )
    return found


def _gaps(
    nodes: Sequence[Node],
    readings: Sequence[CallReading],
    args: Payload,
    result: Payload,
) -> tuple[Gap, ...]:
    gaps = {gap for reading in readings for gap in reading.gaps}
    gaps.update(_CONTENT_GAPS.get(("args", args.state), ()))
    gaps.update(_CONTENT_GAPS.get(("result", result.state), ()))
    if args.state is ContentState.OBSERVED and result.state is ContentState.OBSERVED:
        gaps.discard(Gap.CONTENT_HIDDEN)
    if not any(reading.name for reading in readings):
        gaps.add(Gap.NAME_NOT_OBSERVED)
    if not any(reading.call_id for reading in readings):
        gaps.add(Gap.NO_CALL_ID)
    if not all(node.place.ended for node in nodes):
        gaps.add(Gap.SPAN_NOT_ENDED)
    if any(node.place.dropped for node in nodes):
        gaps.add(Gap.ATTRIBUTES_DROPPED)
    if any(
        reading.name is not None and Gap.NAME_FROM_SPAN not in reading.gaps for reading in readings
    ):
        gaps.discard(Gap.NAME_FROM_SPAN)
    return tuple(sorted(gaps))


_CONTENT_GAPS: dict[tuple[str, ContentState], tuple[Gap, ...]] = {
    ("args", ContentState.NOT_OBSERVED): (Gap.ARGS_NOT_OBSERVED,),
    ("args", ContentState.TRUNCATED): (Gap.ARGS_TRUNCATED,),
    ("args", ContentState.UNPARSABLE): (Gap.ARGS_UNPARSABLE,),
    ("result", ContentState.NOT_OBSERVED): (Gap.RESULT_NOT_OBSERVED,),
    ("result", ContentState.TRUNCATED): (Gap.RESULT_TRUNCATED,),
}
