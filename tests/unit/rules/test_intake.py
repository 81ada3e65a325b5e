"""`unless` and `{before: SELECTOR}`, as every rule about calls has them; here with `forbid`."""

import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.intake import Excuses

RULE = Forbid(tool="pay", unless={"before": {"tool": "ask"}})


def test_a_call_before_it_excuses(made, watch):
    assert watch(RULE, made("ask"), made("pay")).silent
    assert watch(RULE, made("pay"), made("ask")).failing == ["c3"]


def test_the_earlier_call_must_have_ended_by_then(made, watch):
    assert watch(RULE, made("ask", at=0, took=5), made("pay", at=5)).silent
    assert watch(RULE, made("ask", at=0, took=6), made("pay", at=5)).fails
    assert watch(RULE, made("ask", at=5, took=0), made("pay", at=5, took=0)).fails
    assert watch(RULE, made("ask", at=5, took=0), made("pay", at=5, took=1)).silent


def test_a_call_asked_for_only_excuses_nothing(made, watch):
    assert watch(RULE, made("ask", stage="requested"), made("pay")).fails


def test_a_call_does_not_excuse_itself(made, watch):
    rule = Forbid(tool="pay", unless={"before": "pay"})
    assert watch(rule, made("pay"), made("pay"), made("pay")).failing == ["c1"]
    assert watch(rule, made("pay", at=None, took=None)).failing == ["c4"]


def test_an_excuse_that_comes_late_takes_the_finding_back(made, watch):
    watched = watch(RULE, made("pay", at=50))
    assert watched.fails
    assert watched.put(made("ask", at=0)).silent


def test_an_excuse_that_goes_brings_the_finding_back(made, watch):
    watched = watch(RULE, made("ask"), made("pay"))
    assert watched.silent
    assert watched.drop("c1").failing == ["c2"]
    assert watched.drop("c2", "c1").silent


@pytest.mark.parametrize(
    ("ask", "pay"),
    [
        ({"took": None}, {"at": 50}),
        ({"at": None}, {"at": 50}),
        ({"at": 0}, {"at": None}),
        ({"at": 50, "took": 0}, {"at": 50, "took": None}),
    ],
)
def test_times_that_were_not_observed_leave_it_open(ask, pay, made, watch):
    watched = watch(RULE, made("ask", **ask), made("pay", **pay))
    assert {"times"} == watched.lacks
    assert not watched.fails


def test_times_that_were_not_observed_do_not_matter_where_it_is_too_late_anyway(made, watch):
    assert watch(RULE, made("ask", at=90, took=None), made("pay", at=50)).fails


def test_a_sure_excuse_goes_before_an_open_one(made, watch):
    calls = [made("ask", at=0, took=None), made("ask", at=1, took=1), made("pay", at=50)]
    assert watch(RULE, *calls).silent


def test_at_one_instant_a_later_excuse_may_say_more(made, watch):
    open_one = made("ask", at=50, took=0, start_ns=None)
    sure = made("ask", at=40, took=10)
    pay = made("pay", at=50, took=None)
    assert watch(RULE, open_one, pay).unsure
    assert watch(RULE, open_one, sure, pay).silent


def test_what_the_earlier_call_was_may_be_open(made, watch):
    rule = Forbid(tool="pay", unless={"before": {"tool": "ask", "args": {"ok": True}}})
    assert {"arguments"} == watch(rule, made("ask"), made("pay")).lacks
    assert {"arguments", "times"} == watch(rule, made("ask", at=None), made("pay")).lacks
    assert watch(rule, made("ask", {"ok": False}), made("pay")).fails


def test_an_excuse_on_the_call_itself_goes_with_one_before_it(made, watch):
    rule = Forbid(tool="pay", unless=[{"agent": "boss"}, {"before": "ask"}])
    assert watch(rule, made("pay", agent="boss")).silent
    assert watch(rule, made("ask"), made("pay")).silent
    assert watch(rule, made("pay", agent="clerk")).fails


def test_many_excuses_stand_for_each_other(made, watch):
    asks = [made("ask") for _ in range(5)]
    watched = watch(RULE, *asks, made("pay"))
    for number in range(1, 5):
        assert watched.drop(f"c{number}").silent, number
    assert watched.drop("c5").failing == ["c6"]


def test_a_late_agent_can_turn_an_excuse(made, watch):
    rule = Forbid(tool="pay", unless={"before": {"tool": "ask", "agent": "boss"}})
    ask, pay = made("ask"), made("pay", agent="clerk")
    assert rule.compile().uses_agent
    assert {"agent"} == watch(rule, ask, pay).lacks
    assert watch(rule, JudgedCall(ask, agents_named=True), pay).fails


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"before": "x", "tool": "y"}, ("unless",)),
        ({"before": {}}, ("unless", "before")),
        ({"before": {"tol": "y"}}, ("unless", "before", "tol")),
        ({}, ("unless",)),
        ([{"agent": 3}], ("unless", 0, "agent")),
        ([{"agent": "x"}, {"before": 3}], ("unless", 1, "before")),
        ([], ("unless",)),
    ],
)
def test_an_excuse_that_makes_no_sense_is_an_error_with_its_path(data, path):
    with pytest.raises(MatcherError) as caught:
        Excuses(data)
    assert path == caught.value.path
