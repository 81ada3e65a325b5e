"""What judging costs: a call late in a long trajectory beside an early one, and twenty rules beside reading the call.

Each group compares rows of one run, by the time of the processor; absolute figures do not carry over. What history costs
is counted in function calls, which are the same on any machine.
"""

import json
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import pytest
from msgspec import structs
from pytest_benchmark.fixture import BenchmarkFixture

from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import read
from toolscore_otel.engine import Engine
from toolscore_otel.model import Label, Resource, Span
from toolscore_otel.wire import read_bytes, to_otlp_json

MS = 1_000_000
STEP = 200
"""Calls that are timed together."""

EARLY, LATE = 100, 10_000


def make_contract(**clauses: Any) -> Contract:
    return Contract.from_dict({"contract": "c", "language": 1, **clauses})


LIMITS = [{"tool": "*", "max": 1_000_000}, {"tool": "search", "max": 5}]
BUDGETS = [
    {"of": "call", "latency_ms": 1},
    {"of": "tool", "tool": "search", "latency_ms": 1},
    {"of": "trace", "calls": 5, "tokens": 10, "latency_ms": 1, "cost_usd": 1},
]
LOOPS = {"same_call": 3, "retry_after_error": 2}
EXCUSED = {"before": {"tool": "search", "args": {"limit": 20}}}
CONTRACTS = {
    "no rule fires": make_contract(forbid=["rm", "pay"], require=["log"], allow_only=["search"]),
    "limit": make_contract(limit=LIMITS),
    "loop": make_contract(loop=LOOPS),
    "budget": make_contract(budget=BUDGETS),
    "unless before": make_contract(forbid=[{"tool": "search", "unless": EXCUSED}]),
    "every call is forbidden": make_contract(forbid=["search"]),
    "agent scope": make_contract(scope="agent", limit=LIMITS, loop=LOOPS, forbid=["search"]),
}
TWENTY = make_contract(
    allow_only=["search", "search_*"],
    forbid=["rm", "pay", {"tool": "search", "args": {"limit": {"$gt": 100}}}, "delete_*"],
    require=["log", {"tool": "search", "status": "ok"}],
    limit=[{"tool": "search", "max": 1_000_000}, {"tool": "*", "status": "error", "max": 10}],
    loop={"same_call": 1000, "retry_after_error": 3},
    budget=[
        {"of": "call", "latency_ms": 20_000},
        {"of": "tool", "tool": "search", "cost_usd": 1_000},
        {"of": "trace", "calls": 1_000_000},
        {"of": "trace", "latency_ms": 1_000_000_000},
    ],
    secrets={},
)
MORE = [{"tool": f"other_{number}"} for number in range(4)]
TWENTY_AND_MORE = Contract.from_dict(
    {"contract": "more", "language": 1, "forbid": MORE, "scope": "trace"}
)


def tool_span(number: int, trace: str = "t") -> Span:
    return Span(
        trace_id=trace,
        span_id=f"{number:016x}",
        parent_span_id="root",
        name="execute_tool search",
        start_ns=number * 100 * MS,
        end_ns=(number * 100 + 50) * MS,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.id": f"call_{number}",
            "gen_ai.tool.call.arguments": json.dumps({"query": "open orders " * 20, "limit": 20}),
            "gen_ai.tool.call.result": json.dumps({"found": number % 2}),
        },
        resource=Resource({"service.name": "support"}),
    )


def root() -> Span:
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
    return structs.replace(tool_span(0), span_id="root", parent_span_id=None, attributes=attributes)


SPANS = [root(), *(tool_span(number) for number in range(1, LATE + STEP + 1))]


def feed(engine: Engine, spans: Sequence[Span]) -> None:
    for span in spans:
        engine.feed(span, 0)


