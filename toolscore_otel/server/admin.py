"""Health for machines, and what the server knows for people: `/healthz`, `/readyz` and `/debug`.

Nothing here changes anything, and nothing here shows a secret or what a call held: neither arguments nor results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolscore_otel.server.debug_page import debug_page

LAST = 50
"""How many findings `/debug/findings` gives where `last` does not say."""

_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
}


class Sources(Struct, frozen=True, kw_only=True):
    """What the pages are made of; called from several threads, once for every request.

    Attributes:
        ready: None when all is restored and listening; else why not.
        debug: `trajectories`, `contracts` and `findings`, each a list of flat mappings, findings with the last at the end.
        config: what is in force, without secrets.
        about: the server itself: version, and, once restored, the instance as its metrics name it.
    """

    ready: Callable[[], str | None]
    debug: Callable[[], Mapping[str, Any]]
    config: Callable[[], Mapping[str, Any]]
    about: Callable[[], Mapping[str, str]]


def admin_app(sources: Sources) -> Starlette:
    """What answers at `admin.endpoint`."""

    def health(_request: Request) -> Response:
        return _json({"status": "ok", **sources.about()})

    def readiness(_request: Request) -> Response:
        why = sources.ready()
        return _json({"status": "ready"}) if why is None else _json({"status": "not ready", "why": why}, 503)  # fmt: skip

    def findings(request: Request) -> Response:
        asked = request.query_params.get("last", str(LAST))
        if not re.fullmatch(r"[0-9]{1,6}", asked):
            return _json({"error": "`last` must be a number below a million"}, 400)
        told = sources.debug().get("findings", [])
        return _json(told[max(0, len(told) - int(asked)) :])

    def config(_request: Request) -> Response:
        return _json(sources.config())

    def part(name: str) -> Callable[[Request], Response]:
        return lambda _request: _json(sources.debug().get(name, []))

    def page(_request: Request) -> Response:
        text = debug_page(sources.about(), sources.ready(), sources.debug(), sources.config())
        return Response(text, headers=_HEADERS, media_type="text/html")

    return Starlette(
        routes=[
            Route("/healthz", health),
            Route("/readyz", readiness),
            Route("/debug", page),
            Route("/debug/trajectories", part("trajectories")),
            Route("/debug/contracts", part("contracts")),
            Route("/debug/findings", findings),
            Route("/debug/config", config),
        ]
    )


def _json(value: Any, status: int = 200) -> Response:
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    return Response(text + b"\n", status, headers=_HEADERS, media_type="application/json")
