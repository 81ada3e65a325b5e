"""Metrics as OTLP, read with the official messages."""

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from tests.unit.server.metrics_made import (
    RESOURCE,
    SPAN,
    START_NS,
    TRACE,
    Made,
    made_finding,
    made_trajectory,
)
from toolscore_otel.emit import telemetry
from toolscore_otel.emit.metrics import BOUNDS
from toolscore_otel.server.otlp_metrics import MetricsPusher
from toolscore_otel.server.reply import OK, Outcome, Reply

NOW = START_NS + 5
DOWN = Reply(outcome=Outcome.RETRY, message="nobody listens")


class FakeNextHop:
    """Keeps what it took; answers what it is told to."""

    def __init__(self):
        self.reply = OK
        self.tried = 0
        self.taken = []

    def send(self, data):
        self.tried += 1
        if isinstance(self.reply, Exception):
            raise self.reply
        if self.reply is OK:
            self.taken.append(ExportMetricsServiceRequest.FromString(data))
        return self.reply


@pytest.fixture
def made():
    return Made()


@pytest.fixture
def hop():
    return FakeNextHop()


@pytest.fixture
def pushing(made, hop):
    return MetricsPusher(
        made.readings,
        hop.send,
        made.counting,
        resource=RESOURCE,
        interval_s=3600,
        clock=lambda: NOW,
    )


def metrics(request):
    (of_resource,) = request.resource_metrics
    (of_scope,) = of_resource.scope_metrics
    return {metric.name: metric for metric in of_scope.metrics}


def reloads(request):
    found = metrics(request).get("toolscore.reloads")
    return [point.as_double for point in found.sum.data_points] if found else None


def failed(made):
    found = made.counting.collected("toolscore.emit.errors", is_last=True)
    return [series.value for series in found]


def test_a_counter_is_cumulative_since_the_start(made, hop, pushing):
    made.sums.finding(made_finding(), None)
    pushing.push()
    found = metrics(hop.taken[0])["toolscore.findings"]
    assert found.sum.is_monotonic
    assert found.sum.aggregation_temporality == 2
    (point,) = [point for point in found.sum.data_points if point.as_double]
    assert (point.start_time_unix_nano, point.time_unix_nano) == (START_NS, NOW)
    (exemplar,) = point.exemplars
    assert (exemplar.trace_id.hex(), exemplar.span_id.hex()) == (TRACE, SPAN)
    shadow = {a.key: a.value for a in point.attributes}["shadow"]
    assert shadow.WhichOneof("value") == "bool_value"


def test_durations_are_a_histogram(made, hop, pushing):
    made.sums.trajectory(made_trajectory(0.03, 2))
    pushing.push()
    pushing.push()
    first, second = (metrics(request)["toolscore.tool.duration"].histogram for request in hop.taken)
    assert (first.data_points[0].count, first.data_points[0].sum) == (0, 0)
    (point,) = second.data_points
    assert (point.count, point.sum) == (2, 2.03)
    assert tuple(point.explicit_bounds) == BOUNDS
    assert sum(point.bucket_counts) == 2
    assert len(point.bucket_counts) == len(BOUNDS) + 1
    assert second.aggregation_temporality == 2


def test_a_gauge_has_no_start(hop, pushing):
    pushing.push()
    (point,) = metrics(hop.taken[0])["toolscore.trajectories.open"].gauge.data_points
    assert (point.as_double, point.start_time_unix_nano) == (2, 0)


def test_the_server_says_who_it_is(hop, pushing):
    pushing.push()
    (of_resource,) = hop.taken[0].resource_metrics
    told = {a.key: a.value.string_value for a in of_resource.resource.attributes}
    assert told == RESOURCE


def test_every_metric_is_one_of_the_file_with_its_unit(hop, pushing):
    pushing.push()
    told = {name: metric.unit for name, metric in metrics(hop.taken[0]).items()}
    assert told == {name: telemetry().metric(name).unit for name in told}


def test_a_zero_that_could_not_be_sent_is_sent_before_what_counts(made, hop, pushing):
    made.counting.count("toolscore.reloads", outcome="ok")
    hop.reply = DOWN
    pushing.push()
    pushing.push()
    hop.reply = OK
    pushing.push()
    assert [reloads(request) for request in hop.taken] == [[0], [1]]
    assert failed(made) == [2]


def test_what_is_refused_for_good_is_not_tried_again(made, hop, pushing):
    hop.reply = Reply(outcome=Outcome.REFUSED)
    pushing.push()
    hop.reply = OK
    pushing.push()
    assert len(hop.taken) == 1
    assert failed(made) == [1]


def test_trouble_is_said_when_it_begins_and_when_it_is_over(caplog, hop, pushing):
    caplog.set_level("INFO", "toolscore_otel.server")
    for reply in (DOWN, DOWN, OK, OK):
        hop.reply = reply
        pushing.push()
    assert [record.getMessage() for record in caplog.records] == [
        "metrics cannot be pushed: nobody listens",
        "metrics are pushed again",
    ]


def test_the_last_push_holds_nothing_back(made, hop, pushing):
    made.counting.count("toolscore.reloads", outcome="ok")
    pushing.start()
    pushing.stop(10)
    assert [reloads(request) for request in hop.taken] == [[1]]


def test_a_push_that_raises_is_counted_and_ends_nothing(caplog, made, hop, pushing):
    hop.reply = RuntimeError("a text that may hold anything")
    pushing.start()
    pushing.stop(10)
    assert failed(made) == [1]
    assert "RuntimeError" in caplog.text
    assert "anything" not in caplog.text


def test_a_push_that_was_never_started_stops_at_once(hop, pushing):
    pushing.stop(10)
    assert hop.tried == 0
