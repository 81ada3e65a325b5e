"""Findings onto the spans that pass through, and secrets out of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from toolscore_otel.assembly import Place
from toolscore_otel.conventions import is_log_of_interest
from toolscore_otel.emit import span_event
from toolscore_otel.emit.redaction import AGENT, Redaction
from toolscore_otel.model import LogRecord
from toolscore_otel.secrets import Cleaner
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.fault import told
from toolscore_otel.server.judging import Judging
from toolscore_otel.wire.editing import Event, may_change, with_events, withheld, without_secrets
from toolscore_otel.wire.log_editing import cleaned_logs
from toolscore_otel.wire.passing import PassingSpan, TracesRequest

_LOG = logging.getLogger(__name__)

ANNOTATED, REDACTED = "toolscore.spans.annotated", "toolscore.spans.redacted"
FAILED = "toolscore.emit.errors"

Found = Mapping[int, Sequence[Event]]
"""Number of a span in its request -> the events of what stands on it."""


class Annotating:
    """Changes the spans of a request; one in which nothing is found keeps its bytes.

    Args:
        judging: knows what was found; asked by one thread at a time.
        redaction: the `secrets` clauses with an action.
        counting: of changed spans.
    """

    def __init__(self, judging: Judging, redaction: Redaction, counting: Counting) -> None:
        self._judging = judging
        self._redaction = redaction
        self._counting = counting
        for metric in (ANNOTATED, REDACTED):
            counting.count(metric, 0)
        counting.count(FAILED, 0, output="spans")

    def found(self, spans: Sequence[PassingSpan]) -> Found:
        """What stands on these spans now; asked again for the same spans, it is the same again."""
        store = self._judging.store
        if not store:
            return {}
        return {
            number: events for number, span in _roots_last(spans) if (events := self._events(span))
        }

    def write(self, request: TracesRequest, found: Found) -> None:
        """Write findings on the spans of a request, and take secrets out of them."""
        for number, span in enumerate(request.spans):
            if span.place is None:
                continue
            try:
                self._write(span, span.place, found.get(number, ()))
            except Exception as error:  # noqa: BLE001 - what cannot be searched must not leave
                self._counting.count(FAILED, output="spans")
                _LOG.error(
                    "a span goes on without its content: it cannot be searched (%s)", told(error)
                )
                span.replace(withheld(span.place))

    def clean_logs(self, data: bytes) -> bytes:
        """An export of log records without secrets: those that stand on a span, or tell of agents, models or tools.

        A record often comes before its span: then nobody knows yet whose it is, so those of all spans are searched.
        """
        return cleaned_logs(data, self._cleaner_of_log) if self._redaction else data

    def _cleaner_of_log(self, record: LogRecord) -> Cleaner | None:
        says_something = is_log_of_interest(record.event_name, record.attributes)
        if record.span_id is None and not says_something:
            return None
        return self._redaction.cleaner(record.resource, record.attributes.get(AGENT))

    def _events(self, span: PassingSpan) -> list[Event]:
        if span.place is None or span.is_marked:
            return []
        standing = self._judging.store.on_span(
            span.place.trace_id, span.place.id, is_root=span.place.parent is None
        )
        told = (
            span_event(finding, contract_hash=self._judging.hash_of(finding))
            for finding in standing
        )
        return [event for event in told if event is not None]

    def _write(self, span: PassingSpan, place: Place, events: Sequence[Event]) -> None:
        cleaner = self._cleaner(span, place)
        if cleaner is None and not events:
            return
        raw = span.raw
        clean = raw if cleaner is None else without_secrets(raw, cleaner)
        if clean is not raw:
            self._counting.count(REDACTED)
        if events:
            self._counting.count(ANNOTATED)
            clean = with_events(clean, events, place.end_ns or place.start_ns or 0)
        if clean is not raw:
            span.replace(clean)

    def _cleaner(self, span: PassingSpan, place: Place) -> Cleaner | None:
        """What takes the secrets out of a span; None where there is certainly nothing to take out."""
        if not self._redaction or not span.is_of_interest:
            return None
        cleaner = self._redaction.cleaner(place.resource, span.span().attributes.get(AGENT))
        return cleaner if cleaner is not None and may_change(span, cleaner) else None


def _roots_last(spans: Sequence[PassingSpan]) -> Iterable[tuple[int, PassingSpan]]:
    """A root also carries what no other span of its request does."""
    return sorted(enumerate(spans), key=lambda one: one[1].place is not None and one[1].place.parent is None)  # fmt: skip
