"""`min` and `max` of `expect`."""

from __future__ import annotations

from math import nan

import pytest
from msgspec import UNSET

from toolscore_otel.matchers import MatcherError
from toolscore_otel.metrics.score_range import NONE, ScoreRange, anything, between, exactly
from toolscore_otel.metrics.trajectory_scores import SCORES
from toolscore_otel.model import Label, Trajectory
from toolscore_otel.rules.expect import Expect
from toolscore_otel.rules.expectation import Bound
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.score_bounds import ScoreBounds, beyond, bounds_of


def said(bounds, reason=None, **scores):
    found = beyond(bounds, scores, reason)
    return {kind: (v.label, v.explanation) for kind, v in found.items() if v is not None}


def test_every_score_can_be_bounded():
    assert ScoreBounds.__struct_fields__ == SCORES


def test_bounds_are_by_score():
    found = bounds_of(ScoreBounds(order=0.5), ScoreBounds(order=0.9, hard_fail=0), has_calls=True)
    assert found == {"order": Bound(0.5, 0.9), "hard_fail": Bound(0.0, 0.0)}
    assert bounds_of(UNSET, UNSET, has_calls=False) == {}


@pytest.mark.parametrize(
    ("least", "most", "has_calls", "path", "message"),
    [
        (ScoreBounds(), UNSET, True, ("min",), "`min` names no score"),
        (UNSET, ScoreBounds(), True, ("max",), "`max` names no score"),
        (ScoreBounds(order=nan), UNSET, True, ("min", "order"), "`order` is a score, 0 to 1"),
        (UNSET, ScoreBounds(order=1), False, ("max", "order"), "`order` needs `calls`"),
        (ScoreBounds(order=1), ScoreBounds(order=0), True, ("max", "order"), "below its `min`, 1"),
    ],
)
def test_bounds_that_cannot_be_held_are_refused(least, most, has_calls, path, message):
    with pytest.raises(MatcherError, match=message) as caught:
        bounds_of(least, most, has_calls=has_calls)
    assert caught.value.path == path


def test_a_rule_expects_something():
    with pytest.raises(MatcherError, match="needs `calls`, `min` or `max`"):
        Expect().compile()


@pytest.mark.parametrize(
    ("score", "label"),
    [
        (exactly(0.5), Label.PASS),
        (exactly(0.4999999999999), Label.PASS),
        (exactly(0.49), Label.FAIL),
        (between(0.4, 0.6, ["arguments"]), Label.CANNOT_CHECK),
        (between(0.1, 0.2, ["arguments"]), Label.FAIL),
        (between(0.5, 0.6, ["arguments"]), Label.PASS),
        (anything("spans"), Label.CANNOT_CHECK),
        (exactly(None), None),
    ],
)
def test_a_score_fails_its_bound_where_it_is_beyond_it_for_sure(score, label):
    assert Bound(0.5, 0.8).label(score) is label


def test_a_score_above_its_most_fails_too():
    assert Bound(0.0, 0.5).label(exactly(0.6)) is Label.FAIL
    assert Bound(0.0, 0.5).label(between(0.4, 0.6, ["times"])) is Label.CANNOT_CHECK


def test_bounds_are_told_as_they_are_written():
    assert Bound(0.5, 0.8).said("order") == ["`min: {order: 0.5}`", "`max: {order: 0.8}`"]
    assert Bound(0.0, 1.0).said("order") == []


def test_one_finding_names_all_scores_that_are_beyond():
    bounds = {"order": Bound(0.5), "argument_f1": Bound(0.9), "error_rate": Bound(most=0.1)}
    one = said(bounds, "agreed", order=exactly(0.25), argument_f1=exactly(0.0), error_rate=exactly(0.1))  # fmt: skip
    assert one == {
        "score_below": (
            Label.FAIL,
            "`order` is 0.25, below 0.5; `argument_f1` is 0, below 0.9: agreed",
        )
    }


def test_a_score_that_fails_whatever_it_is_says_between_what():
    one = said({"error_rate": Bound(most=0.1)}, error_rate=between(0.5, 0.75, ["status"]))
    assert one == {"score_above": (Label.FAIL, "`error_rate` is 0.5 to 0.75, above 0.1")}


def test_what_cannot_be_checked_says_why():
    bounds = {"order": Bound(0.5), "redundant_rate": Bound(0.2)}
    found = beyond(bounds, {"order": anything("times"), "redundant_rate": anything("arguments", "times")}, "r")  # fmt: skip
    verdict = found["score_below"]
    assert verdict is not None
    assert (verdict.label, verdict.missing) == (Label.CANNOT_CHECK, ("times", "arguments"))
    assert verdict.explanation == "whether `order` and `redundant_rate` is below its bound"
    assert found["score_above"] is None


def test_a_score_that_does_not_apply_or_is_not_there_is_nothing_to_fail():
    assert said({"order": Bound(0.5)}, order=NONE) == {}
    assert said({"order": Bound(0.5)}) == {}


def test_a_rule_of_bounds_alone_expects_no_calls(watch, made):
    watched = watch(Expect(max=ScoreBounds(error_rate=0.5)), made("a"))
    watched.state.score({"error_rate": ScoreRange(1.0, 1.0, 1.0)})
    assert watched.close().only().explanation == "`error_rate` is 1, above 0.5"


def test_bounds_stand_beside_calls(watch, made):
    watched = watch(Expect(calls=["b"], min=ScoreBounds(order=0.5)), made("a"))
    watched.state.score({"order": exactly(0.0)})
    assert set(watched.close().stands) == {"missing_call", "score_below"}
    assert watched.note(watched.state.close(None)).silent


def test_other_rules_take_no_notice_of_scores(watch):
    watched = watch(Forbid(tool="a"))
    watched.state.score({"order": exactly(0.0)})
    assert watched.note(watched.state.close(Trajectory())).silent
