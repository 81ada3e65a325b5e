"""`limit` by windows, by sums and by different values."""

from fractions import Fraction

import pytest

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import ContentState, FindingKind
from toolscore_otel.rules.amount import Distinct, Sum, exact
from toolscore_otel.rules.limit import Limit

TWO = Limit(tool="*", max=2, per="100ms")
SUM = Limit(tool="*", sum="amount", max=10)
VALUES = Limit(tool="*", distinct="url", max=2)


@pytest.fixture
def at(made):
    """Calls that begin at these ms."""
    return lambda *times, **fields: [made(at=time, **fields) for time in times]


@pytest.fixture
def paid(made):
    """Calls with these amounts; `...`: no arguments were observed, `None`: there is none."""

    def make(*amounts, **fields):
        args = [None if a is ... else {} if a is None else {"amount": a} for a in amounts]
        return [made(args=each, **fields) for each in args]

    return make


@pytest.fixture
def fetched(made):
    return lambda *urls: [made(args=None if url is ... else {"url": url}) for url in urls]


def test_a_window_holds_what_began_within_it_both_ends_included(at, watch):
    (verdict,) = watch(TWO, *at(0, 50, 100)).fails
    assert FindingKind.LIMIT_EXCEEDED is verdict.kind
    assert verdict.explanation == "3 calls of tool * come to more than 2 within 100 ms"
    assert (verdict.call.key, verdict.count) == ("c3", 3)
    assert (verdict.first.key, verdict.last.key) == ("c1", "c3")
    assert watch(TWO, *at(0, 50, 100.001)).close().silent


def test_as_long_as_each_look_passes_the_limit_it_is_one_finding(at, watch):
    watched = watch(TWO, *at(0, 40, 80, 120, 160))
    assert [(v.call.key, v.count, v.last.key) for v in watched.fails] == [("c3", 5, "c5")]
    assert list(watched.stands) == ["c1"]


def test_a_look_that_does_not_pass_ends_it_and_the_next_starts_a_new_one(at, watch):
    watched = watch(TWO, *at(0, 10, 20, 500, 510, 520, 530))
    found = sorted((s, v.call.key, v.first.key, v.count) for s, v in watched.stands.items())
    assert found == [("c1", "c3", "c1", 3), ("c4", "c6", "c4", 4)]


def test_with_none_allowed_each_call_passes(at, watch):
    rule = Limit(tool="*", max=0, per="10ms")
    watched = watch(rule, *at(0, 50))
    assert [(v.call.key, v.count) for v in watched.fails] == [("c1", 2)]
    assert watched.drop("c1").failing == ["c2"]
    assert watched.drop("c2").silent


def test_a_call_that_comes_late_may_join_two_windows(at, watch):
    watched = watch(TWO, *at(0, 10, 20, 125, 135))
    assert [v.count for v in watched.fails] == [3]
    assert watched.put(*at(100, 110)).failing == ["c3"]
    assert [v.count for v in watched.fails] == [7]
    assert watched.drop("c2").failing == ["c6"]


def test_calls_that_begin_together_are_looked_at_one_by_one(at, watch):
    assert watch(TWO, *at(5, 5, 5)).failing == ["c3"]


