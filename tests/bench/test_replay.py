"""What replaying a recording costs, beside what the server does with the same spans in the same run.

The spans are those of `shapes`, no two calls alike. "core" is the server's way without judging: bytes in, an event on every
tenth span, bytes out. "read" unpacks a file, "calls" also rebuilds the calls, "score" also holds them against a contract. What
shapes and histories cost is counted in function calls, which are the same on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest
from msgspec import structs

from tests.bench.shapes import SPANS, spans_of
from tests.bench.test_passing_speed import CONTRACT, annotated, judged
from toolscore_otel.assembly import Assembler, Limits, in_lots
from toolscore_otel.cli.collecting import collecting_seldom
from toolscore_otel.engine import score
from toolscore_otel.model import ClosedBy, Span, ToolCall
from toolscore_otel.wire import read_bytes, to_otlp_json
from toolscore_otel.wire.write_proto import traces_request

REQUESTS = 10
WIDE = Limits(spans_per_trajectory=1_000_000)
FEW, MANY = 1_000, 20_000
EARLY, LATE = 50, 400
"""Turns of a conversation."""


@cache
def requests() -> list[list[Span]]:
    """Spans of many traces, each call with arguments of its own."""
    return [
        [
            structs.replace(
                span,
                trace_id=f"{number:016x}{span.trace_id[16:]}",
                attributes={
                    **span.attributes,
                    "gen_ai.tool.call.id": f"call_{number}_{span.span_id}",
                    "gen_ai.tool.call.arguments": json.dumps(
                        {"query": "open orders " * 30, "page": f"{number}_{span.span_id}"}
                    ),
                },
            )
            for span in spans_of("tool")
        ]
        for number in range(REQUESTS)
    ]


@cache
def binary() -> list[bytes]:
    return [traces_request(spans) for spans in requests()]


@cache
def lines() -> bytes:
    return b"".join(json.dumps(to_otlp_json(spans)).encode() + b"\n" for spans in requests())


def calls(data: bytes, limits: Limits | None = None) -> list[ToolCall]:
    assembler = Assembler(limits)
    for some in in_lots(read_bytes(data)):
        assembler.feed_all(some, now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    return [call for trace in assembler.trace_ids() for call in assembler.trajectory(trace).calls]


@pytest.mark.benchmark(group="replay")
def test_replay_beside_the_server(benchmark, take_turns, ratio, tell):
    in_lines, in_binary = lines(), b"".join(binary())
    ways: dict[str, Callable[[], Any]] = {
        "core": lambda: [annotated(data) for data in binary()],
        "core, judged": lambda: [judged(data) for data in binary()],
        "read": lambda: list(read_bytes(in_lines)),
        "read binary": lambda: list(read_bytes(in_binary)),
        "calls": lambda: calls(in_lines),
        "calls binary": lambda: calls(in_binary),
        "score": lambda: score(read_bytes(in_lines), [CONTRACT]),
    }
    assert len(calls(in_lines)) == len(calls(in_binary)) == REQUESTS * SPANS
    with collecting_seldom():
        taken = take_turns(ways, rounds=5, warmup=1, each_alone=True)
    of_core = {name: ratio(taken["core"], each) for name, each in taken.items()}
    tell(**{f"rate of {name} / rate of core": of_core[name] for name in ways})
    tell(**{"rate of score / rate of core, judged": ratio(taken["core, judged"], taken["score"])})
    tell(**{"calls a second": REQUESTS * SPANS / min(taken["calls"]) * 1e9})
    benchmark.pedantic(lambda: calls(in_binary), rounds=1)
    # About half of what is seen: a busy machine shifts ratios by a third, and a quadratic is far below.
    assert min(of_core["read"], of_core["read binary"]) >= 0.6
    assert min(of_core["calls"], of_core["calls binary"]) >= 0.15
    assert ratio(taken["core, judged"], taken["score"]) >= 0.4


def flat(number: int) -> int | None:
    return 0 if number else None


def chain(number: int) -> int | None:
    return number - 1 if number else None


def of_shape(parent_of: Callable[[int], int | None], numbers: Iterable[int]) -> bytes:
    spans = requests()[0]
    made = [
        structs.replace(
            spans[number % SPANS],
            trace_id="a" * 32,
            span_id=f"{number + 1:016x}",
            parent_span_id=None if (parent := parent_of(number)) is None else f"{parent + 1:016x}",
            start_ns=1_700_000_000_000_000_000 + number,
            end_ns=1_700_000_000_000_000_900 + number,
            attributes={
                **spans[number % SPANS].attributes,
                "gen_ai.tool.call.id": f"c{number}",
                "gen_ai.operation.name": "execute_tool" if number else "invoke_agent",
            },
        )
        for number in numbers
    ]
    return b"".join(traces_request(made[at : at + SPANS]) for at in range(0, len(made), SPANS))


@pytest.mark.benchmark(group="20,000 spans of one trace, from a file")
@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
@pytest.mark.parametrize("shape", [flat, chain], ids=["all in one agent", "a chain"])
def test_a_trace_of_20_000_spans(benchmark, calls_made, tell, shape, backwards):
    def cost(number: int) -> float:
        numbers = range(number)
        data = of_shape(shape, numbers[::-1] if backwards else numbers)
        made: int = calls_made(lambda: calls(data, WIDE))
        return made / number

    grown = cost(MANY) / cost(FEW)
    tell(**{"cost of a span among 20,000 / among 1,000": grown})
    benchmark.pedantic(lambda: None, rounds=1)
    assert grown <= 1.3


def conversation(turns: int) -> list[bytes]:
    """The requests of an agent's model calls, each of which repeats all that was said before."""
    history: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    made: list[bytes] = []
    for number in range(turns):
        asked = {"id": f"c{number}", "function": {"name": "search", "arguments": "{}"}}
        said = {"role": "assistant", "tool_calls": [asked]}
        span = structs.replace(
            requests()[0][0],
            trace_id="a" * 32,
            span_id=f"{number + 1:016x}",
            start_ns=number * 10 + 1,
            end_ns=number * 10 + 5,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps(history),
                "gen_ai.output.messages": json.dumps([said]),
            },
        )
        made.append(traces_request([span]))
        history += [said, {"role": "tool", "tool_call_id": f"c{number}", "content": "found"}]
    return made


@pytest.mark.benchmark(group="a conversation whose history is repeated")
def test_a_late_turn_costs_what_an_early_one_costs(benchmark, calls_made, tell):
    made = conversation(LATE)
    assembler = Assembler()

    def feed(data: bytes) -> None:
        for item in read_bytes(data):
            assembler.feed(item, now=0)

    cost = [calls_made(lambda data=data: feed(data)) for data in made]
    grown = sum(cost[-20:]) / sum(cost[EARLY : EARLY + 20])
    tell(**{"functions called in turn 400 / in turn 50": grown})
    benchmark.pedantic(lambda: [list(read_bytes(data)) for data in made], rounds=1)
    assert len(assembler.trajectory("a" * 32).calls) == LATE
    assert grown <= 1.2
