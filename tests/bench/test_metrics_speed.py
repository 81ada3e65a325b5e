"""Scores of a thousand calls against a thousand expected ones, and the pairing of many calls of one tool, beside scorers that
do a part of it.
"""

from __future__ import annotations

import json

import pytest

from toolscore_otel import score
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.metrics import calculate_argument_f1, expected_calls, trajectory_scores
from toolscore_otel.model import Span
from toolscore_otel.testing import make_call

COUNT = 1000
SECOND = 1_000_000_000
TOOLS = [f"tool_{number % 20}" for number in range(COUNT)]
EXPECTED = TOOLS[7:] + TOOLS[:7]


def _arguments(number: int) -> dict[str, object]:
    return {"id": number, "q": f"text {number % 7}"}


def _calls(tools: list[str]) -> list[JudgedCall]:
    return [
        JudgedCall(
            make_call(
                tool,
                _arguments(number),
                start_ns=number * SECOND,
                end_ns=number * SECOND + 1,
            )
        )
        for number, tool in enumerate(tools)
    ]


def _spans(tools: list[str]) -> list[Span]:
    return [
        Span(
            trace_id=f"{1:032x}",
            span_id=f"{number + 1:016x}",
            name=f"execute_tool {tool}",
            start_ns=number * SECOND,
            end_ns=number * SECOND + 1,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.arguments": json.dumps(_arguments(number)),
            },
        )
        for number, tool in enumerate(tools)
    ]


def test_a_thousand_against_a_thousand_beside_pydantic_evals(
    peer, take_turns, ratio, tell, benchmark
):
    """It is given a tree of the same spans without arguments, built before, and gives one score: of the order of the tools.

    We are given the calls and give all scores; `with_spans` rebuilds the calls of the spans, with their arguments, before.
    """
    calls, expected, spans = _calls(TOOLS), expected_calls(EXPECTED), _spans(TOOLS)
    theirs = peer("pydantic_evals", "in order", (TOOLS, EXPECTED))

    def with_spans():
        (trajectory,) = score(spans, ()).trajectories
        return trajectory_scores([JudgedCall(call) for call in trajectory.calls], expected)

    taken = take_turns(
        {"ours": lambda: trajectory_scores(calls, expected), "with_spans": with_spans},
        rounds=4,
        warmup=1,
        peers={"theirs": theirs},
    )
    times = ratio(taken["theirs"], taken["ours"])
    tell(
        ours_ms=min(taken["ours"]) / 1e6,
        theirs_ms=min(taken["theirs"]) / 1e6,
        times=times,
        times_with_spans=ratio(taken["theirs"], taken["with_spans"]),
    )
    scores = benchmark.pedantic(lambda: trajectory_scores(calls, expected), rounds=3)
    assert scores["selection_f1"] == 1.0
    assert scores["order"] == theirs.found == with_spans()["order"]  # as many calls as expected
    assert times >= 5


def test_a_thousand_against_a_thousand_of_one_tool_with_arguments(benchmark):
    calls = _calls(["tool"] * COUNT)
    entries = [{"tool": "tool", "args": dict(call.call.args)} for call in reversed(calls)]
    expected = expected_calls(entries)
    scores = benchmark.pedantic(lambda: trajectory_scores(calls, expected), rounds=3)
    assert scores["argument_f1"] == 1.0


def _made(count: int, step: int, *, nested: bool) -> list[dict[str, object]]:
    args: list[dict[str, object]] = [
        {"id": number * step % count, "q": number % step} for number in range(count)
    ]
    return [{"in": one} if nested else one for one in args]


@pytest.mark.parametrize(
    ("count", "nested", "least_times"),
    [(12, False, 10), (500, False, 2), (500, True, 0.7)],
    ids=["12", "500", "500, nested"],
)
def test_so_many_calls_of_one_tool_beside_tool_scorer(
    count, nested, least_times, *, peer, take_turns, ratio, tell, benchmark
):
    """Both are given the same calls. We find the best pairs; it does so for twelve, and takes more as they come.

    An object that is nested is right or wrong to it; we look at each of its fields.
    """
    sides = [_made(count, step, nested=nested) for step in (3, 7)]
    theirs = peer("tool_scorer", "pairing", sides)
    gold, trace = ([make_call("tool", one) for one in side] for side in sides)
    taken = take_turns(
        {"ours": lambda: calculate_argument_f1(gold, trace)},
        rounds=3,
        warmup=1,
        peers={"theirs": theirs},
    )
    times = ratio(taken["theirs"], taken["ours"])
    f1 = benchmark.pedantic(lambda: calculate_argument_f1(gold, trace), rounds=3)["f1"]
    tell(
        ours_ms=min(taken["ours"]) / 1e6,
        theirs_ms=min(taken["theirs"]) / 1e6,
        times=times,
        f1=f1,
        their_f1=theirs.found["f1"],
    )
    assert f1 >= theirs.found["f1"]
    assert times >= least_times
