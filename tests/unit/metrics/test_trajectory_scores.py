"""The scores of one trajectory (docs/pages/clauses/scores.md)."""

from __future__ import annotations

from typing import Any

import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError, Regex
from toolscore_otel.metrics import SCORES, expected_calls, trajectory_scores
from toolscore_otel.metrics.trajectory_scores import Required, score_ranges
from toolscore_otel.model import CallKind, ContentState, Stage, Status, ToolCall
from toolscore_otel.testing import make_call


def judged(*calls: ToolCall, **facts: Any) -> list[JudgedCall]:
    return [JudgedCall(call, **facts) for call in calls]


def scored(entries: list[Any], *calls: ToolCall, **facts: Any) -> dict[str, float | None]:
    return dict(trajectory_scores(judged(*calls, **facts), expected_calls(entries)))


def test_without_an_expectation_only_what_needs_none_is_scored():
    calls = [make_call("a", {}), make_call("a", {}, status=Status.ERROR)]
    found = trajectory_scores(judged(*calls), required=(1, 2))
    assert list(found) == list(SCORES)
    assert {name: value for name, value in found.items() if value is not None} == {
        "required_recall": 0.5,
        "redundant_rate": 0.5,
        "error_rate": 0.5,
    }


def test_a_perfect_run():
    found = scored(
        [{"tool": "a", "args": {"x": 1}}, "b"], make_call("a", {"x": 1}), make_call("b", {})
    )
    assert found == {
        "selection_precision": 1.0,
        "selection_recall": 1.0,
        "selection_f1": 1.0,
        "argument_f1": 1.0,
        "argument_exact": 1.0,
        "required_recall": None,
        "edit_distance": 0.0,
        "order": 1.0,
        "redundant_rate": 0.0,
        "error_rate": 0.0,
        "hard_fail": 0.0,
    }


def test_nothing_expected_and_nothing_called_does_not_apply():
    assert {value for name, value in scored([]).items() if name != "hard_fail"} == {None}
    assert scored([])["hard_fail"] == 0.0
    assert scored([], make_call("a"))["selection_f1"] == 0.0


def test_something_expected_and_nothing_called_is_zero():
    found = scored(["a", "b"])
    assert [found[f"selection_{name}"] for name in ("precision", "recall", "f1")] == [0, 0, 0]
    assert (found["argument_f1"], found["order"], found["edit_distance"]) == (None, 0.0, 1.0)


def test_selection_is_over_multisets():
    found = scored(["s", "s", "x"], *[make_call("s")] * 5)
    assert found["selection_precision"] == 0.4
    assert found["selection_recall"] == pytest.approx(2 / 3)


def test_a_call_is_paired_with_the_entry_that_it_fits_best():
    entries = [{"tool": "a*", "args": {"x": 1}}, {"tool": "a1", "args": {"x": 2}}]
    found = scored(entries, make_call("a1", {"x": 1}), make_call("a2", {"x": 1}))
    assert (found["selection_f1"], found["argument_f1"], found["argument_exact"]) == (1.0, 0.5, 0.5)


def test_arguments_are_counted_by_fields():
    entry = {
        "tool": "a",
        "args": {"user.id": {"$gt": 5}, "tags.*": "x", "none": {"$exists": False}},
    }
    found = scored([entry], make_call("a", {"user": {"id": 7}, "tags": ["y", "x"], "more": 1}))
    assert found["argument_f1"] == pytest.approx(2 * 3 / (3 + 4))
    assert found["argument_exact"] == 0.0


def test_arguments_may_be_asked_for_as_a_whole():
    whole = {"tool": "a", "args": {"$or": [{"x": 1}, {"y": 1}]}}
    assert scored([whole], make_call("a", {"y": 1, "z": 2}))["argument_f1"] == 1.0
    assert scored([whole], make_call("a", {"z": 2}))["argument_f1"] == 0.0
    matcher = {"tool": "a", "args": {"x": Regex("b")}}
    assert scored([matcher], make_call("a", {"x": "abc"}))["argument_exact"] == 1.0


def test_no_arguments_expected():
    entry = {"tool": "a", "args": {}}
    assert scored([entry], make_call("a", {"x": 1}))["argument_f1"] == 0.0
    assert scored([entry], make_call("a", {}))["argument_exact"] == 1.0


