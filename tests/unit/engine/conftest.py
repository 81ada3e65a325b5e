"""Spans and contracts made by hand, and engines to feed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly import Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine
from toolscore_otel.model import (
    Finding,
    InstrumentationScope,
    Label,
    Link,
    Resource,
    Span,
    SpanStatus,
)

MS = 1_000_000


def make_span(
    span_id: str,
    attributes: dict[str, Any],
    *,
    parent: str | None = None,
    at: float | None = 0,
    took: float | None = 10,
    trace: str = "t",
    failed: bool = False,
    service: str | None = None,
    environment: str | None = None,
    scope: str = "",
    talk: str | None = None,
    linked: str | None = None,
) -> Span:
    """A span of a conversation; times in milliseconds."""
    if talk is not None:
        attributes = {**attributes, "gen_ai.conversation.id": talk}
    known = {"service.name": service, "deployment.environment.name": environment}
    return Span(
        trace_id=trace,
        span_id=span_id,
        parent_span_id=parent,
        start_ns=None if at is None else round(at * MS),
        end_ns=None if at is None or took is None else round((at + took) * MS),
        attributes={key: value for key, value in attributes.items() if value is not None},
        status=SpanStatus.ERROR if failed else SpanStatus.UNSET,
        resource=Resource({key: value for key, value in known.items() if value}),
        scope=InstrumentationScope(scope),
        links=() if linked is None else (Link(linked, "s1"),),
    )


@pytest.fixture
def plain() -> Callable[..., Span]:
    """A span that says nothing of agents, models or tools."""
    return lambda span_id, **fields: make_span(span_id, {}, **fields)


@pytest.fixture
def tool() -> Callable[..., Span]:
    """A tool span; the arguments of the call are a value, or left out where they were not observed."""

    def make(
        span_id: str,
        name: str = "search",
        args: Any = None,
        *,
        result: Any = None,
        call_id: str | None = None,
        agent: str | None = None,
        **fields: Any,
    ) -> Span:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.agent.name": agent,
            "gen_ai.tool.call.arguments": None if args is None else json.dumps(args),
            "gen_ai.tool.call.result": None if result is None else json.dumps(result),
        }
        return make_span(span_id, attributes, **fields)

    return make


@pytest.fixture
def agent() -> Callable[..., Span]:
    """An agent invocation."""

    def make(span_id: str, name: str | None = "desk", **fields: Any) -> Span:
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        return make_span(span_id, attributes, **{"took": 1000, **fields})

    return make


@pytest.fixture
def model() -> Callable[..., Span]:
    """A model call."""

    def make(
        span_id: str,
        tokens: int | None = None,
        *,
        cost: float | None = None,
        response: str | None = None,
        **fields: Any,
    ) -> Span:
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "made-up-model",
            "gen_ai.usage.input_tokens": tokens,
            "gen_ai.usage.cost": cost,
            "gen_ai.response.id": response,
        }
        return make_span(span_id, attributes, **fields)

    return make


@pytest.fixture
def asked() -> Callable[..., Span]:
    """A call that a model asked for; a span of its own says whether it ran."""

    def make(span_id: str, name: str, call_id: str = "c1", **fields: Any) -> Span:
        attributes = {"tool_name": name, "tool_use_id": call_id}
        return structs.replace(make_span(span_id, attributes, **fields), name="claude_code.tool")

    return make


@pytest.fixture
def executed() -> Callable[..., Span]:
    """Inside the span that asked: that the call ran."""

    def make(span_id: str, parent: str, call_id: str = "c1", **fields: Any) -> Span:
        span = make_span(span_id, {"tool_use_id": call_id}, parent=parent, **fields)
        return structs.replace(span, name="claude_code.tool.execution")

    return make


@pytest.fixture
def contract() -> Callable[..., Contract]:
    """A contract with these keys."""
    return lambda **keys: Contract.from_dict({"contract": "c", "language": 1, **keys})


class Fed:
    """An engine and all that it said, in order."""

    def __init__(self, *contracts: Contract, **settings: Any) -> None:
        limits = {name: settings.pop(name) for name in Limits.__struct_fields__ if name in settings}
        self.engine = Engine(contracts, limits=Limits(**limits), **settings)
        self.said: list[Finding] = []
        self.now = 0

    def feed(self, *spans: Span, now: int | None = None) -> list[Finding]:
        """What these spans brought."""
        self.now = self.now if now is None else now
        found = [finding for span in spans for finding in self.engine.feed(span, self.now)]
        self.said += found
        return found

    def tick(self, now: int) -> list[Finding]:
        found = self.engine.tick(now)
        self.said += found
        return found

    def close(self) -> list[Finding]:
        found = self.engine.close()
        self.said += found
        return found

    @property
    def fails(self) -> list[str]:
        """Rules that stand at `fail`, each finding once."""
        return self.standing(Label.FAIL)

    def standing(self, label: Label) -> list[str]:
        findings = self.engine.report().findings
        return sorted(f.rule for f in findings if f.label is label)


@pytest.fixture
def fed() -> Callable[..., Fed]:
    """An engine with these contracts; limits of assembly and settings of the engine by name."""
    return Fed
