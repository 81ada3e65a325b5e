"""Sends exports to one address, as fast as it answers, in a process of its own; says how many were answered.

    python -m tests.bench.exports SHAPE ADDRESS WARMUP_S MEASURED_S

The bytes of a request are made once. In each request that is sent, one text that stands in all ids, arguments, results and
addresses is replaced by another one, so that no span, no trace and no call comes twice.
"""

from __future__ import annotations

import json
import os
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import grpc
from msgspec import structs

from tests.bench.shapes import SHAPES, SPANS, SPANS_PER_TRACE
from toolscore_otel.model import Span
from toolscore_otel.wire.write_proto import traces_request

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
IN_FLIGHT = 8
PATIENCE_S = 60
FRESH = "~FRESH"
"""What is replaced in every request; six bytes, so that two are left in a span id."""


@dataclass(frozen=True)
class Sent:
    """What was answered.

    Attributes:
        requests: all of them.
        rate: spans a second, of the time that is measured.
    """

    requests: int
    rate: float


def template(shape: str) -> bytes:
    """A request whose traces are whole: the last span of each is the parent of the others."""
    spans = (_fresh(SHAPES[shape](number), number) for number in range(SPANS))
    return traces_request(sorted(spans, key=lambda one: one.scope.name))


def requests(shape: str) -> Iterator[bytes]:
    """Requests without end."""
    made, old = template(shape), FRESH.encode()
    while True:
        yield made.replace(old, urlsafe_b64encode(os.urandom(6))[: len(old)])


def send(shape: str, address: str, warmup_s: float, measured_s: float) -> Sent:
    """Send for a while, several at once, and wait for all answers.

    Raises:
        grpc.RpcError: a request was refused.
    """
    options = (("grpc.max_send_message_length", -1),)
    with grpc.insecure_channel(address, options) as channel:
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(EXPORT)
        begin = time.monotonic() + warmup_s
        end = begin + measured_s

        def work(_: int) -> list[float]:
            answered: list[float] = []
            for data in requests(shape):
                export(data, timeout=PATIENCE_S, wait_for_ready=True)
                answered.append(time.monotonic())
                if answered[-1] > end:
                    break
            return answered

        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            answered = [moment for own in pool.map(work, range(IN_FLIGHT)) for moment in own]
    measured = sum(begin < moment <= end for moment in answered)
    return Sent(len(answered), measured * SPANS / measured_s)


def _fresh(span: Span, number: int) -> Span:
    """A span whose ids and texts hold `FRESH`."""
    attributes = dict(span.attributes)
    for key, old in (
        ("gen_ai.tool.call.id", "call"),
        ("gen_ai.tool.call.arguments", "open"),
        ("gen_ai.tool.call.result", "O-"),
        ("url.full", "orders/"),
    ):
        if isinstance(text := attributes.get(key), str):
            attributes[key] = text.replace(old, f"{old}{FRESH}{number}", 1)
    trace = number // SPANS_PER_TRACE
    root = (trace + 1) * SPANS_PER_TRACE - 1
    return structs.replace(
        span,
        attributes=attributes,
        trace_id=_id(trace, 16),
        span_id=_id(number, 8),
        parent_span_id=None if number == root else _id(root, 8),
    )


def _id(number: int, size: int) -> str:
    return (FRESH.encode() + number.to_bytes(size - len(FRESH))).hex()


def main() -> None:
    """Send, and print `Sent` as JSON."""
    shape, address, warmup_s, measured_s = sys.argv[1:]
    sys.stdout.write(json.dumps(asdict(send(shape, address, float(warmup_s), float(measured_s)))))


if __name__ == "__main__":
    main()
