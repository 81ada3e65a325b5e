"""Gates of agents that are known: how often an unchanged one fails, and how often a drop is seen."""

import math
from collections import Counter
from collections.abc import Sequence
from random import Random  # noqa: TID251 - seeded

import pytest

from tests.unit.gate.conftest import store_of
from toolscore_otel.gate import (
    ERROR,
    Allowed,
    Asked,
    Entry,
    Run,
    Verdict,
    drop_of,
    held,
    runs_needed,
)

GATES = 1000
FALSE_FAILS = 0.02
"""Of the gates of an unchanged agent, fewer."""

Shares = Sequence[float]
"""How often the agent picks the right tool, by scenario."""


def recorded(source: Random, shares: Shares, runs: int, models: int = 1) -> list[Entry]:
    """Runs of an agent: right tool or not, arguments right in nine of ten of these, and now and then an error."""

    def run(number: int, share: float) -> Run:
        tool = source.random() < share
        args = tool and source.random() < 0.9
        scores = {
            "right_tool": float(tool),
            "right_args": float(args),
            "selection_f1": 1.0 if tool else source.choice([0.0, 0.5]),
            "error_rate": source.choice([0.0, 0.0, 0.0, 0.5]),
            "calls_per_task": float(source.randint(1, 3)),
        }
        return Run(run=f"{number}", scores={**scores})

    return [
        Entry(
            contract="desk",
            expectations="e1",
            model=f"m{model}",
            scenario=f"{scenario:02}",
            runs=tuple(run(number, share) for number in range(runs)),
        )
        for model in range(models)
        for scenario, share in enumerate(shares)
    ]


def verdicts(source, before, now, runs, *, gates, models=1):
    """How gates end; `runs` of each scenario before and now."""
    return Counter(
        held(
            recorded(source, now, runs[1], models),
            store_of(v1=recorded(source, before, runs[0], models)),
            "v2",
            asked=Asked(),
        ).verdict
        for _ in range(gates)
    )


AGENTS = {
    "good": [0.95] * 10,
    "coin": [0.5] * 10,
    "mixed": [1.0] * 6 + [0.9, 0.7, 0.4, 0.0],
    "rarely wrong": [0.99] * 10,
}


def test_of_a_thousand_gates_of_an_unchanged_agent_less_than_2_percent_fail():
    source, shares = Random(1), AGENTS["good"]  # noqa: S311 - no secret
    found = verdicts(source, shares, shares, (3, 3), gates=GATES)
    assert found[Verdict.FAIL] < FALSE_FAILS * GATES
    assert found.total() == GATES


