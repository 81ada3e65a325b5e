"""`require` with `by` and `if`: by when calls must have happened, and where they must at all."""

import pytest

from toolscore_otel.matchers import MatcherError
from toolscore_otel.model import FindingKind, Gap, Scope, Trajectory
from toolscore_otel.rules.require import By, Require

BEFORE = Require(tool="check", by=By(before="refund"))
TWICE = Require(tool="check", min=2, by=By(before="refund"))
SOON = Require(tool="check", by=By(within_ms=20))
WHERE = Require(tool="check", if_={"tool": "refund", "args": {"big": True}})


def closed(watched, start_ms=0, gaps=()):
    start_ns = None if start_ms is None else start_ms * 1_000_000
    return watched.note(watched.state.close(Trajectory(start_ns=start_ns, gaps=tuple(gaps))))


def test_too_few_before_the_first_such_call_are_a_finding_on_it(made, watch):
    rule = Require(tool="check", by=By(before="refund"), reason="policy")
    (verdict,) = watch(rule, made("search"), made("refund"), made("check"), made("refund")).fails
    assert FindingKind.MISSING_CALL is verdict.kind
    assert verdict.call.key == "c2"
    text = "no call of tool check before this call of `refund`, where one is required: policy"
    assert verdict.explanation == text


def test_without_such_a_call_the_rule_has_nothing_to_say(made, watch):
    assert watch(BEFORE, made("search")).close().silent
    assert (
        watch(Require(tool="check", min=0, max=0, by=By(before="x")), made("check")).close().silent
    )


def test_calls_that_were_made_in_time_are_enough(made, watch):
    assert watch(BEFORE, made("check"), made("refund"), made("refund")).close().silent
    assert watch(TWICE, made("check"), made("refund")).failing == ["c5"]
    assert watch(TWICE, made("check"), made("check"), made("refund")).close().silent


def test_a_call_that_overlaps_is_not_before(made, watch):
    assert watch(BEFORE, made("check", at=0, took=10), made("refund", at=5)).fails
    assert watch(BEFORE, made("check", at=0, took=5), made("refund", at=5)).close().silent


def test_a_call_is_not_before_itself(made, watch):
    rule = Require(tool="*", by=By(before="refund"))
    assert watch(rule, made("refund"), made("check")).fails
    assert watch(rule, made("check"), made("refund")).close().silent


def test_what_comes_late_is_put_in_its_place(made, watch):
    watched = watch(BEFORE, made("refund", at=50))
    assert watched.failing == ["c1"]
    assert watched.put(made("refund", at=30)).failing == ["c2"]
    assert watched.put(made("check", at=10)).silent
    assert watched.drop("c3").failing == ["c2"]
    assert BEFORE.compile().deferred


def test_what_stands_is_said_again_when_it_is_known_who_called(made, watch):
    call = made("refund")
    watched = watch(BEFORE, call)
    watched.state.renew(call)
    assert watched.note(watched.state.changes()).failing == [call.key]


def test_a_call_that_might_match_or_be_in_time_makes_it_uncertain(made, watch):
    rule = Require(tool="check", args={"who": 1}, by=By(before="refund"))
    watched = watch(rule, made("check"), made("refund")).close()
    assert {"arguments"} == watched.lacks
    assert [v.call.key for v in watched.unsure] == ["c2"]
    assert [v.explanation for v in watched.unsure] == [
        "whether there was 1 call of tool check, args who is 1 before this call of `refund`"
    ]
    assert {"times"} == watch(BEFORE, made("check", took=None), made("refund")).close().lacks


def test_a_call_that_might_be_the_one_makes_it_uncertain(made, watch):
    rule = Require(tool="check", by=By(before={"tool": "refund", "args": {"big": True}}))
    assert {"arguments"} == watch(rule, made("refund")).close().lacks
    watched = watch(rule, made("refund"), made("check"), made("refund", {"big": True})).close()
    assert [v.call.key for v in watched.unsure] == ["c2"]
    assert watch(rule, made("refund", {"big": False})).close().silent


def test_a_call_without_a_start_may_be_the_first(made, watch):
    calls = [made("check"), made("refund"), made("refund", at=None)]
    assert {"times"} == watch(BEFORE, *calls).close().lacks
    early = made("refund", start_ns=None, end_ns=1)
    assert watch(BEFORE, made("check"), made("refund"), early).failing == [early.key]


