"""Small pieces of OTLP/JSON that the tests of `wire` change."""

from collections.abc import Callable
from typing import Any

import pytest

from toolscore_otel.wire import ReadStats

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "b7ad6b7169203331"


@pytest.fixture
def stats() -> ReadStats:
    return ReadStats()


@pytest.fixture
def span() -> Callable[..., dict[str, Any]]:
    """A span with two ids and a name, and whatever else is given."""
    return lambda **changes: {"traceId": TRACE_ID, "spanId": SPAN_ID, "name": "chat", **changes}


@pytest.fixture
def request_of() -> Callable[..., dict[str, Any]]:
    """One request around these spans."""
    return lambda *spans: {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}
