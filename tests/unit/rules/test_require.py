import pytest

from toolscore_otel.matchers import MatcherError
from toolscore_otel.model import FindingKind, Gap
from toolscore_otel.rules.require import Require, items

INCOMPLETE = [Gap.SPAN_LIMIT, Gap.FRAGMENT]


def test_nothing_is_missing_before_the_end(made, watch):
    assert watch(Require(tool="log"), made("search")).silent


def test_a_call_that_was_never_made_is_one_finding_on_the_trajectory(made, watch):
    (verdict,) = watch(Require(tool="log", reason="audit"), made("search")).close().fails
    assert FindingKind.MISSING_CALL is verdict.kind
    assert verdict.call is None
    assert verdict.explanation == "no call of tool log, where one is required: audit"


def test_a_call_that_was_made_is_enough(made, watch):
    assert watch(Require(tool="log"), made("log")).close().silent
    assert watch(Require(tool="log", status="ok"), made("log", status="error")).close().fails


def test_too_few_are_a_finding_and_enough_are_not(made, watch):
    (verdict,) = watch(Require(tool="log", min=3), made("log"), made("log")).close().fails
    assert verdict.explanation == "only 2 calls of tool log, where at least 3 are required"
    assert watch(Require(tool="log", min=2), made("log"), made("log")).close().silent


def test_no_call_need_be_made_with_min_0(watch):
    assert watch(Require(tool="log", min=0, max=1)).close().silent


def test_more_than_max_are_one_finding_on_the_call_that_passed_it(made, watch):
    rule = Require(tool="log", max=2)
    assert watch(rule, made("log"), made("log")).close().silent
    watched = watch(rule, *(made("log") for _ in range(4)))
    (verdict,) = watched.fails
    assert FindingKind.LIMIT_EXCEEDED is verdict.kind
    assert verdict.explanation == "4 calls of tool log, where at most 2 may be made"
    assert (verdict.call.key, verdict.count) == ("c5", 4)
    assert (verdict.first.key, verdict.last.key) == ("c3", "c6")
    assert watched.drop("c3", "c4").close().silent


def test_the_call_that_passed_max_is_the_one_that_began_then(made, watch):
    calls = [made("log", at=at) for at in (30, 10, 20)]
    assert watch(Require(tool="log", max=2), *calls).failing == ["c1"]


def test_calls_that_might_match_make_it_uncertain(made, watch):
    rule = Require(tool="log", args={"level": "audit"}, min=2)
    watched = watch(rule, made("log", {"level": "audit"}), made("log")).close()
    assert {"arguments"} == watched.lacks
    assert not watched.fails


def test_calls_that_might_match_do_not_matter_where_enough_do(made, watch):
    rule = Require(tool="log", args={"level": "audit"})
    assert watch(rule, made("log", {"level": "audit"}), made("log")).close().silent


def test_calls_that_might_match_do_not_matter_where_they_would_not_be_enough(made, watch):
    rule = Require(tool="log", args={"level": "audit"}, min=3)
    (verdict,) = watch(rule, made("log"), made("log")).close().fails
    text = 'at most 2 calls of tool log, args level is "audit", where at least 3 are required'
    assert text == verdict.explanation


def test_calls_that_might_match_might_be_too_many(made, watch):
    rule = Require(tool="log", args={"level": "audit"}, max=1)
    call = made("log")
    watched = watch(rule, made("log", {"level": "audit"}), call)
    assert {"arguments"} == watched.close().lacks
    assert watched.replace(call, args={"level": "info"}).close().silent


@pytest.mark.parametrize("gap", INCOMPLETE)
def test_what_an_incomplete_trajectory_lacks_may_be_in_the_missing_part(gap, made, watch):
    watched = watch(Require(tool="log"), made("search")).close([gap])
    assert {"spans"} == watched.lacks
    assert not watched.fails


@pytest.mark.parametrize("gap", INCOMPLETE)
def test_an_incomplete_trajectory_still_fails_for_what_was_seen(gap, made, watch):
    assert watch(Require(tool="log", max=1), made("log"), made("log")).close([gap]).fails
    assert watch(Require(tool="log"), made("log")).close([gap]).silent


def test_a_trajectory_whose_parents_are_missing_is_not_incomplete_for_that(made, watch):
    assert watch(Require(tool="log"), made("search")).close([Gap.PARENT_MISSING]).fails


@pytest.mark.parametrize(
    ("rule", "asked", "stands"),
    [
        (Require(tool="log"), {}, "unsure"),
        (Require(tool="log"), {"tool": "search"}, "fails"),
        (Require(tool="log", status="ok"), {}, "unsure"),
        (Require(tool="log", result="done"), {}, "unsure"),
        (Require(tool="log", stage="executed"), {}, "unsure"),
        (Require(tool="log", args={"a": 1}), {"args": {"a": 1}}, "unsure"),
        (Require(tool="log", args={"a": 1}), {"args": {"a": 2}}, "fails"),
        (Require(tool="log", min=2), {}, "fails"),
        (Require(tool="log", stage="requested"), {}, "silent"),
        (Require(tool="log", stage="any"), {}, "silent"),
        (Require(tool="log", stage="requested", min=2), {}, "fails"),
    ],
)
def test_a_call_that_was_asked_for_may_have_run_unseen(rule, asked, stands, made, watch):
    call = made(**{"tool": "log", "stage": "requested"} | asked)
    assert getattr(watch(rule, call).close([Gap.REQUESTED_NOT_RUN]), stands)


def test_asked_for_calls_count_with_others_of_their_kind(made, watch):
    rule = Require(tool="log", min=2)
    watched = watch(rule, made("log"), made("log", stage="requested")).close()
    assert {"spans"} == watched.lacks
    assert watched.put(made("log")).close().silent


@pytest.mark.parametrize(
    ("least", "text"),
    [
        (1, "whether there was 1 call of tool log, args a is 1"),
        (2, "whether there were 2 calls of tool log, args a is 1"),
    ],
)
def test_what_cannot_be_checked_says_of_how_many_calls(least, text, made, watch):
    rule = Require(tool="log", args={"a": 1}, min=least)
    watched = watch(rule, made("log"), made("log", stage="requested")).close()
    assert [(v.explanation, v.count) for v in watched.unsure] == [(text, 2)]


def test_a_request_that_turns_out_to_have_run_counts(made, watch):
    call = made("log", stage="requested")
    watched = watch(Require(tool="log"), call).close()
    assert watched.unsure
    assert watched.put(made("search")).close().unsure
    assert watched.drop("c1").close().fails
    assert watched.put(made("log")).close().silent


def test_outside_of_every_invocation_nothing_is_lacking(watch):
    watched = watch(Require(tool="log")).close()
    assert watched.fails
    assert watched.note(watched.state.close(None)).silent


def test_outside_of_every_invocation_nothing_is_too_much(made, watch):
    watched = watch(Require(tool="log", max=1), made("log"), made("log"))
    assert watched.fails
    assert watched.note(watched.state.close(None)).silent


def test_a_rule_knows_what_it_is_about():
    assert frozenset({"log"}) == Require(tool="log").compile().tools
    assert Require(tool="log", agent="x").compile().uses_agent


@pytest.mark.parametrize(
    ("bounds", "path"), [({"min": -1}, ("min",)), ({"min": 2, "max": 1}, ("max",))]
)
def test_bounds_that_no_number_meets_are_errors(bounds, path):
    with pytest.raises(MatcherError) as caught:
        Require(tool="log", **bounds).compile()
    assert path == caught.value.path


def test_items_are_named_by_their_place():
    assert [item.id for item in items(["log"])] == ["require.1"]
