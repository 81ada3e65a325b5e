import pytest

from toolscore_otel.matchers import Answer, before
from toolscore_otel.model import ToolCall

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


def _call(start: int | None, end: int | None) -> ToolCall:
    return ToolCall(tool="t", start_ns=start, end_ns=end)


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ((0, 5), (6, 9), YES),
        ((0, 5), (5, 9), YES),
        ((0, 6), (5, 9), NO),
        ((5, 9), (0, 5), NO),
        ((0, 9), (3, 4), NO),
        ((5, 5), (5, 5), NO),
        ((5, 5), (5, 9), YES),
        ((0, 5), (5, 5), YES),
        ((5, 9), (5, 5), NO),
        ((None, 5), (6, None), YES),
        ((None, 5), (5, None), UNKNOWN),
        ((None, 5), (5, 5), UNKNOWN),
        ((5, 5), (5, None), UNKNOWN),
        ((None, 5), (5, 6), YES),
        ((None, None), (5, 9), UNKNOWN),
        ((0, None), (5, 9), UNKNOWN),
        ((6, None), (5, 9), NO),
        ((0, 5), (None, None), UNKNOWN),
        ((0, 5), (None, 4), NO),
        ((0, 5), (None, 9), UNKNOWN),
        ((6, None), (None, 5), NO),
    ],
)
def test_a_call_is_before_another_when_it_ended_no_later_than_that_began(one, other, answer):
    assert answer is before(_call(*one), _call(*other))


def test_two_calls_are_never_before_each_other():
    for end in (4, 5, 6):
        one, other = _call(4, end), _call(5, 5)
        assert (before(one, other), before(other, one)) != (YES, YES)