@pytest.mark.parametrize(
    ("per", "fits"), [("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("1h", 3_600_000)]
)
def test_durations_are_in_these_units(per, fits, at, watch):
    rule = Limit(tool="*", max=1, per=per)
    assert watch(rule, *at(0, fits)).fails
    assert watch(rule, *at(0, fits + 1)).close().silent


def test_a_call_without_a_start_may_stand_in_any_window(at, made, watch):
    calls = [*at(0, 10), made(at=None)]
    watched = watch(TWO, *calls).close()
    assert {"times"} == watched.lacks
    assert [(v.count, v.call.key) for v in watched.unsure] == [(1, "c3")]
    text = "whether calls of tool * come to more than 2 within 100 ms"
    assert [v.explanation for v in watched.unsure] == [text]
    assert watch(TWO, *at(0), made(at=None)).close().silent
    assert watch(TWO, *at(None, None, None)).close().unsure


def test_a_call_that_might_count_hides_only_what_is_not_known_already(made, watch):
    rule = Limit(tool="*", args={"q": 1}, max=1, per="100ms")
    known = [made(args={"q": 1}, at=0), made(args={"q": 1}, at=10)]
    near, far = made(at=20), made(at=500)
    assert not watch(rule, *known, near).close().unsure
    assert not watch(rule, *known, far).close().unsure
    watched = watch(rule, *known, far, made(args={"q": 1}, at=510)).close()
    assert watched.failing == ["c2"]
    assert {"arguments"} == watched.lacks


def test_a_sum_adds_numbers_of_the_arguments(paid, watch):
    (verdict,) = watch(SUM, *paid(4, 6, 0.5, 1)).fails
    text = "`amount` of 4 calls of tool * adds up to more than 10"
    assert (verdict.explanation, verdict.path) == (text, "args.amount")
    assert (verdict.call.key, verdict.count) == ("c3", 4)
    assert (verdict.first.key, verdict.last.key) == ("c1", "c4")
    assert watch(SUM, *paid(4, 6)).close().silent


def test_numbers_are_added_as_they_were_written(paid, watch):
    rule = Limit(tool="*", sum="amount", max=0.3)
    assert watch(rule, *paid(0.1, 0.2)).close().silent
    assert watch(rule, *paid(0.1, 0.2, 1e-9)).fails


@pytest.mark.parametrize("path", ["order.amount", "args.order.amount"])
def test_the_arguments_need_not_be_named_before_the_path(path, made, watch):
    calls = [made(args={"order": {"amount": 6}}), made(args={"order": {"amount": 6}})]
    (verdict,) = watch(Limit(tool="*", sum=path, max=10), *calls).fails
    assert verdict.path == "args.order.amount"


def test_a_path_that_is_known_to_be_absent_adds_nothing(paid, watch):
    watched = watch(SUM, *paid(6, None, 6)).close()
    assert [(v.count, v.last.key) for v in watched.fails] == [(2, "c3")]
    assert watch(SUM, *paid(6, None, None)).close().silent


@pytest.mark.parametrize("amount", [..., "6", True, [6], float("nan"), float("inf"), "[REDACTED]"])
def test_what_is_no_number_is_unknown_and_not_negative(amount, paid, watch):
    watched = watch(SUM, *paid(4, amount)).close()
    assert {"arguments"} == watched.lacks
    assert [(v.count, v.path) for v in watched.unsure] == [(1, "args.amount")]
    watched = watch(SUM, *paid(4, amount, 8)).close()
    assert watched.failing == ["c5"]
    assert not watched.unsure


def test_a_limit_that_was_passed_once_is_passed_for_good(paid, watch):
    watched = watch(SUM, *paid(8, 8, -10, 1))
    assert [(v.call.key, v.count) for v in watched.fails] == [("c2", 4)]
    assert watch(SUM, *paid(8, -10, 8)).close().silent


def test_within_a_window_less_ends_it(paid, watch):
    rule = Limit(tool="*", sum="amount", max=10, per="1h")
    watched = watch(rule, *paid(8, 8, -10, 1))
    assert [(v.call.key, v.count) for v in watched.fails] == [("c2", 2)]


def test_what_might_lessen_the_sum_leaves_it_open(paid, made, watch):
    rule = Limit(tool="*", status="ok", sum="amount", max=10)
    (lessening,) = paid(-5, status="unknown")
    watched = watch(rule, *paid(8, at=0), lessening, *paid(6, at=90)).close()
    assert not watched.fails
    assert {"status"} == watched.lacks
    assert watch(rule, *paid(8, at=0), lessening).close().silent
    assert watch(rule, lessening, *paid(20, at=90)).failing == ["c5"]


def test_what_might_count_adds_to_what_may_be(paid, watch):
    rule = Limit(tool="*", status="ok", sum="amount", max=10)
    assert watch(rule, *paid(8), *paid(3, status="unknown")).close().unsure
    assert watch(rule, *paid(8), *paid(2, status="unknown")).close().silent


def test_different_values_are_counted(fetched, watch):
    (verdict,) = watch(VALUES, *fetched("a", "b", "a", {"x": 1}, {"x": 1.0})).fails
    text = "`url` of 5 calls of tool * has more than 2 different values"
    assert (verdict.explanation, verdict.path) == (text, "args.url")
    assert (verdict.call.key, verdict.count) == ("c4", 5)
    assert watch(VALUES, *fetched("a", "b", "a", "b")).close().silent
    assert watch(Limit(tool="*", distinct="no", max=0), *fetched("a")).close().silent


def test_values_leave_a_window(fetched, watch):
    rule = Limit(tool="*", distinct="url", max=1, per="15ms")
    watched = watch(rule, *fetched("a", "a", "b", "b", "b", "a"))
    assert sorted((s, v.call.key, v.count) for s, v in watched.stands.items()) == [
        ("c2", "c3", 2),
        ("c5", "c6", 2),
    ]
    assert watched.drop("c6").failing == ["c3"]


@pytest.mark.parametrize("url", [..., "[REDACTED]", ["***"]])
def test_a_value_that_was_not_observed_may_be_another_one(url, fetched, watch):
    assert {"arguments"} == watch(VALUES, *fetched("a", "b", url)).close().lacks
    assert watch(VALUES, *fetched("a", url)).close().silent


@pytest.mark.parametrize(
    ("text", "stands"), [('{"url": "c", "x": "', "fails"), ('{"url": "c', "unsure")]
)
def test_a_value_that_a_cut_text_shows_whole_was_observed(text, stands, fetched, made, watch):
    cut = made(args_text=text, args_state=ContentState.TRUNCATED)
    assert getattr(watch(VALUES, *fetched("a", "b"), cut).close(), stands)


def test_calls_that_change_take_their_amounts_along(paid, watch):
    calls = paid(6, 6, 6)
    watched = watch(SUM, *calls)
    assert watched.replace(calls[1], args={"amount": 1}).failing == ["c3"]
    assert watched.drop("c1", "unknown").silent
    assert watched.replace(calls[2], args=None, args_state=ContentState.NOT_OBSERVED).close().unsure


def test_excused_calls_add_nothing(paid, made, watch):
    rule = Limit(tool="search", sum="amount", max=10, unless={"before": "ask"})
    watched = watch(rule, *paid(6, 6))
    assert watched.failing == ["c2"]
    assert watched.put(made("ask", at=0, took=1)).silent
    assert watched.drop("c3").failing == ["c2"]


def test_what_stands_is_said_again_when_it_is_known_who_called(paid, watch):
    calls = [JudgedCall(call) for call in paid(6, 6)]
    watched = watch(SUM, *calls)
    watched.state.renew(calls[1])
    assert [v.count for v in watched.state.changes().values()] == [2]
    assert watched.state.changes() == {}


def test_numbers_are_exact():
    assert [exact(3), exact(3.0), exact(0.1)] == [3, 3, Fraction(1, 10)]


@pytest.mark.parametrize("measure", [Sum(), Distinct()])
def test_what_was_added_can_be_taken_again(measure):
    for amount in (1, 1, None):
        measure.add(amount)
    for amount in (1, None, 1):
        measure.take(amount)
    assert measure.total == 0
