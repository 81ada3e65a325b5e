"""The call that its readings tell of together.

The outermost span gives times and id, inner ones fill gaps, the deepest gives the error. What stands around them (agent,
conversation, model calls inside) comes on top, and may change while the readings stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly.caller import agent_of, invocation_of
from toolscore_otel.assembly.handing import kind_among
from toolscore_otel.assembly.hearing import by_path
from toolscore_otel.assembly.join import writer
from toolscore_otel.assembly.lacking import lacks, said_to_lack
from toolscore_otel.assembly.node import Node, Place, Usage
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.assembly.turns import OF_TURNS, asked_in, turn_of
from toolscore_otel.assembly.waiting import may_have_waited, stage_of, went_on
from toolscore_otel.conventions.reading import CallReading, Layer
from toolscore_otel.conventions.waiting import OPENAI_AGENTS
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
    around, turn = _around(nodes, lacking), turn_of(nodes)
    return structs.replace(
        call,
        kind=kind_among(nodes, _reading(nodes[0]).kind),
        **structs.asdict(around),
        **(_NO_TURN if turn is None else asked_in(turn)),
    )


class _Around(Struct, frozen=True, gc=False):
    """What is known of what stands around the readings of a call, and what that adds to what they lack."""

    agent: str | None
    invocation_id: str | None
    conversation_id: str | None
    cost_usd: float | None
    cost_source: CostSource | None
    gaps: tuple[Gap, ...]


def _around(nodes: Sequence[Node], gaps: list[Gap]) -> _Around:
    """What stands around.

    Args:
        nodes: as for `assemble`.
        gaps: what the readings lack.
    """
    invocation = invocation_of(nodes)
    agent = agent_of(nodes, invocation)
    if agent is None:
        gaps.append(_NO_AGENT)
    usd, source, is_blind = _cost(nodes)
    if is_blind:
        gaps.append(_NO_COST)
    if not nodes[0].settled:
        gaps.append(_NO_PARENT)
    return _Around(
        agent,
        None if invocation is None else invocation.place.id,
        _conversation(nodes, invocation),
        usd,
        source,
        tuple(sorted(set(gaps))) if len(gaps) > 1 else tuple(gaps),
    )


_REQUESTED, _MAY_HAVE_WAITED = Stage.REQUESTED, Gap.MAY_HAVE_WAITED
_OK, _ERROR, _UNKNOWN = Status.OK, Status.ERROR, Status.UNKNOWN
_TOOL = CallKind.TOOL
_MCP_CLIENT, _MCP_SERVER = Layer.MCP_CLIENT, Layer.MCP_SERVER
_OBSERVED = ContentState.OBSERVED
_BEST_FIRST = (_OBSERVED, ContentState.TRUNCATED, ContentState.UNPARSABLE)

_RAN = ("span", "log")
"""What tells of a call that it was made; messages only ask for one, or answer."""

_IN_DOUBT = (Gap.AMBIGUOUS_PAIRING,)

_NO_TURN: Mapping[str, None] = dict.fromkeys(OF_TURNS)

_AROUND = _NO_AGENT, _NO_COST, _NO_PARENT = (
    Gap.AGENT_NOT_OBSERVED,
    Gap.COST_NOT_KNOWN,
    Gap.PARENT_MISSING,
)
"""What no reading says, but only what stands around them."""


def _told(
    reading: CallReading, place: Place, sources: tuple[Source, ...], nodes: Sequence[Node]
) -> ToolCall:
    """All that is told of a call; its key is what it is where no other call has its id."""
    name, args, result = reading.name or "", reading.args, reading.result
    around = _around(nodes, lacks(reading, place))
    call = ToolCall(
        tool=name,
        recorded_name=name,
        kind=kind_among(nodes, reading.kind),
        stage=reading.stage,
        args=args.value,
        args_text=args.text,
        args_state=args.state,
        result=result.value,
        result_text=result.text,
        result_state=result.state,
        status=reading.status,
        call_id=reading.call_id or None,
        trace_id=place.trace_id,
        span_id=place.span_id,
        parent_span_id=place.parent,
        agent=around.agent,
        invocation_id=around.invocation_id,
        conversation_id=around.conversation_id,
        service=place.resource.service,
        environment=place.resource.environment,
        start_ns=place.start_ns,
        end_ns=place.end_ns,
        convention=reading.convention,
        sources=sources,
        gaps=around.gaps,
        key=reading.call_id or nodes[0].place.id,
    )
    seldom = _seldom_told(reading, place, around, turn_of(nodes))
    return structs.replace(call, **seldom) if seldom else call


def _seldom_told(
    reading: CallReading, place: Place, around: _Around, turn: Usage | None
) -> Mapping[str, object]:
    """What is told of few calls: why one failed, what it cost, its turn, and the like."""
    found: dict[str, object] = {} if turn is None else dict(asked_in(turn))
    if reading.status is _ERROR:
        found["error_type"] = reading.error_type or None
        found["error_message"] = reading.error_message or None
    if around.cost_source is not None:
        found["cost_usd"], found["cost_source"] = around.cost_usd, around.cost_source
    if reading.position:
        found["position"] = reading.position
    if reading.exposed:
        found["exposed"] = reading.exposed
    if place.attributes:
        found["attributes"] = place.attributes
    return found


def _together(nodes: Sequence[Node]) -> CallReading:
    """What all readings of a call say, in one."""
    readings = [_reading(node) for node in nodes]
    status, failed = _outcome(nodes)
    stage, is_open = stage_of(nodes)
    gaps = said_to_lack(readings) if is_open else _unless_waiting(said_to_lack(readings))
    return structs.replace(
        readings[0],
        name=_first(reading.name for reading in readings),
        kind=next((r.kind for r in readings if r.kind is not _TOOL), _TOOL),
        stage=stage,
        args=_arguments(readings),
        result=_best([reading.result for reading in readings]),
        call_id=_first(reading.call_id for reading in readings),
        status=status,
        error_type=_first(reading.error_type for reading in failed),
        error_message=_first(reading.error_message for reading in failed),
        position=max(reading.position for reading in readings),
        gaps=(*gaps, *_IN_DOUBT) if nodes[0].in_doubt else gaps,
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
    failed = [reading for reading in reversed(last) if reading.status is _ERROR]
    if failed:
        return _ERROR, failed
    is_ok = any(reading.status is _OK for reading in last) or went_on(nodes)
    return _OK if is_ok and not _hides_failures_of_mcp(nodes) else _UNKNOWN, []


def _hides_failures_of_mcp(nodes: Sequence[Node]) -> bool:
    """Whether a framework hands on what an MCP server marked as failed like any other answer, and that server tells nothing."""
    sides = [_reading(n) for n in nodes if _reading(n).layer in (_MCP_CLIENT, _MCP_SERVER)]
    if not sides or any(r.layer is _MCP_SERVER or r.status is not _UNKNOWN for r in sides):
        return False
    return any(
        node.place.scope.name in OPENAI_AGENTS and _reading(node).status is _OK for node in nodes
    )


def _cost(nodes: Sequence[Node]) -> tuple[float | None, CostSource | None, bool]:
    """Reported cost goes first; else what the model calls inside cost, and whether some of that is not known."""
    reporting = reporter(nodes)
    if reporting is not None:
        return _reading(reporting).cost_usd, CostSource.REPORTED, False
    spent = nodes[0].spent if len(nodes) == 1 else _spent_inside(nodes)
    if not (spent.known or spent.blind):  # most calls
        return None, None, False
    return spent.usd, spent.source, bool(spent.blind)


def _spent_inside(nodes: Sequence[Node]) -> Spent:
    """What stands inside a call cost, each of it once."""
    spent = Spent()
    for node in nodes:
        if node.enclosing not in nodes:
            spent = spent.plus(node.spent)
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
    for state in _BEST_FIRST:
        for payload in payloads:
            if payload.state is state:
                return payload
    return NOT_OBSERVED


def _unless_waiting(gaps: tuple[Gap, ...]) -> tuple[Gap, ...]:
    return tuple(gap for gap in gaps if gap is not _MAY_HAVE_WAITED)


def _last_tries(nodes: Sequence[Node]) -> list[CallReading]:
    """All but inner calls that were tried again, and what stands inside these: such a call counts as it ended."""
    last: dict[tuple[object, ...], Node] = {}
    failed: set[str] = set()
    for node in nodes:
        if may_have_waited(_reading(node)):
            continue
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
    only_asked = stage_of(nodes)[0] is _REQUESTED
    return asked.start_ns, asked.end_ns if only_asked else None


def _known(times: Sequence[int | None]) -> int | None:
    for time in times:
        if time is not None:
            return time
    return None


def _source(node: Node) -> Source:
    reading = _reading(node)
    return Source(reading.what, reading.convention, node.place.span_id)
