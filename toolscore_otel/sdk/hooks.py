"""The way in without code: entry points that `opentelemetry-instrument` and configuration files find.

`OTEL_TRACES_EXPORTER=toolscore` puts our exporter before the one that `TOOLSCORE_EXPORTER` names, and
`OTEL_LOGS_EXPORTER=toolscore` that of log records before the one of `TOOLSCORE_LOG_EXPORTER`; in a file they are
`exporter: {toolscore: {contracts: [...], exporter: otlp}}` and `log_exporter: otlp`. The post hook attaches a processor to
whatever provider was set up, and does nothing unless `TOOLSCORE_CONTRACTS` is set. Nothing here raises: a contract that is
wrong is an error in the log, and the application's spans go on unscored.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from typing import Any

from opentelemetry.sdk._logs import export as sdk_export
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from toolscore_otel.errors import ConfigError, ToolscoreError, clip
from toolscore_otel.sdk.attach import attach
from toolscore_otel.sdk.config import CONTRACTS, SdkConfig
from toolscore_otel.sdk.exporter import ToolscoreSpanExporter
from toolscore_otel.sdk.log_exporter import Base, ToolscoreLogRecordExporter
from toolscore_otel.sdk.scoring import LOG
from toolscore_otel.secrets.messages import hidden

GROUP = "opentelemetry_traces_exporter"
"""Where exporters of spans register."""

LOG_GROUP = "opentelemetry_logs_exporter"
"""Where exporters of log records do."""

_OWN_NAME = "toolscore"
_PROTOCOLS = {
    GROUP: ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"),
    LOG_GROUP: ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"),
}
_CARRIES = {GROUP: "spans", LOG_GROUP: "log records"}
_LOG_RESULT: Any = getattr(sdk_export, "LogRecordExportResult", None) or getattr(
    sdk_export, "LogExportResult", None
)


class ConfiguredExporter(SpanExporter):
    """`ToolscoreSpanExporter` around an exporter that is known by name.

    Args:
        exporter: name of the exporter behind it; None: that of `TOOLSCORE_EXPORTER`.
        contracts: files, folders and `pack:NAME`; None: those of `TOOLSCORE_CONTRACTS`.
        settings: any other of `SdkConfig`, by name.
    """

    def __init__(
        self,
        exporter: str | None = None,
        contracts: Iterable[str] | None = None,
        **settings: Any,
    ) -> None:
        self._exporter: SpanExporter | None = None
        try:
            named = SdkConfig.from_environment(exporter=exporter).exporter
            inner = self._exporter = _named(named, GROUP)
            self._exporter = ToolscoreSpanExporter(inner, contracts, **settings)
        except ToolscoreError as error:
            LOG.error("spans go out unscored: %s", hidden(error))

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Hand spans on."""
        return self._exporter.export(spans) if self._exporter else SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """Shut the exporter behind it down."""
        if self._exporter:
            self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter behind it."""
        return self._exporter.force_flush(timeout_millis) if self._exporter else True


class ConfiguredLogExporter(Base):
    """`ToolscoreLogRecordExporter` around an exporter that is known by name.

    Args:
        log_exporter: name of the exporter behind it; None: that of `TOOLSCORE_LOG_EXPORTER`.
        contracts: files, folders and `pack:NAME`; None: those of `TOOLSCORE_CONTRACTS`.
        settings: any other of `SdkConfig`, by name.
    """

    def __init__(
        self,
        log_exporter: str | None = None,
        contracts: Iterable[str] | None = None,
        **settings: Any,
    ) -> None:
        self._exporter: Any = None
        try:
            named = SdkConfig.from_environment(log_exporter=log_exporter).log_exporter
            inner = self._exporter = _named(named, LOG_GROUP)
            self._exporter = ToolscoreLogRecordExporter(inner, contracts, **settings)
        except ToolscoreError as error:
            LOG.error("log records go out with the secrets in them: %s", hidden(error))

    def export(self, batch: Sequence[Any]) -> Any:
        """Hand log records on."""
        return self._exporter.export(batch) if self._exporter else _LOG_RESULT.FAILURE

    def shutdown(self) -> None:
        """Shut the exporter behind it down."""
        if self._exporter:
            self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter behind it."""
        flush = getattr(self._exporter, "force_flush", None)  # up to 1.38 it need have none
        return bool(flush(timeout_millis)) if flush else True


def post_instrument() -> None:
    """Attach to the global tracer provider, where `TOOLSCORE_CONTRACTS` names contracts."""
    if not os.environ.get(CONTRACTS, "").strip():
        return
    try:
        attach()
    except Exception as error:  # noqa: BLE001 - the application starts, whatever is wrong here
        LOG.error("spans are not scored: %s", hidden(error))


def _named(name: str, group: str) -> Any:
    wanted = _otlp(group) if name == "otlp" else name
    found = next(iter(entry_points(group=group, name=wanted)), None)
    if found is None or name == _OWN_NAME:
        known = sorted({entry.name for entry in entry_points(group=group)} - {_OWN_NAME})
        raise ConfigError(
            f"no exporter `{hidden(clip(wanted))}` is installed for {_CARRIES[group]} to go to; there are "
            + (", ".join(f"`{other}`" for other in known) or "none")
        )
    return found.load()()


def _otlp(group: str) -> str:
    protocol = next((text for name in _PROTOCOLS[group] if (text := os.environ.get(name))), "grpc")
    return "otlp_proto_http" if protocol.strip().startswith("http") else "otlp_proto_grpc"
