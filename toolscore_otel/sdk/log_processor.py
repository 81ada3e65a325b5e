"""The log record processor: what log records say of tool calls goes to the same engine as the spans.

Chat messages as events, events of coding agents, exceptions. Any other record costs one look at its event's name, unless a
contract asks for secrets in `attributes`; our own `gen_ai.evaluation.result` always does, so that a finding never leads to
another.
"""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk._logs import LogRecordProcessor

from toolscore_otel.conventions import is_log_of_interest
from toolscore_otel.emit.log_events import EVENT
from toolscore_otel.sdk.scoring import LOG, Scoring
from toolscore_otel.wire.sdk import SdkReader


class ToolscoreLogProcessor(LogRecordProcessor):
    """Scores what log records say; sees them and changes nothing.

    `attach` adds it where there is a LoggerProvider of opentelemetry-sdk.

    Args:
        scoring: to feed.
    """

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._reader = SdkReader()
        self._is_over = False

    def on_emit(self, log_record: Any) -> None:
        """Take in a record. Never raises, never waits.

        Args:
            log_record: as the SDK gives it, `LogData` up to 1.38.
        """
        if self._is_over:
            return
        try:
            record = log_record.log_record
            if is_log_of_interest(record.event_name, record.attributes or {}) or (
                self._scoring.engine.listener.asks_records
                and record.span_id
                and record.event_name != EVENT
            ):
                # At once: whoever emitted it may go on to change what it holds.
                self._scoring.take_log(self._reader.log_record(log_record))
        except Exception as error:  # noqa: BLE001 - an application must not notice
            self._scoring.count("log_records_unread")
            LOG.debug("a log record could not be read: %s", type(error).__name__)

    emit = on_emit
    """Its name in opentelemetry-sdk up to 1.38."""

    def shutdown(self) -> None:
        """Take in nothing any more. What is open is ended by the span processor."""
        self._is_over = True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - there is nothing to wait for
        """Nothing is held back here."""
        return True
