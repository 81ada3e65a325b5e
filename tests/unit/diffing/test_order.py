import pytest

from tests.unit.diffing.conftest import timed
from toolscore_otel.diffing import Kind, State
from toolscore_otel.testing.made import make_call


def orders(found):
    return [(d.state, d.tool, d.path, d.old, d.new) for d in found if d.kind is Kind.ORDER]


def at_once(found):
    return [(d.state, d.old, d.new) for d in found if d.kind is Kind.PARALLEL]


def test_tools_that_changed_places_are_told(run, differences):
    found = differences([run("a", "b"), run("a", "b")], [run("b", "a")])

    assert orders(found) == [
        (State.CHANGED, "a", "b", "first in 2 of 2 runs", "first in 0 of 1 run")
    ]


def test_of_several_only_those_next_to_each_other_are_told_and_once(run, differences):
    found = differences([run("a", "b", "c")], [run("c", "b", "a"), run("c", "b", "a")])

    assert [(tool, other) for _, tool, other, *_ in orders(found)] == [("a", "b"), ("b", "c")]


def test_what_follows_on_each_other_on_either_side_is_told(run, differences):
    found = orders(differences([run("a", "b", "c")], [run("c", "a", "b")]))

    assert [(tool, other) for _, tool, other, *_ in found] == [("b", "c"), ("a", "c")]


def test_calls_that_take_no_time_at_one_moment_have_no_order(run, differences):
    moment = run(timed("a", start=0, took=0), timed("b", start=0, took=0))

    assert orders(differences([moment], [run("b", "a")])) == []


def test_places_that_changed_among_the_old_runs_are_no_change(run, differences):
    assert [state for state, *_ in orders(differences([run("a", "b"), run("b", "a")], [run("b", "a")]))] == [State.FLAPS]  # fmt: skip


def test_what_ran_at_once_has_no_order(run, differences):
    beside = run(timed("a", start=0, took=2), timed("b", start=1, took=2))

    assert orders(differences([beside], [run("b", "a")])) == []
    assert orders(differences([run("a", "b")], [beside])) == []


def test_without_times_nothing_is_said(run, differences):
    bare = run(make_call("b"), make_call("a", start_ns=1))

    found = differences([run("a", "b")], [bare])

    assert (orders(found), at_once(found)) == ([], [])


def test_a_tool_that_one_side_lacks_has_no_place(run, differences):
    assert orders(differences([run("a")], [run("b", "a")])) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([1], [1], []),
        ([1], [3], [(State.CHANGED, "1 at once", "3 at once")]),
        ([3], [1, 2], [(State.CHANGED, "3 at once", "1 to 2 at once")]),
        ([1, 3], [2], [(State.FLAPS, "1 to 3 at once", "2 at once")]),
    ],
)
def test_how_much_runs_at_once_is_held_against_the_range_of_old_runs(
    run, differences, old, new, expected
):
    sides = [
        [run(*[timed("t", start=n / 10, took=1) for n in range(most)]) for most in side]
        for side in (old, new)
    ]

    assert at_once(differences(*sides)) == expected


def test_calls_inside_a_call_of_another_agent_do_not_run_beside_it(run, differences):
    inside = run(
        timed("ask", start=0, took=5, invocation_id="outer"),
        timed("search", start=1, invocation_id="inner"),
    )

    assert at_once(differences([run("ask", "search")], [inside])) == []


def test_a_call_that_begins_as_another_ends_does_not_run_beside_it(run, differences):
    chain = run(*(timed("t", start=n, took=1) for n in range(3)))

    assert at_once(differences([run("t", "t", "t")], [chain])) == []
