"""The way in without code."""

import logging
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    InMemoryLogRecordExporter,
    LogRecordExporter,
    LogRecordExportResult,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolscore_otel.sdk import hooks
from toolscore_otel.sdk.hooks import ConfiguredExporter, ConfiguredLogExporter, post_instrument
from toolscore_otel.secrets.samples import make_sample

ROOT = Path(__file__).parent.parent.parent.parent


class Entry:
    """An entry point that gives what it is told to."""

    def __init__(self, name, made):
        self.name = name
        self._made = made

    def load(self):
        return lambda: self._made


@pytest.fixture
def inner():
    """The exporter that really exports."""
    return InMemorySpanExporter()


@pytest.fixture
def installed(monkeypatch, inner):
    """Installed exporters, by name."""
    known = {"memory": inner, "otlp_proto_grpc": inner, "toolscore": None}

    def entry_points(*, group, name=None):
        assert group == "opentelemetry_traces_exporter"
        return [Entry(one, made) for one, made in known.items() if name in (None, one)]

    monkeypatch.setattr(hooks, "entry_points", entry_points)
    return known


@pytest.fixture
def contracts(tmp_path):
    """A contract that forbids `rm`."""
    path = tmp_path / "c.yaml"
    path.write_text("contract: c\nlanguage: 1\nforbid: [rm]\n")
    return str(path)


def call_tool(exporter):
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.get_tracer("app").start_span("execute_tool rm").end()
    provider.shutdown()


def events(exporter):
    return [event.name for span in exporter.get_finished_spans() for event in span.events]


def test_the_entry_points_are_what_they_say():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]
    loaded = {
        group: {
            name: getattr(import_module(at.partition(":")[0]), at.partition(":")[2])
            for name, at in named.items()
        }
        for group, named in points.items()
    }
    assert loaded["opentelemetry_traces_exporter"] == {"toolscore": ConfiguredExporter}
    assert loaded["opentelemetry_logs_exporter"] == {"toolscore": ConfiguredLogExporter}
    assert issubclass(ConfiguredLogExporter, LogRecordExporter)
    assert loaded["opentelemetry_post_instrument"] == {"toolscore": post_instrument}
    assert issubclass(ConfiguredExporter, SpanExporter)


def test_no_configurator_is_shipped_since_it_would_take_the_place_of_the_default():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "opentelemetry_configurator" not in project["entry-points"]


def test_an_exporter_is_built_from_the_environment(installed, inner, contracts, monkeypatch):
    monkeypatch.setenv("TOOLSCORE_EXPORTER", "memory")
    monkeypatch.setenv("TOOLSCORE_CONTRACTS", contracts)
    call_tool(ConfiguredExporter())
    assert events(inner) == ["toolscore.forbidden_call"]


def test_an_exporter_is_built_from_a_configuration_file(installed, inner, contracts):
    call_tool(ConfiguredExporter(exporter="memory", contracts=[contracts], settle_ms=5))
    assert events(inner) == ["toolscore.forbidden_call"]


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, "otlp_proto_grpc"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "otlp_proto_http"),
        (
            {
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            "otlp_proto_http",
        ),
    ],
)
def test_otlp_goes_by_the_protocol_of_the_environment(
    installed, inner, monkeypatch, variables, name
):
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    installed.clear()
    installed[name] = inner
    call_tool(ConfiguredExporter(contracts=[]))
    assert len(inner.get_finished_spans()) == 1


@pytest.mark.parametrize("name", ["nothing", "toolscore"])
def test_an_exporter_that_is_not_there_is_an_error_in_the_log(installed, caplog, name):
    exporter = ConfiguredExporter(exporter=name)
    assert exporter.export([]) is SpanExportResult.FAILURE
    assert exporter.force_flush()
    exporter.shutdown()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "there are `memory`, `otlp_proto_grpc`" in caplog.text


def test_with_a_broken_contract_spans_go_out_unscored(installed, inner, tmp_path, caplog):
    broken = tmp_path / "broken.yaml"
    broken.write_text("contract: c\nlanguage: 1\nforbit: []\n")
    call_tool(ConfiguredExporter(exporter="memory", contracts=[str(broken)]))
    assert events(inner) == []
    assert len(inner.get_finished_spans()) == 1
    assert "broken.yaml:3" in caplog.text


