"""What the tests of pipelines rest on."""

import gzip

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult

from tests.parts.agent import Agent
from tests.parts.placing import placed
from tests.parts.ports import free_port
from tests.parts.process import Running, answers, wait_for
from tests.parts.sink import Mood, Sink


@pytest.fixture
def sink():
    """A far end."""
    one = Sink()
    yield one
    one.die()


@pytest.mark.net
def test_a_sink_keeps_what_an_sdk_sends_over_grpc(sink):
    agent = Agent(sink.grpc)
    agent.run(times=3)
    sent = agent.sent()
    agent.close()
    assert {span.span_id: span for span in sink.spans()} == sent
    assert len(sent) == 12


@pytest.mark.net
def test_a_sink_keeps_what_is_sent_over_http(sink):
    agent = Agent(None)
    agent.run()
    body = gzip.compress(agent.request().SerializeToString())
    headers = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
    assert (
        httpx.post(f"http://{sink.http}/v1/traces", content=body, headers=headers).status_code
        == 200
    )
    assert {span.span_id: span for span in sink.spans()} == agent.sent()
    assert OTLPSpanExporter(f"http://{sink.http}/v1/traces").export([]) is SpanExportResult.SUCCESS


@pytest.mark.net
@pytest.mark.parametrize(
    ("mood", "status", "kept"),
    [(Mood.FULL, 503, 0), (Mood.REFUSING, 400, 0), (Mood.FORGETFUL, 503, 1), (Mood.WELL, 200, 1)],
)
def test_a_sink_answers_as_it_is_told(sink, mood, status, kept):
    sink.mood = mood
    assert httpx.post(f"http://{sink.http}/v1/traces", content=b"").status_code == status
    assert (len(sink.exports), sink.tried) == (kept, 1)


@pytest.mark.net
def test_a_slow_sink_answers_when_it_may_and_keeps_nothing(sink):
    sink.mood = Mood.SLOW
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"http://{sink.http}/v1/traces", content=b"", timeout=0.05)
    sink.mood = Mood.WELL
    assert sink.exports == []


@pytest.mark.net
def test_a_dead_sink_lives_again_on_the_same_port(sink):
    sink.die()
    assert not answers(f"http://{sink.http}")
    sink.live()
    assert httpx.post(f"http://{sink.http}/v1/logs", content=b"").status_code == 200


def test_texts_are_replaced_at_once_and_must_stand_there(tmp_path):
    (tmp_path / "from").mkdir()
    source = tmp_path / "from" / "x.yaml"
    source.write_text("a: host:1\nb: host:2\nc: {d: host:1}\n")
    target = placed(
        source, tmp_path, {"host:1": "host:2", "host:2": "host:3", "c: {d: host:1}": "c"}
    )
    assert target.read_text() == "a: host:2\nb: host:3\nc\n"
    with pytest.raises(AssertionError, match="nowhere"):
        placed(source, tmp_path, {"nowhere": ""})


def test_free_ports_do_not_come_twice():
    assert len({free_port() for _ in range(100)}) == 100


def test_a_program_that_ends_is_not_waited_for(tmp_path):
    running = Running(["sh", "-c", "echo no such file; exit 3"], tmp_path / "log")
    with pytest.raises(AssertionError, match=r"(?s)`sh` ended with 3.*no such file"):
        running.wait_until_ready("http://127.0.0.1:9")


def test_waiting_in_vain_says_for_what():
    with pytest.raises(AssertionError, match="rain"):
        wait_for(lambda: None, "rain", patience_s=0)
