"""What scoring adds to a span inside an application, beside the same span without it.

What is measured is one span, created with its attributes and ended, in its trace: `bare` is what it costs without scoring,
`scored` with it, and `adds` the difference, as parts of `bare`. Both take turns in one run; what is said is the middle one of
all rounds, in time of the processor. Bounds are wide enough for a busy machine; the figures to read are those of the list
at the end of the run.
"""

from __future__ import annotations

import json
from itertools import count
from statistics import median
from time import thread_time_ns

import pytest
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from toolscore_otel import Contract, Engine
from toolscore_otel.assembly import Assembler
from toolscore_otel.conventions import read
from toolscore_otel.sdk import ToolscoreSpanProcessor, attach
from toolscore_otel.wire.sdk import SdkReader, attributes_of_interest

PLAIN = {f"http.attribute.{number}": "some value" for number in range(9)}
ARGUMENTS = json.dumps({"query": "the order was packed, weighed and left the house " * 10, "n": 3})
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
MODEL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.provider.name": "openai",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 20,
}
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "lookup",
    "gen_ai.tool.type": "function",
    "gen_ai.agent.name": "desk",
    "gen_ai.tool.call.arguments": ARGUMENTS,
    "gen_ai.tool.call.result": '{"found": true}',
}
RULES = 20
ROUNDS = 400
CHILDREN = 20
SPANS = CHILDREN + 1
LONG = 1_000
US = 1_000

numbers = count()


def contract(*, rules: bool = True, secrets: bool = True) -> Contract:
    """Twenty rules: eighteen about other tools or harmless arguments, a limit, and secrets."""
    others = [
        {"tool": f"tool_{number}", "args": {"path": {"$regex": "^/etc"}}} for number in range(17)
    ]
    clauses = {
        "forbid": [*others, {"tool": "lookup", "args": {"query": {"$regex": "DROP TABLE"}}}],
        "limit": [{"tool": "lookup", "max": 10_000_000}],
    }
    return Contract.from_dict(
        {"contract": "bench", "language": 1}
        | (clauses if rules else {})
        | ({"secrets": {}} if secrets else {})
    )


class Nothing(SpanProcessor):
    """A provider without any processor does less than any application's."""


class Keep(SpanProcessor):
    """Keeps what has ended."""

    def __init__(self):
        self.spans = []

    def on_end(self, span):
        self.spans.append(span)


def tracer(*, scored: bool):
    provider = TracerProvider(shutdown_on_exit=False)
    if scored:
        attach(provider, contracts=[contract()])
    else:
        provider.add_span_processor(Nothing())
    return provider.get_tracer("bench")


def tool(made):
    own = {"gen_ai.tool.call.id": f"c{next(numbers)}"}
    return made.start_span("execute_tool lookup", attributes=TOOL | own)


def plain_trace(made):
    with made.start_as_current_span("root"):
        for _ in range(CHILDREN):
            made.start_span("GET /", attributes=PLAIN).end()


def tool_trace(made):
    with made.start_as_current_span("root"):
        for _ in range(CHILDREN):
            tool(made).end()


def agent_trace(made):
    """An agent, ten model calls, and ten tool calls."""
    with made.start_as_current_span("invoke_agent desk", attributes=AGENT):
        for _ in range(CHILDREN // 2):
            made.start_span("chat gpt-4o", attributes=MODEL).end()
            tool(made).end()


BOUNDS = {plain_trace: 1.4, tool_trace: 14, agent_trace: 14}
"""How many times the time of a bare span a scored one may take."""


def test_the_contract_has_as_many_rules_as_said():
    assert len(contract().rules) == RULES


@pytest.mark.benchmark(group="a span with scoring, beside one without")
@pytest.mark.parametrize("trace", BOUNDS, ids=lambda trace: trace.__name__)
def test_what_scoring_adds_to_a_span(trace, benchmark, take_turns, ratio, tell):
    bare, scored = tracer(scored=False), tracer(scored=True)
    ways = {"bare": lambda: trace(bare), "scored": lambda: trace(scored)}
    taken = benchmark.pedantic(take_turns, args=(ways, ROUNDS), rounds=1)
    times = ratio(taken["scored"], taken["bare"])
    bare_us = median(taken["bare"]) / SPANS / US
    tell(ratio=times, adds=times - 1, bare_us=bare_us, scored_us=bare_us * times)
    assert times <= BOUNDS[trace]


def steps():
    """What scoring a span is made of, each step with all those before it."""
    reader, assembler = SdkReader(), Assembler()
    engines = [
        Engine(contracts, lateness_ns=0)
        for contracts in ([], [contract(secrets=False)], [contract()])
    ]
    processor = ToolscoreSpanProcessor(contracts=[contract()])

    def unpack(span):
        return reader.span(span, attributes_of_interest(span))

    return {
        "unpack": unpack,
        "read": lambda span: read(unpack(span)),
        "assemble": lambda span: assembler.feed(unpack(span), 0),
        "engine": lambda span: engines[0].feed(unpack(span), 0),
        "rules": lambda span: engines[1].feed(unpack(span), 0),
        "secrets": lambda span: engines[2].feed(unpack(span), 0),
        "on_end": processor.on_end,
    }


@pytest.mark.benchmark(group="what scoring a span is made of")
@pytest.mark.parametrize("trace", [tool_trace, agent_trace], ids=lambda trace: trace.__name__)
def test_where_the_time_goes(trace, benchmark, take_turns, tell):
    keep = Keep()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(keep)
    made = provider.get_tracer("bench")
    spans = []
    for _ in range(ROUNDS):
        trace(made)
        spans.append(keep.spans)
        keep.spans = []
    turns = {name: iter(spans) for name in steps()}

    def way(name, step):
        def run():
            for span in next(turns[name]):
                step(span)

        return run

    ways = {name: way(name, step) for name, step in steps().items()}
    taken = benchmark.pedantic(take_turns, args=(ways, ROUNDS - 20), rounds=1)
    until = {name: median(times) / SPANS / US for name, times in taken.items()}
    before = dict(zip([*until][1:], until.values(), strict=False))
    tell(**{f"{name}_us": spent - before.get(name, 0.0) for name, spent in until.items()})


@pytest.mark.benchmark(group="the slowest of a hundred tool spans, in a trace of 1,000")
def test_slowest_tool_spans(benchmark, tell):
    made = tracer(scored=True)
    taken: list[int] = []

    def run():
        with made.start_as_current_span("root"):
            for _ in range(LONG):
                span = tool(made)
                begin = thread_time_ns()
                span.end()
                taken.append(thread_time_ns() - begin)

    benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    taken.sort()
    tell(**{f"p{part}_us": taken[len(taken) * part // 100] / US for part in (50, 90, 99)})


@pytest.mark.benchmark(group="calls late in a trajectory, beside early ones")
def test_call_10_000_costs_what_call_100_costs(benchmark, calls_made, tell):
    keep = Keep()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(keep)
    made = provider.get_tracer("bench")
    early, late, window = 100, 10_000, 100
    with made.start_as_current_span("root"):
        for _ in range(late + window):
            tool(made).end()
    processor = ToolscoreSpanProcessor(contracts=[contract()], spans_per_trajectory=late * 2)
    place = 0

    def end(until):
        nonlocal place
        for span in keep.spans[place:until]:
            processor.on_end(span)
        place = until

    def run():
        end(early)
        first = calls_made(lambda: end(early + window))
        end(late)
        return calls_made(lambda: end(late + window)) / first

    times = benchmark.pedantic(run, rounds=1)
    tell(ratio=times)
    assert times <= 1.2
