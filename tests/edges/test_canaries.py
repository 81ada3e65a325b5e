"""Nothing leaves an application with six characters in a row of any secret, of whatever kind, wherever it stands."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from tests.edges.canaries.canary import CONTRACT, sample, shown
from toolscore_otel.contracts import Contract
from toolscore_otel.sdk import attach
from toolscore_otel.secrets import KINDS


def work(tracer: Any, logger: Any, canary: str) -> None:
    """A tool and a model that have a secret wherever one may stand."""
    with tracer.start_as_current_span(f"execute_tool http {canary}") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", "http")
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps({"q": canary}))
        span.set_attribute("gen_ai.tool.call.result", f"got {canary} back")
        span.set_attribute("more", [canary, "x"])
        span.add_event("exception", {"exception.message": f"refused: {canary}"})
        span.add_event(f"at {canary}", {"k": canary})
        span.set_status(Status(StatusCode.ERROR, f"failed: {canary}"))
        logger.emit(LogRecord(body={"a": [canary, {canary: 1}]}, attributes={"k": canary}))
    with tracer.start_as_current_span("chat") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        messages = [{"role": "user", "content": canary}]
        span.set_attribute("gen_ai.input.messages", json.dumps(messages))
        span.add_event("gen_ai.choice", {"message": canary})
        logger.emit(LogRecord(body=f"said {canary}", event_name=f"at {canary}"))


def test_spans_log_records_and_findings_leave_the_sdk_without_secrets() -> None:
    provider, spans = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    logs, records = LoggerProvider(shutdown_on_exit=False), InMemoryLogRecordExporter()
    found = attach(
        provider,
        contracts=[Contract.from_dict(CONTRACT)],
        exporter=spans,
        log_exporter=records,
        logger_provider=logs,
    )
    for kind in KINDS:
        work(provider.get_tracer("canary"), logs.get_logger("canary"), sample(kind))
    for flushed in (provider, logs):
        assert flushed.force_flush(timeout_millis=120_000)
        flushed.shutdown()
    left = spans.get_finished_spans()
    assert len(left) == 2 * len(KINDS)
    told = [one.to_json() for one in records.get_finished_logs()]
    assert len(told) > 4 * len(KINDS)  # findings are among them
    in_messages = [f for f in found.findings() if f.secret_kind and not f.tool]
    assert {finding.secret_kind for finding in in_messages} == set(KINDS)
    assert shown(repr(found.findings())) == {}
    assert shown("\n".join(span.to_json() for span in left)) == {}
    assert shown("\n".join(told)) == {}
