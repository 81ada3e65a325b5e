"""What a Prometheus is told, read with its own parsers."""

from dataclasses import dataclass
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parsed_open
from prometheus_client.parser import text_string_to_metric_families as parsed
from starlette.testclient import TestClient

from tests.unit.server.metrics_made import (
    RESOURCE,
    SPAN,
    TRACE,
    Made,
    made_finding,
    made_trajectory,
)
from toolscore_otel.emit import telemetry
from toolscore_otel.emit.metrics import BOUNDS
from toolscore_otel.server.prometheus import label_of, metrics_app, name_of

OPEN_METRICS = {"accept": "application/openmetrics-text; version=1.0.0"}


@dataclass
class Scraped:
    """An answer, by name of the sample."""

    families: dict[str, Any]
    content_type: str

    def __getitem__(self, name):
        return [s for family in self.families.values() for s in family.samples if s.name == name]

    def value(self, name, **labels):
        (found,) = [s for s in self[name] if labels.items() <= s.labels.items()]
        return found.value


def scrape(made, *, agent="Prometheus/3", headers=None):
    client = TestClient(metrics_app(made.readings, RESOURCE))
    answer = client.get("/metrics", headers={"user-agent": agent, **(headers or {})})
    assert answer.status_code == 200
    parse = parsed_open if headers == OPEN_METRICS else parsed
    families = {family.name: family for family in parse(answer.text)}
    return Scraped(families, answer.headers["content-type"])


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("toolscore.findings", "toolscore_findings"),
        ("toolscore.tool.duration", "toolscore_tool_duration_seconds"),
        ("toolscore.tool.cost", "toolscore_tool_cost"),
        ("toolscore.coverage", "toolscore_coverage_ratio"),
        ("toolscore.state.size", "toolscore_state_size_bytes"),
        ("toolscore.receiver.in_flight", "toolscore_receiver_in_flight_bytes"),
    ],
)
def test_units_stand_in_the_name_and_annotations_do_not(metric, name):
    assert name_of(metric, telemetry().metric(metric)) == name


def test_no_two_metrics_have_one_name():
    names = [name_of(name, told) for name, told in telemetry().metrics.items()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("name", "label"), [("on-call", "on_call"), ("1st", "key_1st"), ("__name__", "key__name__")]
)
def test_labels_are_what_prometheus_takes(name, label):
    assert label_of(name) == label


def test_findings_stand_at_zero_from_the_start_and_the_first_counts_at_once():
    made = Made()
    where = {"rule": "forbid.1", "label": "fail"}
    assert scrape(made).value("toolscore_findings_total", **where) == 0
    made.sums.finding(made_finding(), None)
    found = scrape(made)
    assert found.value("toolscore_findings_total", **where) == 1
    (sample,) = [s for s in found["toolscore_findings_total"] if s.value == 1]
    assert (sample.labels["shadow"], sample.labels["on_call"]) == ("false", "x")


def test_plain_text_is_what_is_told_where_nothing_is_asked_for():
    assert scrape(Made()).content_type.startswith("text/plain; version=0.0.4")


def test_open_metrics_carries_the_trace_id_as_exemplar():
    made = Made()
    made.sums.finding(made_finding(), None)
    found = scrape(made, headers=OPEN_METRICS)
    assert found.content_type.startswith("application/openmetrics-text; version=1.0.0")
    (sample,) = [s for s in found["toolscore_findings_total"] if s.value == 1]
    assert sample.exemplar.labels == {"trace_id": TRACE, "span_id": SPAN}


def test_durations_are_a_histogram_in_seconds():
    made = Made()
    made.sums.trajectory(made_trajectory(0.03, 2, 100))
    assert scrape(made, headers=OPEN_METRICS).value("toolscore_tool_duration_seconds_count") == 0
    found = scrape(made, headers=OPEN_METRICS)
    assert found.value("toolscore_tool_duration_seconds_count", tool="search") == 3
    assert found.value("toolscore_tool_duration_seconds_sum") == pytest.approx(102.03)
    buckets = {s.labels["le"]: s.value for s in found["toolscore_tool_duration_seconds_bucket"]}
    assert len(buckets) == len(BOUNDS) + 1
    told = {le: buckets[le] for le in ("0.02", "0.04", "1.28", "2.56", "81.92", "+Inf")}
    assert told == {"0.02": 0, "0.04": 1, "1.28": 1, "2.56": 2, "81.92": 2, "+Inf": 3}


def test_the_exemplar_of_a_duration_stands_at_its_bucket():
    made = Made()
    made.sums.trajectory(made_trajectory(0.03))
    scrape(made)
    found = scrape(made, headers=OPEN_METRICS)["toolscore_tool_duration_seconds_bucket"]
    marked = {s.labels["le"]: s.exemplar.value for s in found if s.exemplar}
    assert marked == {"0.04": 0.03}


def test_two_scrapers_see_a_new_series_at_zero_each():
    made = Made()
    made.counting.count("toolscore.reloads", outcome="ok")
    told = [
        scrape(made, agent=agent).value("toolscore_reloads_total") for agent in ("a", "b", "a", "b")
    ]
    assert told == [0, 0, 1, 1]


def test_the_server_says_who_it_is():
    (info,) = scrape(Made())["target_info"]
    assert info.labels == {
        "service_name": "toolscore-otel",
        "service_version": "1.2",
        "service_instance_id": "i1",
    }


def test_every_family_is_a_metric_of_the_file():
    made = Made()
    made.sums.trajectory(made_trajectory(1))
    known = {name_of(name, told) for name, told in telemetry().metrics.items()}
    assert scrape(made, headers=OPEN_METRICS).families.keys() - known == {"target"}


def test_labels_that_become_one_keep_both_values():
    made = Made()
    odd = {"on-call": "x", "on.call": "y"}
    made.sums.finding(made_finding(labels=odd), None)
    found = {
        s.labels["on_call"]
        for s in scrape(made)["toolscore_findings_total"]
        if s.labels.get("on_call")
    }
    assert found == {"x", "x;y"}


def test_a_long_answer_is_packed_for_who_takes_that():
    client = TestClient(metrics_app(Made().readings, RESOURCE))
    answer = client.get("/metrics", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "toolscore_findings_total" in answer.text
