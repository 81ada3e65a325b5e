"""Calls that were not needed."""

from __future__ import annotations

import pytest

from toolscore_otel.metrics import calculate_redundant_call_rate
from toolscore_otel.model import Status, ToolCall
from toolscore_otel.testing import make_call


def failed(tool: str, **fields: int) -> ToolCall:
    return make_call(tool, {}, status=Status.ERROR, **fields)


def test_calls_beyond_those_expected_are_redundant():
    found = calculate_redundant_call_rate(
        [make_call("a", {})], [make_call("a", {}), make_call("a", {"q": 1}), make_call("b", {})]
    )
    assert (found["redundant_count"], found["total_calls"]) == (2, 3)
    assert found["redundant_rate"] == pytest.approx(2 / 3)


def test_equal_calls_are_equal_as_json_is():
    args = [{"q": 1, "r": 2}, {"r": 2, "q": 1.0}, {"q": True, "r": 2}, '{"q": 1, "r": 2}']
    found = calculate_redundant_call_rate([], [make_call("a", one) for one in args])
    assert (found["identical_count"], found["identical_rate"]) == (2, 0.5)


def test_arguments_that_were_not_observed_are_equal_to_nothing():
    found = calculate_redundant_call_rate([], [make_call("a")] * 3)
    assert (
        found["identical_count"],
        found["identical_rate"],
        found["retry_after_error_count"],
    ) == (0, None, 0)


def test_errors_are_a_share_of_calls_whose_status_is_known():
    found = calculate_redundant_call_rate([], [failed("a"), make_call("a", {}), ToolCall(tool="a")])
    assert (found["error_count"], found["error_rate"]) == (1, 0.5)
    assert calculate_redundant_call_rate([], [ToolCall(tool="a")])["error_rate"] is None


def test_a_share_of_nothing_is_none():
    found = calculate_redundant_call_rate([], [])
    assert {key: value for key, value in found.items() if value is not None} == {
        "redundant_count": 0,
        "total_calls": 0,
        "identical_count": 0,
        "error_count": 0,
        "retry_after_error_count": 0,
    }


def retries(*calls: ToolCall) -> float | None:
    return calculate_redundant_call_rate([], calls)["retry_after_error_count"]


def test_a_retry_repeats_an_equal_call_that_had_failed():
    ok = make_call("a", {})
    assert retries(failed("a"), failed("a"), failed("a")) == 2
    assert retries(failed("a"), make_call("b", {}), ok) == 1
    assert retries(failed("a"), failed("b"), ok, make_call("b", {})) == 2
    assert retries(failed("a"), ok, ok) == 1
    assert retries(ok, ok) == 0
    assert retries(failed("a"), make_call("a", {"q": 1})) == 0


def test_calls_side_by_side_are_no_retries_of_each_other():
    times = {"start_ns": 1, "end_ns": 9}
    side_by_side = [failed("a", **times), failed("a", **times)]
    assert retries(*side_by_side) == 0
    assert (
        retries(
            *side_by_side, failed("a", start_ns=9, end_ns=10), failed("a", start_ns=9, end_ns=10)
        )
        == 2
    )
    assert retries(failed("a"), ToolCall(tool="a", args={}), make_call("a", {})) == 1


def test_where_all_begin_at_0_times_are_durations_and_calls_stand_in_their_order():
    ok = make_call("a", {}, start_ns=0, end_ns=5)
    assert retries(failed("a", start_ns=0, end_ns=9), ok) == 1
    assert retries(ok, failed("a", start_ns=0, end_ns=9)) == 0
    elsewhere = make_call("b", {}, start_ns=9, end_ns=10)
    assert retries(failed("a", start_ns=0, end_ns=9), ok, elsewhere) == 0


def test_without_any_status_there_are_no_errors_to_count():
    found = calculate_redundant_call_rate([], [ToolCall(tool="a")])
    assert (found["error_count"], found["error_rate"]) == (0, None)
