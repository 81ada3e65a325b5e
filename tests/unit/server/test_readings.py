"""All metrics, as a reader is shown them."""

from tests.unit.server.metrics_made import START_NS, Made, made_trajectory
from toolscore_otel.emit import telemetry
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.model import Score
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.readings import Readings


def told(made, reader="a"):
    return {
        reading.name: {series.key: series.value for series in reading.series}
        for reading in made.readings.read(reader)
    }


def test_metrics_come_in_the_order_of_the_file():
    names = [reading.name for reading in Made().readings.read("a")]
    assert names == [name for name in telemetry().metrics if name in names]


def test_counters_of_the_engine_have_their_metrics():
    made = Made()
    made.counters |= {"spans": 9, "evicted": 2, "span_limit": 3, "calls": 5}
    found = told(made)
    assert found["toolscore.spans"] == {(): 9}
    assert found["toolscore.trajectories.evicted"] == {(("reason", "evicted"),): 2}
    assert found["toolscore.limits.reached"] == {(("reason", "span_limit"),): 3}


def test_a_rule_that_raises_for_the_first_time_is_at_zero_once():
    made = Made()
    made.rule_errors["forbid.1"] = 4
    series = (("rule", "forbid.1"),)
    assert [told(made)["toolscore.rule.errors"][series] for _ in range(2)] == [0, 4]


def test_a_contract_in_use_is_told_with_the_time_it_was_loaded():
    found = told(Made())
    assert list(found["toolscore.contracts"].values()) == [1]
    assert list(found["toolscore.contracts.loaded"].values()) == [1_700_000_000.5]


def test_coverage_and_folded_names_are_told_where_there_are_some():
    made = Made()
    assert {"toolscore.coverage", "toolscore.labels.folded"} & told(made).keys() == set()
    made.sums.trajectory(made_trajectory(1))
    made.sums.dropped["folded_tool"] = 3
    told(made)
    found = told(made)
    assert found["toolscore.coverage"] == {(("service", "shop"),): 1}
    assert found["toolscore.labels.folded"] == {(("name", "tool"),): 3}


def test_a_score_is_told_as_its_mean():
    made = Made()
    made.sums.trajectory(made_trajectory(1), [Score(name="order", value=0.5, contract="c")])
    assert told(made)["toolscore.score"] == {(("contract", "c"), ("name", "order")): 0.5}


def test_sums_that_are_older_than_the_process_say_since_when_they_count():
    readings = Readings(Sums(), Counting(), start_ns=START_NS, sums_start_ns=5)
    starts = {reading.name: reading.start_ns for reading in readings.read("a")}
    assert starts == {"toolscore.findings": 5, "toolscore.process.start": START_NS}


def test_nothing_is_told_that_is_only_reserved():
    made = Made()
    told_as = {reading.told.stability for reading in made.readings.read("a")}
    assert "reserved" not in told_as


def test_sums_that_were_restored_are_told_as_they_stand():
    sums = Sums()
    sums.trajectory(made_trajectory(1, 2))
    readings = Readings(sums, Counting(), start_ns=START_NS)
    found = {reading.name: reading.series[0].value for reading in readings.read("a")}
    assert (found["toolscore.tool.calls"], found["toolscore.tool.duration"]) == (2, 3)
