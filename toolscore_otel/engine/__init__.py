"""Assembly and contracts together: spans (or calls) in, findings out. See `engine` for the whole."""

from __future__ import annotations

from toolscore_otel.engine.calls import judge_calls
from toolscore_otel.engine.engine import Engine
from toolscore_otel.engine.replay import Replayed, replay
from toolscore_otel.engine.report import Coverage, Report, RuleOutcome, merged
from toolscore_otel.engine.whole import score

__all__ = [
    "Coverage",
    "Engine",
    "Replayed",
    "Report",
    "RuleOutcome",
    "judge_calls",
    "merged",
    "replay",
    "score",
]
