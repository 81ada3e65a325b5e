"""Metrics over a real socket."""

import queue
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from toolscore_otel.emit.metrics import Sums
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import ClientTls, NextHopConfig
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.http_thread import HttpThread
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.otlp_metrics import MetricsPusher
from toolscore_otel.server.own_resource import own_resource
from toolscore_otel.server.prometheus import metrics_app
from toolscore_otel.server.readings import Readings
from toolscore_otel.server.reply import Signal

pytestmark = pytest.mark.net


@pytest.fixture
def app():
    return metrics_app(Readings(Sums(), Counting(), start_ns=5), own_resource("i1"))


def test_a_scrape_is_answered_until_it_stops(app):
    serving = HttpThread(app, "127.0.0.1", 0)
    port = serving.start()
    answer = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10)
    assert answer.status_code == 200
    assert 'service_instance_id="i1"' in answer.text
    serving.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10)


def test_an_address_that_is_taken_is_said_at_start(app):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"cannot listen on `127\.0\.0\.1:{port}`"):
            HttpThread(app, "127.0.0.1", port).start()


def test_what_was_never_started_stops_at_once(app):
    HttpThread(app, "127.0.0.1", 0).stop()


@pytest.fixture
def backend():
    """An OTLP server that takes metrics: its address, and what it took."""
    taken: queue.Queue[ExportMetricsServiceRequest] = queue.Queue()

    def export(data, _context):
        taken.put(ExportMetricsServiceRequest.FromString(data))
        return b""

    server = grpc.server(ThreadPoolExecutor(2))
    handler: Any = grpc.unary_unary_rpc_method_handler(export)
    name = "opentelemetry.proto.collector.metrics.v1.MetricsService"
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(name, {"Export": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}", taken
    server.stop(None).wait()


def test_metrics_are_pushed_again_and_again(backend):
    endpoint, taken = backend
    hop = NextHop(NextHopConfig(endpoint=endpoint, tls=ClientTls(insecure=True)))
    counting = Counting()
    push = MetricsPusher(
        Readings(Sums(), counting, start_ns=5),
        lambda data: hop.send(Signal.METRICS, data),
        counting,
        resource=own_resource("i1"),
        interval_s=0.01,
    )
    push.start()
    try:
        first, second = (taken.get(timeout=30).resource_metrics[0] for _ in range(2))
    finally:
        push.stop(30)
        hop.close()
    times = [
        of_resource.scope_metrics[0].metrics[0].sum.data_points[0].time_unix_nano
        for of_resource in (first, second)
    ]
    assert times == sorted(set(times))
    assert first.resource == second.resource
