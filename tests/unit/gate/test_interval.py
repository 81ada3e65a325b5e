from itertools import product
from random import Random  # noqa: TID251 - seeded

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.gate.interval import Drop, drop_from, drop_of

LEVEL = 0.99
shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=4)
scenarios = st.lists(st.tuples(shares, shares), min_size=1, max_size=5)


def test_twenty_runs_that_all_went_well_on_both_sides_prove_no_share_of_1():
    drop = drop_of([([1.0] * 20, [1.0] * 20)], level=LEVEL)
    exact = 1 - 0.01 ** (1 / 20)  # a share with which 20 of 20 are seen once in a hundred times

    assert (drop.size, drop.old, drop.new) == (0.0, 1.0, 1.0)
    assert drop.high == pytest.approx(exact, abs=1e-9)
    assert drop.low == pytest.approx(-exact, abs=1e-9)


def test_a_textbook_difference_of_two_shares():
    # Newcombe 1998, table II (a): 56 of 70 and 48 of 80, 95 %: 0.0524 to 0.3339; Student's t and the estimated
    # variance make ours a little wider
    pairs = [([1.0] * 56 + [0.0] * 14, [1.0] * 48 + [0.0] * 32)]
    drop = drop_of(pairs, level=0.975)

    assert drop.size == pytest.approx(0.2)
    assert drop.low == pytest.approx(0.0524, abs=0.02)
    assert drop.high == pytest.approx(0.3339, abs=0.02)
    assert drop.low < 0.0524
    assert drop.high > 0.3339


def test_eight_scenarios_that_all_broke_have_dropped_for_certain():
    drop = drop_of([([1.0], [0.0])] * 8, level=0.995)
    assert drop.low > 0.2


def test_one_run_on_each_side_tells_nothing():
    assert drop_of([([1.0], [0.0])], level=LEVEL) == Drop(1.0, 0.0, -1.0, 1.0)


def test_scenarios_that_always_end_the_same_way_are_no_noise():
    """Two of twenty scenarios broke; how different scenarios are does not hide it where each was run often."""
    broken, fine, hard = (
        ([1.0] * 20, [0.0] * 20),
        ([1.0] * 20, [1.0] * 20),
        ([0.0] * 20, [0.0] * 20),
    )
    drop = drop_of([broken] * 2 + [fine] * 12 + [hard] * 6, level=LEVEL)

    assert drop.size == pytest.approx(0.1)
    assert drop.low > 0.05


def test_where_scenarios_were_run_once_they_are_noise_to_each_other():
    once = drop_of([([1.0], [0.0])] * 2 + [([1.0], [1.0])] * 18, level=LEVEL)
    often = drop_of([([1.0] * 5, [0.0] * 5)] * 2 + [([1.0] * 5, [1.0] * 5)] * 18, level=LEVEL)

    assert once.size == pytest.approx(often.size)
    assert once.low < 0 < often.low


def test_a_scenario_counts_the_same_however_often_it_was_run():
    drop = drop_of([([1.0] * 30, [0.0] * 30), ([1.0] * 2, [1.0] * 2)], level=LEVEL)
    assert drop.size == pytest.approx(0.5)


def test_the_drop_of_counts_is_that_of_runs():
    made = drop_of([([1.0] * 45 + [0.0] * 5, [1.0] * 40 + [0.0] * 10)], level=LEVEL)
    told = drop_from(0.9, 0.8, runs=50, level=LEVEL)

    assert (told.low, told.high) == pytest.approx((made.low, made.high), abs=1e-9)


@given(scenarios)
def test_the_observed_drop_lies_in_its_interval(pairs):
    drop = drop_of(pairs, level=LEVEL)
    assert -1 <= drop.low <= drop.size + 1e-9
    assert drop.size - 1e-9 <= drop.high <= 1


@given(scenarios)
def test_the_order_of_runs_and_scenarios_does_not_matter(pairs):
    other = [(list(reversed(old)), list(reversed(new))) for old, new in reversed(pairs)]
    one, two = drop_of(pairs, level=LEVEL), drop_of(other, level=LEVEL)
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-9)


@given(scenarios)
def test_turning_both_sides_round_turns_the_interval_round(pairs):
    drop = drop_of(pairs, level=LEVEL)
    turned = drop_of([(new, old) for old, new in pairs], level=LEVEL)
    assert (turned.low, turned.high) == pytest.approx((-drop.high, -drop.low), abs=1e-9)


@given(scenarios)
def test_to_be_surer_takes_a_wider_interval(pairs):
    narrow, wide = drop_of(pairs, level=0.95), drop_of(pairs, level=0.999)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@pytest.mark.parametrize(
    ("shape", "share"), list(product([(1, 10, 10), (1, 60, 20), (5, 3, 3), (20, 1, 1)], [0.5, 0.9]))
)
def test_the_truth_is_in_the_interval_as_often_as_it_promises(shape, share):
    """Each bound misses an unchanged agent in 1 of 100 by its level; 2 of 100 are what 500 tries can tell from it."""
    count, old, new = shape
    source = Random(20)  # noqa: S311 - no secret

    def drawn(runs: int) -> list[float]:
        return [float(source.random() < share) for _ in range(runs)]

    tries = [
        drop_of([(drawn(old), drawn(new)) for _ in range(count)], level=LEVEL) for _ in range(500)
    ]
    assert sum(drop.low > 0 for drop in tries) <= 10
    assert sum(drop.high < 0 for drop in tries) <= 10


def test_that_holds_where_the_score_did_drop():
    source = Random(21)  # noqa: S311 - no secret

    def drawn(share: float) -> list[float]:
        return [float(source.random() < share) for _ in range(20)]

    tries = [drop_of([(drawn(0.9), drawn(0.8)) for _ in range(5)], level=LEVEL) for _ in range(500)]
    assert sum(drop.low > 0.1 for drop in tries) <= 10
    assert sum(drop.high < 0.1 for drop in tries) <= 10


@pytest.mark.parametrize("constant", [0.0, 0.3, 1.0])
def test_scenarios_in_which_all_runs_end_alike_leave_open_what_that_many_runs_do(constant):
    pairs = [([constant] * 6, [constant] * 3), ([1.0] * 3, [1.0] * 9)]
    assert drop_of(pairs, level=LEVEL).high == pytest.approx(1 - 0.01 ** (1 / 6))


def test_scenarios_that_differ_among_runs_are_no_tie():
    drop = drop_of([([1.0] * 10, [1.0] * 9 + [0.5])], level=LEVEL)
    assert drop.high > 1 - 0.01 ** (1 / 10)


def test_runs_may_be_counted_as_so_many_that_ended_alike():
    pair = [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]
    made = drop_of([(pair[0] * 4, pair[1] * 4)], level=LEVEL)
    told = drop_of([pair], level=LEVEL, times=4)
    assert (told.low, told.high) == pytest.approx((made.low, made.high), abs=1e-9)
