"""Spans and log records of an application, through our exporters into a real Collector, which is restarted on the way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry._logs import LogRecord as Record
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as LogsOverGrpc
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as OverGrpc
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as LogsOverHttp
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as OverHttp
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.edges.canaries.canary import sample, shown
from tests.edges.test_canaries import work
from tests.parts.ports import free_address
from tests.parts.process import Running, wait_for
from toolscore_otel.contracts import Contract
from toolscore_otel.sdk import attach
from toolscore_otel.secrets import KINDS
from toolscore_otel.wire.json_to_proto import json_to_proto

pytestmark = pytest.mark.net

CONFIG = """
receivers:
  otlp: {{protocols: {{grpc: {{endpoint: '{grpc}'}}, http: {{endpoint: '{http}'}}}}}}
extensions:
  health_check: {{endpoint: '{health}'}}
exporters:
  file/traces: {{path: traces.jsonl, append: true, flush_interval: 100ms}}
  file/logs: {{path: logs.jsonl, append: true, flush_interval: 100ms}}
  debug: {{verbosity: detailed, sampling_initial: 1000000}}
service:
  telemetry: {{metrics: {{level: none}}}}
  extensions: [health_check]
  pipelines:
    traces: {{receivers: [otlp], exporters: [file/traces, debug]}}
    logs: {{receivers: [otlp], exporters: [file/logs, debug]}}
