"""What is different between two sets of recorded runs. See `compare` for the whole."""

from __future__ import annotations

from toolscore_otel.diffing.compare import compare, scenarios
from toolscore_otel.diffing.difference import Difference, Kind, ScenarioDiff, Side, State

__all__ = ["Difference", "Kind", "ScenarioDiff", "Side", "State", "compare", "scenarios"]
