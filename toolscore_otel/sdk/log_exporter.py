"""The exporter around an exporter of log records: they go out without the secrets in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk._logs import export as sdk_export

from toolscore_otel.contracts import Contract
from toolscore_otel.sdk.build import Ingredients
from toolscore_otel.sdk.redaction import Redaction
from toolscore_otel.sdk.scoring import LOG, Scoring
from toolscore_otel.sdk.scorings import known_scoring

if TYPE_CHECKING:
    from opentelemetry.sdk._logs.export import LogRecordExporter as Base
else:  # its name in opentelemetry-sdk up to 1.38
    Base = getattr(sdk_export, "LogRecordExporter", None) or sdk_export.LogExporter

__all__ = ["Base", "ToolscoreLogRecordExporter"]


class ToolscoreLogRecordExporter(Base):
    """Takes secrets out of log records, and hands them on.

    Searched are attributes, body and event name of those that stand on a span, or tell of agents, models or tools. One in
    which nothing is found is handed on as the object it came as.

    Args:
        inner: what really exports.
        contracts: files, folders, `pack:NAME`, or contracts; None: those that the application's spans are scored with,
            else those of `TOOLSCORE_CONTRACTS`.
        scoring: whose contracts and key to use; None: that of the tracer provider with the same resource, where there is
            one, so that `hash` leaves the same fingerprints on spans and log records.
        settings: any of `SdkConfig`, by name.

    Raises:
        ContractError: with everything that is wrong in the contracts.
        ConfigError: a setting that makes no sense.
    """

    def __init__(
        self,
        inner: Any,
        contracts: Iterable[str | Path | Contract] | None = None,
        *,
        scoring: Scoring | None = None,
        **settings: Any,
    ) -> None:
        self._inner = inner
        self._ingredients = Ingredients.of(() if scoring else contracts, **settings)
        self._scoring = scoring
        self._redaction: Redaction | None = None
        self._failures_said: set[str] = set()
        self._is_over = False

    def export(self, batch: Sequence[Any]) -> Any:
        """Hand log records on. One that could not be searched for secrets, where a contract asks for that, does not go on."""
        return self._inner.export(list(self._clean(batch)))

    def shutdown(self) -> None:
        """Shut the inner exporter down; a second time nothing happens."""
        if not self._is_over:
            self._is_over = True
            self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the inner exporter, where it can be (those up to opentelemetry-sdk 1.38 need not)."""
        flush = getattr(self._inner, "force_flush", None)
        return True if flush is None else bool(flush(timeout_millis))

    def _clean(self, batch: Sequence[Any]) -> Iterator[Any]:
        for data in batch:
            try:
                redaction = self._redaction or self._made_redaction(data)
                yield redaction.clean_log(data)
            except Exception as error:  # noqa: BLE001 - a record that nobody can search
                self._failed(type(error).__name__)

    def _made_redaction(self, data: Any) -> Redaction:
        resource = getattr(data, "resource", None) or data.log_record.resource
        scoring = self._scoring = self._scoring or known_scoring(resource)
        ours = self._ingredients
        contracts, config = ours.contracts, ours.config
        if scoring is not None:
            config = scoring.config
            contracts = scoring.contracts if not (ours.given and contracts) else contracts
        self._redaction = Redaction(contracts, config.secret_key)
        return self._redaction

    def _failed(self, what: str) -> None:
        if self._scoring is not None:
            self._scoring.count("redaction_errors")
        if what not in self._failures_said:  # a line each could come back as a log record
            self._failures_said.add(what)
            LOG.warning("a log record was dropped: it could not be redacted (%s)", what)
