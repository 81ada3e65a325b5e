"""Whatever goes wrong on our side, an application goes on, and its spans go out."""

from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext

from toolscore_otel import Contract
from toolscore_otel.sdk import ToolscoreSpanExporter, attach, exporter as module
from toolscore_otel.sdk.redaction import Redaction

CONTRACT = Contract.from_dict(
    {"contract": "c", "language": 1, "forbid": [{"tool": "rm"}], "secrets": {}}
)


@pytest.fixture
def provider():
    made = TracerProvider(shutdown_on_exit=False)
    yield made
    made.shutdown()


def call_tool(provider, **attributes):
    known = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "rm"}
    span = provider.get_tracer("app").start_span("execute_tool rm", attributes=known | attributes)
    span.end()


class BrokenLoggers:
    """A logger provider that raises."""

    def get_logger(self, name):
        return self

    def emit(self, *args, **kwargs) -> Any:
        raise RuntimeError("no logs today")


class BrokenExporter(SpanExporter):
    """An exporter that raises."""

    def export(self, spans):
        raise RuntimeError("no spans today")


def test_a_logger_that_raises_is_counted(provider):
    attached = attach(provider, contracts=[CONTRACT], logger_provider=BrokenLoggers())
    call_tool(provider)
    assert attached.counters["log_errors"] == len(attached.findings()) == 1


def test_a_logger_provider_that_raises_is_counted(provider):
    class Broken:
        def get_logger(self, name):
            raise RuntimeError

    attached = attach(provider, contracts=[CONTRACT], logger_provider=Broken())
    call_tool(provider)
    assert attached.counters["errors"] == 1
    assert len(attached.findings()) == 1


def test_a_rule_that_raises_is_counted_and_never_a_verdict(provider, monkeypatch):
    broken = Contract.from_dict({"contract": "x", "language": 1, "forbid": [{"tool": "rm"}]})
    attached = attach(provider, contracts=[broken, CONTRACT])

    def judge(self, call):
        if self is broken:
            raise RuntimeError("a contract's own code")
        return self.registry.judge(call)

    monkeypatch.setattr(Contract, "judge", judge)
    call_tool(provider)
    assert {found.contract for found in attached.findings()} == {"c"}
    assert sum(attached.report().errors.values()) >= 1


def test_an_engine_that_raises_does_not_reach_the_application(provider, monkeypatch):
    attached = attach(provider, contracts=[CONTRACT], exporter=(inner := InMemorySpanExporter()))

    def broken(*_):
        raise MemoryError

    monkeypatch.setattr(attached._scoring.engine, "feed", broken)
    call_tool(provider)
    assert provider.force_flush()
    assert attached.counters["errors"] == 1
    assert len(inner.get_finished_spans()) == 1


def test_an_exporter_that_raises_is_the_batch_processors_own_matter(provider, caplog):
    attached = attach(provider, contracts=[CONTRACT])
    provider.add_span_processor(BatchSpanProcessor(ToolscoreSpanExporter(BrokenExporter())))
    call_tool(provider)
    provider.force_flush()
    assert "forbid.1" in {found.rule for found in attached.findings()}
    assert "Exception while exporting" in caplog.text


def test_an_exporter_that_fails_says_so():
    class Failing(InMemorySpanExporter):
        def export(self, spans):
            return SpanExportResult.FAILURE

    exporter = ToolscoreSpanExporter(Failing(), [CONTRACT])
    assert exporter.export([ReadableSpan("s", SpanContext(1, 2, is_remote=False))]) is (
        SpanExportResult.FAILURE
    )
    assert exporter.export([]) is SpanExportResult.FAILURE


def test_a_span_whose_findings_cannot_be_written_goes_out_without_them(provider, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(module, "span_event", broken)
    attached = attach(provider, contracts=[CONTRACT], exporter=(inner := InMemorySpanExporter()))
    call_tool(provider)
    provider.force_flush()
    assert [len(span.events) for span in inner.get_finished_spans()] == [0]
    assert attached.counters["event_errors"] == 1


def test_a_span_that_cannot_be_searched_for_secrets_does_not_leave(provider, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr(Redaction, "clean", broken)
    attached = attach(provider, contracts=[CONTRACT], exporter=(inner := InMemorySpanExporter()))
    call_tool(provider)
    provider.force_flush()
    assert inner.get_finished_spans() == ()
    assert attached.counters["redaction_errors"] == 1
    assert "a span was dropped" in caplog.text


@pytest.mark.parametrize(
    "value",
    [b"\xff\x00", "\ud800", "x" * 100_000, ("a",) * 1000, float("nan"), 2**70, "", "{" * 500],
)
def test_weird_attributes_are_scored_and_exported(provider, value):
    attached = attach(provider, contracts=[CONTRACT], exporter=(inner := InMemorySpanExporter()))
    call_tool(provider, **{"gen_ai.tool.call.arguments": value, "k": value})
    provider.force_flush()
    assert attached.counters["errors"] == 0
    assert "forbid.1" in {found.rule for found in attached.findings()}
    (span,) = inner.get_finished_spans()
    assert "toolscore.forbidden_call" in {event.name for event in span.events}


def test_a_span_that_ends_while_findings_go_out_is_scored(provider):
    """As where an exporter of logs is instrumented itself."""

    class Spanning(BrokenLoggers):
        left = 3

        def emit(self, *args, **kwargs) -> Any:
            if self.left:
                self.left -= 1
                call_tool(provider)

    attached = attach(provider, contracts=[CONTRACT], logger_provider=Spanning())
    call_tool(provider)
    assert len(attached.findings()) == 4


def test_a_simple_processor_around_the_exporter_raises_nothing(provider):
    attached = attach(provider, contracts=[CONTRACT])
    provider.add_span_processor(SimpleSpanProcessor(ToolscoreSpanExporter(BrokenExporter())))
    call_tool(provider)
    assert len(attached.findings()) == 1
