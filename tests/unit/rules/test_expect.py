"""`expect`: what is missing, unexpected and wrong once a run is over."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from toolscore_otel.matchers import MatcherError
from toolscore_otel.model import Gap, Trajectory
from toolscore_otel.rules.expect import Expect, items
from toolscore_otel.rules.when import When


def _stands(watched: Any) -> dict[str, str]:
    return {subject: verdict.label.value for subject, verdict in watched.stands.items()}


@pytest.mark.parametrize(
    ("order", "made_tools", "says"),
    [
        ("in_order", ["a", "b", "c"], {}),
        ("in_order", ["a"], {"missing_call": "fail"}),
        ("superset", ["b", "c", "a"], {}),
        ("any_order", ["b", "a"], {}),
        ("any_order", ["a", "b", "c"], {"unexpected_call": "fail"}),
        ("strict", ["a", "b", "b"], {"unexpected_call": "fail"}),
        ("strict", ["a", "c"], {"missing_call": "fail", "unexpected_call": "fail"}),
        ("subset", ["a"], {}),
        ("subset", ["a", "a"], {"unexpected_call": "fail"}),
    ],
)
def test_the_order_says_whether_calls_may_be_missing_or_stand_beside(
    watch, made, order, made_tools, says
):
    watched = watch(Expect(calls=["a", "b"], order=order))
    assert _stands(watched.put(*map(made, made_tools)).close()) == says


def test_nothing_may_be_called_where_no_call_is_expected(watch, made):
    watched = watch(Expect(calls=[]))
    assert _stands(watched.close()) == {}
    call = made("search")
    verdict = watched.put(call).close().stands["unexpected_call"]
    assert verdict.explanation == "1 call that was not expected: `search`"
    assert (verdict.first, verdict.last, verdict.count) == (call, call, 1)


def test_a_call_that_was_only_asked_for_is_not_unexpected(watch, made):
    watched = watch(Expect(calls=[], reason="quiet hours"))
    assert _stands(watched.put(made("search", stage="requested")).close()) == {}


def test_what_is_missing_is_named_with_the_reason(watch, made):
    rule = Expect(calls=["a", {"tool": "b", "status": "ok"}, "c"], reason="so it is agreed")
    verdict = watch(rule).put(made("a")).close().only()
    assert verdict.explanation == (
        "2 calls that were expected did not happen: tool b, status ok; tool c: so it is agreed"
    )
    assert verdict.count == 2


def test_other_arguments_are_wrong_and_no_missing_call(watch, made):
    rule = Expect(calls=[{"tool": "refund", "args": {"id": "O-1", "amount": {"$le": 30}}}])
    call = made("refund", {"id": "O-1", "amount": 50, "note": ""})
    verdict = watch(rule).put(call).close().only()
    assert (verdict.kind, verdict.first) == ("wrong_arguments", call)
    assert verdict.explanation == "arguments are not the expected ones: `amount` of `refund`"


def test_arguments_that_are_no_plain_keys_are_wrong_as_a_whole(watch, made):
    rule = Expect(calls=[{"tool": "refund", "args": {"$exact": {"id": 1}}}])
    verdict = watch(rule).put(made("refund", {"id": 1, "x": 2})).close().only()
    assert verdict.explanation == "arguments are not the expected ones: `refund`"


def test_the_nearest_call_is_said_to_be_wrong(watch, made):
    rule = Expect(calls=[{"tool": "refund", "args": {"id": 1, "amount": 5}}])
    far, near = made("refund", {"id": 2, "amount": 6}), made("refund", {"id": 1, "amount": 6})
    assert watch(rule).put(far, near).close().only().first == near


def test_pairs_are_made_so_that_the_most_arguments_are_right(watch, made):
    rule = Expect(calls=[{"tool": "*"}, {"tool": "get", "args": {"id": 1}}], order="any_order")
    watched = watch(rule).put(made("get", {"id": 1}), made("get", {"id": 2}))
    assert _stands(watched.close()) == {}


def test_arguments_alone_may_be_expected_of_whatever_tool(watch, made):
    rule = Expect(calls=[{"args": {"id": 1}}])
    assert _stands(watch(rule).put(made("get", {"id": 1})).close()) == {}
    assert _stands(watch(rule).put(made("get", {})).close()) == {"wrong_arguments": "fail"}


def test_wrong_is_said_even_where_no_call_can_be_named(watch, made):
    rule = Expect(
        calls=[{"tool": "a", "args": {"x": 1}}, {"tool": ["a", "b"], "args": {"x": 1}}, "b"]
    )
    calls = [made("a", {"x": 1}), made("b", {"x": 2}), made("a", {"x": 2})]
    assert _stands(watch(rule).put(*calls).close()) == {"wrong_arguments": "fail"}


def test_arguments_that_were_not_observed_cannot_be_checked(watch, made):
    rule = Expect(calls=[{"tool": "refund", "args": {"id": 1}}])
    verdict = watch(rule).put(made("refund")).close().only()
    assert (verdict.label, verdict.missing) == ("cannot_check", ("arguments",))


def test_arguments_that_were_not_observed_turn_nothing_where_others_are_right(watch, made):
    rule = Expect(calls=[{"tool": "refund", "args": {"id": 1}}])
    assert _stands(watch(rule).put(made("refund"), made("refund", {"id": 1})).close()) == {}


def test_a_status_that_is_not_known_may_make_a_call_missing_or_unexpected(watch, made):
    rule = Expect(calls=[{"tool": "refund", "status": "ok"}], order="strict")
    watched = watch(rule).put(made("refund", status="unknown")).close()
    assert _stands(watched) == {"missing_call": "cannot_check", "unexpected_call": "cannot_check"}
    assert watched.stands["missing_call"].missing == ("status",)


def test_a_call_that_is_asked_for_and_not_seen_to_run_may_be_the_missing_one(watch, made):
    watched = watch(Expect(calls=["a", "b"])).put(made("a"), made("b", stage="requested"))
    assert watched.close().only().missing == ("spans",)
    watched = watch(Expect(calls=["a", "b", "b"])).put(made("a"), made("b", stage="requested"))
    assert _stands(watched.close()) == {"missing_call": "fail"}


def test_a_call_that_is_asked_for_may_have_had_the_right_arguments(watch, made):
    rule = Expect(calls=[{"tool": "a", "args": {"x": 1}}])
    watched = watch(rule).put(made("a", {"x": 2}), made("a", {"x": 1}, stage="requested"))
    assert _stands(watched.close()) == {"wrong_arguments": "cannot_check"}


def test_a_request_itself_may_be_expected(watch, made):
    rule = Expect(calls=[{"tool": "a", "stage": "requested"}])
    assert _stands(watch(rule).put(made("a", stage="requested")).close()) == {}
    assert _stands(watch(rule).put(made("a")).close()) == {"missing_call": "fail"}


@pytest.mark.parametrize("gap", [Gap.FRAGMENT, Gap.SPAN_LIMIT, Gap.TOOL_SPANS_MISSING])
def test_parts_that_are_missing_may_hold_the_calls_that_are(watch, made, gap):
    rule = Expect(calls=["a", {"tool": "b", "args": {"x": 1}}])
    watched = watch(rule).put(made("b", {"x": 2})).close(gaps=[gap])
    assert _stands(watched) == {"missing_call": "cannot_check", "wrong_arguments": "cannot_check"}


def test_what_stands_is_taken_back_when_the_call_comes_late(watch, made):
    watched = watch(Expect(calls=["a"])).close()
    assert _stands(watched) == {"missing_call": "fail"}
    late = made("a")
    assert _stands(watched.put(late).close()) == {}
    assert _stands(watched.drop(late.key, "unknown").close()) == {"missing_call": "fail"}


@pytest.mark.parametrize(
    ("when", "is_meant"),
    [
        (UNSET, True),
        (When(scenario="refund*"), True),
        (When(scenario=["x", "refund-1"]), True),
        (When(scenario="other"), False),
        (When(conversation="*"), True),
        (When(conversation="c-1"), False),
        (When(scenario="refund-1", conversation="c-?"), False),
        (When(attributes={"tier": {"$one_of": ["gold"]}}), True),
        (When(attributes={"tier": "iron"}), False),
        (When(attributes={"tier": "*", "region": "*"}), True),
        (When(attributes={"region": "eu"}), False),
        (When(attributes={"region": {"$exists": False}}), True),
    ],
)
def test_when_says_which_trajectories_are_meant(watch, when, is_meant):
    watched = watch(Expect(calls=["a"], when=when))
    known = Trajectory(scenario="refund-1", attributes={"tier": ("gold", "silver")})
    watched.note(watched.state.close(known))
    assert bool(watched.stands) is is_meant


def test_what_is_outside_of_every_agent_lacks_nothing(watch):
    watched = watch(Expect(calls=["a"]))
    watched.note(watched.state.close(None))
    assert watched.stands == {}


def test_only_tools_that_are_named_are_of_interest_where_others_are_allowed():
    assert Expect(calls=["a", {"tool": ["b", "c"]}]).compile().tools == frozenset("abc")
    assert Expect(calls=["a", {"label": "x"}]).compile().tools is None
    assert Expect(calls=["a"], order="strict").compile().tools is None
    assert Expect(calls=[{"tool": "a", "agent": "desk"}]).compile().uses_agent


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Expect(calls=[{"tool": "a", "agrs": {}}]), "`calls.0.agrs`"),
        (Expect(calls=["a", {"tool": "a", "args": {"x": {"$gtt": 1}}}]), "`calls.1.args.x.$gtt`"),
        (Expect(calls=[], when=When()), "`when` needs `scenario`, `conversation` or"),
        (Expect(calls=[], when=When(attributes={"a": {"$no": 1}})), "`when.attributes.a.$no`"),
    ],
)
def test_what_is_wrong_in_a_rule_is_said_with_its_place(rule, message):
    with pytest.raises(MatcherError) as caught:
        rule.compile()
    assert message in str(caught.value)


def test_calls_are_a_list():
    assert [item.id for item in items([{"calls": []}])] == ["expect.1"]
    with pytest.raises(MatcherError, match="`calls` takes a list"):
        list(items([{"calls": {"tool": "a"}}]))


def test_an_expectation_says_which_attributes_it_looks_at():
    assert Expect(calls=[], when=When(attributes={"tier": "gold"})).compile().asks == {"tier"}
    assert Expect(calls=[]).compile().asks == frozenset()
