"""One trace of 100,000 spans beside one of 25,000: four times the work, in time and in function calls."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from functools import partial
from time import thread_time_ns
from typing import Any

import pytest

from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine
from toolscore_otel.model import ClosedBy, Resource, Span

SMALL, LARGE = 25_000, 100_000
FEW, MORE = 500, 2_000
"""For counting: what costs its square shows here, too."""

STEP = 20
"""Nanoseconds of one turn."""

RESOURCE = Resource({"service.name": "support"})
SUMS = Contract.from_dict(
    {
        "contract": "sums",
        "language": 1,
        "forbid": ["rm"],
        "limit": [{"tool": "search", "max": 5}],
        "budget": [{"of": "trace", "tokens": 10, "latency_ms": 1}],
    }
)


def span(name: str, parent: str | None, at: tuple[int, int], attributes: dict[str, Any]) -> Span:
    return Span(
        trace_id="t",
        span_id=name,
        parent_span_id=parent,
        name=name,
        start_ns=at[0],
        end_ns=at[1],
        attributes=attributes,
        resource=RESOURCE,
    )


def asks(number: int) -> dict[str, Any]:
    part = {"type": "tool_call", "id": f"c{number}", "name": "search", "arguments": {"q": number}}
    return {"role": "assistant", "parts": [part]}


def answers(number: int) -> dict[str, Any]:
    part = {"type": "tool_call_response", "id": f"c{number}", "response": {"found": number}}
    return {"role": "tool", "parts": [part]}


def conversation(count: int) -> list[Span]:
    """Turns of a model call and a tool span without an id, each of which hears what came before."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
    made = [span("root", None, (0, count * STEP), agent)]
    for number in range(count // 2):
        heard = [asks(number - 1), answers(number - 1)] if number else []
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.input.messages": json.dumps(heard),
            "gen_ai.output.messages": json.dumps([asks(number)]),
        }
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
        begin = number * STEP
        made.append(span(f"m{number}", "root", (begin, begin + 5), chat))
        made.append(span(f"t{number}", "root", (begin + 6, begin + 9), tool))
    return made


def tools(count: int) -> list[Span]:
    """Tool spans in a row, under a root that comes last."""
    made = [
        span(
            f"t{number}",
            "root",
            (number * STEP, number * STEP + 5),
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search",
                "gen_ai.tool.call.id": f"c{number}",
                "gen_ai.tool.call.arguments": '{"q": 1}',
            },
        )
        for number in range(count)
    ]
    return [*made, span("root", None, (0, count * STEP), {"gen_ai.operation.name": "invoke_agent"})]


def backwards(count: int) -> list[Span]:
    """A conversation that is delivered from its end."""
    return conversation(count)[::-1]


def assembled(spans: Sequence[Span]) -> None:
    assembler = Assembler(Limits(spans_per_trajectory=2 * LARGE))
    for each in spans:
        assembler.feed(each, now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    assembler.trajectory("t")


def judged(spans: Sequence[Span]) -> None:
    engine = Engine([SUMS], limits=Limits(spans_per_trajectory=2 * LARGE))
    for each in spans:
        engine.feed(each, 0)
    engine.close()
    engine.report()


def spent(work: Callable[[], object]) -> int:
    """Nanoseconds of this thread, without the collector, which looks at all that is kept again and again."""
    gc.collect()
    gc.disable()
    try:
        begin = thread_time_ns()
        work()
        return thread_time_ns() - begin
    finally:
        gc.enable()


@pytest.mark.benchmark(group="100,000 spans of one trace, beside 25,000")
@pytest.mark.parametrize("shape", [tools, conversation], ids=lambda shape: shape.__name__)
def test_four_times_the_spans_take_four_times_as_long(benchmark, tell, shape):
    small, large = shape(SMALL), shape(LARGE)
    assembled(shape(FEW))
    short = spent(partial(assembled, small))
    long = benchmark.pedantic(lambda: spent(partial(assembled, large)), rounds=1)
    tell(ratio=long / short, us_per_span=long / LARGE / 1_000)
    assert long / short <= 6  # memory that is no longer near costs the rest


@pytest.mark.benchmark(group="2,000 spans of one trace, beside 500")
@pytest.mark.parametrize(
    "shape", [tools, conversation, backwards], ids=lambda shape: shape.__name__
)
def test_a_span_costs_the_same_in_a_longer_trace(benchmark, calls_made, tell, shape):
    few, more = shape(FEW), shape(MORE)
    assembled(few)
    short = calls_made(lambda: assembled(few)) / FEW
    long = benchmark.pedantic(lambda: calls_made(lambda: assembled(more)) / MORE, rounds=1)
    tell(ratio=long / short)
    assert long / short <= 1.1


@pytest.mark.benchmark(group="2,000 spans of one trace under rules about sums, beside 500")
@pytest.mark.parametrize("shape", [tools, conversation], ids=lambda shape: shape.__name__)
def test_a_judged_span_costs_the_same_in_a_longer_trace(benchmark, calls_made, tell, shape):
    few, more = shape(FEW), shape(MORE)
    judged(few)
    short = calls_made(lambda: judged(few)) / FEW
    long = benchmark.pedantic(lambda: calls_made(lambda: judged(more)) / MORE, rounds=1)
    tell(ratio=long / short)
    assert long / short <= 1.1
