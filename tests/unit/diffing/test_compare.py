import pytest

from toolscore_otel.diffing import (
    Difference,
    Kind,
    Run,
    Side,
    State,
    compare,
    noting_ends,
    scenarios,
)
from toolscore_otel.model import Gap, LogRecord, Span, SpanStatus, Status, Tokens, Trajectory
from toolscore_otel.testing.made import make_span


def test_equal_runs_show_no_difference(run, differences):
    assert differences([run("a", ("b", {"x": 1}))], [run("a", ("b", {"x": 2}))]) == []


def test_runs_are_grouped_by_the_scenario_they_name_else_by_their_recording():
    named, other = Run(Trajectory(scenario="refund")), Run(Trajectory(trace_id="t"))

    assert scenarios([("one", [named, other]), ("two", [named])]) == {
        "refund": [named, named],
        "one": [other],
    }


def test_a_scenario_that_one_side_lacks_is_not_gone(run):
    first, second = compare({"a": [Run(run("x"))]}, {"b": [Run(run("x"))]})

    assert [(d.scenario, d.differences, d.changed) for d in (first, second)] == [
        ("a", (Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old="recorded", new="no run"),), ()),
        ("b", (Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old="no run", new="recorded"),), ()),
    ]  # fmt: skip


def test_the_sums_of_a_side_are_medians_of_what_is_known(run):
    old = [run("a", latency_s=1.0, cost_usd=0.2), run("a", "b", latency_s=3.0), run()]

    (found,) = compare({"": [Run(one) for one in old]}, {"": [Run(run())]})

    assert found.old == Side(runs=3, calls=3, latency_s=2.0, cost_usd=0.2)
    assert found.new == Side(runs=1, calls=0)


def test_only_changes_are_changes(run):
    (found,) = compare({"": [Run(run("a")), Run(run("a", "b"))]}, {"": [Run(run("a", "c"))]})

    assert [(d.kind, d.tool) for d in found.changed] == [(Kind.TOOL_APPEARED, "c")]
    assert [(d.kind, d.state) for d in found.differences] == [
        (Kind.TOOL_GONE, State.FLAPS),
        (Kind.TOOL_APPEARED, State.CHANGED),
    ]


def numbers(run, differences, old, new):
    """Kind, state and texts of the sums of runs."""
    found = differences([run(**one) for one in old], [run(**one) for one in new])
    return [(d.kind, d.state, d.old, d.new) for d in found]


def test_a_median_far_beyond_the_range_of_the_old_runs_is_a_change(run, differences):
    old = [{"latency_s": 1.0}, {"latency_s": 2.0}]

    assert numbers(run, differences, old, [{"latency_s": 1.6}]) == []
    assert numbers(run, differences, old, [{"latency_s": 2.9}]) == [
        (Kind.LATENCY, State.FLAPS, "1.5 s (1 s to 2 s)", "2.9 s (+93%)")
    ]
    assert numbers(run, differences, old, [{"latency_s": 3.1}]) == [
        (Kind.LATENCY, State.CHANGED, "1.5 s (1 s to 2 s)", "3.1 s (+107%)")
    ]
    assert numbers(run, differences, [{"latency_s": 1.4}, {"latency_s": 1.5}], [{"latency_s": 0.75}]) == [
        (Kind.LATENCY, State.CHANGED, "1.45 s (1.4 s to 1.5 s)", "0.75 s (-48%)")
    ]  # fmt: skip


def test_one_old_run_shows_no_noise(run, differences):
    old = [{"cost_usd": 0.01}]

    assert numbers(run, differences, old, [{"cost_usd": 0.015}]) == [
        (Kind.COST, State.NOT_OBSERVED, "$0.0100", "$0.0150 (+50%)")
    ]
    assert numbers(run, differences, old, [{"cost_usd": 0.021}]) == [
        (Kind.COST, State.CHANGED, "$0.0100", "$0.0210 (+110%)")
    ]


OK, BAD, OPEN = Status.OK, Status.ERROR, Status.UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([OK, OK], [OK], None),
        ([OK, OK], [OK, BAD], (State.CHANGED, "ok", "failed in 1 of 2 runs")),
        ([OK, BAD], [BAD], (State.FLAPS, "failed in 1 of 2 runs", "failed in 1 of 1 run")),
        ([OK] * 9 + [BAD], [BAD] * 9, (State.CHANGED, "failed in 1 of 10 runs", "failed in 9 of 9 runs")),
        ([OPEN], [BAD], (State.NOT_OBSERVED, "not recorded", "failed in 1 of 1 run")),
        ([OK], [OPEN], (State.NOT_OBSERVED, "ok", "not recorded")),
        ([OPEN], [OPEN], None),
    ],
)  # fmt: skip
def test_how_runs_end_goes_before_everything_else(run, old, new, expected):
    sides = [{"": [Run(run(tool), one) for one in side]} for tool, side in (("a", old), ("b", new))]

    (found,) = compare(*sides)

    told = [(d.state, d.old, d.new) for d in found.differences if d.kind is Kind.OUTCOME]
    assert told == ([expected] if expected else [])
    assert [d.kind for d in found.differences][len(told) :] == [Kind.TOOL_GONE, Kind.TOOL_APPEARED]


def test_a_run_ended_as_its_worst_root_did():
    good, other = make_span(agent="a", trace_id="a" * 32), make_span(agent="a", trace_id="b" * 32)
    bad = make_span(agent="a", trace_id="a" * 32, error="Timeout")
    inner = make_span("t", trace_id="c" * 32, parent=good, error="Timeout")
    telemetry: list[Span | LogRecord] = [inner, bad, good, LogRecord(), other]
    ends: dict[str, Status] = {}

    assert list(noting_ends(telemetry, ends)) == telemetry
    assert ends == {bad.trace_id: Status.ERROR, other.trace_id: Status.OK}
    assert SpanStatus.ERROR is bad.status


def test_what_cost_nothing_has_no_share(run, differences):
    assert numbers(run, differences, [{"cost_usd": 0.0}], [{"cost_usd": 0.5}]) == [
        (Kind.COST, State.CHANGED, "$0.0000", "$0.5000")
    ]


def test_a_cost_of_which_a_part_is_not_known_is_not_known(run, differences):
    new = [{"cost_usd": 0.1, "gaps": (Gap.COST_NOT_KNOWN,)}]

    assert numbers(run, differences, [{"cost_usd": 0.5}], new) == [
        (Kind.COST, State.NOT_OBSERVED, "$0.5000", "not known")
    ]


def test_tokens_are_those_in_and_out_where_both_are_known(run, differences):
    both, half = Tokens(input=1000, output=500), Tokens(input=1000)

    assert numbers(run, differences, [{"tokens": half}], [{"tokens": Tokens(output=1)}]) == []
    assert numbers(run, differences, [{"tokens": half}], [{"tokens": both}]) == [
        (Kind.TOKENS, State.NOT_OBSERVED, "not known", "1,500")
    ]
