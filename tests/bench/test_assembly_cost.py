"""What a span costs in a long trace beside a short one, counted in function calls: the same on any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pytest

from toolscore_otel.assembly import Assembler, Limits, Place
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    SpanReading,
)
from toolscore_otel.model import ContentState, InstrumentationScope, Payload, Stage, Status

Fed = tuple[Place, SpanReading | None]
Counts = Callable[[Callable[[], object]], int]
"""How many functions a piece of work calls: the fixture `calls_made`."""

EARLY, LATE, WINDOW = 100, 10_000, 500
SHORT, LONG = 400, 4_000
AGENT = SpanReading(agent=AgentReading(convention="genai", name="Clerk"))
LIMITS = Limits(spans_per_trajectory=1_000_000)


def place(number: int | str, parent: int | str | None, scope: str = "one") -> Place:
    start = number * 10 if isinstance(number, int) else 0
    return Place(
        trace_id="t",
        id=str(number),
        parent=None if parent is None else str(parent),
        span_id=str(number),
        start_ns=start,
        end_ns=start + 5,
        scope=InstrumentationScope(scope),
    )


def tool(call_id: str | None = None, **said: object) -> SpanReading:
    call = CallReading(
        convention="genai",
        name="search",
        call_id=call_id,
        status=Status.OK,
        args=Payload(ContentState.OBSERVED, {"q": call_id}),
        **said,  # type: ignore[arg-type]
    )
    return SpanReading(calls=(call,))


def star(count: int) -> Iterator[Fed]:
    yield place("root", None), AGENT
    yield from ((place(n, "root"), tool(f"c{n}")) for n in range(count))


def star_whose_root_comes_last(count: int) -> Iterator[Fed]:
    yield from ((place(n, "step"), tool(f"c{n}")) for n in range(count))
    yield place("step", "root"), None
    yield place("root", None), AGENT


def chain(count: int) -> Iterator[Fed]:
    yield from ((place(n, n - 1 if n else None), tool(f"c{n}")) for n in range(count))


def chain_from_below(count: int) -> Iterator[Fed]:
    return reversed(list(chain(count)))


def chain_of_plain_spans_from_below(count: int) -> Iterator[Fed]:
    yield place("leaf", count), tool()
    yield from ((place(n, n - 1 if n else None), None) for n in range(count, -1, -1))


def one_call_id(count: int) -> Iterator[Fed]:
    yield from ((place(n, "root"), tool("call_0")) for n in range(count))


def one_call_id_backwards(count: int) -> Iterator[Fed]:
    return reversed(list(one_call_id(count)))


def one_call_id_in_two_instrumentations(count: int) -> Iterator[Fed]:
    yield from ((place(n, "root", "ab"[n % 2]), tool("call_0")) for n in range(count))


def inner_spans_of_one_call(count: int) -> Iterator[Fed]:
    yield place("outer", None), tool()
    yield from ((place(n, "outer"), tool(layer=Layer.MCP_CLIENT)) for n in range(count))


def model_calls_in_one_tool(count: int) -> Iterator[Fed]:
    model = SpanReading(model=ModelReading(convention="genai", cost_usd=0.1, input_tokens=1))
    yield place("outer", None), tool()
    yield from ((place(n, "outer"), model) for n in range(count))


def one_response_id(count: int) -> Iterator[Fed]:
    model = SpanReading(model=ModelReading(convention="genai", input_tokens=1, response_id="mock"))
    yield from ((place(n, "root"), model) for n in range(count))


def history_of_twenty(count: int) -> Iterator[Fed]:
    asked = tuple(
        CallReading(
            convention="genai",
            layer=Layer.MESSAGE,
            what="request",
            stage=Stage.REQUESTED,
            name="search",
            call_id=f"c{n}",
        )
        for n in range(20)
    )
    chat = SpanReading(model=ModelReading(convention="genai", input_tokens=1), calls=asked)
    yield from ((place(n, "root"), chat) for n in range(count))


def spans_that_come_twice(count: int) -> Iterator[Fed]:
    yield place("root", None), AGENT
    for n in range(count // 2):
        yield place(n, "root"), None
        yield place(n, "root"), tool(f"c{n}")


Shape = Callable[[int], Iterator[Fed]]

IN_ORDER: tuple[Shape, ...] = (star, chain, one_call_id)
SHAPES: tuple[Shape, ...] = (
    *IN_ORDER,
    star_whose_root_comes_last,
    chain_from_below,
    chain_of_plain_spans_from_below,
    one_call_id_backwards,
    one_call_id_in_two_instrumentations,
    inner_spans_of_one_call,
    model_calls_in_one_tool,
    one_response_id,
    history_of_twenty,
    spans_that_come_twice,
)


def feed(assembler: Assembler, spans: Iterable[Fed]) -> None:
    for where, reading in spans:
        assembler.add(where, reading, now=0)


def cost_after(calls_made: Counts, shape: Shape, number: int) -> float:
    """Function calls per span, of those that follow the first `number`."""
    spans = shape(number + WINDOW)
    assembler = Assembler(LIMITS)
    feed(assembler, islice(spans, number))
    rest = list(spans)
    return calls_made(lambda: feed(assembler, rest)) / len(rest)


def cost_of(calls_made: Counts, shape: Shape, number: int) -> float:
    """Function calls per span, of a whole trace."""
    spans = list(shape(number))
    return calls_made(lambda: feed(Assembler(LIMITS), spans)) / len(spans)


def name_of(shape: Shape) -> str:
    return shape.__name__


@pytest.mark.benchmark(group="10,000 spans of one trace, in order")
@pytest.mark.parametrize("shape", IN_ORDER, ids=name_of)
def test_span_10_000_costs_what_span_100_costs(benchmark, calls_made, shape):
    ratio = cost_after(calls_made, shape, LATE) / cost_after(calls_made, shape, EARLY)
    benchmark.extra_info["ratio"] = round(ratio, 2)
    whole = list(shape(LATE))
    benchmark.pedantic(lambda: feed(Assembler(LIMITS), whole), rounds=1)
    assert ratio <= 1.2


@pytest.mark.benchmark(group="4,000 spans of one trace")
@pytest.mark.parametrize("shape", SHAPES, ids=name_of)
def test_a_trace_costs_what_its_spans_cost_whatever_its_shape(benchmark, calls_made, shape):
    ratio = cost_of(calls_made, shape, LONG) / cost_of(calls_made, shape, SHORT)
    benchmark.extra_info["ratio"] = round(ratio, 2)
    whole = list(shape(LONG))
    benchmark.pedantic(lambda: feed(Assembler(LIMITS), whole), rounds=1)
    assert ratio <= 1.2
