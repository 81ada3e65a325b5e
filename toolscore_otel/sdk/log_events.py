"""Findings and scores out, as log events through the application's own LoggerProvider."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry._logs import SeverityNumber, get_logger_provider
from opentelemetry.sdk import _logs as sdk_logs

from toolscore_otel.contracts import Contract
from toolscore_otel.emit import LogEvent, log_event, score_event
from toolscore_otel.emit.context import context_of
from toolscore_otel.emit.score_store import ScoreRevision
from toolscore_otel.model import Finding, Trajectory
from toolscore_otel.sdk.scoring import LOG

SCOPE = "toolscore_otel"
"""Instrumentation scope of everything that we emit."""

_TAKES_PARTS = "event_name" in inspect.signature(sdk_logs.Logger.emit).parameters
"""Whether a logger builds the record itself (opentelemetry-sdk 1.37 and later)."""


class LogEvents:
    """Hands findings and scores to a logger.

    Args:
        contracts: for what they say of themselves.
        count: told of what went wrong, by counter.
        provider: None: the global one, looked up until there is one.
    """

    def __init__(
        self, contracts: Sequence[Contract], count: Callable[[str], None], provider: Any = None
    ) -> None:
        self._contracts = {contract.id: contract for contract in contracts}
        self._count = count
        self._provider = provider
        self._logger: Any = None
        self._silence_said = False

    def tell(self, finding: Finding, before: Finding | None) -> None:  # noqa: ARG002 - every revision goes out
        """Emit a revision of a finding; a failure is counted."""
        contract = self._contracts.get(finding.contract)
        self._emit(log_event(finding, contract_hash=contract.hash if contract else None))

    def tell_score(self, revision: ScoreRevision, trajectory: Trajectory) -> None:
        """Emit a revision of a score; a failure is counted."""
        contract = self._contracts.get(revision.score.contract or "")
        self._emit(score_event(revision, contract, closed_by=trajectory.closed_by))

    def _emit(self, event: LogEvent) -> None:
        logger = self._logger or self._find_logger()
        if logger is None:
            return
        try:
            _emit(logger, event)
        except Exception as error:  # noqa: BLE001 - of the application's log pipeline
            self._count("log_errors")
            LOG.debug("a finding or a score could not be emitted: %s", type(error).__name__)

    def _find_logger(self) -> Any:
        provider = self._provider or get_logger_provider()
        if self._provider is not None or isinstance(provider, sdk_logs.LoggerProvider):
            self._logger = provider.get_logger(SCOPE)
        elif not self._silence_said:
            self._silence_said = True
            LOG.warning(
                "findings do not go out as log events, since no LoggerProvider is set; they are in "
                "`findings()` of what `toolscore_otel.sdk.attach` returns"
            )
        return self._logger


def _emit(logger: Any, event: LogEvent) -> None:
    parts: dict[str, Any] = {
        "timestamp": time.time_ns(),
        "context": context_of(event.trace_id, event.span_id),
        "severity_number": SeverityNumber(event.severity_number),
        "severity_text": event.severity_text,
        "attributes": dict(event.attributes),
        "event_name": event.name,
    }
    if _TAKES_PARTS:
        logger.emit(**parts)
    else:
        record: Any = sdk_logs.LogRecord  # type: ignore[attr-defined]
        logger.emit(record(resource=getattr(logger, "resource", None), **parts))
