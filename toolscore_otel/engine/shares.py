"""What one agent, model or tool span adds to the sums of the trajectories that it belongs to.

All sums are made of shares that can be added and taken away: of a trace, of an agent invocation, of a session, and of
whatever part of these a contract sees. A model call is counted once, where it is a leaf. A call that reports a cost
stands for all that is inside it: its share is what it reports less what stands there already. For an agent invocation
that is only what is its own, for what sub-agents spend is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import Json, ToolCall
from toolscore_otel.rules.model_calls import ModelCall

_AROUND = 64
"""How many levels up a model call is looked for that tells the tokens of the ones inside."""

Money = tuple[int, int, int]
"""Picodollars, how many costs are known, and how many are not."""

Used = tuple[int, int, int]
"""Tokens of input and output, of how many model calls or runs these are known, and of how many not."""

NO_MONEY: Money = (0, 0, 0)


class Share(Struct, frozen=True, gc=False):
    """What one span adds.

    Attributes:
        service: of its resource; of its call, where it tells of one.
        agent: name of the agent around it, or its own.
        invocation: span id of the agent invocation around it, or its own.
        conversation: id that it, its call or the invocation around it names.
        is_agent: whether it is an agent invocation.
        is_actor: whether it is an agent or model span.
        start_ns: None where it was not observed.
        end_ns: None where it was not observed.
        is_model: whether it is a model call that is counted.
        used: tokens that it adds to a whole.
        own_used: those that it adds to its agent invocation.
        cost: what it adds to a whole.
        own_cost: what it adds to its agent invocation.
        inside: picodollars of model calls inside it that are its agent's own.
        is_cost_so_far: whether that may be the cost of earlier runs of its session, too.
        is_apart: whether it is no span, but a message in a log record, which adds to no sum.
        model_call: what is known of its messages, where some rule asks that.
    """

    service: str | None
    environment: str | None
    attributes: Mapping[str, Json]
    agent: str | None
    invocation: str | None
    conversation: str | None
    is_agent: bool
    is_actor: bool
    start_ns: int | None
    end_ns: int | None
    is_model: bool = False
    used: Used = (0, 0, 0)
    own_used: Used = (0, 0, 0)
    cost: Money = NO_MONEY
    own_cost: Money = NO_MONEY
    inside: int = 0
    is_cost_so_far: bool = False
    is_apart: bool = False
    model_call: ModelCall | None = None

    def of_session(self) -> Share:
        """As a part of a session, in which each run may tell again what earlier ones cost."""
        return structs.replace(self, cost=_BLIND) if self.is_cost_so_far else self


Shares = Mapping[str, Share | None]
"""Place id -> what it adds now; None: nothing any more."""

NO_SHARES: Shares = {}


def shares_of(trace: TraceAssembly, place_ids: Iterable[str]) -> Shares:
    """What these places add now."""
    return {place_id: _share(place_id, trace) for place_id in place_ids}


def late_shares(trace: TraceAssembly) -> Shares:
    """Model calls that tell no tokens, and runs that add theirs up: one around them that came later may tell them."""
    silent = (node.place.id for node in trace.nodes.values() if _is_silent(node))
    rolled = (one.node.place.id for one in trace.spending.roll_ups.standing())
    return shares_of(trace, (*silent, *rolled))


def agent_of(node: Node, trace: TraceAssembly) -> str | None:
    """The name of the agent around a node, or its own."""
    if node.agent is not None:
        return node.agent.name
    if node.call is not None:
        call = trace.calls.get(node.group.place.id)
        return call.agent if call else None
    around = node.agent_node
    return around.agent.name if around and around.agent else None


def _share(place_id: str, trace: TraceAssembly) -> Share | None:
    node = trace.nodes.get(place_id)
    if node is None or not _stands(node):
        return _apart(place_id, trace)
    place, around = node.place, node if node.agent is not None else node.agent_node
    call = trace.calls.get(node.group.place.id) if node.call is not None else None
    share = Share(
        service=_service(node, call),
        environment=place.resource.environment,
        attributes=call.attributes if call else place.attributes,
        agent=agent_of(node, trace),
        invocation=around.place.id if around else None,
        conversation=_conversation(node, call),
        is_agent=node.agent is not None,
        is_actor=node.agent is not None or node.model is not None,
        start_ns=place.start_ns,
        end_ns=place.end_ns,
    )
    return _with_run(_with_sums(_with_messages(share, node, trace), node, trace), node, trace)


def _with_messages(share: Share, node: Node, trace: TraceAssembly) -> Share:
    """With what is known of the messages of a model call, or of those that log records put on another span."""
    place, hearing = node.place, trace.hearing
    heard = hearing.of(place.span_id) if place.id == place.span_id else None
    if not hearing.is_asked or (node.model is None and heard is None):
        return share
    around = node.enclosing if node.model is not None else None
    call = ModelCall(
        trace_id=place.trace_id,
        span_id=place.span_id or "",
        start_ns=place.start_ns,
        service=share.service,
        environment=share.environment,
        agent=share.agent,
        conversation_id=share.conversation,
        is_model=node.model is not None,
        around=around.place.id if around is not None and around.model is not None else None,
        heard=heard,
    )
    return structs.replace(share, model_call=call)


def _apart(name: str, trace: TraceAssembly) -> Share | None:
    """Messages that log records tell on no span, or on one that is none of these: they add to no sum."""
    heard, teller = trace.hearing.of(name), trace.hearing.teller(name)
    if heard is None or teller is None:
        return None
    place = teller.place
    service, environment = place.resource.service, place.resource.environment
    call = ModelCall(
        trace_id=place.trace_id,
        span_id=place.span_id or "",
        start_ns=place.start_ns,
        service=service,
        environment=environment,
        conversation_id=teller.conversation_id,
        is_model=False,
        heard=heard,
    )
    return Share(
        service=service,
        environment=environment,
        attributes=place.attributes,
        agent=None,
        invocation=None,
        conversation=teller.conversation_id,
        is_agent=False,
        is_actor=False,
        start_ns=None,
        end_ns=None,
        is_apart=True,
        model_call=call,
    )


def _stands(node: Node) -> bool:
    """Whether it is an agent, model or tool span, or a log record that tells of one."""
    if node.call is None:
        return node.agent is not None or node.model is not None
    if node.call.what in ("request", "response"):
        return node.agent is not None or node.model is not None
    return not (node.place.is_log and node.call.fills)


def _service(node: Node, call: ToolCall | None) -> str | None:
    return (call.service if call else None) or node.place.resource.service


def _conversation(node: Node, call: ToolCall | None) -> str | None:
    if call is not None:
        return call.conversation_id
    around = node.agent_node
    return node.conversation_id or (around.conversation_id if around else None) or None


def _with_sums(share: Share, node: Node, trace: TraceAssembly) -> Share:
    usage = node.usage
    is_counted = usage is not None and usage.counted
    if not is_counted and node.report is None and not node.spent:
        return share
    own = usage.own if usage is not None and is_counted else Spent()
    used = _used(node, trace) if is_counted else _NOTHING
    return structs.replace(
        share,
        is_model=is_counted,
        used=used,
        own_used=used,
        cost=_cost(own, node.report, node.spent),
        own_cost=_cost(own, node.report, node.own),
        inside=node.own.total,
    )


def _cost(own: Spent, report: Spent | None, inside: Spent) -> Money:
    total = own if report is None else own.plus(report).plus(inside, -1)
    return (total.total, total.known, total.blind)


def _with_run(share: Share, node: Node, trace: TraceAssembly) -> Share:
    """With what an invocation adds up, where that stands; what of it its sub-agents used is not known."""
    rolled = trace.spending.roll_ups.of(node)
    if rolled is None:
        return share
    tokens, has_others = rolled.used, rolled.has_sub_agents
    own_used = _NOTHING if tokens is None else (0, 0, 1) if has_others else (tokens, 1, 0)
    is_told_around = trace.spending.roll_ups.covers(node)
    return structs.replace(
        share,
        used=_NOTHING if tokens is None or is_told_around else (tokens, 1, int(has_others)),
        own_used=own_used,
        cost=_BLIND if rolled.is_blind else share.cost,
        own_cost=_BLIND if rolled.is_blind or has_others else share.own_cost,
        is_cost_so_far=rolled.said.is_cost_so_far,
    )


_NOTHING: Used = (0, 0, 0)
_BLIND: Money = (0, 0, 1)


def _used(node: Node, trace: TraceAssembly) -> Used:
    """What a model call tells; nothing where another one around it does, or the run that it is part of."""
    told = used(node)
    if told is not None:
        return told, 1, 0
    if any(used(around) is not None for around in _around(node)):
        return 0, 1, 0
    return _NOTHING if trace.spending.roll_ups.covers(node) else (0, 0, 1)


def used(node: Node) -> int | None:
    """Tokens that a model call reports, input and output."""
    model = node.model
    if model is None:
        return None
    known = [part for part in (model.input_tokens, model.output_tokens) if part is not None]
    return sum(known) if known else None


def _around(node: Node) -> Iterator[Node]:
    around, levels = node.enclosing, 0
    while around is not None and levels < _AROUND:
        yield around
        around, levels = around.enclosing, levels + 1


def _is_silent(node: Node) -> bool:
    return node.usage is not None and node.usage.counted and used(node) is None
