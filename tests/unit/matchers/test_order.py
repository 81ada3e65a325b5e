from itertools import product

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


def _may_be(start: int | None, end: int | None) -> list[tuple[int, int]]:
    known = range(5)
    starts, ends = ([at] if at is not None else known for at in (start, end))
    return [(a, b) for a, b in product(starts, ends) if a <= b]


@pytest.mark.parametrize("times", [*product([None, 1, 2, 3], repeat=4)])
def test_a_time_that_was_not_observed_leaves_open_what_it_could_turn(times):
    one, other = times[:2], times[2:]
    if not _may_be(*one) or not _may_be(*other):
        return
    answers = {before(_call(*a), _call(*b)) for a in _may_be(*one) for b in _may_be(*other)}
    assert before(_call(*one), _call(*other)) is (answers.pop() if len(answers) == 1 else UNKNOWN)