def test_a_call_with_arguments_goes_to_the_entry_that_asks_for_none_of_them_only_if_none_other_is_left():
    found = scored([{"tool": "a", "args": {}}, "a"], make_call("a", {"x": 1}))
    assert (found["argument_f1"], found["selection_recall"]) == (None, 0.5)
    both = scored([{"tool": "a", "args": {}}, "a"], make_call("a", {"x": 1}), make_call("a", {}))
    assert both["argument_exact"] == 1.0


def test_arguments_that_were_not_observed_are_not_scored():
    found = scored([{"tool": "a", "args": {"x": 1}}], make_call("a"))
    assert (found["selection_f1"], found["argument_f1"], found["argument_exact"]) == (
        1.0,
        None,
        None,
    )


def test_overlapping_calls_may_stand_in_either_order():
    calls = [make_call("b", start_ns=0, end_ns=9), make_call("a", start_ns=1, end_ns=5)]
    found = scored(["a", "b"], *calls)
    assert (found["order"], found["edit_distance"]) == (1.0, 1.0)


def test_only_calls_of_tools_that_ran_were_made():
    asked = make_call("b", stage=Stage.REQUESTED)
    handed = make_call("c", kind=CallKind.HANDOFF)
    assert scored(["a"], make_call("a"), asked, handed)["selection_precision"] == 1.0
    assert (
        scored(["a", {"tool": "c", "kind": "handoff"}], make_call("a"), handed)["selection_f1"]
        == 1.0
    )


def test_an_entry_without_a_tool_takes_any():
    assert scored([{"args": {"x": 1}}], make_call("a", {"x": 1}))["argument_exact"] == 1.0


def test_an_unexpected_call_that_changes_something_fails_hard():
    calls = [JudgedCall(make_call("a")), JudgedCall(make_call("r"), mutating=True)]
    assert trajectory_scores(calls, expected_calls(["a"]))["hard_fail"] == 1.0
    assert trajectory_scores(calls, expected_calls(["a", "r"]))["hard_fail"] == 0.0
    open_mark = [JudgedCall(make_call("exec"), mutating=None)]
    assert trajectory_scores(open_mark, expected_calls([]))["hard_fail"] is None


def test_what_hangs_on_evidence_that_is_missing_is_none():
    entries = [{"tool": "a", "status": "ok"}]
    unknown = ToolCall(tool="a")
    found = scored(entries, unknown, unknown)
    assert found["selection_recall"] is None
    assert scored(entries, make_call("a"), make_call("a"))["selection_recall"] == 1.0
    assert scored([*entries, "b"], make_call("a"), unknown)["selection_recall"] == 0.5


def test_equal_calls_are_redundant_but_for_those_that_poll():
    calls = [make_call("a", {"x": 1}), make_call("a", {"x": 1.0}), make_call("b")]
    assert trajectory_scores(judged(*calls))["redundant_rate"] == pytest.approx(1 / 3)
    assert trajectory_scores(judged(*calls, polling=True))["redundant_rate"] == 0.0
    assert trajectory_scores(judged(make_call("a"), make_call("a")))["redundant_rate"] is None
    assert trajectory_scores([])["redundant_rate"] is None


def test_errors_are_a_share_of_known_statuses():
    assert trajectory_scores(judged(ToolCall(tool="a")))["error_rate"] is None


def test_arguments_that_were_cut_are_not_scored():
    cut = make_call("a", args_text='{"x": 1, "y": "lo', args_state=ContentState.TRUNCATED)
    entry = {"tool": "a", "args": {"x": 1, "y": "long", "z": 1}}
    assert scored([entry], cut)["argument_f1"] is None
    assert scored(["a"], cut)["selection_f1"] == 1.0


def ranged(entries: list[Any], *calls: JudgedCall, **known: Any) -> dict[str, Any]:
    found = score_ranges(calls, expected_calls(entries), **known)
    return {name: (one.low, one.high, one.missing) for name, one in found.items() if one.is_open}


def test_where_nothing_is_lacking_nothing_is_open():
    assert ranged([], *judged(make_call("a"))) == {}


