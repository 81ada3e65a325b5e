import pytest

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import Label, ToolCall
from toolscore_otel.rules.counting import Counted, may_pass, passed

YES, NO, UNSURE = Answer.YES, Answer.NO, Answer.UNKNOWN


def call(key, at=0):
    return JudgedCall(ToolCall(tool="t", key=key, start_ns=at))


@pytest.fixture
def counted():
    found = Counted()
    found.put(call("c", 30), YES)
    found.put(call("a", 10), YES)
    found.put(call("b", 20), UNSURE)
    return found


def test_calls_stand_in_order_of_start(counted):
    assert [counted.nth(n).call.key for n in (0, 1, -1)] == ["a", "c", "c"]
    assert (counted.sure, counted.maybe) == (2, 1)
    assert [each.call.key for each in counted.unsure()] == ["b"]


def test_a_call_that_is_put_again_counts_by_its_last_answer(counted):
    assert counted.put(call("a", 40), YES)
    assert counted.nth(-1).call.key == "a"
    assert counted.put(call("a", 40), NO)
    assert not counted.put(call("a", 40), NO)
    assert counted.put(call("b", 20), YES)
    assert (counted.sure, counted.maybe) == (2, 0)


def test_a_call_that_is_not_known_cannot_go(counted):
    assert counted.drop("a")
    assert not counted.drop("a")


@pytest.mark.parametrize("limit", [0, 1])
def test_more_than_may_count_are_a_finding_on_the_call_that_passed_the_limit(limit, counted):
    verdict = passed(counted, limit, "tool t", "why")
    assert verdict is not None
    text = f"2 calls of tool t, where at most {limit} may be made: why"
    assert (verdict.label, verdict.explanation) == (Label.FAIL, text)
    assert (verdict.call, verdict.count) == (counted.nth(limit).call, 2)
    assert passed(counted, 2, "tool t", None) is None


def test_what_might_be_too_many_cannot_be_checked(counted):
    verdict = may_pass(counted, 2, "tool t", lambda _: ("arguments",))
    assert verdict is not None
    text = "whether more than 2 calls of tool t happened"
    assert (verdict.label, verdict.explanation) == (Label.CANNOT_CHECK, text)
    assert (verdict.count, verdict.missing) == (1, ("arguments",))


def test_no_call_at_all_may_count(counted):
    counted.drop("a")
    counted.drop("c")
    verdict = may_pass(counted, 0, "tool t", lambda _: ("arguments",))
    assert verdict is not None
    assert verdict.explanation == "whether any call of tool t happened"
    assert may_pass(counted, 1, "tool t", lambda _: ()) is None


def test_the_outermost_calls_are_the_first_and_the_last_of_those_that_count_and_of_those_that_might(
    counted,
):
    found = [(c.call.key, is_first, counts) for c, is_first, counts in counted.outermost()]
    assert found == [("a", True, True), ("c", False, True), ("b", True, False)]
    assert list(Counted().outermost()) == []
