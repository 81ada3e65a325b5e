"""OTLP over HTTP, on bytes: every code of the specification."""

import gzip
import zlib
from typing import Any

import httpx
import pytest
import zstandard
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.edges.server.otlp_sent import JSON, MIB, PROTOBUF, came, post
from toolscore_otel.server.reply import Outcome, Reply, Signal

pytestmark = pytest.mark.net

PACKED: dict[str, Any] = {"gzip": gzip.compress, "deflate": zlib.compress, "zlib": zlib.compress, "zstd": zstandard.compress}  # fmt: skip


@pytest.mark.parametrize("signal", Signal)
def test_every_signal_has_its_path(listen, handle, signal):
    answer = post(listen().http, f"/v1/{signal}", b"abc")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == PROTOBUF["content-type"]
    assert handle.got[0][:2] == (signal, b"abc")


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.RETRY, 503),
        (Outcome.TOO_LARGE, 413),
        (Outcome.BAD, 400),
        (Outcome.DENIED, 403),
        (Outcome.REFUSED, 400),
    ],
)
def test_each_outcome_is_its_status_in_the_encoding_of_the_request(listen, handle, outcome, code):
    at = listen().http
    handle.answer = Reply(outcome=outcome, message="told", retry_after_s=1.5)
    answer = post(at)
    assert (answer.status_code, Status.FromString(answer.content).message) == (code, "told")
    assert answer.headers.get("retry-after") == ("2" if outcome is Outcome.RETRY else None)
    in_json = post(at, content=b"{}", content_type="application/json; charset=utf-8")
    assert (in_json.status_code, in_json.json()["message"]) == (code, "told")
    assert in_json.headers["content-type"] == "application/json"


def test_what_was_not_taken_is_told_over_http(listen, handle):
    at = listen().http
    handle.answer = Reply(outcome=Outcome.OK, rejected=3, message="no ids")
    made = ExportTraceServiceResponse.FromString(post(at).content)
    assert made.partial_success.rejected_spans == 3
    answer = post(at, content=b"{}", **{"content-type": "application/json"})
    assert answer.json() == {"partialSuccess": {"rejectedSpans": "3", "errorMessage": "no ids"}}


def test_a_bug_of_ours_is_a_503(listen, handle):
    handle.answer = ValueError("broken")
    answer = post(listen().http)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert b"broken" not in answer.content


def test_json_becomes_protobuf(listen, handle):
    span = {"traceId": "AB" * 16, "spanId": "cd" * 8, "name": "work", "newKey": 1}
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    answer = httpx.post(f"{listen().http}/v1/traces", json=body)
    assert (answer.status_code, answer.json()) == (200, {})
    assert came(handle) == (Signal.TRACES, "work")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\x0a\x00", b'{"resourceSpans": 5}', b'{"resourceSpans": [' * 100_000]
)  # fmt: skip
def test_bad_json_is_a_400_and_its_sender_drops_it(listen, handle, body):
    answer = post(listen().http, content=body, **{"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert handle.got == []


@pytest.mark.parametrize("media", ["text/plain", "", "application/protobuf"])
def test_another_content_type_is_a_415(listen, media):
    answer = httpx.post(f"{listen().http}/v1/traces", content=b"", headers={"content-type": media})
    assert answer.status_code == 415
    assert "`content-type` must be" in answer.json()["message"]


@pytest.mark.parametrize("encoding", ["br", "snappy", "lz4", "gzip, gzip"])
def test_another_encoding_is_a_415(listen, encoding):
    answer = post(listen().http, content_encoding=encoding)
    assert answer.status_code == 415
    assert "`content-encoding`" in Status.FromString(answer.content).message


def test_another_path_is_a_404_and_another_method_a_405(listen):
    at = listen().http
    other = post(at, "/v1/profiles")
    assert (other.status_code, Status.FromString(other.content).code) == (404, 3)
    get = httpx.get(f"{at}/v1/traces", headers=JSON)
    assert (get.status_code, get.headers["allow"], get.json()["code"]) == (405, "POST", 3)


@pytest.mark.parametrize("encoding", PACKED)
def test_compressed_bodies_are_inflated(listen, handle, encoding):
    assert post(listen().http, content=PACKED[encoding](b"abc"), content_encoding=encoding).status_code == 200  # fmt: skip
    assert handle.got[0][1] == b"abc"


@pytest.mark.parametrize("encoding", PACKED)
def test_the_limit_is_watched_while_inflating(listen, handle, encoding):
    both = listen(http={"max_request_body_size_mib": 1})
    pack = PACKED[encoding]
    assert post(both.http, content=pack(bytes(MIB)), content_encoding=encoding).status_code == 200
    bomb = pack(bytes(64 * MIB))
    assert len(bomb) < MIB
    answer = post(both.http, content=bomb, content_encoding=encoding)
    assert answer.status_code == 413
    assert len(handle.got) == 1
    assert both.admission.in_flight_bytes == 0


def test_a_body_that_is_damaged_is_a_400(listen):
    packed = gzip.compress(b"abc" * 100)
    assert post(listen().http, content=packed[:-4], content_encoding="gzip").status_code == 400


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_the_limit_is_a_413(listen, handle, announced):
    at = listen(http={"max_request_body_size_mib": 1}).http
    body = bytes(2 * MIB) if announced else (bytes(MIB // 4) for _ in range(8))
    assert post(at, content=body).status_code == 413
    assert handle.got == []


def test_a_connection_serves_many_requests(listen, handle):
    with httpx.Client(base_url=listen().http, headers=PROTOBUF) as client:
        answers = [client.post("/v1/logs", content=b"a").status_code for _ in range(20)]
    assert answers == [200] * 20
