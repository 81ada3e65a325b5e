"""Every counter of the way in through the SDK, and what it counts."""

from __future__ import annotations

from collections import Counter

from toolscore_otel.emit.score_store import COUNTERS as OF_SCORES

COUNTERS = {
    "errors": "spans that could not be scored, and findings that could not be told",
    "queue_full": "spans that were not scored, past `scoring.QUEUE` waiting",
    "busy": "times an exporter, a flush or a report waited for the engine in vain",
    "plain_spans_dropped": "spans of no interest of their own that were not kept, past `plain_spans.TRACES` or `SPANS`",
    "findings_forgotten": "findings that are no longer readable, past `findings`",
    **OF_SCORES,
    "log_records_unread": "log records that could not be read",
    "log_errors": "findings and scores that a logger did not take",
    "event_errors": "spans that went out without their findings",
    "redaction_errors": "spans and log records that did not go out, since they could not be searched for secrets",
}
"""By name."""


def counters() -> Counter[str]:
    """All, at 0."""
    return Counter(dict.fromkeys(COUNTERS, 0))
