import math
from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded

import pytest

from tests.unit.gate.conftest import entry, store_of
from toolscore_otel.gate import ERROR, Asked, Rise, Verdict, held, rise_of
from toolscore_otel.gate.measures import measures_of
from toolscore_otel.model import Gap, Tokens, Trajectory

LEVEL = 1 - ERROR


def verdict(old, new, rise: float | None = 0.1, **asked):
    found = held([entry(cost_usd=new)], store_of(v1=[entry(cost_usd=old)]), "v2", asked=Asked(rise=rise, **asked))  # fmt: skip
    (one,) = found.comparisons
    return one.verdict, one.drop


def test_the_measures_of_a_run_are_those_that_are_known_whole():
    run = Trajectory(cost_usd=0.5, latency_s=2.0, tokens=Tokens(input=3, output=4))
    partly = Trajectory(cost_usd=0.5, gaps=(Gap.COST_NOT_KNOWN,), tokens=Tokens(input=3))

    assert dict(measures_of(run)) == {"cost_usd": 0.5, "latency_s": 2.0, "tokens": 7.0}
    assert dict(measures_of(partly)) == {}


def test_a_measure_fails_where_it_rose_by_more_than_is_allowed_for_certain():
    old = [1.0, 1.1, 0.9, 1.05, 0.95]

    assert verdict(old, [2 * value for value in old]) == (Verdict.FAIL, pytest.approx(1.0))
    assert verdict(old, old) == (Verdict.INCONCLUSIVE, 0.0)
    assert verdict(old, old, rise=0.5) == (Verdict.PASS, 0.0)
    assert verdict(old, [value / 2 for value in old]) == (Verdict.PASS, pytest.approx(-0.5))


def test_where_the_runs_set_no_bound_nothing_is_decided():
    assert verdict([1.0], [2.0]) == (Verdict.INCONCLUSIVE, 1.0)
    assert verdict([0.0], [2.0]) == (Verdict.INCONCLUSIVE, None)


def test_a_rise_of_just_what_is_allowed_passes():
    assert verdict([1.0] * 5, [1.1] * 5) == (Verdict.PASS, pytest.approx(0.1))
    assert verdict([1.0] * 5, [1.2] * 5) == (Verdict.FAIL, pytest.approx(0.2))


def test_without_a_rise_that_is_allowed_and_where_others_are_asked_for_it_is_told():
    assert verdict([1.0] * 9, [9.0] * 9, rise=None) == (None, None)
    assert verdict([1.0] * 9, [9.0] * 9, scores=frozenset({"right_tool"})) == (None, None)


@pytest.mark.parametrize(
    ("pairs", "size"),
    [
        ([([0.0] * 9, [1.0] * 9)], None),
        ([([1.0], [2.0])], 1.0),
        ([([1.0] * 3, [2.0] * 3)], 1.0),
        ([([1.0, 1.1] * 3, [2.0])] * 3, pytest.approx(2 / 1.05 - 1)),
        ([([0.0, 0.0, 9.0], [4.0, 5.0, 6.0])], pytest.approx(2 / 3)),
    ],
)
def test_where_the_runs_set_no_bound_none_is_given(pairs, size):
    assert rise_of(pairs, level=LEVEL) == Rise(size)


def test_bounds_are_those_of_the_ratio_of_two_means():
    """Fieller's, with t of 18 degrees of freedom at 0.99 and variances of 10/9/10 each."""
    rise = rise_of([([9.0, 11.0] * 5, [19.0, 21.0] * 5)], level=LEVEL)
    square, noise = 2.552380**2, 10 / 9 / 10
    below = 100 - square * noise
    reach = math.sqrt(200**2 - below * (400 - square * noise))

    assert rise.size == pytest.approx(1.0)
    assert rise.low == pytest.approx((200 - reach) / below - 1, abs=1e-4)
    assert rise.high == pytest.approx((200 + reach) / below - 1, abs=1e-4)


def test_a_measure_that_only_the_baseline_lacks_is_passed_over_unless_it_is_asked_for():
    store, now = store_of(v1=[entry(x=[1.0])]), [entry(x=[1.0], cost_usd=[1.0])]

    assert held(now, store, "v2", asked=Asked()).not_compared == ()
    assert len(held(now, store, "v2", asked=Asked(rise=0.1)).not_compared) == 1


def test_a_measure_below_0_is_refused():
    found = held([entry(cost_usd=[-1.0])], store_of(v1=[entry(cost_usd=[1.0])]), "v2", asked=Asked())  # fmt: skip
    assert [one.score for one in found.refused] == ["cost_usd"]


Draw = Callable[[Random], float]
DRAWS: dict[str, Draw] = {
    "even": lambda source: source.lognormvariate(0, 0.2),
    "uneven": lambda source: source.lognormvariate(0, 0.6),
    "skewed": lambda source: source.expovariate(1),
    "one or two": lambda source: source.choice([1.0, 2.0]),
    "rarely ten times": lambda source: 10.0 if source.random() < 0.05 else 1.0,
}


def fails(draw: Draw, runs: tuple[int, int, int], by: float = 1.0) -> float:
    """The share of gates that fail at 10 %: so many scenarios, each with so many runs before and now."""
    source, gates = Random(8), 500  # noqa: S311 - no secret
    failed = 0
    for _ in range(gates):
        bases = [source.lognormvariate(0, 0.7) for _ in range(runs[0])]
        pairs = [
            ([base * draw(source) for _ in range(runs[1])], [by * base * draw(source) for _ in range(runs[2])])
            for base in bases
        ]  # fmt: skip
        low = rise_of(pairs, level=LEVEL).low
        failed += low is not None and low > 0.1
    return failed / gates


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("runs", [(1, 3, 3), (1, 5, 5), (5, 3, 3), (20, 1, 1), (5, 20, 4), (10, 10, 2)])  # fmt: skip
def test_of_an_unchanged_agent_less_than_2_gates_of_100_fail(draw, runs):
    assert fails(draw, runs) < 0.02


def test_a_rise_by_half_is_seen_in_nine_of_ten_gates_where_runs_differ_by_a_fifth():
    assert fails(DRAWS["even"], (10, 3, 3), by=1.5) > 0.85
