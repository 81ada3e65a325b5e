import re

from toolscore_otel.model import Status, Tokens, Trajectory, Turn
from toolscore_otel.report.html_spending import spending_section, used
from toolscore_otel.report.sums import Sum, count
from toolscore_otel.report.terminal import money
from toolscore_otel.testing.made import make_call

SECOND = 1_000_000_000


def turn(number: int, **fields: object) -> Turn:
    return Turn(id=f"{number}", **fields)  # type: ignore[arg-type]


def rows(trajectories):
    """The cells of all rows, and how long their bars are."""
    html = spending_section(trajectories)
    found = re.findall("<tr>(.*?)</tr>", html)
    return [
        [*re.findall("<t[dh][^>]*>([^<]+)</t[dh]>", row), *re.findall(r"--w:([\d.]+)", row)]
        for row in found
    ]


def test_a_sum_of_which_some_is_not_known_is_the_least():
    assert Sum.of([1, None, 2]).said(count) == "at least 3"
    assert Sum.of([0.25, 0.5]).said(money) == "$0.7500"
    assert Sum.of([None]).said(count) == "?"
    assert Sum.of([]).said(count) == "?"


def test_what_model_calls_used_is_one_line():
    some = [turn(1, tokens=Tokens(input=1200, output=30), cost_usd=0.5), turn(2, tokens=Tokens(input=1))]  # fmt: skip

    assert used(some) == "1,201 tokens in, at least 30 out, at least $0.5000"
    assert used([]) == ""


def test_where_it_went_is_told_by_agent_and_model_with_the_most_first():
    small = turn(1, agent="desk", model="m", tokens=Tokens(input=10, output=1), cost_usd=0.25)
    large = turn(2, agent="helper", model="m", tokens=Tokens(input=20, output=2), cost_usd=0.75)

    assert rows([Trajectory(turns=(small,)), Trajectory(turns=(large,))]) == [
        ["agent", "model calls", "tokens in", "tokens out", "cost", "share of cost"],
        ["helper", "1", "20", "2", "$0.7500", "0.7500"],
        ["desk", "1", "10", "1", "$0.2500", "0.2500"],
        ["model", "model calls", "tokens in", "tokens out", "cost", "share of cost"],
        ["m", "2", "30", "3", "$1.00", "1.0000"],
    ]


def test_tools_are_told_by_their_calls_and_by_time_where_no_cost_is_known():
    slow = make_call("a", {}, start_ns=0, end_ns=3 * SECOND, status=Status.ERROR)
    fast = make_call("b", {}, start_ns=0, end_ns=SECOND, status=Status.UNKNOWN)

    assert rows([Trajectory(calls=(fast, slow))]) == [
        ["tool", "calls", "failed", "time", "cost", "share of time"],
        ["a", "1", "1", "3.00 s", "?", "0.7500"],
        ["b", "1", "?", "1.00 s", "?", "0.2500"],
    ]


def test_where_nothing_is_known_the_calls_are_drawn():
    calls = (make_call("a"), make_call("a"), make_call(""), make_call("c"))

    assert [row[-1] for row in rows([Trajectory(calls=calls, turns=(turn(1),))])] == [
        *("share of calls", "0.5000", "0.2500", "0.2500"),
        *("share of model calls", "1.0000"),
        *("share of model calls", "1.0000"),
    ]


def test_names_are_text_and_nothing_is_shown_where_there_is_nothing():
    assert "<b>" not in spending_section([Trajectory(turns=(turn(1, agent="<b>"),))])
    assert spending_section([Trajectory()]) == ""
