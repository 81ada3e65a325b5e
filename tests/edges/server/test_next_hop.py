"""Sending on, to a receiver of our own over real sockets: what is retryable stays so, what is permanent stays so."""

import logging
import socket

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import (
    ClientTls,
    Compression,
    NextHopConfig,
    Protocol,
    SecretText,
    ServerTls,
)
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.passage import HEADER
from toolscore_otel.server.reply import Outcome, Reply, Signal

pytestmark = pytest.mark.net

INSECURE = ClientTls(insecure=True)
TOKEN = "some-" + "token"


@pytest.fixture
def hop():
    """Makes next hops, and closes them."""
    made = []

    def make(endpoint, **options):
        settings = {"tls": INSECURE, **options}
        made.append(NextHop(NextHopConfig(endpoint=endpoint, **settings), instance="other"))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(params=Protocol)
def protocol(request):
    return request.param


@pytest.fixture
def reach(listen, protocol):
    """Starts receivers; the endpoint of the one for the protocol, and how to speak to it."""

    def reached(**options):
        both = listen(**options)
        endpoint = both.grpc if protocol is Protocol.GRPC else both.http
        return {"endpoint": endpoint, "protocol": protocol}

    return reached


@pytest.mark.parametrize("signal", Signal)
@pytest.mark.parametrize("compression", Compression)
def test_what_is_sent_arrives_as_it_was(hop, reach, handle, signal, compression):
    assert hop(**reach(), compression=compression).send(signal, b"abc" * 100).outcome is Outcome.OK
    assert handle.got[0][:2] == (signal, b"abc" * 100)


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (Outcome.OK, Outcome.OK),
        (Outcome.RETRY, Outcome.RETRY),
        (Outcome.TOO_LARGE, Outcome.TOO_LARGE),
        (Outcome.BAD, Outcome.REFUSED),
        (Outcome.DENIED, Outcome.RETRY),
        (Outcome.REFUSED, Outcome.REFUSED),
    ],
)
def test_what_became_of_it_there_becomes_of_it_here(hop, reach, handle, there, here):
    handle.answer = Reply(outcome=there, message="told", retry_after_s=2)
    reply = hop(**reach()).send(Signal.TRACES, b"")
    assert reply.outcome is here
    assert reply.retry_after_s == (2 if there is Outcome.RETRY else None)
    assert "told" in reply.message or here is Outcome.OK


def test_what_it_did_not_take_is_passed_on(hop, reach, handle):
    handle.answer = Reply(outcome=Outcome.OK, rejected=2, message="no ids")
    body = hop(**reach()).send(Signal.TRACES, b"").body
    assert ExportTraceServiceResponse.FromString(body).partial_success.rejected_spans == 2


def test_headers_go_along_and_name_the_way(hop, reach, handle):
    one = hop(**reach(), headers={"Authorization": SecretText(f"Bearer {TOKEN}")})
    one.send(Signal.TRACES, b"", {HEADER: "first", "cookie": "not passed on"})
    headers = handle.got[0][2]
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert headers[HEADER] == "first,other"
    assert "cookie" not in headers


def test_a_token_that_it_does_not_know_is_our_mistake_and_costs_no_span(hop, reach):
    reply = hop(**reach(tokens=[SecretText(TOKEN)])).send(Signal.TRACES, b"")
    assert reply.outcome is Outcome.RETRY


def test_where_nobody_listens_the_sender_tries_again(hop, protocol, caplog):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    one = hop(f"127.0.0.1:{port}", protocol=protocol)
    with caplog.at_level(logging.INFO, "toolscore_otel"):
        outcomes = [one.send(Signal.TRACES, b"").outcome for _ in range(3)]
    assert outcomes == [Outcome.RETRY] * 3
    assert [r.levelname for r in caplog.records if r.name.endswith("next_hop")] == ["WARNING"]


def test_one_line_says_when_it_stops_taking_and_one_when_it_takes_again(hop, reach, handle, caplog):
    one = hop(**reach())
    with caplog.at_level(logging.INFO, "toolscore_otel"):
        for outcome in (Outcome.RETRY, Outcome.RETRY, Outcome.OK, Outcome.OK):
            handle.answer = Reply(outcome=outcome)
            one.send(Signal.TRACES, b"")
    said = [r.getMessage() for r in caplog.records if r.name.endswith("next_hop")]
    assert len(said) == 2
    assert said[1] == "the next hop takes what is sent again"


def test_who_does_not_answer_in_time_is_tried_again(hop, protocol):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"127.0.0.1:{silent.getsockname()[1]}"
        reply = hop(endpoint, protocol=protocol, timeout="200ms").send(Signal.TRACES, b"")
    assert reply.outcome is Outcome.RETRY


def test_after_closing_the_sender_is_asked_to_try_again(hop, reach, caplog):
    one = hop(**reach())
    one.close()
    assert one.send(Signal.TRACES, b"").outcome is Outcome.RETRY
    assert caplog.records == []


def test_it_speaks_tls_with_a_certificate_of_its_own(hop, listen, protocol, certificates, handle):
    folder = certificates()
    name = {file.name: str(file) for file in folder.iterdir()}
    both = listen(
        tls=ServerTls(
            cert_file=name["server.pem"], key_file=name["server.key"], client_ca_file=name["ca.pem"]
        )
    )
    port = (both.grpc if protocol is Protocol.GRPC else both.http).rpartition(":")[2]
    trust = ClientTls(
        ca_file=name["ca.pem"], cert_file=name["client.pem"], key_file=name["client.key"]
    )
    one = hop(f"localhost:{port}", protocol=protocol, tls=trust)
    assert one.send(Signal.TRACES, b"x").outcome is Outcome.OK
    one.close()  # before its server ends, which would not wait for TLS to say goodbye
    stranger = hop(f"localhost:{port}", protocol=protocol, tls=ClientTls(), timeout="2s")
    assert stranger.send(Signal.TRACES, b"x").outcome is Outcome.RETRY
    assert len(handle.got) == 1


def test_certificates_that_cannot_be_used_are_said_at_start(hop, protocol, tmp_path):
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(ConfigError, match="holds no certificate"):
        hop("a:1", protocol=protocol, tls=ClientTls(ca_file=str(tmp_path / "ca.pem")))
    with pytest.raises(ConfigError, match="cannot be read"):
        hop("a:1", protocol=protocol, tls=ClientTls(ca_file=str(tmp_path / "none.pem")))
