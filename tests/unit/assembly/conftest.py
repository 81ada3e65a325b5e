"""Readings in their places, made by hand, and what is rebuilt from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler, Place, in_order
from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    SpanReading,
    Spoken,
)
from toolscore_otel.model import (
    ClosedBy,
    ContentState,
    InstrumentationScope,
    Payload,
    Resource,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)

TRACE = "a" * 32
LAYERS = {
    "framework": Layer.FRAMEWORK,
    "client": Layer.MCP_CLIENT,
    "server": Layer.MCP_SERVER,
}
Fed = tuple[Place, SpanReading | None]


def seen(value: Any) -> Payload:
    """An observed value."""
    return Payload(ContentState.OBSERVED, value)


class Say:
    """What spans, messages and log records say; every span lasts from `at[0]` to `at[1]`, in nanoseconds."""

    seen = staticmethod(seen)

    @staticmethod
    def place(
        span_id: str,
        parent: str | None = None,
        *,
        at: tuple[int | None, int | None] = (0, 10),
        scope: str = "one",
        resource: dict[str, Any] | None = None,
        dropped: int = 0,
        trace_id: str = TRACE,
    ) -> Place:
        return Place(
            trace_id=trace_id,
            id=span_id,
            parent=parent,
            span_id=span_id,
            start_ns=at[0],
            end_ns=at[1],
            ended=at[1] is not None,
            scope=InstrumentationScope(scope),
            resource=Resource(resource or {}),
            dropped=dropped,
        )

    def plain(self, span_id: str, parent: str | None = None, **where: Any) -> Fed:
        return self.place(span_id, parent, **where), None

    @staticmethod
    def call(name: str | None = "search", **said: Any) -> CallReading:
        for content in ("args", "result"):
            if content in said and not isinstance(said[content], Payload):
                said[content] = seen(said[content])
        layer = LAYERS[said.pop("layer", "framework")]
        defaults: dict[str, Any] = {"convention": "genai", "status": Status.OK}
        return CallReading(**defaults | said, name=name, layer=layer)

    def tool(
        self, span_id: str, parent: str | None = None, name: str | None = "search", **said: Any
    ) -> Fed:
        where = {
            key: said.pop(key)
            for key in ("at", "scope", "resource", "dropped", "trace_id")
            if key in said
        }
        whole = {
            key: said.pop(key) for key in ("conversation_id", "scenario", "invokes") if key in said
        }
        agent = (
            AgentReading(convention="genai", name=whole.pop("invokes"))
            if "invokes" in whole
            else None
        )
        reading = SpanReading(calls=(self.call(name, **said),), agent=agent, **whole)
        return self.place(span_id, parent, **where), reading

    def agent(
        self,
        span_id: str,
        parent: str | None = None,
        name: str | None = None,
        *,
        conversation_id: str | None = None,
        **where: Any,
    ) -> Fed:
        reading = SpanReading(
            agent=AgentReading(convention="genai", name=name), conversation_id=conversation_id
        )
        return self.place(span_id, parent, **where), reading

    def model(
        self,
        span_id: str,
        parent: str | None = None,
        *messages: CallReading,
        where: dict[str, Any] | None = None,
        **usage: Any,
    ) -> Fed:
        reading = SpanReading(model=ModelReading(convention="genai", **usage), calls=messages)
        return self.place(span_id, parent, **where or {}), reading

    def log(self, record_id: str, parent: str | None, name: str = "search", **said: Any) -> Fed:
        at = said.pop("at", (10, 10))
        reading = SpanReading(calls=(self.call(name, what="log", convention="codex", **said),))
        return self.place(record_id, parent, at=at), reading

    @staticmethod
    def request(name: str = "search", **said: Any) -> CallReading:
        if "args" in said:
            said["args"] = seen(said["args"])
        return CallReading(
            convention="genai",
            layer=Layer.MESSAGE,
            what="request",
            stage=Stage.REQUESTED,
            name=name,
            **said,
        )

    @staticmethod
    def response(**said: Any) -> CallReading:
        if "result" in said:
            said["result"] = seen(said["result"])
        if "args" in said:
            said["args"] = seen(said["args"])
        return CallReading(convention="genai", layer=Layer.MESSAGE, what="response", **said)

    def word(
        self,
        record_id: str,
        span_id: str,
        at: int,
        *calls: CallReading,
        spoken: str | None = None,
    ) -> Fed:
        """A log record of one message, on a span."""
        place = structs.replace(
            self.place(record_id, span_id, at=(at, at)), span_id=span_id, is_log=True
        )
        said = Spoken(spoken) if spoken else None
        return place, SpanReading(calls=calls, spoken=said)


@pytest.fixture
def say() -> Say:
    return Say()


@pytest.fixture
def rebuilt() -> Callable[..., Trajectory]:
    """The trajectory of what was fed, which is the same in whatever order it comes."""

    def rebuild(*fed: Fed) -> Trajectory:
        found: list[Trajectory] = []
        for order in _orders(fed):
            assembler = Assembler()
            for place, reading in order:
                assembler.add(place, reading, now=0)
            assembler.close(ClosedBy.END_OF_INPUT)
            found.append(assembler.trajectory(TRACE))
        assert all(other == found[0] for other in found)
        return found[0]

    return rebuild


def _orders(fed: tuple[Fed, ...]) -> Iterable[tuple[Fed, ...]]:
    """All of up to five, else as they stand, backwards and turned round."""
    if len(fed) <= 5:
        return permutations(fed)
    half = len(fed) // 2
    return [fed, fed[::-1], (*fed[half:], *fed[:half]), (*fed, *fed)]


@pytest.fixture
def fed_in_order() -> Callable[..., Assembler]:
    """An assembler that was fed once, in order."""

    def feed(*fed: Fed) -> Assembler:
        assembler = Assembler()
        for place, reading in fed:
            assembler.add(place, reading, now=0)
        return assembler

    return feed


@pytest.fixture
def calls_of(rebuilt: Callable[..., Trajectory]) -> Callable[..., tuple[ToolCall, ...]]:
    """The calls of what was fed, in order of start."""
    return lambda *fed: in_order(rebuilt(*fed).calls)


@pytest.fixture
def only_call_of(calls_of: Callable[..., tuple[ToolCall, ...]]) -> Callable[..., ToolCall]:
    """The one call of what was fed."""

    def only(*fed: Fed) -> ToolCall:
        calls = calls_of(*fed)
        assert [call.key for call in calls] == [call.key for call in calls[:1]]
        return calls[0]

    return only


@pytest.fixture
def node() -> Callable[[Fed], Node]:
    """The node of what a span says."""

    def make(fed: Fed) -> Node:
        place, reading = fed
        assert reading is not None
        return Node(
            place, reading.calls[0] if reading.calls else None, reading.agent, reading.model
        )

    return make
