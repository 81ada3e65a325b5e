from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded

import pytest

from toolscore_otel.diffing import State
from toolscore_otel.diffing.noise import Has, of_counts, of_measures, of_shares

NONE, SOME, ALL = Has


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ([ALL], [ALL, ALL], None),
        ([ALL, NONE], [NONE, ALL, ALL, NONE], None),
        ([ALL], [NONE], State.CHANGED),
        ([NONE, NONE], [SOME, NONE], State.CHANGED),
        ([ALL, ALL], [ALL, SOME], State.CHANGED),
        ([SOME], [NONE], State.FLAPS),
        ([SOME] * 5, [NONE] * 5, State.CHANGED),
        ([SOME] * 5, [ALL] * 5, State.CHANGED),
        ([ALL] * 4 + [NONE], [NONE] * 5, State.FLAPS),
        ([ALL] * 9 + [NONE], [NONE] * 10, State.CHANGED),
    ],
)
def test_where_runs_agree_all_else_is_a_change_and_where_not_what_chance_hardly_does(
    old, new, state
):
    assert of_shares(old, new) is state


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ([2, 3], [3, 2], None),
        ([2], [2, 3], State.CHANGED),
        ([1, 3], [2], State.FLAPS),
        ([1, 3], [3], State.FLAPS),
        ([1, 3], [4], State.CHANGED),
        ([1, 3], [0, 4], State.FLAPS),
        ([1] * 9 + [3], [3] * 10, State.CHANGED),
    ],
)
def test_whole_numbers_are_held_against_the_range_and_the_ranks_of_old_runs(old, new, state):
    assert of_counts(old, new) is state


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ([1.0], [1.1], None),
        ([1.0], [1.2], State.NOT_OBSERVED),
        ([1.0], [2.1], State.CHANGED),
        ([0.0], [0.1], State.CHANGED),
        ([0.0, 0.0], [0.0], None),
        ([1.0, 1.0], [1.2], State.CHANGED),
        ([1.0, 2.0], [2.9], State.FLAPS),
        ([1.0, 2.0], [3.1], State.CHANGED),
        ([1.0] * 9 + [60.0], [2.0] * 10, State.CHANGED),
    ],
)
def test_amounts_are_held_against_how_the_old_runs_differ(old, new, state):
    assert of_measures(old, new) is state


def changes(told: Callable[..., State | None], draw: Callable[[Random, float], float], runs: tuple[int, int], by: float = 1.0) -> float:  # fmt: skip
    """The share of comparisons of one agent that tell a change; by how much the new runs are multiplied."""
    source = Random(7)  # noqa: S311 - no secret
    found = [
        told([draw(source, 1.0) for _ in range(runs[0])], [draw(source, by) for _ in range(runs[1])])
        for _ in range(500)
    ]  # fmt: skip
    return found.count(State.CHANGED) / len(found)


def taken(source: Random, times: float) -> float:
    """Seconds of a run: as likely a fifth more as a fifth less."""
    return times * source.lognormvariate(0, 0.2)


def test_an_agent_that_stays_the_same_is_seldom_told_to_have_changed_and_one_twice_as_slow_mostly():
    assert changes(of_measures, taken, (1, 1)) < 0.03
    assert changes(of_measures, taken, (3, 3)) < 0.10
    assert changes(of_measures, taken, (10, 10)) < 0.02
    assert changes(of_measures, taken, (3, 3), by=2) > 0.75
    assert changes(of_measures, taken, (10, 10), by=2) > 0.99
