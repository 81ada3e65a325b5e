"""One piece of evidence with its place: what a span (or a message, or a log record) said, and where it stood."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType

from msgspec import Struct, structs

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    ModelReading,
    Offer,
    SpanReading,
    Spoken,
)
from toolscore_otel.model import (
    EMPTY,
    InstrumentationScope,
    Json,
    LogRecord,
    Resource,
    Span,
    Tokens,
)

MOST_LINKS = 32
"""Past this many spans of other traces that a span links to, further ones are not looked at."""


class Place(Struct, frozen=True, gc=False):
    """Where a reading stood.

    Attributes:
        id: unique in its trace; the span's id for what a span itself says.
        parent: id of the enclosing span; None for a root.
        span_id: of the span it belongs to.
        ended: whether the span had ended; a log record always has.
        dropped: attributes that the SDK dropped.
        is_log: whether it is a log record.
        attributes: those of the span and its resource that were asked for.
        links: spans of other traces that it links to, each as `TRACE:SPAN`.
    """

    trace_id: str
    id: str
    parent: str | None
    span_id: str | None
    start_ns: int | None = None
    end_ns: int | None = None
    ended: bool = True
    resource: Resource = Resource()
    scope: InstrumentationScope = InstrumentationScope()
    dropped: int = 0
    is_log: bool = False
    attributes: Mapping[str, Json] = EMPTY
    links: tuple[str, ...] = ()

    @property
    def is_ended_root(self) -> bool:
        """Whether it is a span without a parent that has ended."""
        return self.parent is None and self.end_ns is not None and self.id == self.span_id

    @classmethod
    def of_span(cls, span: Span, asked: Collection[str] = ()) -> Place:
        """The place of what a span says, with the attributes that are asked for."""
        return cls(
            span.trace_id,
            span.span_id,
            span.parent_span_id,
            span.span_id,
            span.start_ns,
            span.end_ns,
            span.end_ns is not None,
            span.resource,
            span.scope,
            span.dropped_attributes,
            attributes=_asked(asked, span.attributes, span.resource) if asked else EMPTY,
            links=_links(span) if span.links else (),
        )

    @classmethod
    def of_log(
        cls, record: LogRecord, reading: SpanReading, asked: Collection[str] = ()
    ) -> Place | None:
        """The place of what a log record says.

        Its id is its content: a record that is delivered again stands in the same place. One without a trace stands in a
        trace of its conversation, a message else in one of the first call that it names, with an id made from that.

        Returns:
            None where it names none of these.
        """
        service = record.resource.service
        is_message = own_call(reading) is None and reading.calls
        call_id = reading.calls[0].call_id if is_message else None
        trace_id = record.trace_id or _made_up(
            service, reading.conversation_id or reading.session or call_id
        )
        if trace_id is None:
            return None
        end_ns = record.time_ns
        took = reading.duration_ns or 0
        return cls(
            trace_id=trace_id,
            id=f"log:{_digest(_content(record)).hex()}",
            parent=record.span_id if record.trace_id else None,
            span_id=record.span_id if record.trace_id else None,
            start_ns=None if end_ns is None else max(0, end_ns - took),
            end_ns=end_ns,
            resource=record.resource,
            scope=record.scope,
            is_log=True,
            attributes=_asked(asked, record.attributes, record.resource) if asked else EMPTY,
        )


def _asked(
    asked: Collection[str], own: Mapping[str, Json], resource: Resource
) -> Mapping[str, Json]:
    """What is asked for of a span's own attributes, else of its resource's."""
    both = {**resource.attributes, **own}
    return {key: both[key] for key in asked if key in both} or EMPTY


def _links(span: Span) -> tuple[str, ...]:
    others = (link for link in span.links if link.trace_id != span.trace_id)
    linked = dict.fromkeys(f"{link.trace_id}:{link.span_id}" for link in others)
    return tuple(linked)[:MOST_LINKS]


def _made_up(service: str | None, conversation_id: str | None) -> str | None:
    if conversation_id is None:
        return None
    return _digest(("conversation", service, conversation_id)).hex()


def _content(record: LogRecord) -> object:
    attributes = sorted(record.attributes.items(), key=lambda item: item[0])
    where = (record.trace_id, record.span_id, record.time_ns, record.scope.name)
    return (where, record.event_name, record.body, attributes)


def _digest(value: object) -> bytes:
    return blake2b(repr(value).encode(errors="replace"), digest_size=16).digest()


class Usage(Struct, eq=False):
    """A model call among the others of its trace.

    Attributes:
        tokens: what it used.
        own: what it cost.
        inner: the model calls inside it that tell the same again, by place id.
        twins: all that share its response id, itself included; empty where it has none.
        counted: whether it stands in the sums.
        told: the one that does, of all that tell of this model call; None where it is not sure to be one (`turns`).
    """

    node: Node
    reading: ModelReading
    tokens: Tokens
    own: Spent
    inner: dict[str, Usage] = {}
    twins: Sequence[Usage] = ()
    counted: bool = False
    told: Usage | None = None

    @property
    def is_silent(self) -> bool:
        """Whether it says nothing about tokens."""
        return (self.reading.input_tokens, self.reading.output_tokens) == (None, None)

    @property
    def tells(self) -> bool:
        """Whether it says anything about tokens or money."""
        return bool(self.own.known) or not self.is_silent


class Inside(Struct):
    """How much of what decides on roll-ups stands inside a node, itself included (`roll_ups`).

    Attributes:
        telling: model calls that tell what they used or cost.
        paid: calls that report a cost.
        agents: agent invocations, but for those that only run the agent of the one directly around them.
        rolling: those that add up their run.
    """

    telling: int = 0
    paid: int = 0
    agents: int = 0
    rolling: int = 0

    def add(self, other: Inside, sign: int) -> None:
        """Add what stands in another, or take it away."""
        self.telling += sign * other.telling
        self.paid += sign * other.paid
        self.agents += sign * other.agents
        self.rolling += sign * other.rolling


_NO_PAIRS: Mapping[tuple[str, str], Node] = MappingProxyType({})
"""Nodes share what holds nothing: there are many of them."""


class Node(Struct, eq=False):
    """A reading in its place, and what is known of its surroundings.

    Attributes:
        call: what it says of a call; None for an agent or model span.
        agent: the agent invocation that it is.
        step: the step of one that it is.
        enclosing: nearest agent, model or tool node around it; None where there is none (yet).
        spoken: what it says as a message of the model, in a log record.
        settled: whether `enclosing` is final.
        agent_node: nearest agent invocation around it.
        in_step: nearest step around it, where no agent invocation stands between.
        named: the agent that runs the call, where it is known by an id (`naming`).
        offer: the tools that a model was offered there.
        is_repeat: whether it is a message that was told before.
        is_history: whether it is a message that an earlier model call heard.
        is_inner: whether it may tell of the same call as the node around it.
        inner: nodes directly inside it of which that is true.
        same_id: nodes elsewhere with its call id that may tell of the same call.
        pairs: nodes that tell of the same call by tool, time and order (`pairs`).
        doubts: keys of `pairs` where another one would have fitted as well, and `join.BY_ID` where the id does not tell.
        in_doubt: whether one of these joins it to its call.
        members: all readings of the call that it tells of, the outermost first; empty where it tells of none.
        usage: what it says of a model call, as it is counted.
        asker: the model call that says it, where it is a request in its answer (`turns`).
        report: the cost that it reports for its call, or its run, and all that stands inside.
        spent: what stands inside it (itself included) cost.
        own: that, without what stands inside agent invocations in it.
        inside: what of model calls, invocations and payments stands inside it; None where nobody asks.
        target: the agent that it hands over to, where it is named like a handoff (`handing`).
        is_followed: whether that agent runs afterwards.
    """

    place: Place
    call: CallReading | None = None
    agent: AgentReading | None = None
    model: ModelReading | None = None
    step: AgentReading | None = None
    conversation_id: str | None = None
    enclosing: Node | None = None
    spoken: Spoken | None = None
    settled: bool = False
    agent_node: Node | None = None
    in_step: Node | None = None
    named: str | None = None
    offer: Offer | None = None
    is_repeat: bool = False
    is_history: bool = False
    is_inner: bool = False
    inner: tuple[Node, ...] = ()
    same_id: tuple[Node, ...] = ()
    pairs: Mapping[tuple[str, str], Node] = _NO_PAIRS
    doubts: frozenset[tuple[str, str]] = frozenset()
    in_doubt: bool = False
    members: tuple[Node, ...] = ()
    usage: Usage | None = None
    asker: Usage | None = None
    report: Spent | None = None
    spent: Spent = Spent()
    own: Spent = Spent()
    inside: Inside | None = None
    target: str | None = None
    is_followed: bool = False
    _facts: Facts | None = None

    @property
    def facts(self) -> Facts:
        """What other readings of the same call agree with. Most calls have one reading, and nobody asks."""
        if self._facts is None:
            self._facts = Facts(self.call)
        return self._facts

    @property
    def names_agent(self) -> bool:
        """Whether it is an agent invocation, or a step of one."""
        return self.agent is not None or self.step is not None

    @property
    def passes_on(self) -> bool:
        """Whether the agent invocation around it counts for what is inside."""
        return self.step is not None or (self.agent is not None and self.agent.runs_outer)

    @property
    def group(self) -> Node:
        """The node that stands for all nodes of the same call."""
        return self.members[0] if self.members else self


def own_call(reading: SpanReading) -> CallReading | None:
    """The call that a span (or log record) itself tells of, and not a message that it carries."""
    own = reading.calls[0] if reading.calls else None
    return None if own is None or own.what in _MESSAGES else own


def nodes_of(place: Place, reading: SpanReading) -> list[Node]:
    """A node for each thing that a reading says: the span itself first, then the messages that it carries."""
    own, agent, step = own_call(reading), reading.agent, None
    if agent is not None and agent.is_step:
        agent, step = None, agent
    nodes: list[Node] = []
    said = reading.conversation_id
    if own is not None or reading.agent is not None or reading.model is not None:
        nodes.append(Node(place, own, agent, reading.model, step, said, offer=reading.offer))
    elif reading.spoken is not None:
        nodes.append(Node(place, conversation_id=said, spoken=reading.spoken))
    if own is None or len(reading.calls) > 1:
        nodes += [_message(place, reading, n) for n, c in enumerate(reading.calls) if c is not own]
    return nodes


def _message(place: Place, reading: SpanReading, number: int) -> Node:
    """The node of a message, which stands inside its span."""
    call = reading.calls[number]
    inside = structs.replace(
        place, id=f"{place.id}#{number}", parent=place.id, **_moment(place, call)
    )
    return Node(inside, call, conversation_id=reading.conversation_id, spoken=reading.spoken)


_MESSAGES = ("request", "response")


def _moment(place: Place, call: CallReading) -> dict[str, int | None]:
    """A message asks when it ends, and answers before the one that repeats it begins."""
    if call.what not in _MESSAGES:
        return {}
    time = place.end_ns if call.what == "request" else place.start_ns
    return {"start_ns": time, "end_ns": time}
