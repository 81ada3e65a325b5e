"""How our own findings and scores are known again where they come back: telemetry that was judged is not judged again."""

from __future__ import annotations

from toolscore_otel.model import LogRecord, Span

FINDING_ID = "toolscore.finding.id"
"""Stands on everything that tells of a finding: log records, span events, spans."""

SCORE_ID = "toolscore.score.id"
"""Stands on everything that tells of a score: log records, spans."""


def is_marked(item: Span | LogRecord) -> bool:
    """Whether a span tells of a finding, by an event or as a whole, or of a score; or a log record does."""
    if FINDING_ID in item.attributes or SCORE_ID in item.attributes:
        return True
    return isinstance(item, Span) and any(FINDING_ID in event.attributes for event in item.events)
