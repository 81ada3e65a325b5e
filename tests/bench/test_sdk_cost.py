"""What scoring adds to a span inside an application, beside the same span without it.

Compare within a group: what stands there is one span (created with its attributes and ended), so the ratio to `bare` is what
an application pays. `engine` is the engine alone on a span that was read before.
"""

from __future__ import annotations

import json
import time
from itertools import count

import pytest
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from toolscore_otel import Contract, Engine
from toolscore_otel.sdk import attach
from toolscore_otel.testing import make_span

PLAIN = {f"http.attribute.{number}": "some value" for number in range(9)}
ARGUMENTS = json.dumps({"query": "the order was packed, weighed and left the house " * 10, "n": 3})
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "lookup",
    "gen_ai.tool.type": "function",
    "gen_ai.agent.name": "desk",
    "gen_ai.tool.call.arguments": ARGUMENTS,
    "gen_ai.tool.call.result": '{"found": true}',
}
RULES = 20
ROUNDS = 300
SPANS = 20


def contract() -> Contract:
    """Twenty rules: eighteen about other tools or harmless arguments, a limit, and secrets."""
    others = [
        {"tool": f"tool_{number}", "args": {"path": {"$regex": "^/etc"}}} for number in range(17)
    ]
    return Contract.from_dict(
        {
            "contract": "bench",
            "language": 1,
            "forbid": [*others, {"tool": "lookup", "args": {"query": {"$regex": "DROP TABLE"}}}],
            "limit": [{"tool": "lookup", "max": 10_000_000}],
            "secrets": {},
        }
    )


class Nothing(SpanProcessor):
    """A provider without any processor does less than any application's."""


def tracer(*, scored: bool):
    provider = TracerProvider(shutdown_on_exit=False)
    if scored:
        attach(provider, contracts=[contract()])
    else:
        provider.add_span_processor(Nothing())
    return provider.get_tracer("bench")


def spans(made, name, attributes):
    """One trace with some spans in it."""
    numbers = count()

    def run():
        with made.start_as_current_span("root"):
            for _ in range(SPANS):
                own = {"gen_ai.tool.call.id": f"c{next(numbers)}"} if name != "GET /" else {}
                made.start_span(name, attributes=attributes | own).end()

    return run


def test_the_contract_has_as_many_rules_as_said():
    assert len(contract().rules) == RULES


@pytest.mark.benchmark(group=f"{SPANS} plain spans", warmup=True)
@pytest.mark.parametrize("scored", [False, True], ids=["bare", "scored"])
def test_plain_span(benchmark, scored):
    run = spans(tracer(scored=scored), "GET /", PLAIN)
    benchmark.pedantic(run, rounds=ROUNDS, warmup_rounds=20)


@pytest.mark.benchmark(group=f"{SPANS} tool spans, {RULES} rules, 0.5 KB of arguments")
@pytest.mark.parametrize("scored", [False, True], ids=["bare", "scored"])
def test_tool_span(benchmark, scored):
    run = spans(tracer(scored=scored), "execute_tool lookup", TOOL)
    benchmark.pedantic(run, rounds=ROUNDS, warmup_rounds=20)


@pytest.mark.benchmark(group=f"{SPANS} tool spans, {RULES} rules, 0.5 KB of arguments")
def test_engine(benchmark):
    engine = Engine([contract()], lateness_ns=0)

    def read():
        root = make_span()
        calls = [make_span("lookup", parent=root, attributes=TOOL) for _ in range(SPANS)]
        return (calls,), {}

    def run(calls):
        for call in calls:
            engine.feed(call, 0)

    benchmark.pedantic(run, setup=read, rounds=ROUNDS, warmup_rounds=20)


@pytest.mark.benchmark(group="the 99th percentile of a tool span, in order of a trace of 1,000")
def test_slowest_tool_spans(benchmark):
    made = tracer(scored=True)
    taken: list[int] = []

    def run():
        with made.start_as_current_span("root"):
            for number in range(1000):
                attributes = TOOL | {"gen_ai.tool.call.id": f"c{number}"}
                span = made.start_span("execute_tool lookup", attributes=attributes)
                begin = time.perf_counter_ns()
                span.end()
                taken.append(time.perf_counter_ns() - begin)

    benchmark.pedantic(run, rounds=3)
    benchmark.extra_info["p99_us"] = sorted(taken)[len(taken) * 99 // 100] / 1000


@pytest.mark.benchmark(group="100 calls in one trajectory, in order")
@pytest.mark.parametrize("before", [0, 10_000])
def test_late_calls_cost_as_early_ones(benchmark, before):
    def read():
        engine = Engine([contract()], lateness_ns=0)
        root = make_span()
        calls = [
            make_span("lookup", {"n": number}, parent=root, start_s=number)
            for number in range(before + 100)
        ]
        for call in calls[:before]:
            engine.feed(call, 0)
        return (engine, calls[before:]), {}

    def run(engine, calls):
        for call in calls:
            engine.feed(call, 0)

    benchmark.pedantic(run, setup=read, rounds=3)