@pytest.mark.benchmark(group="calls after 10,000 others, beside those after 100")
@pytest.mark.parametrize("which", CONTRACTS)
def test_call_10_000_costs_what_call_100_costs(
    which: str,
    benchmark: BenchmarkFixture,
    calls_made: Callable[[Callable[[], object]], int],
    tell: Callable[..., None],
) -> None:
    engine = Engine([CONTRACTS[which]])
    early, late = SPANS[EARLY : EARLY + STEP], SPANS[LATE : LATE + STEP]

    def run() -> float:
        feed(engine, SPANS[:EARLY])
        first = calls_made(lambda: feed(engine, early))
        feed(engine, SPANS[EARLY + STEP : LATE])
        return calls_made(lambda: feed(engine, late)) / first

    times = benchmark.pedantic(run, rounds=1)
    tell(ratio=times)
    assert times <= 1.2


LATE_CALLS = {
    "loop": make_contract(loop={**LOOPS, "no_progress": 3, "cycle": 3}),
    "limit": make_contract(
        limit=[{"tool": "*", "max": 5, "sum": "limit"}, {"tool": "*", "max": 5, "per": "1s"}]
    ),
    "unless before": make_contract(forbid=[{"tool": "search", "unless": {"before": "search"}}]),
    "order": make_contract(
        order=[
            {"first": {"tool": "search", "args": {"limit": 20}}, "then": "search"},
            {"never": "search", "after": {"tool": "search", "args": {"limit": 20}}},
            {"never": "search", "after": "search", "until": {"tool": "search", "status": "ok"}},
        ]
    ),
    "budget": make_contract(budget=[*BUDGETS, {"of": "trace", "active_ms": 1}]),
}


@pytest.mark.benchmark(group="900 calls that come backwards, beside 300")
@pytest.mark.parametrize("which", LATE_CALLS)
def test_a_call_costs_the_same_in_a_longer_trace_that_comes_backwards(
    which: str,
    benchmark: BenchmarkFixture,
    calls_made: Callable[[Callable[[], object]], int],
    tell: Callable[..., None],
) -> None:
    def cost(calls: int) -> float:
        first, *others = SPANS[: calls + 1]
        engine = Engine([LATE_CALLS[which]])
        return calls_made(lambda: feed(engine, [first, *others[::-1]])) / calls

    cost(10)
    times = benchmark.pedantic(lambda: cost(900) / cost(300), rounds=1)
    tell(ratio=times)
    assert times <= 1.2


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize("which", ["loop", "agent scope"])
@pytest.mark.parametrize("calls", [500, 5_000])
def test_cost_of_calls_whose_agent_comes_last(
    which: str, calls: int, benchmark: BenchmarkFixture
) -> None:
    benchmark.group = f"late agent, {which}: compare per call"
    first, *others = SPANS[: calls + 1]

    def setup() -> tuple[tuple[Engine, Sequence[Span]], dict[str, Any]]:
        return (Engine([CONTRACTS[which]]), [*others, first]), {}

    benchmark.pedantic(feed, setup=setup, rounds=2)


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize("which", ["limit", "loop", "budget"])
@pytest.mark.parametrize("calls", [500, 5_000])
def test_cost_of_closing(which: str, calls: int, benchmark: BenchmarkFixture) -> None:
    benchmark.group = f"closing, {which}: compare per call"

    def setup() -> tuple[tuple[Engine], dict[str, Any]]:
        engine = Engine([CONTRACTS[which]])
        feed(engine, SPANS[: calls + 1])
        return (engine,), {}

    benchmark.pedantic(lambda engine: engine.close(), setup=setup, rounds=3)


LINES = [json.dumps(to_otlp_json([span])).encode() for span in SPANS[1:1001]]


def parse() -> list[Any]:
    return [span for line in LINES for span in read_bytes(line)]


def read_all() -> list[Any]:
    return [read(span) for span in SPANS[1:1001]]


def rebuild() -> None:
    feed(Engine(), SPANS[:1001])


def judge() -> None:
    engine = Engine([TWENTY, TWENTY_AND_MORE])
    feed(engine, SPANS[:1001])
    assert not any(f.label is Label.FAIL for f in engine.report().findings)


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize("way", [parse, read_all, rebuild, judge])
def test_cost_of_twenty_rules_on_a_call(way: Any, benchmark: BenchmarkFixture) -> None:
    benchmark.group = "1,000 calls: parsed, read, rebuilt, and rebuilt with twenty rules"
    assert len(TWENTY.rules) + len(TWENTY_AND_MORE.rules) == 20
    benchmark(way)
