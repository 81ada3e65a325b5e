"""A JSON value as one line of text, whatever telemetry put into it."""

from __future__ import annotations

import json

import msgspec

from toolscore_otel.model import Json


def json_line(value: Json) -> str:
    """JSON text on one line, without a line end.

    Integers beyond 64 bits and half surrogate pairs, which telemetry may hold, are written by the standard library: slower,
    as digits and as escapes.
    """
    try:
        return msgspec.json.encode(value).decode()
    except (OverflowError, ValueError):
        return json.dumps(value, separators=(",", ":"))
