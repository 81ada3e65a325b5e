"""Spans as pipelines see them, for benchmarks of whole requests: of tools, of anything else, and one in ten."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolscore_otel.model import InstrumentationScope, Resource, Span, SpanKind

SPANS = 512
"""Of one request."""

SPANS_PER_TRACE = 16
SECOND = 1_000_000_000
RESOURCE = Resource({"service.name": "support", "telemetry.sdk.language": "python"})


def span(number: int, **fields: Any) -> Span:
    return Span(
        trace_id=f"{number // SPANS_PER_TRACE + 1:032x}",
        span_id=f"{number + 1:016x}",
        parent_span_id=f"{number // SPANS_PER_TRACE + 2**40:016x}",
        start_ns=1_700_000_000 * SECOND + number,
        end_ns=1_700_000_001 * SECOND + number,
        resource=RESOURCE,
        **fields,
    )


def tool_span(number: int) -> Span:
    return span(
        number,
        name="execute_tool search_orders",
        kind=SpanKind.INTERNAL,
        scope=InstrumentationScope("agents", "1.0"),
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search_orders",
            "gen_ai.tool.call.id": f"call_{number}",
            "gen_ai.tool.type": "function",
            "gen_ai.agent.name": "support",
            "gen_ai.tool.call.arguments": json.dumps({"query": "open orders " * 30, "limit": 20}),
            "gen_ai.tool.call.result": json.dumps(
                [{"id": f"O-{n}", "total": n} for n in range(12)]
            ),
            "retries": 0,
        },
    )


def plain_span(number: int) -> Span:
    return span(
        number,
        name="GET /api/orders/{id}",
        kind=SpanKind.CLIENT,
        scope=InstrumentationScope("http", "1.0"),
        attributes={
            "http.request.method": "GET",
            "url.full": f"https://orders.example.net/api/orders/{number}",
            "http.response.status_code": 200,
            "server.address": "orders.example.net",
            "server.port": 443,
            "network.protocol.version": "1.1",
            "user_agent.original": "python-httpx/0.28",
            "http.route": "/api/orders/{id}",
            "thread.id": number,
        },
    )


def every_tenth(number: int) -> Span:
    return plain_span(number) if number % 10 else tool_span(number)


SHAPES: Mapping[str, Callable[[int], Span]] = {
    "tool": tool_span,
    "other": plain_span,
    "one in ten": every_tenth,
}
"""What a request holds -> its span of a number."""


def spans_of(shape: str) -> list[Span]:
    """The spans of one request, those of a scope together."""
    return sorted(map(SHAPES[shape], range(SPANS)), key=lambda one: one.scope.name)
