"""Time and money."""

from __future__ import annotations

from typing import Any

import pytest

from toolscore_otel.metrics import calculate_cost_attribution, calculate_latency
from toolscore_otel.model import Source, ToolCall

SECOND = 1_000_000_000


def lasting(tool: str, seconds: float) -> ToolCall:
    return ToolCall(tool=tool, start_ns=0, end_ns=round(seconds * SECOND))


def test_latency_over_calls_whose_times_were_observed():
    calls = [lasting("a", second) for second in range(1, 101)]
    found = calculate_latency([*calls, ToolCall(tool="b")])
    assert (found["total_duration"], found["average_duration"]) == (5050.0, 50.5)
    assert (found["min_duration"], found["max_duration"]) == (1.0, 100.0)
    assert [found[f"p{p}_duration"] for p in (50, 90, 95, 99)] == [50.0, 90.0, 95.0, 99.0]
    assert list(found["by_tool"]) == ["a"]
    assert found["by_tool"]["a"]["max_duration"] == 100.0


def test_latency_that_was_not_observed_is_none_and_not_zero():
    found = calculate_latency([ToolCall(tool="a", start_ns=1)])
    assert found.pop("by_tool") == {}
    assert set(found.values()) == {None}


def test_costs_are_attributed():
    turn = (Source("request", "genai", "s1"),)
    calls = [
        ToolCall(tool="a", cost_usd=0.1, agent="x", model="m", sources=turn, turn_cost_usd=0.06),
        ToolCall(tool="b", cost_usd=0.2, agent="x", sources=turn, turn_cost_usd=0.06),
        ToolCall(tool="a", cost_usd=0.3, turn_cost_usd=0.04),
        ToolCall(tool="c"),
    ]
    found = calculate_cost_attribution(calls)
    assert found["total_cost"] == pytest.approx(0.6)
    assert found["average_cost"] == pytest.approx(0.2)
    assert found["known_count"] == 3
    assert found["cost_by_tool"] == {"a": pytest.approx(0.4), "b": 0.2}
    assert found["cost_by_agent"] == {"x": pytest.approx(0.3), None: 0.3}
    assert found["cost_by_model"] == {"m": 0.1, None: pytest.approx(0.5)}
    assert found["cost_by_turn"] == {"s1": pytest.approx(0.3), None: 0.3}
    assert found["turn_cost_by_tool"] == {"a": pytest.approx(0.07), "b": pytest.approx(0.03)}


def test_what_a_turn_cost_is_counted_once_and_falls_to_its_calls_in_equal_parts():
    turn: dict[str, Any] = {"turn_id": "s1", "turn_cost_usd": 0.06, "model": "m", "agent": "x"}
    calls = [
        ToolCall(tool="a", **turn),
        ToolCall(tool="b", **turn),
        ToolCall(tool="b", **turn),
        ToolCall(tool="a", turn_id="s2", turn_cost_usd=0.01, agent="y"),
        ToolCall(tool="c", turn_id="s3"),
    ]
    found = calculate_cost_attribution(calls)
    assert found["total_turn_cost"] == pytest.approx(0.07)
    assert found["turn_cost_by_tool"] == {"a": pytest.approx(0.03), "b": pytest.approx(0.04)}
    assert found["turn_cost_by_agent"] == {"x": pytest.approx(0.06), "y": 0.01}
    assert found["turn_cost_by_model"] == {"m": pytest.approx(0.06), None: 0.01}
    assert (found["total_cost"], found["cost_by_turn"]) == (None, {})


def test_sums_are_exact_and_unknown_is_none():
    calls = [ToolCall(tool="a", cost_usd=cost) for cost in (1e16, 1.0, -1e16)]
    assert calculate_cost_attribution(calls)["total_cost"] == 1.0
    assert calculate_cost_attribution(calls)["total_turn_cost"] is None
    unknown = calculate_cost_attribution([ToolCall(tool="a")])
    assert (unknown["total_cost"], unknown["average_cost"], unknown["cost_by_tool"]) == (
        None,
        None,
        {},
    )
