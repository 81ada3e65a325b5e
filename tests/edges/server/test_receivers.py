"""Both receivers, with senders of the SDK, and what holds over either protocol."""

import grpc
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult

from tests.edges.server.otlp_sent import came, export, failed, post
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import GrpcReceiver, HttpReceiver
from toolscore_otel.server.grpc_receiver import GrpcServer
from toolscore_otel.server.http_receiver import HttpServer
from toolscore_otel.server.passage import HEADER
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.secret_text import SecretText

pytestmark = pytest.mark.net

TOKEN = "some-" + "token"


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_the_sdk_sends_over_grpc(listen, handle, compression):
    exporter = GrpcExporter(listen().grpc, insecure=True, compression=compression)
    sent(exporter)
    assert came(handle) == (Signal.TRACES, "work")


@pytest.mark.parametrize("compression", Compression)
def test_the_sdk_sends_over_http(listen, handle, compression):
    exporter = HttpExporter(f"{listen().http}/v1/traces", compression=compression)
    sent(exporter)
    assert came(handle) == (Signal.TRACES, "work")


def test_the_sdk_tries_again_after_retry_info(listen, handle):
    handle.answer = Reply(outcome=Outcome.RETRY, message="busy", retry_after_s=0.01)

    def meanwhile():
        if len(handle.got) > 1:
            handle.answer = Reply(outcome=Outcome.OK)

    handle.meanwhile = meanwhile
    sent(GrpcExporter(listen().grpc, insecure=True))
    assert len(handle.got) == 2


def test_the_sdk_drops_what_is_refused_for_good(listen, handle):
    handle.answer = Reply(outcome=Outcome.REFUSED, message="never")
    exporter = HttpExporter(f"{listen().http}/v1/traces")
    assert sent(exporter) is SpanExportResult.FAILURE
    assert len(handle.got) == 1


def sent(exporter):
    """Send one span with an exporter; returns what it said."""
    results = []
    inner = exporter.export

    def export_and_tell(spans):
        results.append(inner(spans))
        return results[-1]

    exporter.export = export_and_tell
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("t").start_as_current_span("work"):
        pass
    provider.shutdown()
    return results[-1]


def test_without_a_token_nobody_is_let_in(listen, handle):
    both = listen(tokens=[SecretText(TOKEN)])
    code, status = failed(both.grpc)
    assert code is grpc.StatusCode.UNAUTHENTICATED
    answer = post(both.http)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert Status.FromString(answer.content) == status
    assert handle.got == []


def test_with_a_token_one_is(listen, handle):
    both = listen(tokens=[SecretText(TOKEN)])
    assert export(both.grpc, metadata=[("authorization", f"Bearer {TOKEN}")]) == b""
    assert post(both.http, authorization=f"Bearer {TOKEN}").status_code == 200
    assert len(handle.got) == 2


def test_what_comes_back_is_refused_for_good(listen, handle):
    both = listen()
    assert failed(both.grpc, metadata=[(HEADER, "a,me")])[0] is grpc.StatusCode.FAILED_PRECONDITION
    answer = post(both.http, **{HEADER: "me"})
    assert answer.status_code == 400
    assert "leads back here" in Status.FromString(answer.content).message
    assert handle.got == []


def test_past_what_may_be_in_flight_senders_are_asked_to_try_again(listen, handle):
    both = listen(in_flight_bytes=10)
    inside = []

    def meanwhile():
        handle.meanwhile = lambda: None
        inside.append(failed(both.grpc, b"abcdef")[0])
        inside.append(post(both.http, content=b"abcdef").status_code)
        inside.append(post(both.http, content=b"ab").status_code)

    handle.meanwhile = meanwhile
    assert export(both.grpc, b"abcdefgh") == b""
    assert inside == [grpc.StatusCode.UNAVAILABLE, 503, 200]
    assert both.admission.in_flight_bytes == 0


def test_while_draining_senders_are_asked_to_try_again(listen, handle):
    both = listen()
    both.admission.drain()
    assert failed(both.grpc)[0] is grpc.StatusCode.UNAVAILABLE
    assert post(both.http).status_code == 503
    assert handle.got == []


def test_every_answer_is_told(listen, handle):
    both = listen(in_flight_bytes=10)
    export(both.grpc)
    post(both.http, content=b"{", content_type="application/json")
    told = [(signal, transport, reply.outcome) for signal, transport, reply in both.told]
    assert told == [(Signal.TRACES, "grpc", Outcome.OK), (Signal.TRACES, "http", Outcome.BAD)]


@pytest.mark.parametrize("kind", ["grpc", "http"])
def test_a_port_in_use_is_said_with_its_key(listen, entrance, kind):
    both = listen()
    second = (
        GrpcServer(GrpcReceiver(endpoint=both.grpc), entrance)
        if kind == "grpc"
        else HttpServer(HttpReceiver(endpoint=both.http.removeprefix("http://")), entrance)
    )
    with pytest.raises(ConfigError) as error:
        second.start()
    second.stop(0)
    assert f"`receivers.otlp.protocols.{kind}.endpoint`: cannot listen on" in str(error.value)
    assert "another program listens there: stop it, or give another port" in str(error.value)


def test_a_host_that_does_not_exist_is_said(entrance):
    server = GrpcServer(GrpcReceiver(endpoint="no-such-host.invalid:1"), entrance)
    with pytest.raises(ConfigError, match=r"there is no host `no-such-host\.invalid`"):
        server.start()
    server.stop(0)
