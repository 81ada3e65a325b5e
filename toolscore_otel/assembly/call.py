"""The call that its readings tell of together.

The outermost span gives times and id, inner ones fill gaps, the deepest gives the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

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
    outer = nodes[0].place
    name = _first(reading.name for reading in readings) or ""
    invocation = next((node.agent_node for node in nodes if node.agent_node), None)
    start_ns, end_ns = _times(nodes)
    call = ToolCall(
        tool=name,
        recorded_name=name,
        kind=next((r.kind for r in readings if r.kind is not CallKind.TOOL), CallKind.TOOL),
        stage=_stage(readings),
        call_id=_first(reading.call_id for reading in readings),
        trace_id=outer.trace_id,
        span_id=outer.span_id,
        parent_span_id=outer.parent,
        agent=_agent(invocation, readings),
        invocation_id=invocation.place.id if invocation else None,
        conversation_id=_conversation(nodes, invocation),
        service=_first(node.place.resource.service for node in nodes),
        environment=_first(node.place.resource.environment for node in nodes),
        start_ns=start_ns,
        end_ns=end_ns,
        convention=readings[0].convention,
        position=max(reading.position for reading in readings),
        sources=_sources(nodes),
    )
    return _with_gaps(_with_cost(_with_evidence(call, nodes), nodes), nodes)


def reporter(nodes: Sequence[Node]) -> Node | None:
    """The reading that reports what the call cost: the outermost of those that do."""
    return next((node for node in nodes if _reading(node).cost_usd is not None), None)


def _reading(node: Node) -> CallReading:
    assert node.call is not None  # noqa: S101 - for the type checker
    return node.call


def _with_evidence(call: ToolCall, nodes: Sequence[Node]) -> ToolCall:
    readings = [_reading(node) for node in nodes]
    args = _best([reading.args for reading in readings])
    result = _best([reading.result for reading in readings])
    last = _last_tries(nodes)
    failed = [reading for reading in reversed(last) if reading.status is Status.ERROR]
    said = {reading.status for reading in last}
    return structs.replace(
        call,
        args=args.value,
        args_text=args.text,
        args_state=args.state,
        result=result.value,
        result_text=result.text,
        result_state=result.state,
        status=next((s for s in (Status.ERROR, Status.OK) if s in said), Status.UNKNOWN),
        error_type=_first(reading.error_type for reading in failed),
        error_message=_first(reading.error_message for reading in failed),
    )


def _with_cost(call: ToolCall, nodes: Sequence[Node]) -> ToolCall:
    """Reported cost goes first; else what the model calls inside cost."""
    reporting = reporter(nodes)
    if reporting is not None:
        usd = _reading(reporting).cost_usd
        return structs.replace(call, cost_usd=usd, cost_source=CostSource.REPORTED)
    spent = spent_inside(nodes)
    if not spent:
        return call
    gaps = (Gap.COST_NOT_KNOWN,) if spent.blind else ()
    return structs.replace(call, cost_usd=spent.usd, cost_source=spent.source, gaps=gaps)


def spent_inside(nodes: Sequence[Node]) -> Spent:
    """What stands inside a call cost, each of it once."""
    spent = Spent()
    for node in nodes:
        if node.enclosing not in nodes:
            spent.add(node.spent)
    return spent


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
    last: dict[tuple[str, str, str], Node] = {}
    for node in nodes:
        call = _reading(node)
        by = (call.layer, call.what, node.place.scope.name)
        if by not in last or _began(last[by]) <= _began(node):
            last[by] = node
    return [_reading(node) for node in nodes if node in last.values()]


def _began(node: Node) -> tuple[int, str]:
    return (node.place.start_ns or 0, node.place.id)


def _agent(invocation: Node | None, readings: Sequence[CallReading]) -> str | None:
    if invocation is not None and invocation.agent is not None and invocation.agent.name:
        return invocation.agent.name
    return _first(reading.agent for reading in readings)


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
    asked = next((node for node in nodes if _reading(node).what == "request"), None)
    if asked is None:
        return None, None
    only_asked = _stage([_reading(node) for node in nodes]) is Stage.REQUESTED
    return asked.place.start_ns, asked.place.end_ns if only_asked else None


def _sources(nodes: Sequence[Node]) -> tuple[Source, ...]:
    return tuple(
        dict.fromkeys(
            Source(_reading(node).what, _reading(node).convention, node.place.span_id)
            for node in nodes
        )
    )


def _with_gaps(call: ToolCall, nodes: Sequence[Node]) -> ToolCall:
    readings = [_reading(node) for node in nodes]
    gaps = {*call.gaps, *(gap for reading in readings for gap in reading.gaps)}
    gaps |= {gap for gap, lacks in _lacks(call, nodes).items() if lacks}
    if ContentState.OBSERVED is call.args_state is call.result_state:
        gaps.discard(Gap.CONTENT_HIDDEN)
    if any(r.name is not None and Gap.NAME_FROM_SPAN not in r.gaps for r in readings):
        gaps.discard(Gap.NAME_FROM_SPAN)
    return structs.replace(call, gaps=tuple(sorted(gaps)))


def _lacks(call: ToolCall, nodes: Sequence[Node]) -> dict[Gap, bool]:
    ran = call.stage is Stage.EXECUTED
    return {
        Gap.ARGS_NOT_OBSERVED: call.args_state is ContentState.NOT_OBSERVED,
        Gap.ARGS_TRUNCATED: call.args_state is ContentState.TRUNCATED,
        Gap.ARGS_UNPARSABLE: call.args_state is ContentState.UNPARSABLE,
        Gap.RESULT_NOT_OBSERVED: ran and call.result_state is ContentState.NOT_OBSERVED,
        Gap.RESULT_TRUNCATED: call.result_state is ContentState.TRUNCATED,
        Gap.NAME_NOT_OBSERVED: not call.tool,
        Gap.NO_CALL_ID: not call.call_id,
        Gap.AGENT_NOT_OBSERVED: call.agent is None,
        Gap.STATUS_NOT_OBSERVED: ran and call.status is Status.UNKNOWN,
        Gap.TIMES_NOT_OBSERVED: call.start_ns is None or call.end_ns is None,
        Gap.SPAN_NOT_ENDED: not all(node.place.ended for node in nodes),
        Gap.ATTRIBUTES_DROPPED: any(node.place.dropped for node in nodes),
        Gap.PARENT_MISSING: not nodes[0].settled,
    }
