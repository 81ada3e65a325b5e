"""The call that its readings tell of together.

The outermost span gives times and id, inner ones fill gaps, the deepest gives the error. What stands around them (agent,
conversation, model calls inside) comes on top, and may change while the readings stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from toolscore_otel.assembly.hearing import by_path
from toolscore_otel.assembly.join import writer
from toolscore_otel.assembly.naming import name_of
from toolscore_otel.assembly.node import Node, Place
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.assembly.turns import asked_in, turn_of
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import (
    EMPTY,
    NOT_OBSERVED,
    CallKind,
    ContentState,
    CostSource,
    Exposed,
    Gap,
    Json,
    Payload,
    Resource,
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
    reading = _reading(nodes[0])
    if len(nodes) == 1 and reading.what in _RAN:  # most calls
        return _told(reading, nodes[0].place, (_source(nodes[0]),), nodes)
    sources = tuple(dict.fromkeys(map(_source, nodes)))
    return _told(_together(nodes), _where(nodes), sources, nodes)


def surrounded(call: ToolCall, nodes: Sequence[Node]) -> ToolCall:
    """A call with what stands around its readings as it is now.

    Args:
        call: with all that its readings tell.
        nodes: these, as for `assemble`.
    """
    lacking = [gap for gap in call.gaps if gap not in _AROUND]
    return structs.replace(call, **_around(nodes, lacking))


def _around(nodes: Sequence[Node], gaps: list[Gap]) -> dict[str, Any]:
    """What stands around the readings of a call.

    Args:
        nodes: as for `assemble`.
        gaps: what the readings lack; what is lacking around them is added.
    """
    invocation = _invocation(nodes)
    agent = _agent(nodes, invocation)
    cost_usd, cost_source, is_blind = _cost(nodes)
    if agent is None:
        gaps.append(Gap.AGENT_NOT_OBSERVED)
    if is_blind:
        gaps.append(Gap.COST_NOT_KNOWN)
    if not nodes[0].settled:
        gaps.append(Gap.PARENT_MISSING)
    return {
        "agent": agent,
        "invocation_id": None if invocation is None else invocation.place.id,
        "conversation_id": _conversation(nodes, invocation),
        "cost_usd": cost_usd,
        "cost_source": cost_source,
        "gaps": tuple(sorted(set(gaps))) if len(gaps) > 1 else tuple(gaps),
        **asked_in(turn_of(nodes)),
    }


_EXECUTED, _ERROR, _UNKNOWN = Stage.EXECUTED, Status.ERROR, Status.UNKNOWN
_OBSERVED = ContentState.OBSERVED

_RAN = ("span", "log")
"""What tells of a call that it was made; messages only ask for one, or answer."""

_IN_DOUBT = (Gap.AMBIGUOUS_PAIRING,)

_AROUND = (Gap.AGENT_NOT_OBSERVED, Gap.COST_NOT_KNOWN, Gap.PARENT_MISSING)
"""What no reading says, but only what stands around them."""


def _told(
    reading: CallReading, place: Place, sources: tuple[Source, ...], nodes: Sequence[Node]
) -> ToolCall:
    """All that is told of a call: which one it is, of what, with what, how it ended, and what stands around it.

    Its key is what it is where no other call has its id.
    """
    has_failed = reading.status is _ERROR
    return ToolCall(
        tool=reading.name or "",
        recorded_name=reading.name or "",
        kind=reading.kind,
        stage=reading.stage,
        args=reading.args.value,
        args_text=reading.args.text,
        args_state=reading.args.state,
        result=reading.result.value,
        result_text=reading.result.text,
        result_state=reading.result.state,
        status=reading.status,
        error_type=(reading.error_type or None) if has_failed else None,
        error_message=(reading.error_message or None) if has_failed else None,
        call_id=reading.call_id or None,
        trace_id=place.trace_id,
        span_id=place.span_id,
        parent_span_id=place.parent,
        service=place.resource.service,
        environment=place.resource.environment,
        start_ns=place.start_ns,
        end_ns=place.end_ns,
        convention=reading.convention,
        position=reading.position,
        attributes=place.attributes,
        exposed=reading.exposed,
        sources=sources,
        key=reading.call_id or nodes[0].place.id,
        **_around(nodes, _lacks(reading, place)),
    )


def _together(nodes: Sequence[Node]) -> CallReading:
    """What all readings of a call say, in one."""
    readings = [_reading(node) for node in nodes]
    status, failed = _outcome(nodes)
    return structs.replace(
        readings[0],
        name=_first(reading.name for reading in readings),
        kind=next((r.kind for r in readings if r.kind is not CallKind.TOOL), CallKind.TOOL),
        stage=_stage(readings),
        args=_arguments(readings),
        result=_best([reading.result for reading in readings]),
        call_id=_first(reading.call_id for reading in readings),
        status=status,
        error_type=_first(reading.error_type for reading in failed),
        error_message=_first(reading.error_message for reading in failed),
        position=max(reading.position for reading in readings),
        gaps=(*_lacking(readings), *_IN_DOUBT) if nodes[0].in_doubt else _lacking(readings),
        exposed=_exposed(readings),
    )


def _exposed(readings: Sequence[CallReading]) -> tuple[Exposed, ...]:
    found = [exposed for reading in readings for exposed in reading.exposed]
    return by_path(found) if found else ()


def _where(nodes: Sequence[Node]) -> Place:
    """Where and when a call was made, by all its readings: the place of the outermost, and what the others know of it."""
    start_ns, end_ns = _times(nodes)
    resources = [node.place.resource for node in nodes]
    resource = resources[0]
    if any(other is not resource for other in resources):
        resource = Resource(
            {
                "service.name": _first(each.service for each in resources),
                "deployment.environment.name": _first(each.environment for each in resources),
            }
        )
    return structs.replace(
        nodes[0].place,
        start_ns=start_ns,
        end_ns=end_ns,
        ended=all(node.place.ended for node in nodes),
        dropped=max(node.place.dropped for node in nodes),
        resource=resource,
        attributes=_attributes(nodes),
    )


def _attributes(nodes: Sequence[Node]) -> Mapping[str, Json]:
    found = [node.place.attributes for node in reversed(nodes) if node.place.attributes]
    return {key: value for each in found for key, value in each.items()} if found else EMPTY


def reporter(nodes: Sequence[Node]) -> Node | None:
    """The reading that reports what the call cost: the outermost of those that do."""
    for node in nodes:
        if node.call is not None and node.call.cost_usd is not None:
            return node
    return None


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


def _cost(nodes: Sequence[Node]) -> tuple[float | None, CostSource | None, bool]:
    """Reported cost goes first; else what the model calls inside cost, and whether some of that is not known."""
    reporting = reporter(nodes)
    if reporting is not None:
        return _reading(reporting).cost_usd, CostSource.REPORTED, False
    spent = nodes[0].spent if len(nodes) == 1 else _spent_inside(nodes)
    if not spent:
        return None, None, False
    return spent.usd, spent.source, bool(spent.blind)


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


def _arguments(readings: Sequence[CallReading]) -> Payload:
    """The best, where no arguments give way to those of another reading (`Facts.agree`)."""
    told = [reading.args for reading in readings]
    best = _best(told)
    return _best([args for args in told if args.value != {}] + [best]) if best.value == {} else best


def _best(payloads: Sequence[Payload]) -> Payload:
    for state in (ContentState.OBSERVED, ContentState.TRUNCATED, ContentState.UNPARSABLE):
        for payload in payloads:
            if payload.state is state:
                return payload
    return NOT_OBSERVED


def _stage(readings: Sequence[CallReading]) -> Stage:
    """Whether it ran, by its spans and log records; else by its messages, in which a call that was turned down has an answer, too."""
    made = [reading for reading in readings if reading.what in _RAN]
    ran = any(reading.stage is Stage.EXECUTED for reading in made or readings)
    return Stage.EXECUTED if ran else Stage.REQUESTED


def _last_tries(nodes: Sequence[Node]) -> list[CallReading]:
    """All but inner calls that were tried again, and what stands inside these: such a call counts as it ended."""
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


def _invocation(nodes: Sequence[Node]) -> Node | None:
    """The agent invocation around a call, which may itself be the invocation of another agent."""
    for node in nodes:
        if node.agent_node is not None and node.agent_node not in nodes:
            return node.agent_node
    return None


def _agent(nodes: Sequence[Node], invocation: Node | None) -> str | None:
    """Who made a call: as its own spans say, else whose invocation is around it, else whose turn it was that asked."""
    for node in nodes:
        reading = node.call
        if reading is not None and reading.what in _RAN and (own := node.named or reading.agent):
            return own
    if (name := name_of(invocation)) is not None:
        return name
    return _first(_asker(node) for node in nodes if _reading(node).what == "request")


def _asker(node: Node) -> str | None:
    step = node.in_step.step if node.in_step is not None else None
    return node.named or _reading(node).agent or (step.name if step is not None else None)


def _conversation(nodes: Sequence[Node], invocation: Node | None) -> str | None:
    for node in nodes:
        if node.conversation_id:
            return node.conversation_id
    return (invocation.conversation_id or None) if invocation is not None else None


def _times(nodes: Sequence[Node]) -> tuple[int | None, int | None]:
    """Of the outermost span, else of the log record; what was only asked for has the time of the asking."""
    ran = [node.place for node in nodes if _reading(node).what in _RAN]
    if ran:
        return _known([place.start_ns for place in ran]), _known([place.end_ns for place in ran])
    asked = next((node.place for node in nodes if _reading(node).what == "request"), None)
    if asked is None:
        return nodes[0].place.start_ns, None
    only_asked = _stage([_reading(node) for node in nodes]) is Stage.REQUESTED
    return asked.start_ns, asked.end_ns if only_asked else None


def _known(times: Sequence[int | None]) -> int | None:
    for time in times:
        if time is not None:
            return time
    return None


def _source(node: Node) -> Source:
    reading = _reading(node)
    return Source(reading.what, reading.convention, node.place.span_id)


def _lacking(readings: Sequence[CallReading]) -> tuple[Gap, ...]:
    """What the readings of one call say that they lack; a name that one of them has is not lacking."""
    gaps = {gap for reading in readings for gap in reading.gaps}
    if any(r.name is not None and Gap.NAME_FROM_SPAN not in r.gaps for r in readings):
        gaps.discard(Gap.NAME_FROM_SPAN)
    return tuple(gaps)


def _lacks(reading: CallReading, place: Place) -> list[Gap]:
    """What is said to be lacking, but for content that is there, and what is seen to be."""
    lacks = list(reading.gaps)
    if lacks and reading.args.state is _OBSERVED is reading.result.state:
        lacks = [gap for gap in lacks if gap is not Gap.CONTENT_HIDDEN]
    ran = reading.stage is _EXECUTED
    if not reading.name:
        lacks.append(Gap.NAME_NOT_OBSERVED)
    if not reading.call_id:
        lacks.append(Gap.NO_CALL_ID)
    if ran and reading.status is _UNKNOWN:
        lacks.append(Gap.STATUS_NOT_OBSERVED)
    if place.start_ns is None or place.end_ns is None:
        lacks.append(Gap.TIMES_NOT_OBSERVED)
    if not place.ended:
        lacks.append(Gap.SPAN_NOT_ENDED)
    if place.dropped:
        lacks.append(Gap.ATTRIBUTES_DROPPED)
    if reading.args.state is not _OBSERVED:
        lacks.append(_ARGS[reading.args.state])
    if ran and reading.result.state is not _OBSERVED and reading.result.state in _RESULT:
        lacks.append(_RESULT[reading.result.state])
    return lacks


_ARGS = {
    ContentState.NOT_OBSERVED: Gap.ARGS_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.ARGS_TRUNCATED,
    ContentState.UNPARSABLE: Gap.ARGS_UNPARSABLE,
}
_RESULT = {
    ContentState.NOT_OBSERVED: Gap.RESULT_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.RESULT_TRUNCATED,
}
