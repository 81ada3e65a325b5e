from itertools import product

import pytest

from toolscore_otel.matchers import Answer, all_of, any_of, negate

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


@pytest.mark.parametrize(
    ("one", "other", "both", "either"),
    [
        (YES, YES, YES, YES),
        (YES, NO, NO, YES),
        (YES, UNKNOWN, UNKNOWN, YES),
        (NO, NO, NO, NO),
        (NO, UNKNOWN, NO, UNKNOWN),
        (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    ],
)
def test_answers_join_after_kleene_in_either_order(one, other, both, either):
    assert (both, both) == (all_of([one, other]), all_of([other, one]))
    assert (either, either) == (any_of([one, other]), any_of([other, one]))


def test_nothing_to_join_is_yes_for_all_and_no_for_any():
    assert (all_of([]), any_of([])) == (YES, NO)


def test_not_turns_what_is_known_and_keeps_unknown():
    assert [negate(answer) for answer in (YES, NO, UNKNOWN)] == [NO, YES, UNKNOWN]


def test_joining_stops_at_what_decides():
    def answers(*known: Answer):
        yield from known
        pytest.fail("read past what decides")

    assert all_of(answers(UNKNOWN, NO)) is NO
    assert any_of(answers(UNKNOWN, YES)) is YES


def test_de_morgan_holds_for_all_pairs():
    for one, other in product(Answer, Answer):
        assert negate(all_of([one, other])) is any_of([negate(one), negate(other)])