@pytest.mark.parametrize(
    ("shares", "runs", "models"),
    [
        (AGENTS["coin"], (3, 3), 1),
        (AGENTS["mixed"], (3, 3), 1),
        (AGENTS["rarely wrong"], (3, 3), 1),
        ([0.9] * 20, (1, 1), 1),
        ([0.8] * 5, (20, 4), 1),
        ([0.97] * 2, (100, 10), 1),
        ([0.7], (15, 15), 1),
        ([0.9] * 4, (4, 4), 3),
    ],
)
def test_that_holds_for_other_agents_few_runs_uneven_ones_and_several_models(shares, runs, models):
    source = Random(2)  # noqa: S311 - no secret
    found = verdicts(source, shares, shares, runs, gates=GATES // 5, models=models)
    assert found[Verdict.FAIL] < FALSE_FAILS * GATES / 5


def test_a_drop_of_10_points_is_seen_in_four_of_five_gates_with_the_runs_that_it_needs():
    needed = runs_needed(0.1, share=0.9, scores=4)
    assert needed == 529
    source = Random(3)  # noqa: S311 - no secret
    found = verdicts(source, [0.9] * 10, [0.8] * 10, (53, 53), gates=100)
    assert found[Verdict.FAIL] >= 72  # 80, and what 100 tries leave open


def test_a_scenario_that_broke_altogether_is_seen_with_far_fewer_runs():
    before, now = [1.0] * 10, [1.0] * 9 + [0.0]
    found = verdicts(Random(4), before, now, (20, 20), gates=100)  # noqa: S311 - no secret
    assert found[Verdict.FAIL] == 100


def test_what_is_allowed_is_let_pass_where_there_are_enough_runs():
    shares = [1.0] * 20
    source = Random(5)  # noqa: S311 - no secret
    entries = [recorded(source, shares, 50) for _ in range(2)]
    found = held(entries[0], store_of(v1=entries[1]), "v2", asked=Asked(drop=Allowed(10)))
    assert {one.score: one.verdict for one in found.comparisons}["right_tool"] is Verdict.PASS


@pytest.mark.parametrize(
    ("old", "new", "share", "at_least"),
    [(1000, 50, 0.95, 0.001), (200, 40, 0.8, 0.003), (40, 40, 0.5, 0.004), (5, 5, 0.5, 0.0005)],
)
def test_one_score_of_one_scenario_fails_in_less_than_1_gate_of_100(old, new, share, at_least):
    """Exactly: over all counts of runs that may go wrong."""

    def chance(runs: int, wrong: int) -> float:
        ways = math.lgamma(runs + 1) - math.lgamma(wrong + 1) - math.lgamma(runs - wrong + 1)
        return math.exp(ways + (runs - wrong) * math.log(share) + wrong * math.log(1 - share))

    def fails(before: int, after: int) -> bool:
        sides = [
            [1.0] * (runs - wrong) + [0.0] * wrong for runs, wrong in ((old, before), (new, after))
        ]
        return drop_of([(sides[0], sides[1])], level=1 - ERROR).low > Allowed().of(1.0)

    likely = [
        [wrong for wrong in range(runs + 1) if chance(runs, wrong) > 1e-6] for runs in (old, new)
    ]
    counts = [(a, b) for a in likely[0] for b in likely[1] if fails(a, b)]
    false = sum(chance(old, a) * chance(new, b) for a, b in counts)
    assert at_least < false < ERROR


def test_runs_that_were_made_once_fail_no_more_often():
    """The variance of a side that shows none is that of the other, grown with how far the score moved."""
    source, shares, gates = Random(6), [0.9] * 40, 400  # noqa: S311 - no secret

    def runs(count: int) -> list[list[float]]:
        return [[float(source.random() < share) for _ in range(count)] for share in shares]

    found = [
        drop_of(list(zip(runs(10), runs(1), strict=True)), level=1 - ERROR) for _ in range(gates)
    ]
    assert sum(drop.low > Allowed().of(1.0) for drop in found) < FALSE_FAILS * gates


DRAWS = {
    "right or wrong": lambda source: float(source.random() < 0.9),
    "by halves": lambda source: source.choice([0.0, 0.5, 1.0, 1.0]),
    "any share": lambda source: source.betavariate(4, 1),
    "nearly always 1": lambda source: 1.0 if source.random() < 0.97 else source.random(),
    "always 1": lambda source: 1.0,
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("runs", [(1, 3, 3), (1, 5, 5), (10, 3, 3), (10, 5, 5), (10, 5, 3), (30, 1, 1)])  # fmt: skip
def test_one_score_of_whatever_kind_fails_in_less_than_2_gates_of_100(draw, runs):
    source, gates = Random(9), 300  # noqa: S311 - no secret
    scenarios, before, now = runs
    failed = 0
    for _ in range(gates):
        shifts = [source.random() / 2 for _ in range(scenarios)]  # some scenarios are harder
        old, new = (
            [[max(0.0, draw(source) - shift) for _ in range(count)] for shift in shifts]
            for count in (before, now)
        )
        failed += drop_of(list(zip(old, new, strict=True)), level=1 - ERROR).low > Allowed().of(1.0)
    assert failed < FALSE_FAILS * gates
