"""OTLP over HTTP: what is answered to which request. Every answer, errors too, is in the encoding of its request.

A sender drops what is answered 500, so nothing here is: what goes wrong on our side is a 503.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from toolscore_otel.server import codes
from toolscore_otel.server.admission import Held
from toolscore_otel.server.entrance import FAILED, Entrance
from toolscore_otel.server.fault import told
from toolscore_otel.server.http_body import Body, encoding_of, unpacked
from toolscore_otel.server.inflating import ENCODINGS
from toolscore_otel.server.reply import Outcome, Reply, Signal

THREADS = 32
"""Requests that are worked on at once; further ones wait, with their bodies counted as in flight."""

TRANSPORT = "http"
"""Name of this way in, in metrics."""

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
PATHS: Mapping[Signal, str] = {signal: f"/v1/{signal}" for signal in Signal}
"""Signal -> the path that takes it."""

_LOG = logging.getLogger(__name__)


def application(entrance: Entrance, *, limit_bytes: int) -> Starlette:
    """The ASGI application.

    Args:
        entrance: what requests pass.
        limit_bytes: of one body, after inflating.
    """
    export = _Export(entrance, limit_bytes)
    routes = [
        Route(path, partial(export.answer, signal), methods=["POST"])
        for signal, path in PATHS.items()
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _no_such})


class _Export:
    """Takes exports."""

    def __init__(self, entrance: Entrance, limit_bytes: int) -> None:
        self._entrance = entrance
        self._limit_bytes = limit_bytes
        self._limiter: CapacityLimiter | None = None

    async def answer(self, signal: Signal, request: Request) -> Response:
        """The answer to one request."""
        try:
            reply = await self._answered(signal, request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it
        except Exception as error:  # noqa: BLE001 - whatever it is, the sender keeps what it sent
            _LOG.error("a request could not be handled: %s", told(error))
            reply = FAILED
        if isinstance(reply, Response):
            return reply
        self._entrance.tell(signal, TRANSPORT, reply)
        return _response(request, signal, reply)

    async def _answered(self, signal: Signal, request: Request) -> Reply | Response:
        headers = {key.lower(): value for key, value in request.headers.items()}
        if (refusal := self._entrance.refusal(headers)) is not None:
            return refusal
        media = _media(request)
        if media not in (PROTOBUF, JSON):
            return _unsupported(request, f"`content-type` must be `{PROTOBUF}` or `{JSON}`")
        encoding = encoding_of(headers.get("content-encoding", ""))
        if encoding is None:
            known = ", ".join(f"`{name}`" for name in ENCODINGS)
            return _unsupported(request, f"`content-encoding` must be one of {known}, or left out")
        body = Body(signal, media == JSON, encoding, self._limit_bytes)
        with self._entrance.hold() as held:
            data = await _read(request, body, held)
            if isinstance(data, Reply):
                return data
            if self._limiter is None:
                self._limiter = CapacityLimiter(THREADS)
            work = partial(self._work, data, body, held, headers)
            return await run_sync(work, limiter=self._limiter)

    def _work(self, data: bytes, body: Body, held: Held, headers: Mapping[str, str]) -> Reply:
        """What takes its time, in a thread."""
        whole = unpacked(data, body, held)
        if isinstance(whole, Reply):
            return whole
        return self._entrance.handle(body.signal, whole, headers)


async def _read(request: Request, body: Body, held: Held) -> bytes | Reply:
    """The bytes of a request, or the answer to one that cannot be taken."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > body.limit_bytes:
        return body.too_large()
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > body.limit_bytes:
            return body.too_large()
        if (refusal := held.grow(len(part))) is not None:
            return refusal
        parts.append(part)
    return b"".join(parts)


def _media(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _response(request: Request, signal: Signal, reply: Reply) -> Response:
    if reply.outcome is not Outcome.OK:
        more = codes.retry_after(reply)
        if reply.outcome is Outcome.UNAUTHENTICATED:
            more["www-authenticate"] = "Bearer"
        return _error(request, codes.HTTP[reply.outcome], reply, more)
    if _media(request) == JSON:
        return Response(codes.response_json(signal, reply), media_type=JSON)
    return Response(codes.response(signal, reply), media_type=PROTOBUF)


def _unsupported(request: Request, message: str) -> Response:
    return _error(request, 415, Reply(outcome=Outcome.BAD, message=message))


def _error(
    request: Request, code: int, reply: Reply, more: Mapping[str, str] | None = None
) -> Response:
    """An error with a `google.rpc.Status`: in protobuf where the request is that, else in JSON."""
    status = codes.status(reply)
    if _media(request) == PROTOBUF:
        return Response(status.SerializeToString(), code, dict(more or {}), PROTOBUF)
    return Response(codes.as_json(status), code, dict(more or {}), JSON)


async def _no_such(request: Request, error: Exception) -> Response:
    """The answer to another path (404) or another method (405)."""
    code, more = 404, {}
    if isinstance(error, HTTPException):
        code, more = error.status_code, dict(error.headers or {})
    message = f"only POST to {', '.join(PATHS.values())} is answered here"
    return _error(request, code, Reply(outcome=Outcome.BAD, message=message), more)