def test_a_request_that_stood_early_enough_may_have_run(made, watch):
    asked = {"stage": "requested", "took": 0}
    assert {"spans"} == watch(BEFORE, made("check", **asked), made("refund")).close().lacks
    assert watch(BEFORE, made("refund"), made("check", **asked)).close().fails
    assert watch(TWICE, made("check", **asked), made("refund")).close().fails
    assert watch(TWICE, made("check", **asked), made("check"), made("refund")).close().unsure


def test_an_incomplete_trajectory_may_hide_what_is_lacking(made, watch):
    watched = watch(BEFORE, made("refund"))
    assert watched.fails
    assert {"spans"} == closed(watched, gaps=[Gap.SPAN_LIMIT]).lacks
    assert not watched.put(made("search")).fails
    assert closed(watched).failing == ["c1"]


def test_calls_must_have_ended_within_a_time_of_the_first_begin(made, watch):
    watched = watch(SOON, made("check", at=10, took=11))
    assert watched.silent
    (verdict,) = closed(watched).fails
    assert verdict.call is None
    text = "no call of tool check within 20 ms of the start, where one is required"
    assert verdict.explanation == text
    assert closed(watched, start_ms=1).silent
    assert closed(watch(SOON, made("check", at=15, took=5))).silent
    assert not SOON.compile().deferred


@pytest.mark.parametrize(
    ("call", "start_ms", "stands"),
    [
        ({"at": 10, "took": None}, 0, "unsure"),
        ({"at": 30, "took": None}, 0, "fails"),
        ({"at": None}, 0, "unsure"),
        ({"at": 10, "took": 5}, None, "unsure"),
        ({"at": 10, "took": 0, "stage": "requested"}, 0, "unsure"),
        ({"at": 30, "took": 0, "stage": "requested"}, 0, "fails"),
    ],
)
def test_whether_calls_were_in_time_may_be_open(call, start_ms, stands, made, watch):
    assert getattr(closed(watch(SOON, made("check", **call)), start_ms), stands)


def test_only_where_a_call_matches_the_condition_is_something_required(made, watch):
    assert watch(WHERE, made("search")).close().silent
    assert watch(WHERE, made("refund", {"big": False})).close().silent
    assert watch(WHERE, made("refund", {"big": True})).close().fails
    assert watch(WHERE, made("refund", {"big": True}), made("check")).close().silent


def test_whether_the_condition_holds_may_be_open(made, watch):
    watched = watch(WHERE, made("refund")).close()
    assert {"arguments"} == watched.lacks
    assert not watched.fails
    assert watch(WHERE, made("refund"), made("check")).close().silent


def test_the_condition_holds_for_too_many_as_well(made, watch):
    rule = Require(tool="check", max=1, if_={"tool": "refund", "args": {"big": True}})
    calls = [made("check"), made("check")]
    assert watch(rule, *calls).close().silent
    watched = watch(rule, *calls, made("refund")).close()
    assert {"arguments"} == watched.lacks
    assert [(v.explanation, v.call.key, v.count) for v in watched.unsure] == [
        ("whether 2 calls of tool check are too many here", "c2", 2)
    ]
    assert watch(rule, *calls, made("refund", {"big": True})).failing == ["c2"]


def test_a_rule_is_about_all_that_it_looks_at():
    assert frozenset({"check", "refund"}) == WHERE.compile().tools
    assert frozenset({"check", "refund"}) == BEFORE.compile().tools
    assert Require(tool="check", by=By(before="*")).compile().tools is None
    assert Require(tool="check", if_={"agent": "x"}).compile().uses_agent
    assert Require(tool="check", if_="x", scope=Scope.SESSION).compile().scope is Scope.SESSION


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({"by": By()}, ("by",)),
        ({"by": By(before="x", within_ms=1)}, ("by",)),
        ({"by": By(within_ms=-1)}, ("by", "within_ms")),
        ({"by": By(before={"tol": "x"})}, ("by", "before", "tol")),
        ({"if_": 3}, ("if",)),
        ({"if_": {"tol": "x"}}, ("if", "tol")),
    ],
)
def test_times_and_conditions_that_make_no_sense_are_errors(keys, path):
    with pytest.raises(MatcherError) as caught:
        Require(tool="x", **keys).compile()
    assert path == caught.value.path
