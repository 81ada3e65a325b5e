"""What leaves: findings as log records and span events, sums as metrics. Every name stands in `telemetry.yaml`.

registry     the names          log_events    a finding as a log record
metrics      sums, in plain     span_events   a finding as an event on its span
             dictionaries       instruments   the sums, observed when a meter collects
score_store  what was said of      score_events  a score as a log record
             scores                finding_store  what was found, by the span it sits on
"""

from toolscore_otel.emit.log_events import LogEvent, log_event
from toolscore_otel.emit.registry import Telemetry, telemetry
from toolscore_otel.emit.score_events import ScoresAs, score_event
from toolscore_otel.emit.span_events import span_event

__all__ = [
    "LogEvent",
    "ScoresAs",
    "Telemetry",
    "log_event",
    "score_event",
    "span_event",
    "telemetry",
]
