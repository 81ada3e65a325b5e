"""Outcomes as codes and bodies of gRPC and HTTP, and back."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from toolscore_otel.server import codes
from toolscore_otel.server.hop_codes import MAX_WAIT_S, of_grpc, of_http
from toolscore_otel.server.reply import OK, Outcome, Reply, Signal

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RETRIED_BY_SENDERS = {"CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE", "DATA_LOSS"}  # fmt: skip


class FakeRpcError(grpc.RpcError):
    """A call that failed."""

    def __init__(self, code, details="", trailers=()):
        self._answers = code, details, trailers

    def code(self):
        return self._answers[0]

    def details(self):
        return self._answers[1]

    def trailing_metadata(self):
        return self._answers[2]


def test_every_outcome_has_its_codes():
    assert set(codes.GRPC) == set(codes.HTTP) == set(Outcome)


def test_senders_try_again_after_retry_and_after_nothing_else():
    assert {o for o in Outcome if codes.HTTP[o] in (429, 502, 503, 504)} == {Outcome.RETRY}
    assert {o for o in Outcome if codes.GRPC[o].name in RETRIED_BY_SENDERS} == {Outcome.RETRY}
    assert 500 not in codes.HTTP.values()


def test_full_success_is_an_empty_body():
    assert codes.response(Signal.TRACES, OK) == b""
    assert codes.response_json(Signal.TRACES, OK) == b"{}"


def test_what_was_not_taken_is_told_in_partial_success():
    reply = Reply(outcome=Outcome.OK, rejected=2, message="no ids")
    made = ExportTraceServiceResponse.FromString(codes.response(Signal.TRACES, reply))
    assert (made.partial_success.rejected_spans, made.partial_success.error_message) == (2, "no ids")  # fmt: skip
    assert json.loads(codes.response_json(Signal.LOGS, reply)) == {
        "partialSuccess": {"rejectedLogRecords": "2", "errorMessage": "no ids"}
    }


def test_what_the_next_hop_did_not_take_is_added():
    theirs = ExportLogsServiceResponse()
    theirs.partial_success.rejected_log_records = 3
    theirs.partial_success.error_message = "full"
    body = theirs.SerializeToString()
    assert codes.response(Signal.LOGS, Reply(outcome=Outcome.OK, body=body)) == body
    reply = Reply(outcome=Outcome.OK, body=body, rejected=1, message="no id")
    made = ExportLogsServiceResponse.FromString(codes.response(Signal.LOGS, reply))
    assert made.partial_success.rejected_log_records == 4
    assert made.partial_success.error_message == "full; no id"


def test_a_body_of_the_next_hop_that_is_no_response_is_not_repeated_in_json():
    assert codes.response_json(Signal.TRACES, Reply(outcome=Outcome.OK, body=b"\xff")) == b"{}"


def test_a_long_message_is_cut():
    reply = Reply(outcome=Outcome.RETRY, message="x" * 10_000)
    assert len(codes.status(reply).message) == codes.MESSAGE_LIMIT


def test_how_long_to_wait_stands_in_retry_info_and_in_whole_seconds_in_the_header():
    reply = Reply(outcome=Outcome.RETRY, retry_after_s=1.25)
    (detail,) = codes.status(reply).details
    info = RetryInfo()
    assert detail.Unpack(info)
    assert info.retry_delay.ToMilliseconds() == 1250
    assert codes.retry_after(reply) == {"retry-after": "2"}


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.RETRY])
def test_nobody_is_told_to_wait_after_anything_else(outcome):
    reply = Reply(outcome=outcome, retry_after_s=1)
    assert not any("RetryInfo" in detail.type_url for detail in codes.status(reply).details)
    assert codes.retry_after(reply) == {}


def test_bytes_that_cannot_be_read_are_a_bad_request():
    (detail,) = codes.status(Reply(outcome=Outcome.BAD, message="cut off")).details
    bad = BadRequest()
    assert detail.Unpack(bad)
    assert bad.field_violations[0].description == "cut off"


@pytest.mark.parametrize("code", grpc.StatusCode)
def test_a_code_of_the_next_hop_stays_retryable_or_permanent(code):
    reply = of_grpc(FakeRpcError(code, "said"))
    is_ours_to_mend = code.name in ("UNAUTHENTICATED", "PERMISSION_DENIED")
    retried = is_ours_to_mend or code.name in RETRIED_BY_SENDERS
    assert (reply.outcome is Outcome.RETRY) is retried
    assert reply.message == f"the next hop answered {code.name}: said"


def test_an_exhausted_next_hop_that_says_how_long_is_tried_again():
    status = codes.status(Reply(outcome=Outcome.RETRY, retry_after_s=3))
    trailers = (("other", "x"), (codes.DETAILS, status.SerializeToString()))
    error = FakeRpcError(grpc.StatusCode.RESOURCE_EXHAUSTED, trailers=trailers)
    assert of_grpc(error).outcome is Outcome.RETRY
    assert of_grpc(error).retry_after_s == 3
    bare = FakeRpcError(grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert of_grpc(bare).outcome is Outcome.TOO_LARGE


def test_damaged_details_are_no_details():
    error = FakeRpcError(grpc.StatusCode.UNAVAILABLE, trailers=((codes.DETAILS, b"\xff"),))
    assert of_grpc(error).retry_after_s is None


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (200, Outcome.OK),
        (202, Outcome.OK),
        (301, Outcome.REFUSED),
        (400, Outcome.REFUSED),
        (401, Outcome.RETRY),
        (403, Outcome.RETRY),
        (404, Outcome.REFUSED),
        (413, Outcome.TOO_LARGE),
        (429, Outcome.RETRY),
        (500, Outcome.REFUSED),
        (502, Outcome.RETRY),
        (503, Outcome.RETRY),
        (504, Outcome.RETRY),
    ],
)
def test_an_answer_over_http_means(code, outcome):
    assert of_http(code, {}, b"", NOW).outcome is outcome


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("3", 3),
        ("999999", MAX_WAIT_S),
        (format_datetime(NOW + timedelta(seconds=7), usegmt=True), 7),
        (format_datetime(NOW - timedelta(seconds=7), usegmt=True), 0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("Thu, 01 Jan 2026 00:00:07 -0000", None),
    ],
)
def test_how_long_the_next_hop_asks_to_wait(header, wait_s):
    assert of_http(503, {"retry-after": header}, b"", NOW).retry_after_s == wait_s


def test_the_message_of_the_next_hop_is_repeated_where_it_is_one():
    body = Status(message="busy").SerializeToString()
    assert of_http(503, {}, body, NOW).message == "the next hop answered 503: busy"
    assert of_http(503, {}, b"<html>", NOW).message == "the next hop answered 503: nothing more"


def test_its_response_is_passed_on():
    assert of_http(200, {}, b"x", NOW).body == b"x"
    assert of_http(200, {}, b"", NOW).body is None
