from typing import Any

import pytest

from toolscore_otel.gate import runs_needed


def needed(drop: float, **more: Any) -> int:
    runs = runs_needed(drop, **more)
    assert runs is not None
    return runs


def test_more_runs_show_smaller_drops_and_judge_more_scores():
    assert needed(0.4) < needed(0.2) < needed(0.1) < needed(0.05)
    assert needed(0.1, scores=2) < needed(0.1, scores=12)
    assert needed(0.1, power=0.8) < needed(0.1, power=0.95)
    assert needed(0.1, allowed=0.0) < needed(0.1, allowed=0.05)


@pytest.mark.parametrize(("drop", "share"), [(0.02, 0.9), (0.0, 0.9), (0.5, 0.4)])
def test_a_drop_that_cannot_fail_is_seen_with_no_number_of_runs(drop, share):
    assert runs_needed(drop, share=share) is None


def test_a_drop_that_hardly_is_one_is_seen_with_no_number_of_runs_worth_naming():
    assert runs_needed(0.02 + 1e-9) is None
