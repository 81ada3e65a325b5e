"""Laws of the engine, over small traces of any shape: which findings stand in the end depends only on the set of spans."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import given, strategies as st
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
    SpanKind,
    SpanStatus,
)
from toolscore_otel.secrets.samples import make_sample

TOKEN = make_sample("npm_token", 1)
LONG = f"{'x' * 30} {TOKEN}"
"""Longer than what is said of a name."""

SELECTORS: list[dict[str, Any]] = [
    {"tool": "a"},
    {"tool": "a", "args": {"q": 1}},
    {"tool": "b", "status": "error"},
    {"tool": "*", "agent": "x"},
    {"tool": "a", "unless": {"agent": "y"}},
    {"tool": "a", "unless": {"before": {"tool": "b", "args": {"q": 1}}}},
]
CLAUSES: dict[str, Any] = {
    "allow_only": ["a", {"tool": "b", "args": {"q": 1}}],
    "forbid": SELECTORS,
    "require": [
        {"tool": "a", "args": {"q": 1}, "min": 2},
        {"tool": "b", "max": 1},
        {"tool": "b", "agent": "x"},
        {"tool": "a", "by": {"before": {"tool": "b", "args": {"q": 1}}}},
        {"tool": "a", "by": {"within_ms": 0.000003}, "if": {"tool": "b", "status": "error"}},
    ],
    "limit": [
        *({**selector, "max": 1} for selector in SELECTORS),
        {"tool": "*", "max": 1, "sum": "q"},
        {"tool": "*", "max": 1, "distinct": "q", "per": "session"},
        {"tool": "*", "max": 1, "per": "1ms", "agent": "x"},
    ],
    "loop": {
        "same_call": 2,
        "retry_after_error": 1,
        "no_progress": 2,
        "cycle": 2,
        "window": 3,
        "ignore": [{"agent": "y"}],
    },
    "budget": [
        {"of": "call", "latency_ms": 2, "cost_usd": 0.5},
        {"of": "tool", "tool": "a", "latency_ms": 3, "cost_usd": 1},
        *(
            {"of": whole, "latency_ms": 5, "active_ms": 4, "cost_usd": 1, "tokens": 100, "calls": 2}
            for whole in ("trace", "agent", "session")
        ),
    ],
    "order": [
        {"first": "b", "then": {"tool": "a", "args": {"q": 1}}},
        {"first": {"tool": "a", "agent": "x"}, "then": "b", "unless": {"agent": "y"}},
        {"never": "b", "after": {"tool": "a", "args": {"q": 1}}, "until": {"tool": "c"}},
        {"sequence": ["a", {"tool": "b", "agent": "x"}]},
        {"sequence": [{"tool": "a", "args": {"q": 1}}, "b"], "mode": "strict"},
        {"sequence": ["a", "a", "b"], "mode": "subset", "among": {"tool": "*", "agent": "x"}},
    ],
    "arguments": {"check": "schema", "unknown": "flag"},
    "secrets": {
        "in": ["arguments", "result", "error", "messages"],
        "allow": [{"agent": "y", "path": "q"}],
    },
}
TOOLS = {"a": {"cost_usd": 0.4}, "b": {"aliases": ["bb"], "fails_when": 2}}


def make_contract(name: str, **keys: Any) -> Contract:
    return Contract.from_dict({"contract": name, "language": 1, "tools": TOOLS, **CLAUSES, **keys})


CONTRACTS = [
    make_contract("trace"),
    make_contract("agent", scope="agent"),
    make_contract("session", scope="session"),
    make_contract("session-of-s", scope="session", applies_to={"service": "s"}),
    make_contract("of-tier", applies_to={"attributes": {"tier": 1}}),
    make_contract("service", applies_to={"service": "s"}),
    make_contract("of-x", applies_to={"agent": "x"}),
    make_contract("of-x-agent", applies_to={"agent": "x"}, scope="agent"),
]
NAMES = ["s1", "s2", "s3", "s4", "s5", "s6"]
MS = 1_000_000

spans_of_agents = st.fixed_dictionaries(
    {
        "gen_ai.operation.name": st.just("invoke_agent"),
        "gen_ai.agent.name": st.sampled_from(["x", "y", LONG]),
    },
    optional={
        "gen_ai.usage.input_tokens": st.sampled_from([40, 80]),
        "gen_ai.usage.cost": st.sampled_from([0.3, 0.7]),
    },
)
conversations = st.sampled_from(["talk", "talk", "chat"])
offers = st.sampled_from([{"enum": [1]}, {"enum": [1, 2]}, {"type": "text"}]).map(
    lambda schema: json.dumps([{"name": "a", "parameters": {"properties": {"q": schema}}}])
)
spans_of_models = st.fixed_dictionaries(
    {"gen_ai.operation.name": st.just("chat")},
    optional={
        "gen_ai.tool.definitions": offers,
        "gen_ai.usage.input_tokens": st.sampled_from([40, 80]),
        "gen_ai.usage.cost": st.sampled_from([0.3, 0.7]),
        "gen_ai.conversation.id": conversations,
    },
)
values = st.sampled_from([1, 2, TOKEN]).map(lambda value: json.dumps({"q": value}))
spans_of_tools = st.fixed_dictionaries(
    {
        "gen_ai.operation.name": st.just("execute_tool"),
        "gen_ai.tool.name": st.sampled_from(["a", "a", "b", "bb", "c", LONG, "mcp__s__a"]),
    },
    optional={
        "gen_ai.tool.call.arguments": values,
        "gen_ai.tool.call.result": st.sampled_from(["1", "2", TOKEN]),
        "gen_ai.tool.call.id": st.sampled_from(["c1", "c2"]),
        "gen_ai.agent.name": st.sampled_from(["x", "y"]),
        "gen_ai.conversation.id": conversations,
        "tier": st.sampled_from([1, 2]),
        "gen_ai.usage.cost": st.sampled_from([0.3, 0.7]),
    },
)
requests = st.fixed_dictionaries(
    {"tool_name": st.sampled_from(["a", "b"])},
    optional={"tool_use_id": st.sampled_from(["c1", "c2"])},
)


spans_of_servers = st.just({"mcp.method.name": "tools/call", "gen_ai.tool.name": "a"})
told = [
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "a", "arguments": {"q": 1}}],
    }
]
heard = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": 2}]}]
said = [{"role": "user", "parts": [{"type": "text", "content": f"use {TOKEN}"}]}]
spans_with_messages = st.fixed_dictionaries(
    {"gen_ai.operation.name": st.just("chat")},
    optional={
        "gen_ai.conversation.id": conversations,
        "gen_ai.tool.definitions": offers,
        "gen_ai.output.messages": st.sampled_from([told, said]).map(json.dumps),
        "gen_ai.input.messages": st.sampled_from([told + heard, said + said, []]).map(json.dumps),
    },
)


attributes: st.SearchStrategy[dict[str, Any]] = st.one_of(
    spans_of_tools,
    spans_of_tools,
    spans_of_models,
    spans_of_agents,
    spans_of_servers,
    spans_with_messages,
    st.just({}),
)


@st.composite
def span_like(draw: st.DrawFn, span_id: str) -> Span:
    is_request = draw(st.integers(0, 9)) == 0
    start = draw(st.integers(0, 8))
    took = draw(st.sampled_from([0, 1, 2, 4, None]))
    return Span(
        trace_id=draw(st.sampled_from(["t", "t", "t", "u", "u", "v"])),
        span_id=span_id,
        parent_span_id=draw(st.sampled_from([None, None, *NAMES, "never"])),
        name="claude_code.tool" if is_request else "",
        start_ns=start * MS,
        end_ns=None if took is None else (start + took) * MS,
        attributes=draw(requests if is_request else attributes),
        status=draw(st.sampled_from([SpanStatus.UNSET, SpanStatus.UNSET, SpanStatus.ERROR])),
        resource=Resource({"service.name": draw(st.sampled_from(["s", "s", "z"]))}),
        kind=draw(st.sampled_from([SpanKind.INTERNAL, SpanKind.SERVER])),
        scope=InstrumentationScope(draw(st.sampled_from(["", "mcp"]))),
        links=draw(st.sampled_from([(), (), (), (Link("t", "s1"),), (Link("u", "s1"),)])),
    )


def some_again(spans: list[Span]) -> st.SearchStrategy[list[Span]]:
    """The spans, and now and then another record under an id that is there."""
    if not spans:
        return st.just(spans)
    again = st.builds(otherwise, st.sampled_from(spans), spans_of_tools)
    return st.one_of(st.just(spans), again.map(lambda span: [*spans, span]))


def otherwise(span: Span, attributes: dict[str, Any]) -> Span:
    return structs.replace(span, attributes=attributes)


def traces() -> st.SearchStrategy[list[Span]]:
    """Spans of a few traces, in any shape."""
    names = st.lists(st.sampled_from(NAMES), max_size=6, unique=True)
    spans = names.flatmap(lambda chosen: st.tuples(*map(span_like, chosen)).map(list))
    return spans.flatmap(some_again)


class Listener:
    """An engine, and everything it said."""

    def __init__(self, contracts: Sequence[Contract] = CONTRACTS, **settings: Any) -> None:
        self.engine = Engine(contracts, **settings)
        self.said: list[Finding] = []

    def hear(self, spans: Iterable[Span], now: int = 0) -> Listener:
        for span in spans:
            self.said += self.engine.feed(span, now)
        return self

    def close(self) -> Listener:
        self.said += self.engine.close()
        return self

    @property
    def standing(self) -> list[Finding]:
        """What stands in the end, revisions aside."""
        findings = self.engine.report().findings
        return sorted(
            (structs.replace(f, revision=1) for f in findings if f.label is not Label.PASS),
            key=lambda f: f.id,
        )


@given(traces(), st.data())
def test_neither_order_nor_repetition_nor_batching_matters(spans, data):
    straight = Listener().hear(spans).close()
    assert straight.engine.rule_errors == {}
    again = data.draw(st.lists(st.sampled_from(spans), max_size=3) if spans else st.just([]))
    other = Listener(lateness_ns=data.draw(st.sampled_from([None, 0, 1])))
    for number, span in enumerate(data.draw(st.permutations([*spans, *again]))):
        other.hear([span], now=number)
        if data.draw(st.integers(0, 3)) == 0:
            other.close()
    assert other.close().standing == straight.standing


@given(traces(), st.data())
def test_what_comes_together_may_be_taken_in_together(spans, data):
    straight = Listener().hear(spans).close()
    rest = data.draw(st.permutations(spans))
    together = Listener(lateness_ns=data.draw(st.sampled_from([None, 0, 1])))
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        together.said += together.engine.feed_all(rest[:size], 0)
        rest = rest[size:]
    assert together.close().standing == straight.standing
    calls = [(t.trace_id, t.calls) for t in together.engine.report().trajectories]
    assert calls == [(t.trace_id, t.calls) for t in straight.engine.report().trajectories]


@given(traces(), st.data())
def test_what_was_said_adds_up_to_the_report(spans, data):
    listener = Listener(lateness_ns=data.draw(st.sampled_from([None, 0, 1])))
    for number, span in enumerate(spans):
        listener.hear([span], now=number)
        if data.draw(st.booleans()):
            listener.said += listener.engine.tick(number)
        if data.draw(st.integers(0, 3)) == 0:
            listener.close()
    listener.close()
    revisions: dict[str, list[int]] = {}
    for finding in listener.said:
        revisions.setdefault(finding.id, []).append(finding.revision)
    assert all(r == list(range(1, len(r) + 1)) for r in revisions.values())
    last = {finding.id: finding for finding in listener.said}
    reported = listener.engine.report().findings
    assert {finding.id: finding for finding in reported} == last
    assert len(reported) == len(last)


@given(traces())
def test_a_finding_is_said_for_a_change_only(spans):
    said: dict[str, Finding] = {}
    for finding in Listener().hear(spans).close().said:
        before = said.get(finding.id)
        if before is not None:
            assert structs.replace(before, revision=finding.revision) != finding
        else:
            assert finding.label is not Label.PASS
        said[finding.id] = finding


@given(traces())
def test_what_was_said_twice_over_is_the_same(spans):
    first, second = (Listener().hear(spans).close() for _ in range(2))
    assert first.said == second.said
    assert second.hear(spans).close().said == first.said


@given(traces())
def test_at_most_one_finding_of_a_rule_on_a_trajectory_cannot_be_checked(spans):
    blind = [f for f in Listener().hear(spans).close().standing if f.label is Label.CANNOT_CHECK]
    places = [(f.contract, f.rule, f.trace_id) for f in blind if f.scope == "trace"]
    assert len(places) == len(set(places))
    assert all("not observed (" in finding.explanation for finding in blind)


@given(traces())
def test_no_explanation_holds_a_secret(spans):
    said = Listener(fingerprint_key=b"k").hear(spans).close().said
    assert not any(TOKEN[:12] in repr(finding) for finding in said)


@given(traces(), st.integers(1, 3), st.integers(1, 2), st.integers(0, 1))
def test_caps_are_counted_and_never_raise(spans, placed, opened, closed):
    limits = Limits(
        spans_per_trajectory=placed, open_trajectories=opened, closed_trajectories=closed
    )
    listener = Listener(limits=limits, lateness_ns=1).hear(spans)
    listener.said += listener.engine.tick(1 << 60)
    listener.close()
    assert listener.engine.rule_errors == {}
    assert listener.engine.report().counters["spans"] == len(spans)
