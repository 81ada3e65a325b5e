"""OTLP over gRPC, on bytes: every code of the specification."""

from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.edges.server.otlp_sent import MIB, detail, export, failed
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.secret_text import SecretText

pytestmark = pytest.mark.net


@pytest.mark.parametrize("signal", Signal)
def test_every_signal_has_its_method(listen, handle, signal):
    assert export(listen().grpc, b"abc", signal, metadata=[("Tenant".lower(), "t1")]) == b""
    ((got, data, headers),) = handle.got
    assert (got, data, headers["tenant"]) == (signal, b"abc", "t1")


def test_another_method_is_not_implemented(listen):
    with grpc.insecure_channel(listen().grpc) as channel:
        call: Any = channel.unary_unary("/other.Service/Export")
        with pytest.raises(grpc.RpcError) as error:
            call(b"", timeout=10)
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.RETRY, grpc.StatusCode.UNAVAILABLE),
        (Outcome.TOO_LARGE, grpc.StatusCode.RESOURCE_EXHAUSTED),
        (Outcome.BAD, grpc.StatusCode.INVALID_ARGUMENT),
        (Outcome.DENIED, grpc.StatusCode.PERMISSION_DENIED),
        (Outcome.REFUSED, grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
def test_each_outcome_is_its_code(listen, handle, outcome, code):
    handle.answer = Reply(outcome=outcome, message="told", retry_after_s=1.5)
    got, status = failed(listen().grpc)
    assert (got, status.message, status.code) == (code, "told", code.value[0])
    wait = detail(status, RetryInfo)
    assert (wait is not None) is (outcome is Outcome.RETRY)
    assert (detail(status, BadRequest) is not None) is (outcome is Outcome.BAD)


def test_what_was_not_taken_is_told_over_grpc(listen, handle):
    handle.answer = Reply(outcome=Outcome.OK, rejected=3, message="no ids")
    made = ExportTraceServiceResponse.FromString(export(listen().grpc))
    assert made.partial_success.rejected_spans == 3


def test_a_bug_of_ours_is_unavailable(listen, handle):
    handle.answer = ValueError("broken")
    code, status = failed(listen().grpc)
    assert code is grpc.StatusCode.UNAVAILABLE
    assert detail(status, RetryInfo) is not None
    assert "broken" not in status.message


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_a_message_over_the_limit_is_dropped_by_its_sender(listen, handle, compression):
    at = listen(grpc={"max_recv_msg_size_mib": 1}).grpc
    assert export(at, bytes(MIB), compression=compression) == b""
    code, status = failed(at, bytes(MIB + 1), compression=compression)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert status is None
    assert len(handle.got) == 1


def test_large_messages_come_through(listen, handle):
    assert export(listen().grpc, bytes(40 * MIB)) == b""
    assert len(handle.got[0][1]) == 40 * MIB


def test_the_health_service_says_when_no_more_should_come(listen):
    both = listen(tokens=[SecretText("some")])
    request = health_pb2.HealthCheckRequest(
        service="opentelemetry.proto.collector.trace.v1.TraceService"
    )
    with grpc.insecure_channel(both.grpc) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
        both.grpc_server.drain()
        assert health.Check(request).status == health_pb2.HealthCheckResponse.NOT_SERVING
