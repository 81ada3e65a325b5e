"""Applications -> Collector -> a real `toolscore-otel serve` -> Collector -> backend."""

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.edges.collector.reading import our_events, rules_found, values, without_our_events
from tests.parts.collector import restart_collector
from tests.parts.load import send_load
from tests.parts.process import wait_for
from tests.parts.scraping import counted
from tests.parts.server import restart_server
from toolscore_otel.secrets.samples import make_sample

pytestmark = pytest.mark.net


@pytest.fixture
def mode():
    return "inline"


def arrived(sink):
    """Every span at the backend by its id; copies of one are equal."""
    spans: dict[bytes, Span] = {}
    for span in sink.spans():
        assert spans.setdefault(span.span_id, span) == span
    return spans


def test_every_span_arrives_and_the_one_at_fault_says_so(agent, server, sink):
    agent.run("lookup_order", times=5)
    agent.run("delete_user")
    sent = agent.sent()
    sink.wait_for_all(sent)
    spans = arrived(sink)
    assert set(sink.times().values()) == {1}
    assert {key: without_our_events(span) for key, span in spans.items()} == sent
    marked = {span.name: our_events(span) for span in spans.values() if our_events(span)}
    assert marked == {"execute_tool delete_user": ["toolscore.forbidden_call"]}

    (at_fault,) = [span for span in spans.values() if our_events(span)]
    told = values(at_fault.events[-1].attributes)
    assert told["gen_ai.evaluation.name"] == "payments/forbid.1"
    assert told["toolscore.label.team"] == "payments"
    wait_for(lambda: rules_found(sink), "the finding as a log")
    assert rules_found(sink) == {at_fault.trace_id: {"forbid.1"}}
    assert counted(server.metrics, "toolscore_findings_total", rule="forbid.1", label="fail") == 1


def test_a_secret_does_not_reach_the_backend(agent, sink):
    secret = make_sample("aws_access_key_id", 1)
    agent.run("lookup_order", text=f"use {secret} for it")
    agent.run("lookup_order", text="nothing here")
    sent = agent.sent()
    sink.wait_for_all(sent)
    wait_for(lambda: rules_found(sink), "the finding as a log")
    assert {rule for rules in rules_found(sink).values() for rule in rules} == {"secrets"}
    assert not [one for one in sink.exports if secret.encode() in one.data]
    changed = [key for key, span in arrived(sink).items() if without_our_events(span) != sent[key]]
    assert [sent[key].name for key in changed] == ["execute_tool lookup_order"]


def test_nothing_is_lost_where_we_are_killed_on_the_way(start, agent, server, sink):
    for _ in range(10):
        agent.run("lookup_order", times=20)
        agent.flush()
    agent.run("delete_user")
    server.running.kill()
    for _ in range(10):
        agent.run("lookup_order", times=20)
        agent.flush()
    sent = agent.sent()
    server = restart_server(start, server)
    sink.wait_for_all(sent)
    wait_for(lambda: rules_found(sink), "the finding as a log")
    assert {key: without_our_events(span) for key, span in arrived(sink).items()} == sent
    assert counted(server.metrics, "toolscore_findings_total", rule="forbid.1", label="fail") == 1


@pytest.mark.parametrize("server_is", ["alive", "dead"])
def test_nothing_is_lost_where_the_collector_is_killed_on_the_way(
    start, agent, server, collector, sink, *, server_is
):
    """What it took stands on disk, or is on its way through us: then it goes again."""
    if server_is == "dead":
        server.running.kill()
    for _ in range(10):
        agent.run("lookup_order", times=20)
        agent.flush()
    collector.running.kill()
    sent = agent.sent()
    if server_is == "dead":
        restart_server(start, server)
    restart_collector(start, collector)
    sink.wait_for_all(sent)
    assert arrived(sink) == sent


def test_logs_and_metrics_arrive_too(telemetrygen, collector, sink):
    send_load(telemetrygen, collector.grpc, "logs", "--logs", "5")
    send_load(telemetrygen, collector.grpc, "metrics", "--metrics", "5")
    wait_for(lambda: len(sink.logs()) == 5, "logs at the backend")
    wait_for(sink.metric_names, "metrics at the backend")


def test_load_passes_whole(telemetrygen, collector, sink):
    options = ("--workers", "4", "--traces", "500", "--child-spans", "4")
    send_load(telemetrygen, collector.grpc, "traces", *options)
    wait_for(lambda: len(sink.times()) == 10_000, "all spans at the backend")
    assert len(arrived(sink)) == 10_000