def test_a_setting_that_does_not_exist_is_an_error_in_the_log(installed, inner, caplog):
    call_tool(ConfiguredExporter(exporter="memory", contracts=[], settel_ms=1))
    assert len(inner.get_finished_spans()) == 1
    assert "there is no setting `settel_ms`" in caplog.text


def test_flushing_reaches_the_exporter_behind(installed, inner):
    exporter = ConfiguredExporter(exporter="memory", contracts=[])
    assert exporter.force_flush()


@pytest.fixture
def installed_for_logs(monkeypatch):
    """The exporter of log records that really exports, and the name it is installed by."""
    known = {"memory": InMemoryLogRecordExporter()}

    def entry_points(*, group, name=None):
        assert group == "opentelemetry_logs_exporter"
        return [Entry(one, made) for one, made in known.items() if name in (None, one)]

    monkeypatch.setattr(hooks, "entry_points", entry_points)
    return known


@pytest.fixture
def redacting(tmp_path):
    """A contract that takes secrets out."""
    path = tmp_path / "r.yaml"
    path.write_text("contract: r\nlanguage: 1\nsecrets: {action: redact}\n")
    return str(path)


def told(exporter, inner):
    """What is left of a log record with a secret."""
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    body = make_sample("aws_access_key_id", 1)
    provider.get_logger("app").emit(LogRecord(trace_id=1, span_id=2, body=body))
    provider.shutdown()
    return [data.log_record.body for data in inner.get_finished_logs()]


def test_an_exporter_of_log_records_is_built_from_the_environment(
    installed_for_logs, redacting, monkeypatch
):
    monkeypatch.setenv("TOOLSCORE_LOG_EXPORTER", "memory")
    monkeypatch.setenv("TOOLSCORE_CONTRACTS", redacting)
    exporter = ConfiguredLogExporter()
    assert exporter.force_flush()
    assert told(exporter, installed_for_logs["memory"]) == ["[REDACTED:aws_access_key_id]"]


def test_an_exporter_of_log_records_is_built_from_a_configuration_file(
    installed_for_logs, redacting, monkeypatch
):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/protobuf")
    inner = installed_for_logs["otlp_proto_http"] = InMemoryLogRecordExporter()
    exporter = ConfiguredLogExporter(log_exporter="otlp", contracts=[redacting])
    assert told(exporter, inner) == ["[REDACTED:aws_access_key_id]"]


def test_an_exporter_of_log_records_that_is_not_there_is_an_error_in_the_log(
    installed_for_logs, caplog
):
    exporter = ConfiguredLogExporter(log_exporter="nothing")
    assert exporter.export([]) is LogRecordExportResult.FAILURE
    assert exporter.force_flush()
    exporter.shutdown()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "no exporter `nothing` is installed for log records to go to" in caplog.text


def test_with_a_broken_contract_log_records_go_out_as_they_came(
    installed_for_logs, tmp_path, caplog
):
    broken = tmp_path / "broken.yaml"
    broken.write_text("contract: c\nlanguage: 1\nforbit: []\n")
    exporter = ConfiguredLogExporter(log_exporter="memory", contracts=[str(broken)])
    assert len(told(exporter, installed_for_logs["memory"])) == 1
    assert "broken.yaml:3" in caplog.text


def test_the_post_hook_does_nothing_unless_contracts_are_named(monkeypatch):
    monkeypatch.delenv("TOOLSCORE_CONTRACTS", raising=False)
    monkeypatch.setattr(hooks, "attach", lambda: pytest.fail("attached"))
    post_instrument()


def test_the_post_hook_attaches_to_the_global_provider(contracts, monkeypatch):
    provider = TracerProvider(shutdown_on_exit=False)
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setenv("TOOLSCORE_CONTRACTS", contracts)
    post_instrument()
    assert [type(p).__name__ for p in provider._active_span_processor._span_processors] == [
        "ToolscoreSpanProcessor"
    ]
    provider.shutdown()


def test_the_post_hook_raises_nothing(monkeypatch, caplog):
    monkeypatch.setenv("TOOLSCORE_CONTRACTS", "not/there.yaml")
    monkeypatch.setattr(trace, "get_tracer_provider", TracerProvider)
    post_instrument()
    assert "spans are not scored" in caplog.text
