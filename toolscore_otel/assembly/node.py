"""One piece of evidence with its place: what a span (or a message, or a log record) said, and where it stood."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    SpanReading,
)
from toolscore_otel.model import ContentState, CostSource, InstrumentationScope, Resource, Span


@dataclass(slots=True, frozen=True)
class Place:
    """Where a reading stood.

    Attributes:
        id: unique in its trace; the span's id for what a span itself says.
        parent: id of the enclosing span; None for a root.
        span_id: of the span it belongs to.
        ended: whether the span had ended; a log record always has.
        dropped: attributes that the SDK dropped.
    """

    trace_id: str
    id: str
    parent: str | None
    span_id: str | None
    start_ns: int | None = None
    end_ns: int | None = None
    ended: bool = True
    resource: Resource = field(default_factory=Resource)
    scope: InstrumentationScope = field(default_factory=InstrumentationScope)
    dropped: int = 0

    @classmethod
    def of_span(cls, span: Span) -> Place:
        """The place of what a span says."""
        return cls(
            trace_id=span.trace_id,
            id=span.span_id,
            parent=span.parent_span_id,
            span_id=span.span_id,
            start_ns=span.start_ns,
            end_ns=span.end_ns,
            ended=span.end_ns is not None,
            resource=span.resource,
            scope=span.scope,
            dropped=span.dropped_attributes,
        )


@dataclass(slots=True)
class Spent:
    """Money of model calls, in picodollars, so that adding and taking away leaves no rest.

    Attributes:
        total: sum of what is known.
        known: model calls with a known cost.
        priced: those of them whose cost is tokens times list prices.
        blind: model calls without a known cost.
    """

    total: int = 0
    known: int = 0
    priced: int = 0
    blind: int = 0

    def add(self, other: Spent, sign: int = 1) -> None:
        """Add another sum, or take it away."""
        self.total += sign * other.total
        self.known += sign * other.known
        self.priced += sign * other.priced
        self.blind += sign * other.blind

    def __bool__(self) -> bool:
        return bool(self.known or self.blind)

    @property
    def usd(self) -> float | None:
        """USD; None where nothing is known."""
        return self.total / PICO if self.known else None

    @property
    def source(self) -> CostSource | None:
        """Where the sum comes from."""
        if not self.known:
            return None
        return CostSource.PRICED if self.priced else CostSource.REPORTED


@dataclass(slots=True)
class Node:
    """A reading in its place, and what is known of its surroundings.

    Attributes:
        call: what it says of a call; None for an agent or model span.
        enclosing: nearest agent, model or tool node around it; None where there is none (yet).
        settled: whether `enclosing` is final.
        agent_node: nearest agent invocation around it.
        spent: what the model calls inside it (itself included) cost.
        joined_to: towards the node that stands for all readings of the same call.
        members: of the node that stands for a call, all its readings.
    """

    place: Place
    call: CallReading | None = None
    agent: AgentReading | None = None
    model: ModelReading | None = None
    conversation_id: str | None = None
    scenario: str | None = None
    enclosing: Node | None = None
    settled: bool = False
    agent_node: Node | None = None
    agent_settled: bool = False
    spent: Spent = field(default_factory=Spent)
    joined_to: Node | None = None
    members: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.members = [self]

    @classmethod
    def of(cls, place: Place, reading: SpanReading, call: CallReading | None) -> Node:
        """A node for one thing that a reading says."""
        return cls(
            place=place,
            call=call,
            agent=reading.agent,
            model=reading.model,
            conversation_id=reading.conversation_id,
            scenario=reading.scenario,
        )

    @property
    def group(self) -> Node:
        """The node that stands for all nodes of the same call."""
        node = self
        while node.joined_to is not None:
            node = node.joined_to
        return node


PICO = 1_000_000_000_000
"""Picodollars in a dollar."""

_CONTENT_RANK = {
    ContentState.NOT_OBSERVED: 0,
    ContentState.UNPARSABLE: 1,
    ContentState.TRUNCATED: 2,
    ContentState.OBSERVED: 3,
}


def richness(place: Place, call: CallReading) -> tuple[object, ...]:
    """Orders two records of one span: ended beats not ended, more content beats less, then the greater text."""
    return (
        place.ended,
        _CONTENT_RANK[call.args.state] + _CONTENT_RANK[call.result.state],
        call.call_id is not None,
        call.name is not None,
        call.status.value,
        place.end_ns or 0,
        repr((call, place.start_ns)),
    )


LAYER_RANK = {Layer.FRAMEWORK: 0, Layer.MCP_CLIENT: 1, Layer.MCP_SERVER: 2, Layer.MESSAGE: 3}
"""Outermost first."""
