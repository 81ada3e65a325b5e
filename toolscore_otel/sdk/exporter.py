"""The exporter around an exporter: spans go out with the findings on them, and without the secrets in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from toolscore_otel.contracts import Contract
from toolscore_otel.emit import span_event
from toolscore_otel.model import ClosedBy
from toolscore_otel.sdk.build import Ingredients
from toolscore_otel.sdk.changed_span import changed
from toolscore_otel.sdk.redaction import Redaction
from toolscore_otel.sdk.scoring import LOG, Scoring
from toolscore_otel.wire.sdk import span_id, trace_id


class ToolscoreSpanExporter(SpanExporter):
    """Adds what was found as events, takes secrets out, and hands spans on.

    A span in which nothing is found is handed on as the object it came as. Where no `ToolscoreSpanProcessor` is in use,
    spans are scored here, off the application's threads.

    Args:
        inner: what really exports.
        contracts: files, folders, `pack:NAME`, or contracts; None: those of `TOOLSCORE_CONTRACTS`.
        scoring: to use; None: that of the provider whose spans come.
        settings: any of `SdkConfig`, by name, and `logger_provider`, `meter_provider`.

    Raises:
        ContractError: with everything that is wrong in the contracts.
        ConfigError: a setting that makes no sense.
    """

    def __init__(
        self,
        inner: SpanExporter,
        contracts: Iterable[str | Path | Contract] | None = None,
        *,
        scoring: Scoring | None = None,
        **settings: Any,
    ) -> None:
        self._inner = inner
        self._ingredients = Ingredients.of(() if scoring else contracts, **settings)
        self._scoring = scoring
        self._redaction: Redaction | None = None
        self._is_over = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Hand spans on. What goes wrong here is counted, and the spans go on without findings.

        A span that could not be searched for secrets, where a contract asks for that, does not go on.
        """
        return self._inner.export(self._prepared(spans))

    def shutdown(self) -> None:
        """Shut the inner exporter down; a second time nothing happens."""
        if self._is_over:
            return
        self._is_over = True
        if self._scoring is not None and not self._scoring.fed_by_processor:
            self._scoring.close(ClosedBy.SHUTDOWN)
            self._scoring.is_over = True
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the inner exporter."""
        if self._scoring is not None and not self._scoring.fed_by_processor:
            self._scoring.close(ClosedBy.SHUTDOWN, timeout_millis / 1000)
        return self._inner.force_flush(timeout_millis)

    def _prepared(self, spans: Sequence[ReadableSpan]) -> Sequence[ReadableSpan]:
        if not spans:
            return spans
        scoring = self._scoring or self._bind(spans[0])
        if not scoring.fed_by_processor:
            for span in spans:
                scoring.take(span)
        scoring.settle()
        prepared: dict[int, ReadableSpan | None] = {}
        for at, span in sorted(enumerate(spans), key=lambda one: one[1].parent is None):
            prepared[at] = self._safely_prepared(span, scoring)
        in_order = (prepared[at] for at in range(len(spans)))
        return [span for span in in_order if span is not None]

    def _safely_prepared(self, span: ReadableSpan, scoring: Scoring) -> ReadableSpan | None:
        redaction = self._redaction or self._make_redaction(scoring)
        try:
            clean = redaction.clean(span)
        except Exception as error:  # noqa: BLE001 - a span that nobody can search
            scoring.count("redaction_errors")
            LOG.warning("a span was dropped: it could not be redacted (%s)", type(error).__name__)
            return None
        try:
            return _with_events(clean, scoring, redaction.hashes)
        except Exception as error:  # noqa: BLE001 - an application's telemetry must not suffer
            scoring.count("event_errors")
            LOG.debug("a span goes out without its findings: %s", type(error).__name__)
            return clean

    def _make_redaction(self, scoring: Scoring) -> Redaction:
        self._redaction = Redaction(scoring.contracts, scoring.config.secret_key)
        return self._redaction

    def _bind(self, span: ReadableSpan) -> Scoring:
        self._scoring = self._ingredients.scoring(span.resource, also_over=True)
        return self._scoring


def _with_events(span: ReadableSpan, scoring: Scoring, hashes: dict[str, str]) -> ReadableSpan:
    context: Any = span.context
    found = scoring.on_span(
        trace_id(context.trace_id), span_id(context.span_id), is_root=_is_root(span)
    )
    told = [span_event(finding, contract_hash=hashes.get(finding.contract)) for finding in found]
    events = [Event(*one, timestamp=span.end_time) for one in told if one is not None]
    return changed(span, events=[*span.events, *events]) if events else span


def _is_root(span: ReadableSpan) -> bool:
    return span.parent is None or span.parent.is_remote
