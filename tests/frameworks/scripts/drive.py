"""Runs a page's program as it stands, and leaves beside it what it saw.

`spans.jsonl` has the spans as they ended, one OTLP/JSON line each, `redacted.jsonl` the same without secrets, as our exporter
hands them on, `truth.json` what really happened.

python drive.py agent.py
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import story
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from stub import served

from toolscore_otel import Contract
from toolscore_otel.sdk.redaction import Redaction

LOOPBACK = {"127.0.0.1", "::1", "localhost", "", "None"}
REDACTING = {"contract": "clean", "language": 1, "secrets": {"action": "redact"}}


class Recording(SpanExporter):
    """Writes each span twice, as it is and redacted."""

    def __init__(self) -> None:
        self._redaction = Redaction([Contract.from_dict(REDACTING)], "key")
        self._plain = FileSpanExporter("spans.jsonl")
        self._clean = FileSpanExporter("redacted.jsonl")

    def export(self, spans: Any) -> SpanExportResult:
        """Write them."""
        clean: list[ReadableSpan] = [self._redaction.clean(span) for span in spans]
        self._clean.export(clean)
        return self._plain.export(spans)

    def shutdown(self) -> None:
        """Close both files."""
        self._plain.shutdown()
        self._clean.shutdown()


def main(program: Path) -> None:
    """Run a program whose model is the stub, and whose tracer provider's spans are recorded."""
    refused = _stay_on_this_machine()
    _record_spans()
    sys.path.insert(0, str(Path.cwd()))
    shop = importlib.import_module("shop")
    story.note_what_runs(shop)
    with served() as address:
        os.environ |= {
            "ANTHROPIC_BASE_URL": address,
            "GOOGLE_GEMINI_BASE_URL": address,
            "OPENAI_BASE_URL": f"{address}/v1",
        }
        told = runpy.run_path(str(program), run_name="__main__")
    told["provider"].shutdown()
    attached = told["found"]
    truth = {
        "refused": refused,
        "ran": story.RAN,
        "found": {f.rule: f.label for f in attached.findings() if f.label != "pass"},
        "findings": repr(attached.findings()),
        "errors": attached.counters.get("errors", 0) + sum(attached.report().errors.values()),
        "texts": {"instructions": shop.INSTRUCTIONS, "question": shop.QUESTION},
        "token": story.TOKEN,
    }
    Path("truth.json").write_text(json.dumps(truth))


def _record_spans() -> None:
    """From here on, each new provider records its spans."""
    make = TracerProvider.__init__

    def make_recording(self: TracerProvider, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        self.add_span_processor(SimpleSpanProcessor(Recording()))

    TracerProvider.__init__ = make_recording


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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
