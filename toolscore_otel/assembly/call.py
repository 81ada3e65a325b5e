"""The call that its readings tell of together.

The outermost span gives times and id, inner ones fill gaps, the deepest gives the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from toolscore_otel.assembly.join import writer
from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import (
    NOT_OBSERVED,
    CallKind,
    ContentState,
    CostSource,
    Gap,
    Payload,
    Source,
    Stage,
    Status,
    ToolCall,
)


def assemble(nodes: Sequence[Node]) -> ToolCall:
    """One call from all its readings.

    Args:
        nodes: all readings of one call, the outermost first.
    """
    readings = [_reading(node) for node in nodes]
    cost_usd, cost_source, gaps = _cost(nodes)
    status, failed = _outcome(nodes)
    start_ns, end_ns = _times(nodes)
    call = structs.replace(
        _identity(nodes, readings),
        status=status,
        error_type=_first([reading.error_type for reading in failed]),
        error_message=_first([reading.error_message for reading in failed]),
        start_ns=start_ns,
        end_ns=end_ns,
        cost_usd=cost_usd,
        cost_source=cost_source,
        sources=_sources(nodes),
    )
    return structs.replace(call, gaps=_gaps(call, nodes, gaps))


def _identity(nodes: Sequence[Node], readings: Sequence[CallReading]) -> ToolCall:
    """Which call it is: of what, with what, by whom and where."""
    place = nodes[0].place
    name = _first([reading.name for reading in readings]) or ""
    invocation = next((node.agent_node for node in nodes if node.agent_node), None)
    args = _best([reading.args for reading in readings])
    result = _best([reading.result for reading in readings])
    return ToolCall(
        tool=name,
        recorded_name=name,
        kind=next((r.kind for r in readings if r.kind is not CallKind.TOOL), CallKind.TOOL),
        stage=_stage(readings),
        args=args.value,
        args_text=args.text,
        args_state=args.state,
        result=result.value,
        result_text=result.text,
        result_state=result.state,
        call_id=_first([reading.call_id for reading in readings]),
        trace_id=place.trace_id,
        span_id=place.span_id,
        parent_span_id=place.parent,
        agent=_agent(invocation, readings),
        invocation_id=invocation.place.id if invocation else None,
        conversation_id=_conversation(nodes, invocation),
        service=_first([node.place.resource.service for node in nodes]),
        environment=_first([node.place.resource.environment for node in nodes]),
        convention=readings[0].convention,
        position=max(reading.position for reading in readings),
    )


def reporter(nodes: Sequence[Node]) -> Node | None:
    """The reading that reports what the call cost: the outermost of those that do."""
    return next((node for node in nodes if _reading(node).cost_usd is not None), None)


def _reading(node: Node) -> CallReading:
    assert node.call is not None  # noqa: S101 - for the type checker
    return node.call


def _outcome(nodes: Sequence[Node]) -> tuple[Status, list[CallReading]]:
    """The status, and what says that it failed, the deepest first."""
    last = _last_tries(nodes)
    failed = [reading for reading in reversed(last) if reading.status is Status.ERROR]
    if failed:
        return Status.ERROR, failed
    is_ok = any(reading.status is Status.OK for reading in last)
    return Status.OK if is_ok else Status.UNKNOWN, []


def _cost(nodes: Sequence[Node]) -> tuple[float | None, CostSource | None, set[Gap]]:
    """Reported cost goes first; else what the model calls inside cost."""
    reporting = reporter(nodes)
    if reporting is not None:
        return _reading(reporting).cost_usd, CostSource.REPORTED, set()
    spent = _spent_inside(nodes)
    return spent.usd, spent.source, {Gap.COST_NOT_KNOWN} if spent.blind else set()


def _spent_inside(nodes: Sequence[Node]) -> Spent:
    """What stands inside a call cost, each of it once."""
    spent = Spent()
    for node in nodes:
        if node.enclosing not in nodes:
            spent.add(node.spent)
    return spent


def _first(values: Iterable[str | None]) -> str | None:
    for value in values:
        if value:
            return value
    return None


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
    """All but inner calls that were tried again, and what stands inside these: such a call counts as it ended."""
    if len(nodes) == 1:
        return [_reading(nodes[0])]
    last: dict[tuple[object, ...], Node] = {}
    failed: set[str] = set()
    for node in nodes:
        by = (node.enclosing.place.id if node.enclosing else None, *writer(node))
        if by in last:
            failed.add(last[by].place.id)
        last[by] = node
    return [_reading(node) for node in nodes if failed.isdisjoint(_upward(node))]


def _upward(node: Node) -> Iterator[str]:
    yield node.place.id
    while node.is_inner and node.enclosing is not None:
        node = node.enclosing
        yield node.place.id


def _agent(invocation: Node | None, readings: Sequence[CallReading]) -> str | None:
    if invocation is not None and invocation.agent is not None and invocation.agent.name:
        return invocation.agent.name
    return _first([reading.agent for reading in readings])


def _conversation(nodes: Sequence[Node], invocation: Node | None) -> str | None:
    around = () if invocation is None else (invocation,)
    return _first(node.conversation_id for node in (*nodes, *around))


def _times(nodes: Sequence[Node]) -> tuple[int | None, int | None]:
    """Of the outermost span, else of the log record; what was only asked for has the time of the asking."""
    ran = [node.place for node in nodes if _reading(node).what in ("span", "log")]
    if ran:
        starts = (place.start_ns for place in ran if place.start_ns is not None)
        ends = (place.end_ns for place in ran if place.end_ns is not None)
        return next(starts, None), next(ends, None)
    asked = next((node.place for node in nodes if _reading(node).what == "request"), None)
    if asked is None:
        return None, None
    only_asked = _stage([_reading(node) for node in nodes]) is Stage.REQUESTED
    return asked.start_ns, asked.end_ns if only_asked else None


def _sources(nodes: Sequence[Node]) -> tuple[Source, ...]:
    return tuple(
        dict.fromkeys(
            Source(_reading(node).what, _reading(node).convention, node.place.span_id)
            for node in nodes
        )
    )


def _gaps(call: ToolCall, nodes: Sequence[Node], known: set[Gap]) -> tuple[Gap, ...]:
    readings = [_reading(node) for node in nodes]
    gaps = known.union(*(reading.gaps for reading in readings), _lacks(call, nodes))
    if call.args_state is ContentState.OBSERVED is call.result_state:
        gaps.discard(Gap.CONTENT_HIDDEN)
    if any(r.name is not None and Gap.NAME_FROM_SPAN not in r.gaps for r in readings):
        gaps.discard(Gap.NAME_FROM_SPAN)
    return tuple(sorted(gaps))


def _lacks(call: ToolCall, nodes: Sequence[Node]) -> Iterator[Gap]:
    ran = call.stage is Stage.EXECUTED
    missing = {
        Gap.NAME_NOT_OBSERVED: not call.tool,
        Gap.NO_CALL_ID: not call.call_id,
        Gap.AGENT_NOT_OBSERVED: call.agent is None,
        Gap.STATUS_NOT_OBSERVED: ran and call.status is Status.UNKNOWN,
        Gap.TIMES_NOT_OBSERVED: call.start_ns is None or call.end_ns is None,
        Gap.SPAN_NOT_ENDED: not all(node.place.ended for node in nodes),
        Gap.ATTRIBUTES_DROPPED: any(node.place.dropped for node in nodes),
        Gap.PARENT_MISSING: not nodes[0].settled,
    }
    yield from (gap for gap, lacks in missing.items() if lacks)
    if call.args_state in _ARGS:
        yield _ARGS[call.args_state]
    if call.result_state in _RESULT and ran:
        yield _RESULT[call.result_state]


_ARGS = {
    ContentState.NOT_OBSERVED: Gap.ARGS_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.ARGS_TRUNCATED,
    ContentState.UNPARSABLE: Gap.ARGS_UNPARSABLE,
}
_RESULT = {
    ContentState.NOT_OBSERVED: Gap.RESULT_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.RESULT_TRUNCATED,
}
