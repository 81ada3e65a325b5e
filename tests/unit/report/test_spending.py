"""What model calls used and cost, as plain data."""

from __future__ import annotations

import json

import msgspec
from inline_snapshot import snapshot

from toolscore_otel.model import AgentTotal, CostSource, Tokens, Turn
from toolscore_otel.report.spending import spending_object

TURNS = (
    Turn(
        id="m1",
        agent="Clerk",
        invocation_id="a",
        model="small",
        provider="us",
        start_ns=1,
        end_ns=2,
        tokens=Tokens(input=10, output=2, cached=4),
        cost_usd=0.1,
        cost_source=CostSource.REPORTED,
    ),
    Turn(
        id="m2",
        agent="Clerk",
        model="large",
        tokens=Tokens(input=5),
        cost_usd=0.2,
        cost_source=CostSource.PRICED,
    ),
    Turn(id="m3", model="small"),
)


def told(turns: tuple[Turn, ...]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(
        msgspec.json.encode(spending_object(turns, ()))
    )
    return found


def test_a_turn_gives_all_that_is_known_of_it() -> None:
    first, *_ = told(TURNS)["turns"]
    tokens = first.pop("tokens")
    assert isinstance(tokens, dict)
    assert (tokens["input"], tokens["output"], tokens["cached"], tokens["reasoning"]) == (
        10,
        2,
        4,
        None,
    )
    assert first == snapshot(
        {
            "id": "m1",
            "agent": "Clerk",
            "invocation_id": "a",
            "model": "small",
            "provider": "us",
            "cost_usd": 0.1,
            "cost_source": "reported",
            "start_unix_nano": 1,
            "end_unix_nano": 2,
        }
    )


def sums(turns: tuple[Turn, ...], by: str) -> list[tuple[object, ...]]:
    of = by.removeprefix("by_")
    return [
        (one[of], one["turns"], one["cost_usd"], one["cost_source"], one["cost_unknown"])
        for one in told(turns)[by]
    ]


def test_sums_count_each_turn_once_and_say_of_how_many_the_cost_is_not_known() -> None:
    assert sums(TURNS, "by_agent") == [
        ("Clerk", 2, 0.3, "priced", 0),
        (None, 1, None, None, 1),
    ]
    assert sums(TURNS, "by_model") == [
        ("small", 2, 0.1, "reported", 1),
        ("large", 1, 0.2, "priced", 0),
    ]


def test_tokens_are_summed_part_by_part_and_what_nobody_reported_is_null() -> None:
    clerk, nobody = told(TURNS)["by_agent"]
    known = clerk["tokens"]
    assert isinstance(known, dict)
    assert (known["input"], known["output"], known["reasoning"]) == (15, 2, None)
    assert (clerk["tokens_unknown"], nobody["tokens_unknown"]) == (0, 1)


def test_without_model_calls_there_is_nothing_to_say() -> None:
    assert told(()) == {"turns": [], "agent_totals": [], "by_agent": [], "by_model": []}


def test_what_runs_add_up_stands_beside_the_sums_of_turns():
    total = AgentTotal(id="a1", agent="clerk", tokens=Tokens(input=5), cost_usd=0.5, at_least=True)
    found = spending_object((), [total])
    assert found["agent_totals"] == [
        {
            "id": "a1",
            "agent": "clerk",
            "tokens": Tokens(input=5),
            "cost_usd": 0.5,
            "at_least": True,
        }
    ]
    assert found["by_agent"] == []
