"""What passing a request costs, beside protobuf's own parsing and writing of the same bytes in the same run.

A group each for tool spans, other spans, and one tool span among ten: requests of 512 spans, compare the rows of one
group, absolute figures do not carry over. "passing" is what the server does with the bytes, "secrets" also asks of each
tool span whether a secret may stand in it, "annotated" writes an event on every tenth, "engine" holds all of them
against a contract, the other spans only where their trace has a tool span.
"""

from collections.abc import Callable
from time import process_time

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.shapes import SHAPES, SPANS, spans_of
from toolscore_otel.assembly import Item
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import read
from toolscore_otel.emit.redaction import AGENT, Redaction
from toolscore_otel.engine import Engine
from toolscore_otel.wire.editing import may_change, with_events
from toolscore_otel.wire.passing import TracesRequest
from toolscore_otel.wire.write_proto import traces_request

EVENT = ("toolscore.forbidden_call", {"toolscore.finding.id": "f-1", "toolscore.rule.id": "forbid"})
CONTRACT = Contract.from_dict(
    {
        "contract": "support",
        "language": 1,
        "allow_only": ["search_*", "lookup_*"],
        "forbid": ["delete_user", {"tool": "search_orders", "args": {"limit": {"$gt": 100}}}],
        "require": ["search_orders"],
        "limit": [{"tool": "search_orders", "max": 1000}],
        "loop": {"same_call": 1000, "retry_after_error": 3},
        "budget": [{"of": "trace", "latency_ms": 1_000_000_000}],
        "secrets": {},
    }
)


REQUESTS = {kind: traces_request(spans_of(kind)) for kind in SHAPES}
REDACTION = Redaction([CONTRACT], b"key")


def official(data: bytes) -> bytes:
    return ExportTraceServiceRequest.FromString(data).SerializeToString()


def passing(data: bytes) -> bytes:
    request = TracesRequest.of_bytes(data)
    for one in request.spans:
        if one.is_of_interest:
            one.span()
    return request.serialise()


def secrets(data: bytes) -> bytes:
    request = TracesRequest.of_bytes(data)
    for one in request.spans:
        if one.is_of_interest:
            told = one.span()
            cleaner = REDACTION.cleaner(told.resource, told.attributes.get(AGENT))
            assert cleaner is not None
            assert not may_change(one, cleaner)
    return request.serialise()


def annotated(data: bytes) -> bytes:
    request = TracesRequest.of_bytes(data)
    for number, one in enumerate(request.spans):
        if one.is_of_interest:
            one.span()
            if number % 10 == 0:
                one.replace(with_events(one.raw, [EVENT], 1))
    return request.serialise()


def judged(data: bytes) -> bytes:
    request = TracesRequest.of_bytes(data)
    engine = Engine([CONTRACT])
    traces: dict[str, list[Item]] = {}
    for one in request.spans:
        if one.place is not None:
            reading = read(one.span()) if one.is_of_interest else None
            traces.setdefault(one.place.trace_id, []).append((one.place, reading))
    for trace_id, items in traces.items():
        if any(reading is not None for _, reading in items):
            assert not engine.add_all(trace_id, items, 0)
    return request.serialise()


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize("way", [official, passing, secrets, annotated, judged])
@pytest.mark.parametrize("kind", REQUESTS)
def test_speed_of_passing(
    kind: str, way: Callable[[bytes], bytes], benchmark: BenchmarkFixture
) -> None:
    benchmark.group = f"{SPANS} spans, {kind}"
    data = REQUESTS[kind]
    assert len(benchmark(way, data)) >= len(data)


def test_what_passes_is_what_came() -> None:
    for data in REQUESTS.values():
        assert passing(data) is data
        assert secrets(data) is data
        assert judged(data) is data
        assert official(annotated(data)) == annotated(data)
