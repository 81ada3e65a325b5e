"""The server: OTLP in, findings out, and in `inline` mode the spans on to the next hop. Needs the extra `server`."""

from __future__ import annotations

from importlib.util import find_spec

from toolscore_otel.errors import MissingExtraError

NEEDS = (
    "grpc",
    "grpc_health",
    "google.rpc",
    "httpx",
    "opentelemetry.proto",
    "prometheus_client",
    "starlette",
    "uvicorn",
    "zstandard",
)
"""What the extra brings."""


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


if not all(map(_is_there, NEEDS)):
    raise MissingExtraError("the server", "server")
