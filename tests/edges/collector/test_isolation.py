"""Whatever becomes of the copy, the main path of the mirror loses nothing and doubles nothing.

A sink stands in for toolscore-otel, since it can be told how to misbehave.
"""

from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from tests.parts.agent import Agent
from tests.parts.collector import start_collector
from tests.parts.process import wait_for
from tests.parts.scraping import counted
from tests.parts.sink import Mood, Sink

pytestmark = pytest.mark.net

RUNS = 60
QUEUE_OF_ONE = {
    "queue_size: 2000": "queue_size: 1",
    "num_consumers: 4": "num_consumers: 1",
    "send_batch_size: 512, send_batch_max_size: 2048": "send_batch_size: 1, send_batch_max_size: 1",
}
"""Full after two requests."""
FAILED = "otelcol_exporter_enqueue_failed_spans"


@pytest.fixture
def scorer():
    """Stands in for toolscore-otel."""
    one = Sink()
    yield one
    one.die()


@pytest.fixture
def collector(otelcol, start, tmp_path, sink, scorer):
    """A mirror whose queue towards the scorer is full at once."""
    return start_collector(
        start,
        otelcol,
        tmp_path,
        "mirror.yaml",
        toolscore=scorer.grpc,
        backend=sink.grpc,
        changes=QUEUE_OF_ONE,
    )


def send(collector):
    """What an application sent, each run in an export of its own."""
    agent = Agent(collector.grpc)
    for _ in range(RUNS):
        agent.run()
        agent.flush()
    sent = agent.sent()
    agent.close()
    return sent


@pytest.mark.parametrize("mood", ["dead", Mood.SLOW, Mood.FULL, Mood.REFUSING, Mood.FORGETFUL])
def test_the_main_path_has_every_span_once_and_unchanged(collector, sink, scorer, mood):
    if mood == "dead":
        scorer.die()
    else:
        scorer.mood = mood
    sent = send(collector)
    sink.wait_for_all(sent)
    if mood != Mood.REFUSING:  # refused for good, a request leaves the queue at once
        wait_for(
            lambda: counted(collector.metrics, FAILED, exporter="otlp_grpc/toolscore"),
            "a copy that found the queue full",
        )
    if mood != "dead":
        wait_for(lambda: scorer.tried, "a copy that was sent")
    assert counted(collector.metrics, "otelcol_receiver_refused_spans") == 0
    scorer.mood = Mood.WELL  # or the Collector would not end before its patience does
    assert collector.running.stop() == 0
    assert len(sent) == 4 * RUNS
    assert {span.span_id: span for span in sink.spans()} == sent
    assert set(sink.times().values()) == {1}


def test_the_copy_is_whole_where_all_is_well(otelcol, start, tmp_path, sink, scorer):
    collector = start_collector(
        start, otelcol, tmp_path, "mirror.yaml", toolscore=scorer.grpc, backend=sink.grpc
    )
    sent = send(collector)
    scorer.wait_for_all(sent)
    assert {span.span_id: span for span in scorer.spans()} == sent
    sink.wait_for_all(sent)
    assert {span.span_id: span for span in sink.spans()} == sent


def test_without_the_batch_processor_what_is_refused_would_be_stored_all_the_same(
    otelcol, start, tmp_path, sink, scorer
):
    """Why it stands there: a sender that is refused comes again, and the backend has its spans twice."""
    scorer.mood = Mood.FULL
    collector = start_collector(
        start,
        otelcol,
        tmp_path,
        "mirror.yaml",
        toolscore=scorer.grpc,
        backend=sink.grpc,
        changes={**QUEUE_OF_ONE, "[filter/agents, batch/toolscore]": "[filter/agents]"},
    )
    agent = Agent(None)
    agent.run()
    request = agent.request()
    with grpc.insecure_channel(collector.grpc) as channel:
        export = TraceServiceStub(channel).Export
        answers = [answer(export, request) for _ in range(20)]
    assert grpc.StatusCode.OK in answers
    assert grpc.StatusCode.UNAVAILABLE in answers
    wait_for(lambda: set(sink.times().values()) == {20}, "all twenty at the backend")


def answer(export, request):
    """How an export was answered."""
    try:
        export(request, timeout=30)
    except grpc.RpcError as error:
        refusal: Any = error
        return refusal.code()
    return grpc.StatusCode.OK
