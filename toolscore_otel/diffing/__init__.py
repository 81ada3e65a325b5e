"""What is different between two sets of recorded runs. See `compare` for the whole."""

from __future__ import annotations

from toolscore_otel.diffing.compare import compare, scenarios
from toolscore_otel.diffing.difference import Difference, Kind, ScenarioDiff, Side, State
from toolscore_otel.diffing.run import Run, noting_ends

__all__ = [
    "Difference",
    "Kind",
    "Run",
    "ScenarioDiff",
    "Side",
    "State",
    "compare",
    "noting_ends",
    "scenarios",
]
