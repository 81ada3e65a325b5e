"""Applications -> Collector -> backend, and a copy to a real `toolscore-otel serve`, whose findings arrive as logs."""

import signal
import socket
from contextlib import contextmanager
from functools import partial

import pytest

from tests.edges.collector.reading import finding_logs, rule_of, rules_found, values
from tests.parts.agent import Agent
from tests.parts.collector import start_collector
from tests.parts.load import send_load
from tests.parts.ports import free_address
from tests.parts.process import wait_for
from tests.parts.scraping import counted, series
from tests.parts.server import restart_server, start_server

pytestmark = pytest.mark.net

MIB = 1024 * 1024


@pytest.fixture
def mode():
    return "mirror"


def findings(server, rule="forbid.1"):
    """How many the server counted."""
    return counted(
        server.metrics, "toolscore_findings_total", contract="payments", rule=rule, label="fail"
    )


def test_spans_arrive_untouched_and_findings_as_logs_on_the_span_at_fault(agent, server, sink):
    agent.run("lookup_order", times=5)
    agent.run("delete_user")
    sent = agent.sent()
    sink.wait_for_all(sent)
    wait_for(lambda: rules_found(sink), "the finding at the backend")
    assert {span.span_id: span for span in sink.spans()} == sent
    assert set(sink.times().values()) == {1}

    (at_fault,) = [span for span in sent.values() if span.name == "execute_tool delete_user"]
    assert rules_found(sink) == {at_fault.trace_id: {"forbid.1"}}
    (record,) = [one for one in finding_logs(sink) if rule_of(one) == "forbid.1"]
    assert record.span_id == at_fault.span_id
    told = values(record.attributes)
    assert told["toolscore.severity"] == "critical"
    assert told["toolscore.label.team"] == "payments"
    assert told["gen_ai.tool.name"] == "delete_user"
    assert findings(server) == 1


def test_a_call_made_while_we_were_dead_is_found_once_we_are_back(
    start, agent, server, collector, sink
):
    server.running.kill()
    agent.run("delete_user")
    agent.run("lookup_order", times=20)
    sent = agent.sent()
    sink.wait_for_all(sent)
    assert rules_found(sink) == {}
    server = restart_server(start, server)
    wait_for(lambda: rules_found(sink), "the finding at the backend")
    assert {span.span_id: span for span in sink.spans()} == sent
    assert set(sink.times().values()) == {1}
    assert findings(server) == 1
    assert counted(collector.metrics, "otelcol_receiver_refused_spans") == 0


def test_a_counter_neither_moves_nor_gets_lost_when_we_are_killed(start, agent, server, sink):
    agent.run("delete_user", times=3)
    agent.sent()
    wait_for(lambda: len(rules_found(sink)) == 3, "the findings at the backend")
    server.running.kill()
    server = restart_server(start, server)
    assert findings(server) == 3
    agent.run("delete_user")
    agent.sent()
    wait_for(lambda: len(rules_found(sink)) == 4, "one more")
    assert findings(server) == 4
    assert len([one for one in finding_logs(sink) if rule_of(one) == "forbid.1"]) == 4


def test_the_backend_waits_for_nobody_who_stands_still(agent, server, sink):
    server.running.process.send_signal(signal.SIGSTOP)
    agent.run("delete_user", times=50)
    sent = agent.sent()
    sink.wait_for_all(sent)
    assert rules_found(sink) == {}
    server.running.process.send_signal(signal.SIGCONT)
    wait_for(lambda: len(rules_found(sink)) == 50, "the findings at the backend")
    assert {span.span_id: span for span in sink.spans()} == sent
    assert set(sink.times().values()) == {1}
    assert findings(server) == 50


def test_a_server_that_is_full_costs_the_backend_nothing(otelcol, start, tmp_path, sink):
    server = start_server(
        start,
        tmp_path,
        "toolscore.mirror.yaml",
        next_hop=free_address(),
        changes={"mode: mirror\n": "mode: mirror\nlimits: {in_flight_mib: 1}\n"},
    )
    collector = start_collector(
        start,
        otelcol,
        tmp_path,
        "mirror.yaml",
        toolscore=server.grpc,
        backend=sink.grpc,
        back=server.next_hop,
    )
    agent = Agent(collector.grpc)
    answered = partial(counted, server.metrics, "toolscore_receiver_requests")
    with upload_that_stands_still(server):
        wait_for(
            lambda: counted(server.metrics, "toolscore_receiver_in_flight_bytes") >= MIB, "no room"
        )
        agent.run("delete_user", times=20)
        sent = agent.sent()
        agent.close()
        sink.wait_for_all(sent)
        wait_for(lambda: answered(outcome="retry"), "a copy that was sent away")
        assert answered(outcome="ok") == 0
    wait_for(lambda: len(rules_found(sink)) == 20, "the findings at the backend")
    assert {span.span_id: span for span in sink.spans()} == sent
    assert set(sink.times().values()) == {1}
    assert findings(server) == 20


@contextmanager
def upload_that_stands_still(server):
    """Takes all the room that a server has in hand."""
    host, port = server.http.split(":")
    head = f"POST /v1/traces HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-protobuf\r\nContent-Length: {2 * MIB}\r\n\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + bytes(MIB))
        yield


def test_load_passes_whole(telemetrygen, collector, server, sink):
    options = ("--workers", "4", "--traces", "500", "--child-spans", "4")
    send_load(telemetrygen, collector.grpc, "traces", *options)
    wait_for(lambda: len(sink.times()) == 10_000, "all spans at the backend")
    assert set(sink.times().values()) == {1}
    copied = partial(series, server.metrics, "toolscore_receiver_accepted", signal="traces")
    wait_for(lambda: sum(copied()) == 10_000, "the copy")
