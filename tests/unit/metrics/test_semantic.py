"""What a judge says who is passed in."""

from __future__ import annotations

import pytest

from toolscore_otel.metrics import (
    Regex,
    calculate_batch_semantic_correctness,
    calculate_semantic_correctness,
)
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing import make_call

TOKEN = make_sample(next(kind for kind in KINDS if "github" in kind), 1)


class Judge:
    model = "fake"

    def __init__(self, *answers: object) -> None:
        self.answers = answers
        self.asked: list[object] = []

    def __call__(self, pairs):
        self.asked += pairs
        return self.answers


def test_calls_are_paired_by_tool_and_then_in_order():
    judge = Judge(1, {"score": 0.5, "explanation": "near"})
    gold = [make_call("search", {"q": "x"}), make_call("read", {"f": Regex("a+")})]
    trace = [
        make_call("noise"),
        make_call("read", {"f": "aa"}),
        make_call("web_search", {"query": TOKEN}),
    ]
    found = calculate_semantic_correctness(gold, trace, judge=judge)
    assert judge.asked[0] == {
        "expected": {"tool": "search", "args": {"q": "x"}},
        "actual": {"tool": "noise", "args": None},
    }
    assert judge.asked[1] == {
        "expected": {"tool": "read", "args": {"f": "Regex('a+')"}},
        "actual": {"tool": "read", "args": {"f": "aa"}},
    }
    assert found == {
        "semantic_score": pytest.approx(0.75 * 2 / 3),
        "per_call_scores": [1.0, 0.5],
        "explanations": ["", "near"],
        "model_used": "fake",
        "gold_count": 2,
        "trace_count": 3,
    }


def test_a_judge_sees_no_secrets():
    judge = Judge(1)
    calculate_semantic_correctness(
        [make_call("a", {"k": [TOKEN]})], [make_call("a", {"k": TOKEN})], judge=judge
    )
    assert len(judge.asked) == 1
    assert TOKEN not in repr(judge.asked)


@pytest.mark.parametrize("answer", [float("nan"), 85, -1, True, "good", None, {"score": "1"}, {}])
def test_an_answer_that_is_no_score_is_none(answer):
    found = calculate_semantic_correctness([make_call("a")], [make_call("a")], judge=Judge(answer))
    assert (found["semantic_score"], found["per_call_scores"]) == (None, [None])
    assert "no score" in found["explanations"][0]


def test_a_judge_answers_about_every_pair():
    with pytest.raises(ValueError, match="0 answers about 1 pairs"):
        calculate_semantic_correctness([make_call("a")], [make_call("a")], judge=Judge())


def test_where_nobody_is_asked_there_is_no_score():
    assert (
        calculate_semantic_correctness([make_call("a")], [make_call("a")])["semantic_score"] is None
    )


def test_nothing_expected_and_nothing_called_is_right():
    judge = Judge()
    assert calculate_semantic_correctness([], [], judge=judge)["semantic_score"] == 1.0
    assert (
        calculate_semantic_correctness([make_call("a")], [], judge=judge)["semantic_score"] == 0.0
    )


def test_several_evaluations_have_a_mean_over_those_with_a_score():
    one = [make_call("a")]
    judge = Judge(0.5)
    found = calculate_batch_semantic_correctness([(one, one), (one, one)], judge=judge)
    assert found == {"average_score": 0.5, "individual_scores": [0.5, 0.5], "total_evaluations": 2}
    assert calculate_batch_semantic_correctness([(one, one)])["average_score"] is None
