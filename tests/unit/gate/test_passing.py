"""How many runs let a score pass, and how often one passes that dropped."""

import math

import pytest

from toolscore_otel.gate import ERROR, drop_of, runs_to_pass, ties_to_pass

LEVEL = 1 - ERROR


def needed(*pairs, allowed=0.02):
    return runs_to_pass(pairs, allowed=allowed, level=LEVEL)


@pytest.mark.parametrize(("allowed", "runs"), [(0.01, 459), (0.02, 228), (0.05, 90), (0.1, 44), (1.0, 1)])  # fmt: skip
def test_runs_that_all_end_alike_pass_with_so_many(allowed, runs):
    assert ties_to_pass(allowed, LEVEL) == runs
    assert needed(([1.0] * 3, [1.0] * 3), allowed=allowed) == runs


def test_each_scenario_has_as_many_of_them():
    assert needed(*[([1.0] * 3, [1.0] * 3)] * 10) == 230


def test_where_no_drop_is_allowed_no_number_lets_it_pass():
    assert needed(([1.0], [1.0]), allowed=0.0) is None


def test_runs_that_differ_take_more_and_pass_with_what_was_said():
    pair = [1.0] * 9 + [0.0], [1.0] * 9 + [0.0]
    runs = needed(pair)
    assert runs is not None
    times = runs // 10

    assert runs > 228
    assert drop_of([pair], level=LEVEL, times=times).high <= 0.02 + 1e-9
    assert drop_of([pair], level=LEVEL, times=times - 1).high > 0.02


@pytest.mark.parametrize(
    "pair", [([1.0] * 4, [1.0, 1.0, 1.0, 0.0]), ([0.0], [1.0])], ids=["dropped", "too few"]
)
def test_no_number_is_said_where_none_helps_or_none_is_known(pair):
    assert needed(pair) is None


def chance(runs: int, wrong: int, share: float) -> float:
    if share in (0.0, 1.0):
        return float(wrong == (0 if share else runs))
    ways = math.lgamma(runs + 1) - math.lgamma(wrong + 1) - math.lgamma(runs - wrong + 1)
    return math.exp(ways + (runs - wrong) * math.log(share) + wrong * math.log(1 - share))


@pytest.mark.parametrize(
    ("old", "new", "share", "allowed", "at_least"),
    [
        (228, 228, 1.0, 0.02, 0.009),
        (400, 400, 0.95, 0.02, 0.005),
        (1000, 228, 1.0, 0.02, 0.009),
        (228, 1000, 0.99, 0.02, 0.01),
        (44, 44, 1.0, 0.1, 0.005),
    ],
)
def test_what_dropped_by_just_more_than_is_allowed_passes_in_less_than_2_gates_of_100(
    old, new, share, allowed, at_least
):
    """Exactly: over all counts of runs that may go wrong."""
    after = share - allowed - 1e-6

    def passes(before: int, now: int) -> bool:
        sides = [
            [1.0] * (runs - wrong) + [0.0] * wrong for runs, wrong in ((old, before), (new, now))
        ]
        return bool(drop_of([(sides[0], sides[1])], level=LEVEL).high <= allowed + 1e-9)

    likely = [
        [wrong for wrong in range(runs + 1) if chance(runs, wrong, truth) > 1e-6]
        for runs, truth in ((old, share), (new, after))
    ]
    false = sum(
        chance(old, a, share) * chance(new, b, after)
        for a in likely[0]
        for b in likely[1]
        if passes(a, b)
    )
    assert at_least < false < 2 * ERROR
