"""The most pairs of wishes and things."""

from __future__ import annotations

from hypothesis import given, strategies as st

from toolscore_otel.rules.pairing import most_pairs


def test_each_wish_takes_the_first_thing_that_is_free():
    assert most_pairs([[1, 0], [1, 2]]) == {0: 1, 1: 2}


def test_a_wish_lets_go_of_its_thing_where_another_would_do():
    assert most_pairs([[0, 1], [0]]) == {0: 1, 1: 0}


def test_what_nothing_would_do_for_is_left_out():
    assert most_pairs([[], [0], [0]]) == {1: 0}


def _most(wishes: list[list[int]], used: frozenset[int] = frozenset()) -> int:
    if not wishes:
        return 0
    first, *rest = wishes
    return max(_most(rest, used), *(1 + _most(rest, used | {t}) for t in first if t not in used), 0)


@given(st.lists(st.lists(st.integers(0, 4), unique=True), max_size=5))
def test_no_other_way_makes_more_pairs(wishes: list[list[int]]):
    pairs = most_pairs(wishes)
    assert len(set(pairs.values())) == len(pairs) == _most(wishes)
    assert all(thing in wishes[wish] for wish, thing in pairs.items())
