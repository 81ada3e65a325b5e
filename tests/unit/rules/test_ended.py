"""How many calls are before another one; each by itself, `before` of the matchers says the same."""

from itertools import product

import pytest

from toolscore_otel.matchers import Answer, before
from toolscore_otel.model import ToolCall
from toolscore_otel.rules.ended import Ended, Span

YES, UNSURE = Answer.YES, Answer.UNKNOWN


def ended(*spans, answer=YES):
    found = Ended()
    for number, (start, end) in enumerate(spans):
        found.put(f"c{number}", Span(start, end), answer)
    return found


@pytest.mark.parametrize(
    ("earlier", "later", "sure", "maybe"),
    [
        ((1, 4), (5, 6), 1, 0),
        ((1, 6), (5, 6), 0, 0),
        ((1, 5), (5, 6), 1, 0),
        ((5, 5), (5, 6), 1, 0),
        ((1, 5), (5, 5), 1, 0),
        ((5, 5), (5, 5), 0, 0),
        ((5, 5), (5, None), 0, 1),
        ((None, 5), (5, 5), 0, 1),
        ((None, 4), (5, 5), 1, 0),
        ((1, None), (5, 6), 0, 1),
        ((6, None), (5, 6), 0, 0),
        ((None, None), (5, 6), 0, 1),
        ((1, 4), (None, 6), 0, 1),
        ((1, 7), (None, 6), 0, 0),
        ((5, None), (5, 5), 0, 0),
        ((5, None), (5, 6), 0, 1),
        ((5, None), (None, 5), 0, 0),
        ((5, 5), (None, 5), 0, 0),
        ((4, 5), (None, 5), 0, 1),
        ((None, 5), (None, 5), 0, 1),
        ((1, 7), (None, None), 0, 1),
    ],
)
def test_times_tell_whether_a_call_is_before(earlier, later, sure, maybe):
    assert (sure, maybe, maybe) == ended(earlier).before_span(Span(*later))


def test_calls_that_may_be_none_of_them_may_be_before():
    found = ended((1, 2), (1, 2), (1, None), answer=UNSURE)
    assert found.before_span(Span(5, 6)) == (0, 3, 1)
    assert len(found) == 3


def test_a_call_is_not_before_itself():
    found = ended((1, 4), (5, None))
    assert found.before(ToolCall(tool="t", key="c1", start_ns=5)) == (1, 0, 0)
    assert found.before(ToolCall(tool="t", key="x", start_ns=5)) == (1, 1, 1)


def test_what_is_gone_is_not_before():
    found = ended((1, 4), (2, 4))
    found.drop("c0")
    found.drop("c0")
    assert found.before_span(Span(5, 6)) == (1, 0, 0)
    assert Ended().before_span(Span(5, 6)) == (0, 0, 0)


MOMENTS = (None, 0, 1, 2)
TIMES = [(a, b) for a, b in product(MOMENTS, MOMENTS) if a is None or b is None or a <= b]


@pytest.mark.parametrize("earlier", TIMES)
@pytest.mark.parametrize("later", TIMES)
def test_whatever_was_observed_of_two_calls_it_says_what_matchers_say(earlier, later):
    one, other = (ToolCall(tool="t", start_ns=s, end_ns=e) for s, e in (earlier, later))
    sure, maybe, _ = ended(earlier).before_span(Span(*later))
    assert (YES if sure else UNSURE if maybe else Answer.NO) is before(one, other)
