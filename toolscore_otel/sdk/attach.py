"""One line in an application: `attach(provider, contracts=[...])`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry._logs import get_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Report
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Finding
from toolscore_otel.sdk.build import Ingredients
from toolscore_otel.sdk.exporter import ToolscoreSpanExporter
from toolscore_otel.sdk.log_exporter import ToolscoreLogRecordExporter
from toolscore_otel.sdk.log_processor import ToolscoreLogProcessor
from toolscore_otel.sdk.processor import ToolscoreSpanProcessor
from toolscore_otel.sdk.scoring import Scoring


class Attached:
    """What was found so far, readable at any time and from any thread."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring

    def findings(self) -> tuple[Finding, ...]:
        """The last revision of each finding that is kept, by trace."""
        return self._scoring.findings()

    def report(self) -> Report:
        """Findings, trajectories and coverage of everything that is remembered."""
        return self._scoring.report()

    @property
    def counters(self) -> Mapping[str, int]:
        """What was seen, what caps were reached, and what went wrong."""
        return self._scoring.all_counters()


def attach(
    provider: trace.TracerProvider | None = None,
    *,
    contracts: Iterable[str | Path | Contract] | None = None,
    exporter: SpanExporter | None = None,
    log_exporter: Any = None,
    **settings: Any,
) -> Attached:
    """Score the spans of a tracer provider as they end, and what log records say of tool calls as they are emitted.

    Attach before processors that export are added, so that a span's findings are known when it goes out. A second call
    for one provider gives the findings of the first.

    Args:
        provider: None: the global one.
        contracts: files, folders, `pack:NAME`, or contracts; None: those of `TOOLSCORE_CONTRACTS`.
        exporter: if given, spans also go out through it, with findings on them and secrets taken out.
        log_exporter: if given, log records also go out through it (a `LogRecordExporter`), with secrets taken out.
        settings: any of `SdkConfig`, by name, and `logger_provider`, `meter_provider` in place of the global ones. Log
            records are taken in from a logger provider of the SDK that is there now.

    Raises:
        ContractError: with everything that is wrong in the contracts.
        ConfigError: a setting that makes no sense, or no provider of the SDK to attach to: of tracers, and where
            `log_exporter` is given, of loggers.
    """
    target = _tracer_provider(provider)
    logs = _logger_provider(settings.get("logger_provider"), asked=log_exporter is not None)
    scoring = Ingredients.of(contracts, **settings).scoring(target.resource, target)
    if not scoring.fed_by_processor:
        target.add_span_processor(ToolscoreSpanProcessor(scoring=scoring))
    if logs is not None:
        _listen(scoring, logs, log_exporter)
    if exporter is not None:
        wrapped = ToolscoreSpanExporter(exporter, scoring=scoring)
        target.add_span_processor(BatchSpanProcessor(wrapped))
    return Attached(scoring)


def _tracer_provider(given: trace.TracerProvider | None) -> TracerProvider:
    target = trace.get_tracer_provider() if given is None else given
    if not isinstance(target, TracerProvider):
        raise ConfigError(
            "there is no tracer provider of opentelemetry-sdk to attach to: set one with "
            "`opentelemetry.trace.set_tracer_provider` first, or give yours"
        )
    return target


def _logger_provider(given: Any, *, asked: bool) -> LoggerProvider | None:
    logs = get_logger_provider() if given is None else given
    if isinstance(logs, LoggerProvider):
        return logs
    if asked:
        raise ConfigError(
            "there is no logger provider of opentelemetry-sdk for `log_exporter`: set one with "
            "`opentelemetry._logs.set_logger_provider` first, or give yours"
        )
    return None


def _listen(scoring: Scoring, logs: LoggerProvider, exporter: Any) -> None:
    """Take in log records too, once for each provider; and let them out through an exporter, where one is given."""
    if logs not in scoring.logger_providers:
        scoring.logger_providers.add(logs)
        logs.add_log_record_processor(ToolscoreLogProcessor(scoring))
    if exporter is not None:
        wrapped = ToolscoreLogRecordExporter(exporter, scoring=scoring)
        logs.add_log_record_processor(BatchLogRecordProcessor(wrapped))