"""
RULES = {
    "contract": "clean",
    "language": 1,
    "secrets": {"in": ["arguments", "result", "error", "messages", "attributes"]},
}
OURS = ("toolscore.", "gen_ai.evaluation.")
"""How names of events begin that are findings."""


class Collector:
    """A Collector that writes all that comes into files and into its log."""

    def __init__(self, start: Callable[..., Running], program: Path, folder: Path) -> None:
        self.grpc, self.http, self._health = free_address(), free_address(), free_address()
        self.folder = folder
        config = CONFIG.format(grpc=self.grpc, http=self.http, health=self._health)
        (folder / "collector.yaml").write_text(config)
        self._start, self._program = start, program
        self.go_on()

    def go_on(self) -> None:
        """Start, for the first time or again: what it wrote before stays."""
        command = [str(self._program), "--config", "collector.yaml"]
        self.running = self._start(command, "otelcol")
        self.running.wait_until_ready(f"http://{self._health}")

    def exporters(self, protocol: str) -> tuple[Any, Any]:
        """Of spans and log records; they try again until it is there."""
        if protocol == "grpc":
            to: dict[str, Any] = {"endpoint": self.grpc, "insecure": True, "timeout": 60}
            return OverGrpc(**to), LogsOverGrpc(**to)
        url = f"http://{self.http}/v1"
        return OverHttp(f"{url}/traces", timeout=60), LogsOverHttp(f"{url}/logs", timeout=60)

    def spans(self) -> list[Span]:
        """All that were written."""
        read = (ExportTraceServiceRequest.FromString(data) for data in self._lines("traces"))
        return [span for request in read for span in spans_of(request)]

    def records(self) -> list[LogRecord]:
        """All that were written."""
        read = (ExportLogsServiceRequest.FromString(data) for data in self._lines("logs"))
        return [record for request in read for record in records_of(request)]

    def everything(self) -> str:
        """All bytes that it has put anywhere."""
        return "".join(file.read_text(errors="replace") for file in self.folder.iterdir())

    def _lines(self, signal: str) -> Iterable[bytes]:
        lines = (self.folder / f"{signal}.jsonl").read_bytes().splitlines()
        return (json_to_proto(line, signal) for line in lines)


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    scopes = (scope for resource in request.resource_spans for scope in resource.scope_spans)
    return [span for scope in scopes for span in scope.spans]


def records_of(request: ExportLogsServiceRequest) -> list[LogRecord]:
    scopes = (scope for resource in request.resource_logs for scope in resource.scope_logs)
    return [record for scope in scopes for record in scope.log_records]


def harmless(tracer: Any, logger: Any, number: int) -> None:
    """A call that has everything but a secret."""
    with tracer.start_as_current_span(f"execute_tool t{number}") as span:
        span.set_attribute("gen_ai.tool.name", "search")
        span.set_attribute(
            "gen_ai.tool.call.arguments", json.dumps({"q": "é \ud83d\ude00", "n": 1})
        )
        span.set_attribute("list", [1.5, 2.0])
        span.add_event("tried", {"attempt": number, "final": True})
        body: Any = {"said": ["nothing", {"n": number, "x": None}], "raw": b"\x00\xff"}
        logger.emit(Record(timestamp=number + 1, body=body, attributes={"n": number}))


class App:
    """An application; it remembers what left its tracers and loggers, before our exporters saw it."""

    def __init__(self, exporters: tuple[Any, Any]) -> None:
        resource = Resource({"service.name": "desk"})
        self._spans, self._logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
        self.provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._spans))
        self.loggers.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        attach(
            self.provider,
            contracts=[Contract.from_dict(RULES)],
            exporter=exporters[0],
            log_exporter=exporters[1],
            logger_provider=self.loggers,
        )

    def run(self, kinds: Sequence[str]) -> None:
        """A leaky run for each kind, each with a harmless one beside it."""
        tracer, logger = self.provider.get_tracer("app"), self.loggers.get_logger("app")
        for number, kind in enumerate(kinds):
            work(tracer, logger, sample(kind))
            harmless(tracer, logger, number)

    def end(self) -> tuple[list[Span], list[LogRecord]]:
        """Send what is left; gives all that was ever made."""
        for provider in (self.provider, self.loggers):
            provider.shutdown()
        logs: Any = encode_logs(self._logs.get_finished_logs())
        return spans_of(encode_spans(self._spans.get_finished_spans())), records_of(logs)


def canaries_in(message: Span | LogRecord) -> bool:
    return bool(shown(repr(message).encode().decode("unicode_escape")))


def same_but_for_canaries(before: Iterable[Any], after: Iterable[Any]) -> bool:
    """Whether attributes are those of before, each of itself the same where it holds no canary."""
    pairs = list(zip(before, after, strict=True))
    return all(canaries_in(old) or new == old for old, new in pairs)


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_what_arrives_has_no_secret_and_all_else_once_over_a_restart(
    start: Callable[..., Running], otelcol: Path, tmp_path: Path, protocol: str
) -> None:
    collector = Collector(start, otelcol, tmp_path)
    app = App(collector.exporters(protocol))
    app.run(KINDS[::3])
    assert collector.running.stop() == 0
    app.run(KINDS[1::3])  # it is gone; senders try again
    collector.go_on()
    sent, told = app.end()
    wait_for(lambda: len(collector.spans()) >= len(sent), "all spans")
    wait_for(lambda: len(collector.records()) >= len(told), "all log records")
    assert collector.running.stop() == 0

    spans = {span.span_id: span for span in collector.spans()}
    assert len(collector.spans()) == len(spans) == len(sent)
    for span in sent:
        got = spans[span.span_id]
        del got.events[len(span.events) :]  # findings
        if not canaries_in(span):
            assert got == span
        assert same_but_for_canaries(span.attributes, got.attributes)
        assert same_but_for_canaries(span.events, got.events)
    assert Counter(map(place, collector.records())) == Counter(map(place, told))
    arrived = Counter(bytes_of(one) for one in collector.records())
    assert arrived >= Counter(bytes_of(one) for one in told if not canaries_in(one))
    assert shown(collector.everything()) == {}


def place(record: LogRecord) -> tuple[bytes, int, int]:
    return record.span_id, record.time_unix_nano, record.observed_time_unix_nano


def bytes_of(record: LogRecord) -> bytes:
    return record.SerializeToString(deterministic=True)


def test_the_collector_would_show_what_it_is_sent(
    start: Callable[..., Running], otelcol: Path, tmp_path: Path
) -> None:
    collector = Collector(start, otelcol, tmp_path)
    plain = TracerProvider(shutdown_on_exit=False)
    plain.add_span_processor(SimpleSpanProcessor(collector.exporters("grpc")[0]))
    with plain.get_tracer("app").start_as_current_span("x", attributes={"k": sample(KINDS[0])}):
        pass
    plain.shutdown()
    wait_for(collector.spans, "the span")
    assert set(shown(collector.everything())) == {KINDS[0]}
