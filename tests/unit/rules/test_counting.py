import pytest

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import Label, ToolCall
from toolscore_otel.rules.counting import Counted, over

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


@pytest.mark.parametrize(
    ("limit", "label", "text"),
    [
        (1, Label.FAIL, "2 calls of tool t, where at most 1 may be made: why"),
        (0, Label.FAIL, "2 calls of tool t, where at most 0 may be made: why"),
        (2, Label.CANNOT_CHECK, "whether more than 2 calls of tool t happened"),
    ],
)
def test_what_stands_where_only_so_many_may_count(limit, label, text, counted):
    verdict = over(counted, limit, "tool t", "why", lambda _: ("arguments",))
    assert verdict is not None
    assert (verdict.label, verdict.explanation) == (label, text)


def test_no_call_at_all_may_count(counted):
    counted.drop("a")
    counted.drop("c")
    verdict = over(counted, 0, "tool t", None, lambda _: ("arguments",))
    assert verdict is not None
    assert verdict.explanation == "whether any call of tool t happened"
    assert over(counted, 1, "tool t", None, lambda _: ()) is None
