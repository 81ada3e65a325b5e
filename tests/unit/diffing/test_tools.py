import pytest

from tests.unit.diffing.conftest import timed
from toolscore_otel.diffing import Kind, State
from toolscore_otel.model import Stage, Status


def told(found, *kinds):
    return [(d.kind, d.state, d.tool, d.old, d.new) for d in found if d.kind in kinds]


def test_a_tool_that_no_old_run_called_appeared(run, differences):
    found = differences([run("a"), run("a")], [run("a"), run("a", "b")])

    assert told(found, Kind.TOOL_APPEARED) == [
        (Kind.TOOL_APPEARED, State.CHANGED, "b", "in 0 of 2 runs", "in 1 of 2 runs")
    ]


def test_a_tool_is_not_new_where_old_runs_lack_calls(run, differences):
    found = differences([run("a", incomplete=True)], [run("a", "b")])

    assert told(found, Kind.TOOL_APPEARED) == [
        (
            Kind.TOOL_APPEARED,
            State.NOT_OBSERVED,
            "b",
            "not seen, in runs that lack calls",
            "in 1 of 1 run",
        )
    ]


@pytest.mark.parametrize(
    ("old", "incomplete", "state"),
    [
        ([("a", "b"), ("b",)], False, State.CHANGED),
        ([("a", "b"), ("a",)], False, State.FLAPS),
        ([("a", "b"), ("b",)], True, State.NOT_OBSERVED),
    ],
)
def test_a_tool_is_gone_where_every_old_run_and_no_whole_new_one_has_it(
    run, differences, old, incomplete, state
):
    found = differences([run(*calls) for calls in old], [run("a", incomplete=incomplete)])

    assert [(d.tool, d.state) for d in found if d.kind is Kind.TOOL_GONE] == [("b", state)]


def test_a_call_that_was_only_asked_for_is_not_gone(run, differences):
    asked = timed("a", start=0, stage=Stage.REQUESTED, status=Status.UNKNOWN)

    assert told(differences([run("a")], [run(asked)]), Kind.TOOL_GONE) == []


def test_a_call_of_no_known_tool_is_none_of_a_tool(run, differences):
    assert differences([run("a")], [run("a", timed("", start=3))]) == []


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ([1, 3], [2], State.FLAPS),
        ([1], [4], State.CHANGED),
        ([2], [1], State.CHANGED),
        ([2, 2], [2], None),
    ],
)
def test_how_often_a_tool_is_called_is_held_against_the_range_of_old_runs(
    run, differences, old, new, state
):
    found = differences([run(*["a"] * n) for n in old], [run(*["a"] * n) for n in new])

    assert [d.state for d in found if d.kind is Kind.CALLS] == ([state] if state else [])


def test_fewer_calls_prove_nothing_where_calls_are_lacking(run, differences):
    found = differences([run("a", "a")], [run("a", incomplete=True)])

    assert told(found, Kind.CALLS) == [(Kind.CALLS, State.NOT_OBSERVED, "a", "2", "1")]


def test_more_calls_are_more_even_where_calls_are_lacking(run, differences):
    found = differences([run("a"), run("a", "a")], [run("a", "a", "a", incomplete=True)])

    assert told(found, Kind.CALLS) == [
        (Kind.CALLS, State.CHANGED, "a", "1 to 2, 1.5 on average", "3")
    ]


def test_more_calls_prove_nothing_where_old_runs_lack_calls(run, differences):
    found = differences([run("a", incomplete=True)], [run("a", "a")])

    assert told(found, Kind.CALLS) == [(Kind.CALLS, State.NOT_OBSERVED, "a", "1", "2")]


def test_a_tool_that_nearly_every_old_run_called_and_no_new_one_does_is_gone(run, differences):
    old, new = [run("a", "b")] * 9 + [run("a")], [run("a")] * 9

    assert told(differences(old, new), Kind.TOOL_GONE) == [
        (Kind.TOOL_GONE, State.CHANGED, "b", "in 9 of 10 runs", "in 0 of 9 runs")
    ]


def test_calls_that_failed_now_and_then_and_always_do_now_are_a_change(run, differences):
    def made(failed):
        return run(*(timed("a", start=n, status=BAD if n < failed else OK) for n in range(4)))

    found = differences([made(1)] * 6, [made(4)] * 6)

    assert told(found, Kind.STATUS) == [
        (Kind.STATUS, State.CHANGED, "a", "6 of 24 calls failed", "24 of 24 calls failed")
    ]


OK, BAD, OPEN = Status.OK, Status.ERROR, Status.UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([OK], [OK], None),
        ([BAD], [BAD], None),
        ([OK, OK], [BAD, OK], (State.CHANGED, "ok", "1 of 2 calls failed")),
        ([BAD], [OK], (State.CHANGED, "1 of 1 call failed", "ok")),
        ([BAD, OK], [OK], (State.FLAPS, "1 of 2 calls failed", "ok")),
        ([OK], [OPEN], (State.NOT_OBSERVED, "ok", "status not recorded")),
        ([OPEN], [BAD], (State.NOT_OBSERVED, "status not recorded", "1 of 1 call failed")),
        ([OPEN], [OPEN], None),
    ],
)
def test_how_calls_end_is_a_change_where_no_old_run_ended_so(run, differences, old, new, expected):
    found = differences(
        *([run(timed("a", start=0, status=status)) for status in side] for side in (old, new))
    )

    assert [(d.state, d.old, d.new) for d in found if d.kind is Kind.STATUS] == (
        [expected] if expected else []
    )
