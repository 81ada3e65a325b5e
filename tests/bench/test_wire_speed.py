"""What reading costs, beside the bare parsers on the same bytes in the same run.

A group each for JSON lines and protobuf: compare the rows of one group, absolute figures do not carry over. The tool
spans are of about 1.1 KB with eight attributes and one event. `json.loads` only makes dicts, the official messages only
parse; "to dicts" also takes every attribute out of them.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_benchmark.fixture import BenchmarkFixture

from toolscore_otel.model import (
    InstrumentationScope,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
    SpanKind,
)
from toolscore_otel.wire import read_bytes, to_otlp_json

SPANS_PER_REQUEST = 64
REQUESTS = 50
SPANS = SPANS_PER_REQUEST * REQUESTS

Way = Callable[[bytes], Any]


def tool_span(number: int) -> Span:
    return Span(
        trace_id=f"{number // SPANS_PER_REQUEST + 1:032x}",
        span_id=f"{number + 1:016x}",
        parent_span_id=f"{number // SPANS_PER_REQUEST + 1:016x}",
        name="execute_tool search_orders",
        kind=SpanKind.INTERNAL,
        start_ns=1_700_000_000_000_000_000 + number,
        end_ns=1_700_000_000_500_000_000 + number,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search_orders",
            "gen_ai.tool.call.id": f"call_{number}",
            "gen_ai.tool.type": "function",
            "gen_ai.agent.name": "support",
            "gen_ai.tool.call.arguments": json.dumps({"query": "open orders " * 20, "limit": 20}),
            "gen_ai.tool.call.result": json.dumps([{"id": f"O-{n}", "total": n} for n in range(8)]),
            "retries": 0,
        },
        events=(SpanEvent("tool.started", 1_700_000_000_000_000_000 + number, {"attempt": 1}),),
        resource=Resource({"service.name": "support", "telemetry.sdk.language": "python"}),
        scope=InstrumentationScope("agents", "1.0"),
    )


@pytest.fixture(scope="module")
def spans() -> list[Span]:
    return [tool_span(number) for number in range(SPANS)]


@pytest.fixture(scope="module")
def lines(spans: list[Span]) -> bytes:
    batches = [
        spans[start : start + SPANS_PER_REQUEST] for start in range(0, SPANS, SPANS_PER_REQUEST)
    ]
    return b"".join(json.dumps(to_otlp_json(batch)).encode() + b"\n" for batch in batches)


@pytest.fixture(scope="module")
def protobuf(spans: list[Span]) -> bytes:
    request = json_format.ParseDict(to_otlp_json(spans), ExportTraceServiceRequest())
    written = [span for group in request.resource_spans for span in group.scope_spans[0].spans]
    for message, span in zip(written, spans, strict=True):  # protobuf's own JSON has ids in base64
        message.trace_id = bytes.fromhex(span.trace_id)
        message.span_id = bytes.fromhex(span.span_id)
        message.parent_span_id = bytes.fromhex(span.parent_span_id or "")
    return request.SerializeToString()


def read(data: bytes) -> list[Span | LogRecord]:
    return list(read_bytes(data))


def parse(data: bytes) -> ExportTraceServiceRequest:
    return ExportTraceServiceRequest.FromString(data)


def parse_to_dicts(data: bytes) -> list[dict[str, object]]:
    return [
        {
            pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "string_value")
            for pair in span.attributes
        }
        for group in parse(data).resource_spans
        for part in group.scope_spans
        for span in part.spans
    ]


def load(data: bytes) -> list[object]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.benchmark(group="JSON lines")
@pytest.mark.parametrize("way", [load, read])
def test_speed_of_json_lines(way: Way, lines: bytes, benchmark: BenchmarkFixture) -> None:
    assert len(benchmark(way, lines)) in {SPANS, SPANS // SPANS_PER_REQUEST}


@pytest.mark.benchmark(group="protobuf")
@pytest.mark.parametrize("way", [parse, parse_to_dicts, read])
def test_speed_of_protobuf(way: Way, protobuf: bytes, benchmark: BenchmarkFixture) -> None:
    assert benchmark(way, protobuf)


def test_both_forms_hold_the_same_spans(spans: list[Span], lines: bytes, protobuf: bytes) -> None:
    assert read(lines) == read(protobuf) == spans
