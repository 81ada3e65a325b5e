"""A server's inside that can be stopped without a word and started again, for tests of state."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolscore_otel.assembly import Limits, Place
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import read
from toolscore_otel.emit.metrics import OF_SUMS, Sums
from toolscore_otel.model import Finding, Resource, Span, SpanEvent, SpanStatus
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.judging import Arrived, Judging, Rules
from toolscore_otel.server.state import State

SECOND = 1_000_000_000
NOW = 1_700_000_000 * SECOND
KEY = b"0123456789abcdef"
TRACE = "1".zfill(32)


def contract_of(**clauses: Any) -> Contract:
    """A contract with these clauses."""
    return Contract.from_dict({"contract": "c", "language": 1, **clauses})


def tool_span(
    number: int,
    tool: str = "search",
    args: Any = None,
    *,
    trace: str = TRACE,
    parent: int | None = None,
    result: Any = None,
    error: str | None = None,
    resource: dict[str, Any] | None = None,
    at_s: float = 0,
) -> Span:
    """A call of a tool."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": f"call-{number}",
        "gen_ai.tool.call.arguments": None if args is None else json.dumps(args),
        "gen_ai.tool.call.result": None if result is None else json.dumps(result),
        "error.type": None if error is None else "ToolError",
    }
    failed = SpanEvent("exception", attributes={"exception.message": error})
    start_ns = NOW + round(at_s * SECOND)
    return Span(
        trace_id=trace,
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        start_ns=start_ns,
        end_ns=start_ns + SECOND // 10,
        attributes={name: value for name, value in attributes.items() if value is not None},
        events=() if error is None else (failed,),
        status=SpanStatus.UNSET if error is None else SpanStatus.ERROR,
        resource=Resource({"service.name": "shop"} if resource is None else resource),
    )


def model_span(
    number: int, *texts: str, parent: int | None = None, trace: str = TRACE, at_s: float = 0
) -> Span:
    """A model call that hears these texts."""
    span = tool_span(number, trace=trace, parent=parent, at_s=at_s)
    told = [{"role": "user", "content": text} for text in texts]
    return Span(
        trace_id=trace,
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps(told) if texts else None,
        },
        resource=span.resource,
    )


def agent_span(number: int, *, trace: str = TRACE, name: str = "desk", at_s: float = 0) -> Span:
    """A root: an agent invocation."""
    span = tool_span(number, trace=trace, at_s=at_s)
    return Span(
        trace_id=trace,
        span_id=span.span_id,
        start_ns=span.start_ns,
        end_ns=NOW + 100 * SECOND,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name},
        resource=span.resource,
    )


class Inside:
    """Engine, sums and state.

    Args:
        folder: of the state.
        contracts: in use.
        limits: of assembly.
        closed: how many closed trajectories stay on disk.

    Attributes:
        said: every finding that was said, in order.
    """

    def __init__(
        self,
        folder: Path,
        *contracts: Contract,
        limits: Limits | None = None,
        closed: int = 1000,
        key: bytes | None = KEY,
        now: int = NOW,
    ) -> None:
        self.folder, self.contracts, self.limits, self.closed = folder, contracts, limits, closed
        self.now = now
        self.said: list[Finding] = []
        self.sums = Sums()
        self.state = State(folder, key, closed_trajectories=closed)
        rules = Rules(
            contracts=contracts,
            limits=limits or Limits(),
            lateness_ns=5 * SECOND,
            fingerprint_key=self.state.key,
        )
        self.judging = Judging(rules, self.state, self.sums, now)
        self.commit()

    def feed(self, *spans: Span) -> list[Finding]:
        """One request; returns what was said."""
        for span in spans:
            reading = self.judging.listen(span, read(span))
            self.judging.take(span.trace_id, [Arrived(Place.of_span(span), reading)], self.now)
        return self.commit()

    def tick(self, seconds: float) -> list[Finding]:
        """Let time pass; returns what was said."""
        self.now += round(seconds * SECOND)
        self.judging.tick(self.now)
        return self.commit()

    def commit(self) -> list[Finding]:
        batch = self.judging.taken()
        self.state.commit(batch)
        self.judging.unload()
        said = findings_of(batch.deliveries)
        self.said += said
        return said

    def killed(self, *contracts: Contract, after_s: float = 0, key: bytes | None = KEY) -> Inside:
        """The process that comes after this one was killed, with these contracts or the same."""
        self.state.close()
        return Inside(
            self.folder,
            *(contracts or self.contracts),
            limits=self.limits,
            closed=self.closed,
            key=key,
            now=self.now + round(after_s * SECOND),
        )

    def counted(self) -> dict[Any, Any]:
        """Every sum that is not 0."""
        return {
            (metric, shown.key): shown.value
            for metric in OF_SUMS
            for shown in self.sums.collected(metric, is_last=True)
            if shown.value
        }


def last_of(findings: Iterable[Finding]) -> dict[str, tuple[str, str]]:
    """Id -> label and text of its last revision."""
    return {finding.id: (finding.label.value, finding.explanation) for finding in findings}


def findings_of(deliveries: Iterable[Delivery]) -> list[Finding]:
    """Those that deliveries tell of."""
    told = (delivery.finding for delivery in deliveries)
    return [finding for finding in told if finding is not None]


def deliver_all(state: State) -> list[Delivery]:
    """All that waits."""
    return [delivery for _, delivery in state.pending(0, 10_000)]


OTHER = "2".zfill(32)

RULES = contract_of(
    forbid=[{"tool": "rm"}],
    loop={"same_call": 3},
    limit=[{"tool": "search", "max": 4}],
    require=[{"tool": "confirm"}],
    secrets={"in": ["arguments", "result", "error"]},
)

SECRETS = [make_sample("github_token_classic", seed) for seed in (1, 2)]


def a_run(trace: str = TRACE) -> list[Any]:
    """Tools before their agent: a forbidden one, a loop, too many, secrets."""
    one, two = SECRETS
    return [
        tool_span(2, args={"token": one}, parent=1, trace=trace, at_s=1),
        tool_span(3, args={"token": two}, parent=1, trace=trace, at_s=2),
        tool_span(4, args={"token": one}, parent=1, trace=trace, at_s=3),
        tool_span(5, "rm", {"path": "/"}, parent=1, error=f"no {two}", trace=trace, at_s=4),
        tool_span(6, args={"token": one}, parent=1, trace=trace, at_s=5),
        tool_span(7, args={"q": "x"}, result={"env": one}, parent=1, trace=trace, at_s=6),
        agent_span(1, trace=trace),
    ]
