"""Where a run leaves what it saw: the spans as they ended, one OTLP/JSON line each, and the truth beside them.

The contract is attached as well, as an application would: so the tools can tell what had been found when they ran.

python run_NAME.py SPANS.jsonl TRUTH.json
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import story
from opentelemetry import trace
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from toolscore_otel.sdk import attach

CONTRACT = Path(__file__).parent.parent / "support.yaml"
LOOPBACK = {"127.0.0.1", "::1", "localhost", "", "None"}


@contextmanager
def recorded() -> Iterator[TracerProvider]:
    """A provider, set globally too, whose spans stand in the first file when this ends.

    Some frameworks let the error of a tool end the run. That is told in the truth and is no failure.
    """
    spans, truth = map(Path, sys.argv[1:3])
    refused = _stay_on_this_machine()
    provider = TracerProvider(resource=Resource.create({"service.name": "support-desk"}))
    attached = attach(provider, contracts=[CONTRACT])
    story.found_so_far = lambda: [f.rule for f in attached.findings() if f.label == "fail"]
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(spans)))
    trace.set_tracer_provider(provider)
    ended_by = None
    try:
        yield provider
    except Exception as error:  # noqa: BLE001 - whatever a framework wraps it in
        traceback.print_exc()
        ended_by = type(error).__name__
    provider.shutdown()
    texts = {
        "instructions": story.INSTRUCTIONS,
        "question": story.QUESTION,
        "arguments": story.REASON,
        "results": story.DELETED,
        "error text": story.FAILURE,
    }
    found = {f.rule: f.label for f in attached.findings() if f.label != "pass"}
    told = {
        "ended_by": ended_by,
        "refused": refused,
        "ran": story.RAN,
        "found": found,
        "errors": attached.counters.get("errors", 0) + sum(attached.report().errors.values()),
        "texts": texts,
    }
    truth.write_text(json.dumps(told))


def _stay_on_this_machine() -> list[str]:
    """From here on, refuse to look up or connect to another host; returns the list of those refused."""
    refused: list[str] = []

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        if event not in {"socket.connect", "socket.getaddrinfo"}:
            return
        target = args[1] if event == "socket.connect" else args
        host = target[0] if isinstance(target, tuple) else ""  # a path: a Unix socket
        name = host.decode() if isinstance(host, bytes) else str(host)
        if name not in LOOPBACK:
            refused.append(name)
            raise PermissionError(f"a test stays on this machine: {name}")

    sys.addaudithook(refuse)
    return refused
