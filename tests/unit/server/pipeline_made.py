"""Exports and pipelines for tests: no socket, a clock that is moved, a next hop that remembers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from toolscore_otel.assembly import Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.model import Finding
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.judging import Rules
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.pipeline import Pipeline
from toolscore_otel.server.reply import OK, Reply, Signal
from toolscore_otel.server.state import State
from toolscore_otel.testing.made import SECOND, FakeClock

TRACE = "a" * 32

FORBIDS: dict[str, Any] = {
    "contract": "desk",
    "language": 1,
    "forbid": [{"tool": "delete_user", "severity": "critical"}],
}


class Next:
    """A next hop.

    Attributes:
        sent: what came, in order.
        reply: to be given.
    """

    def __init__(self, reply: Reply = OK) -> None:
        self.sent: list[tuple[Signal, bytes]] = []
        self.reply = reply

    def __call__(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        self.sent.append((signal, data))
        return self.reply

    def spans(self) -> list[Span]:
        """All spans that came."""
        requests = [ExportTraceServiceRequest.FromString(d) for s, d in self.sent if s == "traces"]
        return [
            span
            for request in requests
            for group in request.resource_spans
            for part in group.scope_spans
            for span in part.spans
        ]


class Made:
    """A pipeline and what stands around it."""

    def __init__(
        self,
        *contracts: dict[str, Any],
        send: Next | None = None,
        state: State | NoState | None = None,
        clock: FakeClock | None = None,
        memory_bytes: int = 2**29,
        tells_scores: bool = False,
    ) -> None:
        self.state = state or NoState(b"key")
        self.clock = clock or FakeClock()
        self.counting = Counting()
        self.sums = Sums()
        self.send = send
        self.woken = 0
        self.pipeline = Pipeline(
            structs.replace(
                rules(*(contracts or (FORBIDS,)), memory_bytes=memory_bytes),
                tells_scores=tells_scores,
            ),
            state=self.state,
            sums=self.sums,
            counting=self.counting,
            send=send,
            wake=self._wake,
            clock=self.clock,
        )

    def _wake(self) -> None:
        self.woken += 1

    def take(self, *spans: Span, **resource: str) -> Reply:
        """Send one export of spans."""
        return self.pipeline.handle(Signal.TRACES, export(*spans, **resource), {})

    def findings(self) -> list[Finding]:
        """Every revision of a finding that is to be delivered."""
        told = [delivery.finding for _, delivery in self.state.pending(0, 1000)]
        return [finding for finding in told if finding is not None]

    def said(self) -> list[tuple[str, str, int]]:
        """Rule, label and revision of these."""
        return [(f.rule, f.label.value, f.revision) for f in self.findings()]

    def said_scores(self) -> list[tuple[Any, Any, Any]]:
        """Name, value and revision of every score that is to be delivered."""
        events = [d.score.attributes for _, d in self.state.pending(0, 1000) if d.score is not None]
        return [
            (
                event["gen_ai.evaluation.name"],
                event.get("gen_ai.evaluation.score.value"),
                event["toolscore.revision"],
            )
            for event in events
        ]

    def close(self) -> None:
        """Let the trajectories settle, and time pass."""
        self.clock.advance(10)
        self.pipeline.tick()

    def counted(self, metric: str) -> float:
        """The sum of all series of a metric of findings."""
        return sum(point.value for point in self.sums.points.get(metric, {}).values())


def rules(*contracts: dict[str, Any], memory_bytes: int = 2**29) -> Rules:
    """Contracts with usual limits."""
    return Rules(
        contracts=[Contract.from_dict(contract) for contract in contracts],
        limits=Limits(),
        lateness_ns=5 * SECOND,
        fingerprint_key=b"key",
        memory_bytes=memory_bytes,
    )


def state_in(folder: Path) -> State:
    """A state on disk."""
    return State(folder, b"key")


def span(number: int, *, parent: int | None = None, trace: str = TRACE, **attributes: str) -> Span:
    """A span with an id of its own; `__` in a name stands for `.`."""
    return Span(
        trace_id=bytes.fromhex(trace),
        span_id=number.to_bytes(8),
        parent_span_id=b"" if parent is None else parent.to_bytes(8),
        name="a span",
        start_time_unix_nano=FakeClock().now + number,
        end_time_unix_nano=FakeClock().now + 1000 - number,
        attributes=[pair(key.replace("__", "."), value) for key, value in attributes.items()],
    )


def pair(key: str, value: str) -> KeyValue:
    """An attribute."""
    return KeyValue(key=key, value=AnyValue(string_value=value))


def tool(number: int, name: str = "search", args: str = "{}", **more: Any) -> Span:
    """A span of a call."""
    return span(
        number,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        gen_ai__tool__call__arguments=args,
        **more,
    )


def agent(number: int = 1, name: str = "desk", **more: Any) -> Span:
    """A span of an agent."""
    return span(number, gen_ai__operation__name="invoke_agent", gen_ai__agent__name=name, **more)


def export(*spans: Span, **resource: str) -> bytes:
    """An export of one resource and scope."""
    named = {"service.name": "desk", **resource}
    return ExportTraceServiceRequest(
        resource_spans=[
            ResourceSpans(
                resource=Resource(attributes=[pair(*item) for item in named.items()]),
                scope_spans=[
                    ScopeSpans(scope=InstrumentationScope(name="made"), spans=list(spans))
                ],
            )
        ]
    ).SerializeToString()


def event_names(spans: Sequence[Span]) -> dict[int, list[str]]:
    """Span number -> names of its events."""
    return {int.from_bytes(s.span_id): [event.name for event in s.events] for s in spans}
