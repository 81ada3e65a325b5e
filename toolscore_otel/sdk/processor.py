"""The span processor: scores every span as it ends, on the thread that ends it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from toolscore_otel.contracts import Contract
from toolscore_otel.model import ClosedBy
from toolscore_otel.sdk.build import Ingredients
from toolscore_otel.sdk.scoring import LOG, Scoring

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span


class ToolscoreSpanProcessor(SpanProcessor):
    """Scores spans as they end; sees them and changes nothing.

    Add it before the processors that export, so that a span's findings are known when it goes out:
    `provider.add_span_processor(ToolscoreSpanProcessor(contracts=["contracts/"]))`.

    Args:
        contracts: files, folders, `pack:NAME`, or contracts; None: those of `TOOLSCORE_CONTRACTS`.
        scoring: to feed; None: that of the provider whose spans come, made when the first one comes.
        settings: any of `SdkConfig`, by name, and `logger_provider`, `meter_provider`.

    Raises:
        ContractError: with everything that is wrong in the contracts.
        ConfigError: a setting that makes no sense.
    """

    def __init__(
        self,
        contracts: Iterable[str | Path | Contract] | None = None,
        *,
        scoring: Scoring | None = None,
        **settings: Any,
    ) -> None:
        self._ingredients = Ingredients.of(() if scoring else contracts, **settings)
        self._scoring = scoring
        self._is_over = False
        if scoring is not None:
            scoring.fed_by_processor = True

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing happens when a span starts."""

    def on_end(self, span: ReadableSpan) -> None:
        """Score a span. Never raises, never waits."""
        if self._is_over:
            return
        try:
            (self._scoring or self._bind(span)).take(span)
        except Exception as error:  # noqa: BLE001 - an application must not notice
            LOG.debug("a span could not be scored: %s", type(error).__name__)

    def shutdown(self) -> None:
        """End everything that is open; a second time nothing happens."""
        if self._is_over:
            return
        self._is_over = True
        if self._scoring is not None:
            self._scoring.close(ClosedBy.SHUTDOWN)
            self._scoring.is_over = True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """End everything that is open, and say what it comes to; False where the engine stayed busy for so long."""
        if self._scoring is None or self._is_over:
            return True
        return self._scoring.close(ClosedBy.SHUTDOWN, timeout_millis / 1000)

    def _bind(self, span: ReadableSpan) -> Scoring:
        self._scoring = self._ingredients.scoring(span.resource)
        self._scoring.fed_by_processor = True
        return self._scoring
