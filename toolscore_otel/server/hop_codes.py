"""What another OTLP server answered -> what became of the export. What can be tried again stays so, with its delay.

Where it does not know *us* (a token that is wrong or has expired), the sender before us keeps what it sent and tries again,
until somebody has put that right: it has done nothing wrong, and nothing may be lost. A service that it does not have is
refused for good.

Source:
    OTLP specification, "Failures" of OTLP/gRPC and "Failures" and "Retryable response codes" of OTLP/HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from toolscore_otel.errors import clip
from toolscore_otel.secrets.messages import hidden
from toolscore_otel.server.codes import DETAILS
from toolscore_otel.server.reply import Outcome, Reply

_RETRIED = frozenset({
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DATA_LOSS,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
})  # fmt: skip
_HTTP_OK = range(200, 300)
_HTTP_RETRIED = frozenset({401, 403, 429, 502, 503, 504})
_HTTP_TOO_LARGE = 413
_STATUS_BYTES = 4096
"""Of an error's body that is looked at."""

MAX_WAIT_S = 300.0
"""The longest wait that is passed on."""


def of_grpc(error: grpc.RpcError) -> Reply:
    """What a failed call means."""
    call: Any = error  # every error of a call is the call, too; the types do not say so
    code: grpc.StatusCode = call.code()
    details = hidden(clip(call.details() or "nothing more", 300))
    said = f"the next hop answered {code.name}: {details}"
    wait = _wait(call.trailing_metadata() or ())
    if code in _RETRIED or (code is grpc.StatusCode.RESOURCE_EXHAUSTED and wait is not None):
        return Reply(outcome=Outcome.RETRY, message=said, retry_after_s=wait)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return Reply(outcome=Outcome.TOO_LARGE, message=said)
    return Reply(outcome=Outcome.REFUSED, message=said)


def of_http(code: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Reply:
    """What an answer over HTTP means.

    Args:
        code: of the answer.
        headers: keys in lower case.
        body: a `google.rpc.Status` in protobuf where the code says that it failed.
        now: with a time zone; for a `Retry-After` that is a date.
    """
    if code in _HTTP_OK:
        return Reply(outcome=Outcome.OK, body=body or None)
    details = hidden(clip(_message(body) or "nothing more", 300))
    said = f"the next hop answered {code}: {details}"
    if code in _HTTP_RETRIED:
        wait = retry_after(headers.get("retry-after", ""), now)
        return Reply(outcome=Outcome.RETRY, message=said, retry_after_s=wait)
    outcome = Outcome.TOO_LARGE if code == _HTTP_TOO_LARGE else Outcome.REFUSED
    return Reply(outcome=outcome, message=said)


def _wait(trailers: Iterable[tuple[str, str | bytes]]) -> float | None:
    """How long a failed call asks to wait, in seconds; None where it does not ask."""
    for key, value in trailers:
        if key != DETAILS or not isinstance(value, bytes):
            continue
        status = _status(value)
        for detail in status.details if status is not None else ():
            info = RetryInfo()
            if detail.Unpack(info):
                return _bounded(info.retry_delay.ToNanoseconds() / 1e9)
    return None


def retry_after(header: str, now: datetime) -> float | None:
    """How long a `Retry-After` asks to wait, in seconds, at most `MAX_WAIT_S`; None where it does not say.

    Args:
        header: seconds or a date; empty where there is none.
        now: with a time zone.
    """
    if header.strip().isdecimal():
        return _bounded(float(header))
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    if until.tzinfo is None:
        return None
    return _bounded((until - now).total_seconds())


def _bounded(wait_s: float) -> float:
    return min(max(wait_s, 0.0), MAX_WAIT_S)


def _status(data: bytes) -> Status | None:
    try:
        return Status.FromString(data)
    except DecodeError:
        return None


def _message(body: bytes) -> str:
    status = _status(body) if len(body) <= _STATUS_BYTES else None
    return "" if status is None else status.message
