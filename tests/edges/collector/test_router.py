"""The tier before several servers: all spans of a trace meet in one of them."""

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from tests.parts.agent import Agent
from tests.parts.collector import SHIPPED
from tests.parts.placing import placed
from tests.parts.ports import free_address, free_port
from tests.parts.process import wait_for
from tests.parts.sink import Sink

pytestmark = pytest.mark.net


@pytest.fixture
def servers():
    """Two, for whom sinks stand."""
    both = (Sink(), Sink())
    yield both
    for one in both:
        one.die()


@pytest.fixture
def router(otelcol, start, tmp_path, servers):
    """Where the router listens."""
    address, health = free_address(), free_address()
    changes = {
        "127.0.0.1:24317": address,
        "127.0.0.1:13134": health,
        "127.0.0.1:14317": servers[0].grpc,
        "127.0.0.1:14327": servers[1].grpc,
        "port: 8889": f"port: {free_port()}",
    }
    file = placed(SHIPPED / "router.yaml", tmp_path, changes)
    start([str(otelcol), "--config", str(file)], "router").wait_until_ready(f"http://{health}")
    return address


def one_by_one(request):
    """A request for each of its spans."""
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                single = ExportTraceServiceRequest()
                single.resource_spans.add(resource=resource.resource).scope_spans.add(
                    scope=scope.scope
                ).spans.append(span)
                yield single


def test_spans_of_a_trace_meet_however_they_are_sent(router, servers):
    agent = Agent(None)
    agent.run(times=40)
    sent = agent.sent()
    with grpc.insecure_channel(router) as channel:
        for request in one_by_one(agent.request()):
            TraceServiceStub(channel).Export(request, timeout=30)
    wait_for(
        lambda: servers[0].times().keys() | servers[1].times().keys() >= sent.keys(), "all spans"
    )
    traces = [{span.trace_id for span in server.spans()} for server in servers]
    assert all(traces)
    assert traces[0] & traces[1] == set()
    assert [
        span for server in servers for span in server.spans() if sent[span.span_id] != span
    ] == []
