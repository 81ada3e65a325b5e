import pytest

from toolscore_otel.model import FindingKind, Gap
from toolscore_otel.rules import sequence_ways
from toolscore_otel.rules.order import Order
from toolscore_otel.rules.sequence import Mode

AB = ["a", "b"]


@pytest.mark.parametrize(
    ("mode", "calls", "text"),
    [
        ("in_order", "ba", "no such calls stand in this order: tool a; tool b"),
        ("in_order", "aa", "no such calls stand in this order: tool a; tool b; there is no tool b"),
        (
            "strict",
            "abc",
            "the calls are not exactly these, in this order: tool a; tool b; `c` was called",
        ),
        ("strict", "ba", "the calls are not exactly these, in this order: tool a; tool b"),
        (
            "any_order",
            "bb",
            "the calls are not exactly these, in whatever order: tool a; tool b; there is no tool a",
        ),
        ("superset", "b", "not all of these calls were made: tool a; tool b; there is no tool a"),
        (
            "subset",
            "ac",
            "other calls were made than these, or more of them: tool a; tool b; `c` was called",
        ),
        ("subset", "aa", "other calls were made than these, or more of them: tool a; tool b"),
    ],
)
def test_calls_that_do_not_stand_as_they_should_are_one_finding(mode, calls, text, made, watch):
    rule = Order(sequence=AB, mode=Mode(mode), reason="why")
    watched = watch(rule, *map(made, calls))
    assert watched.silent
    (verdict,) = watched.close().fails
    assert FindingKind.ORDER_VIOLATED is verdict.kind
    assert verdict.call is None
    assert f"{text}: why" == verdict.explanation


def test_calls_that_stand_as_they_should_are_nothing_to_say(made, watch):
    assert watch(Order(sequence=AB), *map(made, "cacbc")).close().silent
    assert watch(Order(sequence=AB, mode=Mode.SUBSET)).close().silent


def test_what_is_said_follows_what_is_known(made, watch):
    watched = watch(Order(sequence=AB), made("b")).close()
    assert watched.fails
    assert watched.put(made("a", at=0)).close().silent
    assert watched.drop("c2", "never seen").close().fails
    watched.state.renew(None)
    assert watched.note(watched.state.close(None)).silent


def test_among_chooses_the_calls_that_are_looked_at(made, watch):
    rule = Order(sequence=AB, mode=Mode.STRICT, among={"label": "x"})
    assert watch(rule, made("a"), made("b")).close().fails
    rule = Order(sequence=AB, mode=Mode.STRICT, among={"tool": AB, "args": {"n": 1}})
    assert watch(rule, made("a", {"n": 1}), made("a", {"n": 2}), made("b", {"n": 1})).close().silent
    assert {"arguments"} == watch(rule, made("a"), made("b", {"n": 1})).close().lacks


def test_a_call_that_is_looked_at_fits_what_is_asked_in_the_same_words(made, watch):
    narrow = {"tool": "a", "args": {"n": 1}}
    rule = Order(sequence=[narrow], mode=Mode.SUBSET, among=narrow)
    assert watch(rule, made("a"), made("a", {"n": 2})).close().silent
    assert watch(rule, made("a"), made("a")).close().unsure


def test_what_was_not_observed_makes_it_uncertain(made, watch):
    rule = Order(sequence=[{"tool": "a", "args": {"n": 1}}, "b"])
    (verdict,) = watch(rule, made("a"), made("a"), made("b")).close().unsure
    assert verdict.explanation == "whether the calls stand as they should"
    assert (verdict.missing, verdict.count) == (("arguments",), 2)
    assert {"times"} == watch(Order(sequence=AB), made("a", at=None), made("b")).close().lacks
    whatever = Order(sequence=AB, mode=Mode.SUPERSET)
    assert watch(whatever, made("a", at=None), made("b")).close().silent


@pytest.mark.parametrize(
    ("mode", "calls", "stands"),
    [
        ("in_order", ["a", ("b", "requested")], "unsure"),
        ("in_order", [("a", "requested"), "b"], "unsure"),
        ("in_order", ["b", ("a", "requested")], "fails"),
        ("in_order", ["a", ("c", "requested")], "fails"),
        ("in_order", ["c", ("b", "requested")], "fails"),
        ("superset", ["b", ("a", "requested")], "unsure"),
        ("strict", ["a", ("b", "requested")], "unsure"),
        ("strict", ["a", "b", ("c", "requested")], "silent"),
        ("strict", ["a", "c", ("b", "requested")], "fails"),
        ("any_order", ["b", ("a", "requested")], "unsure"),
        ("any_order", ["b", "b", ("a", "requested")], "fails"),
        ("subset", ["a", "c", ("b", "requested")], "fails"),
    ],
)
def test_a_call_that_was_asked_for_may_have_run_unseen(mode, calls, stands, made, watch):
    put = [
        made(call) if isinstance(call, str) else made(call[0], stage=call[1], took=0)
        for call in calls
    ]
    watched = watch(Order(sequence=AB, mode=Mode(mode)), *put).close()
    assert getattr(watched, stands)
    assert watched.lacks == ({"spans"} if stands == "unsure" else set())


def test_a_request_that_counts_by_itself_has_not_run_unseen(made, watch):
    rule = Order(sequence=[{"tool": "a", "stage": "any"}, "b"], among={"tool": "*", "stage": "any"})
    asked = made("a", stage="requested", took=0)
    assert watch(rule, asked, made("b")).close().silent
    assert watch(rule, asked).close().fails
    watched = watch(rule, asked, made("b", stage="requested", took=0)).close()
    assert {"spans"} == watched.lacks


@pytest.mark.parametrize("gap", [Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING])
def test_what_is_lacking_may_be_hidden_and_what_was_seen_still_fails(gap, made, watch):
    for mode in (Mode.IN_ORDER, Mode.SUPERSET, Mode.STRICT, Mode.ANY_ORDER):
        watched = watch(Order(sequence=AB, mode=mode), made("a")).close([gap])
        assert {"spans"} == watched.lacks
        assert not watched.fails
    assert watch(Order(sequence=AB, mode=Mode.STRICT), *map(made, "ba")).close([gap]).fails
    assert watch(Order(sequence=AB, mode=Mode.ANY_ORDER), *map(made, "bc")).close([gap]).fails
    assert watch(Order(sequence=AB, mode=Mode.SUBSET), *map(made, "bc")).close([gap]).fails
    assert watch(Order(sequence=AB), *map(made, "ab")).close([gap]).silent


def test_too_many_ways_to_stand_are_said_to_be_so(made, watch, monkeypatch):
    monkeypatch.setattr(sequence_ways, "MOST_STEPS", -2)
    assert {"order"} == watch(Order(sequence=AB), *map(made, "ab")).close().lacks
