from toolscore_otel.diffing import Difference, Kind, Side, State, compare, scenarios
from toolscore_otel.model import Gap, Tokens, Trajectory


def test_equal_runs_show_no_difference(run, differences):
    assert differences([run("a", ("b", {"x": 1}))], [run("a", ("b", {"x": 2}))]) == []


def test_runs_are_grouped_by_the_scenario_they_name_else_by_their_recording():
    named, other = Trajectory(scenario="refund"), Trajectory(trace_id="t")

    assert scenarios([("one", [named, other]), ("two", [named])]) == {
        "refund": [named, named],
        "one": [other],
    }


def test_a_scenario_that_one_side_lacks_is_not_gone(run):
    first, second = compare({"a": [run("x")]}, {"b": [run("x")]})

    assert [(d.scenario, d.differences, d.changed) for d in (first, second)] == [
        ("a", (Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old="recorded", new="no run"),), ()),
        ("b", (Difference(kind=Kind.SCENARIO, state=State.NOT_OBSERVED, old="no run", new="recorded"),), ()),
    ]  # fmt: skip


def test_the_sums_of_a_side_are_medians_of_what_is_known(run):
    old = [run("a", latency_s=1.0, cost_usd=0.2), run("a", "b", latency_s=3.0), run()]

    (found,) = compare({"": old}, {"": [run()]})

    assert found.old == Side(runs=3, calls=3, latency_s=2.0, cost_usd=0.2)
    assert found.new == Side(runs=1, calls=0)


def test_only_changes_are_changes(run):
    (found,) = compare({"": [run("a"), run("a", "b")]}, {"": [run("a", "c")]})

    assert [(d.kind, d.tool) for d in found.changed] == [(Kind.TOOL_APPEARED, "c")]
    assert [(d.kind, d.state) for d in found.differences] == [
        (Kind.TOOL_GONE, State.FLAPS),
        (Kind.TOOL_APPEARED, State.CHANGED),
    ]


def numbers(run, differences, old, new):
    """Kind, state and texts of the sums of runs."""
    found = differences([run(**one) for one in old], [run(**one) for one in new])
    return [(d.kind, d.state, d.old, d.new) for d in found]


def test_a_median_beyond_the_range_of_the_old_runs_is_a_change(run, differences):
    old = [{"latency_s": 1.0}, {"latency_s": 2.0}]

    assert numbers(run, differences, old, [{"latency_s": 2.19}]) == []
    assert numbers(run, differences, old, [{"latency_s": 0.91}]) == []
    assert numbers(run, differences, old, [{"latency_s": 3.0}]) == [
        (Kind.LATENCY, State.CHANGED, "1.5 s (1 s to 2 s)", "3 s (+100%)")
    ]
    assert numbers(run, differences, old, [{"latency_s": 0.75}]) == [
        (Kind.LATENCY, State.CHANGED, "1.5 s (1 s to 2 s)", "0.75 s (-50%)")
    ]


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
