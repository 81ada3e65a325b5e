"""The scores of one trajectory (contract language, section 14)."""

from __future__ import annotations

from typing import Any

import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError, Regex
from toolscore_otel.metrics import SCORES, expected_calls, trajectory_scores
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


def test_cut_arguments_count_as_far_as_they_were_seen():
    cut = make_call("a", args_text='{"x": 1, "y": "lo', args_state=ContentState.TRUNCATED)
    entry = {"tool": "a", "args": {"x": 1, "y": "long", "z": 1}}
    assert scored([entry], cut)["argument_f1"] == 1.0


def test_an_entry_that_is_no_selector_is_told_with_its_place():
    with pytest.raises(MatcherError, match=r"1\.toll"):
        expected_calls(["a", {"toll": "b"}])
