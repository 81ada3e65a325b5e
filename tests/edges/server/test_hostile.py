"""Senders that mean harm, or are broken: what they send costs themselves, and nobody else."""

from __future__ import annotations

import gzip
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from zlib import crc32

import grpc
import httpx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.edges.server.otlp_sent import export as sent
from tests.edges.server.served import Served, code_of
from tests.parts.process import wait_for
from tests.parts.sink import Mood, Sink
from tests.unit.server.pipeline_made import agent, export, tool
from toolscore_otel.server.admission import Admission
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.config import GrpcReceiver
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.grpc_receiver import METHODS, THREADS, GrpcServer
from toolscore_otel.server.http_app import application
from toolscore_otel.server.http_connection import connections
from toolscore_otel.server.http_thread import HttpThread, _listen
from toolscore_otel.server.reply import OK, Signal
from toolscore_otel.server.secret_text import SecretText

pytestmark = pytest.mark.net

MIB = 1024 * 1024
CONTRACT = "contract: desk\nlanguage: 1\nforbid: [{tool: delete_user}]\nsecrets: {action: redact}\nloop: {same_call: 3}\n"
JSON = {"content-type": "application/json"}
PROTOBUF = {"content-type": "application/x-protobuf"}
DONE = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A mirror with state; it has to live through everything here."""
    one = Served(
        tmp_path_factory.mktemp("hostile") / "server",
        CONTRACT,
        "state_dir: state\nfindings: {file: findings.jsonl, scores: metric}\n"
        "trajectories: {settle: 0s, lateness: 0s}\n",
    )
    one.start()
    yield one
    one.kill()


@pytest.fixture(scope="module")
def channel(server):
    """To it."""
    with grpc.insecure_channel(server.grpc) as one:
        yield one


@pytest.fixture(scope="module")
def client():
    """Keeps its connections: there are many requests."""
    with httpx.Client(timeout=60) as one:
        yield one


VALID = export(
    agent(1), tool(2, args='{"a": [1, {"b": "x"}]}', parent=1), tool(3, "delete_user", parent=1)
)
MANY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """An export in which some bytes are others, or missing, or doubled."""
    data = bytearray(VALID)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data) - 1))
        width = draw(st.integers(0, 4))
        data[at : at + width] = draw(st.binary(max_size=6))
        data = data or bytearray(VALID)
    return bytes(data)


@MANY
@given(data=st.one_of(broken(), st.binary(max_size=200)), signal=st.sampled_from(Signal))
def test_any_bytes_over_grpc_are_taken_or_are_no_export(channel, data, signal):
    assert code_of(channel, data, signal) in DONE


names = st.sampled_from(
    [
        "resourceSpans", "scopeSpans", "spans", "attributes", "key", "value", "stringValue", "intValue", "kvlistValue",
        "values", "traceId", "spanId", "name", "events", "status", "code", "resourceLogs", "scopeLogs", "logRecords", "body",
    ]
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)


@MANY
@given(value=json_values, signal=st.sampled_from(Signal), cut=st.integers(0, 3))
def test_any_json_is_taken_or_is_no_export(server, client, value, signal, cut):
    text = json.dumps(value)
    body = text[: len(text) - cut].encode("utf-8", "surrogatepass")
    answer = client.post(f"{server.http}/v1/{signal}", content=body, headers=JSON)
    assert answer.status_code in (200, 400)


@MANY
@given(data=st.binary(max_size=100), encoding=st.sampled_from(["gzip", "deflate", "zstd"]))
def test_any_bytes_that_are_said_to_be_compressed_are_taken_or_are_no_export(server, client, data, encoding):  # fmt: skip
    headers = {**PROTOBUF, "content-encoding": encoding}
    answer = client.post(f"{server.http}/v1/traces", content=data, headers=headers)
    assert answer.status_code in (200, 400)


def nested(depth: int, *, in_maps: bool = False) -> dict[str, Any]:
    """A value in so many lists, or maps."""
    value: dict[str, Any] = {"stringValue": "x"}
    for _ in range(depth):
        inner = {"key": "a", "value": value} if in_maps else value
        value = {"kvlistValue" if in_maps else "arrayValue": {"values": [inner]}}
    return value


def tool_json(*attributes: tuple[str, Any], **more: Any) -> str:
    """An export of one call in OTLP/JSON."""
    named = [("gen_ai.operation.name", {"stringValue": "execute_tool"}), *attributes]
    span = {
        "traceId": f"{crc32(repr((attributes, more)).encode()):032x}",
        "spanId": "b" * 16,
        "name": "execute_tool",
        "attributes": [{"key": key, "value": value} for key, value in named],
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span | more]}]}]})


ARGUMENTS = "gen_ai.tool.call.arguments"


@pytest.mark.parametrize(
    ("attributes", "more", "code"),
    [
        ([(ARGUMENTS, {"stringValue": '{"a":' * 50 + "1" + "}" * 50})], {}, 200),
        ([(ARGUMENTS, {"stringValue": "[" * 5000 + "]" * 5000})], {}, 200),
        ([(ARGUMENTS, {"stringValue": '{"n": ' + "9" * 401 + "}"})], {}, 200),
        ([(ARGUMENTS, {"stringValue": '{"a": "\\ud800", "b": NaN}'})], {}, 200),
        ([(ARGUMENTS, {"stringValue": '{"a": "\ud800"}'})], {}, 200),
        ([(ARGUMENTS, {"stringValue": json.dumps("x" * 10 * MIB)})], {}, 200),
        ([(ARGUMENTS, nested(40))], {}, 200),
        ([(ARGUMENTS, nested(30, in_maps=True))], {}, 200),
        ([(ARGUMENTS, nested(40, in_maps=True))], {}, 400),
        ([(ARGUMENTS, nested(60))], {}, 400),
        ([("gen_ai.tool.name", {"stringValue": "delete_user\x00\n\ud800"})], {}, 200),
        ([("gen_ai.agent.name", {"stringValue": "\udfff" * 10_000})], {}, 200),
        ([("gen_ai.usage.input_tokens", {"intValue": "9" * 401})], {}, 400),
        ([("gen_ai.usage.input_tokens", {"doubleValue": "NaN"})], {}, 200),
        ([("gen_ai.usage.input_tokens", {"intValue": str(-(2**63))})], {}, 200),
        ([], {"startTimeUnixNano": str(2**64 - 1), "endTimeUnixNano": "1"}, 200),
        ([], {"startTimeUnixNano": "-1"}, 400),
        ([], {"status": {"code": 77, "message": "\x00\ud800"}, "kind": 2**31 - 1}, 200),
        ([], {"unknown": {"anything": [1]}}, 200),
    ],
)
def test_odd_values_cost_themselves(server, client, attributes, more, code):
    body_bytes = tool_json(*attributes, **more).encode("utf-8", "surrogatepass")
    answer = client.post(f"{server.http}/v1/traces", content=body_bytes, headers=JSON)
    assert answer.status_code == code
    for url in (f"{server.prometheus}/metrics", f"{server.admin}/debug", f"{server.admin}/debug/findings"):  # fmt: skip
        assert client.get(url).status_code == 200


def test_a_small_body_that_stands_for_a_gigabyte_is_too_large(server, client):
    bomb = gzip.compress(gzip.compress(b"\0" * 1024 * MIB, 1))
    inner = gzip.decompress(bomb)
    headers = {**PROTOBUF, "content-encoding": "gzip"}
    answer = client.post(f"{server.http}/v1/traces", content=inner, headers=headers)
    assert answer.status_code == 413


def test_what_is_larger_than_the_limit_is_too_large(server, channel, client):
    data = bytes(64 * MIB + 1)
    assert code_of(channel, data) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert client.post(f"{server.http}/v1/traces", content=data, headers=PROTOBUF).status_code == 413  # fmt: skip


def test_two_hundred_senders_at_once_are_all_answered(server):
    host, _, port = server.http.removeprefix("http://").partition(":")
    request = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n"  # fmt: skip
    senders = [socket.create_connection((host, int(port)), timeout=30) for _ in range(200)]
    try:
        for sender in senders:
            sender.sendall(request)
        assert {sender.recv(12) for sender in senders} == {b"HTTP/1.1 200"}
    finally:
        for sender in senders:
            sender.close()


def test_it_still_works_after_all_this_and_knows_it_all_after_a_restart(server, channel, client):
    assert code_of(channel, export(tool(77, "delete_user", trace="d" * 32))) is grpc.StatusCode.OK
    found = server.folder / "findings.jsonl"
    wait_for(
        lambda: found.exists() and found.read_text().count("d" * 32) == 2,
        "its finding, and that of its end",
    )
    before = server.series("toolscore_findings_total")
    assert sum(before.values()) > 0
    assert server.running.stop() == 0
    server.start()
    assert server.series("toolscore_findings_total") == before
    said = server.running.printed()
    assert "could not be judged" not in said
    assert "Traceback" not in said
    assert "could not be handled" not in said


def entrance(*tokens: str) -> Entrance:
    """Lets in who has a token, and says yes to everything."""
    auth = Auth([SecretText(token) for token in tokens])
    return Entrance(lambda *_: OK, auth=auth, admission=Admission(64 * MIB), instance="me")


@pytest.fixture
def stalled():
    """Opens more calls than there are threads, and sends nothing on them; ends them after the test."""
    over, channels = Event(), []

    def nothing():
        over.wait()
        yield b""

    def opened(at: str) -> list[Any]:
        channels.append(grpc.insecure_channel(at))
        call: Any = channels[-1].stream_unary(METHODS[Signal.TRACES])
        return [call.future(nothing()) for _ in range(THREADS + 8)]

    yield opened
    over.set()
    for channel in channels:
        channel.close()


def test_calls_whose_message_never_comes_hold_up_others_for_a_while_only(stalled):
    receiver = GrpcServer(GrpcReceiver(endpoint="127.0.0.1:0"), entrance(), patience_s=0.2)
    at = f"127.0.0.1:{receiver.start()}"
    try:
        calls = stalled(at)
        assert {call.exception().code() for call in calls} == {grpc.StatusCode.CANCELLED}
        assert sent(at) == b""
    finally:
        receiver.stop(1)


def test_who_may_not_send_is_told_before_the_message_came(stalled):
    receiver = GrpcServer(GrpcReceiver(endpoint="127.0.0.1:0"), entrance("a-" + "token"))
    at = f"127.0.0.1:{receiver.start()}"
    try:
        calls = stalled(at)
        assert {call.exception().code() for call in calls} == {grpc.StatusCode.UNAUTHENTICATED}
    finally:
        receiver.stop(1)


@pytest.fixture
def listen():
    """Starts an OTLP listener over HTTP; returns where it is."""
    running = []

    def started(handle=lambda *_: OK, **limits):
        taker = Entrance(handle, auth=Auth(()), admission=Admission(MIB), instance="me")
        app = application(taker, limit_bytes=MIB)
        running.append(HttpThread(app, "127.0.0.1", 0, http=connections(**limits)))
        return "127.0.0.1", running[-1].start()

    yield started
    for one in running:
        one.stop(1)


HEAD = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: 2\r\n"
WHOLE = HEAD + b"\r\n\n\x00"


@pytest.mark.parametrize("begin", [b"", HEAD[:30], HEAD, HEAD + b"\r\n", HEAD + b"\r\n\n"])
def test_a_request_that_never_ends_loses_its_connection(listen, begin):
    with socket.create_connection(listen(request_s=0.1), timeout=30) as sender:
        sender.sendall(begin)
        assert sender.recv(1) == b""


def test_so_does_one_that_follows_a_whole_one(listen):
    with socket.create_connection(listen(request_s=0.1), timeout=30) as sender:
        sender.sendall(WHOLE)
        assert sender.recv(1000).startswith(b"HTTP/1.1 200")
        sender.sendall(HEAD)
        assert sender.recv(1) == b""


def test_an_answer_may_take_longer_than_a_request(listen):
    def slow(*_: object) -> Any:
        """Until the time of a request that begins now is over."""
        with socket.create_connection(at, timeout=30) as later:
            later.sendall(HEAD)
            assert closed(later)
        return OK

    at = listen(slow, request_s=0.1)
    with socket.create_connection(at, timeout=30) as sender:
        sender.sendall(WHOLE)
        assert sender.recv(1000).startswith(b"HTTP/1.1 200")


def test_an_answer_in_two_pieces_does_not_wait_for_the_other_end():
    with _listen("127.0.0.1", 0) as listening:
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_connections_past_the_limit_are_closed(listen):
    at = listen(most=3)
    kept = [socket.create_connection(at, timeout=30) for _ in range(3)]
    for sender in kept:
        sender.sendall(WHOLE)
        assert sender.recv(1000).startswith(b"HTTP/1.1 200")
    with socket.create_connection(at, timeout=30) as further:
        assert closed(further)
    for sender in kept:
        sender.close()


def closed(sender: socket.socket) -> bool:
    """Whether the other end closed it."""
    try:
        return sender.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.fixture
def sink():
    """A next hop."""
    one = Sink()
    yield one
    one.die()


@pytest.fixture
def inline(tmp_path: Path, sink: Sink):
    """A server before it that has room for little."""
    config = (
        f"mode: inline\nnext_hop: {{endpoint: '{sink.grpc}', tls: {{insecure: true}}, timeout: 30s}}\n"
        "limits: {in_flight_mib: 1}\nfindings: {file: findings.jsonl}\n"
    )
    one = Served(tmp_path / "inline", CONTRACT, config)
    one.start()
    yield one
    one.kill()


def test_before_a_slow_next_hop_only_so_much_is_held_and_nothing_is_lost(inline, sink):
    exports = [export(tool(n, args=json.dumps("x" * 200_000), trace=f"{n:032x}")) for n in range(1, 21)]  # fmt: skip
    sink.mood = Mood.SLOW
    with grpc.insecure_channel(inline.grpc) as channel, ThreadPoolExecutor(20) as senders:
        first = [senders.submit(code_of, channel, data) for data in exports]
        wait_for(lambda: sink.tried >= 5, "a full server")
        wait_for(lambda: sum(sender.done() for sender in first) == 15, "refusals")
        assert {s.result() for s in first if s.done()} == {grpc.StatusCode.UNAVAILABLE}
        assert sink.tried == 5
        sink.mood = Mood.WELL
        assert {sender.result() for sender in first} == {grpc.StatusCode.UNAVAILABLE}
        assert {code_of(channel, data) for data in exports} == {grpc.StatusCode.OK}
    assert len(sink.times()) == 20


def test_a_sender_that_gives_up_early_loses_nothing(inline, sink):
    data = export(tool(1, "delete_user"))
    sink.mood = Mood.SLOW
    with grpc.insecure_channel(inline.grpc) as channel:
        assert code_of(channel, data, timeout_s=0.3) is grpc.StatusCode.DEADLINE_EXCEEDED
        sink.mood = Mood.WELL
        assert code_of(channel, data) is grpc.StatusCode.OK
    assert [span.span_id for span in sink.spans()] == [(1).to_bytes(8)]
    found = inline.folder / "findings.jsonl"
    wait_for(found.exists, "the finding")
    assert inline.running.stop() == 0
    assert found.read_text().count("`delete_user` was called, which is forbidden") == 1


def test_a_next_hop_that_is_gone_full_or_refuses_is_told_as_it_is(inline, sink):
    data = export(tool(1))
    with grpc.insecure_channel(inline.grpc) as channel:
        codes = []
        for mood in (Mood.FULL, Mood.REFUSING):
            sink.mood = mood
            codes.append(code_of(channel, data))
        sink.die()
        codes.append(code_of(channel, data))
        sink.mood = Mood.WELL
        sink.live()
        wait_for(lambda: code_of(channel, data) is grpc.StatusCode.OK, "a next hop that is back")
    gone = grpc.StatusCode.UNAVAILABLE
    assert codes == [gone, grpc.StatusCode.FAILED_PRECONDITION, gone]