def test_more_calls_make_a_mutating_one_no_better():
    calls = judged(make_call("a"), mutating=True)
    found = score_ranges(calls, expected_calls([]), hidden=True)
    assert (found["hard_fail"].value, found["selection_f1"].missing) == (1.0, ("spans",))
    assert score_ranges(calls, expected_calls(["a"]), hidden=True)["hard_fail"].is_open


def test_a_call_of_another_kind_that_may_be_expected_leaves_all_open():
    entry = {"tool": "h", "kind": "handoff", "status": "ok"}
    handed = ToolCall(tool="h", kind=CallKind.HANDOFF)
    assert ranged([entry], *judged(handed))["selection_f1"] == (0, 1, ("spans",))


def test_who_a_call_stands_for_leaves_a_range():
    found = ranged([{"tool": "a", "status": "ok"}, "b"], *judged(ToolCall(tool="a")))
    assert found["selection_recall"] == (0.0, 0.5, ("status",))
    assert found["edit_distance"] == (0.5, 1.0, ("status",))
    assert found["argument_f1"] == (0.0, 1.0, ("status",))


def test_times_that_only_some_calls_have_leave_the_order_open():
    calls = judged(make_call("b", start_ns=0, end_ns=1), make_call("a"))
    found = ranged(["a", "b"], *calls)
    assert found == {"edit_distance": (0, 1, ("times",)), "order": (0, 1, ("times",))}
    open_end = judged(*(make_call(tool, start_ns=0) for tool in ("b", "a")))
    assert set(ranged(["a", "b", {"tool": "a", "status": "error"}], *open_end)) <= {"order"}


def test_too_many_calls_side_by_side_leave_the_order_open(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("toolscore_otel.metrics.order.MOST_STEPS", 1)
    calls = judged(*(make_call(tool, start_ns=0, end_ns=9) for tool in "abc"))
    assert ranged(["a", "b", "c"], *calls) == {"order": (0, 1, ("order",))}


def test_an_order_that_is_open_at_worst_is_open():
    times: dict[str, Any] = {"start_ns": 0, "end_ns": 9}
    calls = judged(make_call("b", start_ns=0), make_call("a", **times, status=Status.UNKNOWN))
    entries = ["a", "b", {"tool": "a", "status": "ok"}]
    assert ranged(entries, *calls)["order"] == (0, 1, ("status",))


def test_a_call_that_changes_something_may_be_the_expected_one():
    calls = [JudgedCall(make_call("a")), JudgedCall(make_call("w"), mutating=True)]
    found = ranged([{"tool": "*", "args": {"x": 1}}], *calls)
    assert found["hard_fail"] == (0, 1, ("arguments",))
    all_mutating = judged(make_call("w"), make_call("w"), mutating=True)
    entry = {"tool": "w", "args": {"x": 1}}
    assert score_ranges(all_mutating, expected_calls([entry]))["hard_fail"].value == 1.0


def test_what_a_dispatcher_ran_may_change_something():
    calls = [JudgedCall(make_call("exec"), mutating=None)]
    assert ranged([], *calls)["hard_fail"] == (0, 1, ("dispatch",))
    mixed = [*calls, JudgedCall(make_call("a"), mutating=True), JudgedCall(make_call("b"))]
    assert score_ranges(mixed, expected_calls(["exec", "a"]))["hard_fail"].value == 0.0


def test_rules_and_statuses_leave_a_range():
    calls = judged(ToolCall(tool="a"), make_call("b", status=Status.ERROR))
    found = score_ranges(calls, required=Required(1, 1, 2))
    assert (found["required_recall"].low, found["required_recall"].high) == (0.25, 0.75)
    rate = found["error_rate"]
    assert (rate.value, rate.low, rate.high, rate.missing) == (1.0, 0.5, 1.0, ("status",))
    assert score_ranges(calls, hidden=True)["error_rate"].missing == ("spans",)


def test_equal_or_not_leaves_a_range():
    calls = judged(*[make_call("a", {})] * 2, make_call("a"), *[make_call("b")] * 2)
    assert ranged([], *calls)["redundant_rate"] == (0.2, 0.6, ("arguments",))


def test_an_entry_that_is_no_selector_is_told_with_its_place():
    with pytest.raises(MatcherError, match=r"1\.toll"):
        expected_calls(["a", {"toll": "b"}])
