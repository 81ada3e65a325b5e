"""The best pairs, by our own solver and by the library's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from toolscore_otel.metrics import assignment
from toolscore_otel.metrics.assignment import Part, best_pairs

WEIGHTS = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(-3, 9), min_size=columns, max_size=columns), min_size=1, max_size=5
    )
)


def _part(weights: Sequence[Sequence[float]]) -> Part:
    table = {
        (row, column): weight
        for row, each in enumerate(weights)
        for column, weight in enumerate(each)
    }
    return Part(range(len(weights)), range(len(weights[0])), table)


def _total(weights, pairs):
    return sum(weights[row][column] for row, column in pairs)


def _best(weights):
    rows, columns = len(weights), len(weights[0])
    if rows > columns:
        return _best([list(one) for one in zip(*weights, strict=True)])
    return max(_total(weights, enumerate(chosen)) for chosen in permutations(range(columns), rows))


@settings(max_examples=100)
@given(WEIGHTS)
def test_our_own_solver_finds_the_greatest_sum(weights):
    pairs = best_pairs(len(weights), len(weights[0]), [_part(weights)])
    assert len(pairs) == min(len(weights), len(weights[0]))
    assert _total(weights, pairs) == _best(weights)


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(assignment, "OWN_STEPS", 0)


def test_the_library_finds_the_same(small_is_large):
    weights = [[(7 * row + 5 * column) % 11 for column in range(9)] for row in range(6)]
    pairs = best_pairs(6, 9, [_part(weights), Part([0] * 6, [0] * 9, {(0, 0): 1})])
    assert _total(weights, pairs) == 60
    assert sorted(pairs) == pairs


def test_both_find_the_same_of_many(monkeypatch):
    weights = [[(row * column) % 97 / 7 for column in range(90)] for row in range(70)]
    ours = best_pairs(70, 90, [_part(weights)])
    monkeypatch.setattr(assignment, "OWN_STEPS", 0)
    theirs = best_pairs(70, 90, [_part(weights)])
    assert _total(weights, ours) == pytest.approx(_total(weights, theirs))
    turned = [list(column) for column in zip(*weights, strict=True)]
    assert len({row for row, _ in best_pairs(90, 70, [_part(turned)])}) == 70


def test_without_the_library_our_own_goes_on(small_is_large, monkeypatch):
    def gone(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(assignment, "import_module", gone)
    assert best_pairs(2, 3, [_part([[1, 2, 3], [1, 2, 5]])]) == [(0, 1), (1, 2)]


def test_parts_are_added_by_their_sorts():
    parts = [Part([0, 1], [0, 0], {(0, 0): 1, (1, 0): 2}), Part([0, 0], [0, 1], {(0, 1): 5})]
    assert parts[0].at(1, 1) + parts[1].at(1, 1) == 7
    assert len(best_pairs(2, 2, parts)) == 2
