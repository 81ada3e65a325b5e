from io import StringIO
from typing import Any

import pytest
from msgspec import structs
from rich.console import Console

from toolscore_otel.engine import Report
from toolscore_otel.gate import Comparison, Gate, NotCompared, Verdict, Why
from toolscore_otel.model import Severity
from toolscore_otel.report.gate_console import print_gate
from toolscore_otel.report.gate_markdown import ROWS, gate_markdown
from toolscore_otel.report.gate_words import conclusion, drop_of, enough, named, numbers_of, why_not


def compared(score="right_tool", verdict: Verdict | None = Verdict.FAIL, **more):
    known: dict[str, Any] = {
        "contract": "desk",
        "model": "m1",
        "score": score,
        "releases": ("1.0", "0.9"),
        "scenarios": 2,
        "runs": (20, 18),
        "unknown": (0, 2),
        "old": 0.9,
        "new": 0.6,
        "drop": 0.3,
        "low": 0.1,
        "high": 0.5,
        "allowed": 0.02,
        "verdict": verdict,
    }
    return Comparison(**known | more)


def gate(*comparisons, not_compared=(), max_drop="2", max_rise=None, told_apart=4):
    return Gate(
        max_rise=max_rise,
        release="1.1",
        max_drop=max_drop,
        told_apart=told_apart,
        level=0.9975,
        level_of_high=0.99,
        comparisons=comparisons,
        not_compared=tuple(not_compared),
    )


def missing(why=Why.NO_RUN, **more):
    return NotCompared(contract="desk", model="m1", why=why, **more)


TOLD = compared("calls_per_task", None, old=1.0, new=2.5, drop=None, low=None, high=None)


def test_a_terminal_shows_what_failed_first_and_what_was_not_compared():
    output = StringIO()
    console = Console(file=output, width=100)
    fewer = compared("order", Verdict.PASS, runs=(10, 9))
    print_gate(gate(TOLD, fewer, compared(), not_compared=[missing(scenario="")]), console)

    assert output.getvalue().splitlines() == [
        "desk, model m1, against 1.0, 0.9",
        "  2 scenarios, 20 and 18 runs, none in 0 and 2",
        "  failed        right_tool      90.0 -> 60.0  drop 30.0 (10.0 to 50.0)",
        "  passed        order           90.0 -> 60.0  drop 30.0 (10.0 to 50.0), 10 and 9 runs",
        "  told          calls_per_task  1.00 -> 2.50",
        "",
        "Not compared",
        "  `desk`, model `m1`, scenario `no name`: a release before has runs of it, and there is none now",
        "",
        "Gate of 1.1: failed. A drop of 2 points is allowed; of 2 scores 1 failed, 1 passed.",
    ]


def test_markdown_counts_what_is_too_much():
    many = [missing(scenario=f"s{n}") for n in range(ROWS + 2)]
    text = gate_markdown(gate(not_compared=many), Report(), fail_on=Severity.ERROR)
    assert text.count("\n- ") == ROWS + 1
    assert text.endswith("- and 2 more; `--format json` has all\n")


@pytest.mark.parametrize("why", Why)
def test_every_reason_has_its_words(why):
    assert why_not(missing(why, score="order")).startswith("`desk`, model `m1`, score `order`: ")


def test_a_relative_drop_and_what_was_refused_are_said():
    found = gate(compared(verdict=Verdict.PASS), not_compared=[missing(Why.NOT_A_NUMBER)], max_drop="5%")  # fmt: skip
    assert conclusion(found) == (
        "Gate of 1.1: passed. A drop of 5% of the score before is allowed; of 1 score 1 passed. "
        "1 comparison refused."
    )
    assert conclusion(gate(TOLD)) == "Gate of 1.1: nothing was compared."


@pytest.mark.parametrize(
    ("measure", "numbers"),
    [
        ("cost_usd", "$0.0120 -> $0.0180"),
        ("latency_s", "12 ms -> 18 ms"),
        ("tokens", "0 -> 0"),
        ("calls_per_task", "0.01 -> 0.02"),
    ],
)
def test_measures_are_said_in_their_units_and_rise_in_percent(measure, numbers):
    one = compared(measure, old=0.012, new=0.018, drop=0.5, low=0.21, high=None)

    assert numbers_of(one) == numbers
    assert drop_of(one) == "rise 50.0%"
    assert drop_of(compared(measure, drop=0.5, low=0.21, high=0.8)) == "rise 50.0% (21.0% to 80.0%)"
    assert ", and a rise of 20% is allowed; of 1 score" not in conclusion(gate(one))
    assert "is allowed, and a rise of 20%; of 1 score 1 failed" in conclusion(
        gate(one, max_rise=0.2)
    )
    assert enough(gate(one)) == "these runs are too few to tell a drop from noise"


def test_how_many_runs_are_enough_is_said_where_some_are():
    assert "with about 529 runs on each side a drop of 10 points is seen" in enough(
        gate(compared())
    )
    assert enough(gate(compared(allowed=0.5))) == "these runs are too few to tell a drop from noise"


OPEN = compared(verdict=Verdict.INCONCLUSIVE, old=1.0, new=1.0, drop=0.0, low=-0.1, high=0.1, passes_at=230)  # fmt: skip


def test_where_nothing_dropped_it_is_said_and_how_many_runs_would_let_it_pass():
    assert enough(gate(OPEN)) == "no drop seen; 230 runs of each side that go like these would let it pass"  # fmt: skip
    assert conclusion(gate(OPEN)).endswith(
        "1 inconclusive. No drop seen; 230 runs of each side that go like these would let it pass."
    )


def test_no_number_is_made_up_where_none_is_known():
    other = structs.replace(OPEN, score="order", passes_at=None)
    said = "no drop seen; these runs are too few to be sure that there is none"
    assert enough(gate(OPEN, other)) == said


def test_a_drop_that_is_left_open_is_not_called_none():
    other = structs.replace(OPEN, score="order", drop=0.1)
    assert "no drop" not in enough(gate(OPEN, other))


def test_who_is_gone_is_named_with_the_release_that_has_it():
    gone = missing(Why.NO_RUN, scenario="a", release="1.0")
    assert why_not(gone).endswith(
        "scenario `a`: release `1.0` has runs of it, and there is none now"
    )
    many = [missing(Why.NO_RUN, scenario=f"s{n}") for n in range(5)]
    assert named(many).endswith("scenario `s2` (and 2 more)")
