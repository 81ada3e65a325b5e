"""The release gate: scores of recorded runs against those of the releases before, scenario by scenario.

`observed` makes entries of recorded runs, `held` compares them with a store, `accepted` adds them to it; `read_store` and
`write_store` are the store's file format.
"""

from __future__ import annotations

from toolscore_otel.gate.allowed import Allowed, Asked, read_rise
from toolscore_otel.gate.compare import ERROR, held
from toolscore_otel.gate.expectations import whole_fingerprint_of
from toolscore_otel.gate.interval import Drop, drop_of
from toolscore_otel.gate.measures import MEASURES
from toolscore_otel.gate.observed import observed, together
from toolscore_otel.gate.passing import runs_to_pass, ties_to_pass
from toolscore_otel.gate.power import runs_needed
from toolscore_otel.gate.rise import Rise, rise_of
from toolscore_otel.gate.store import Entry, Release, Run, Store, accepted, read_store, write_store
from toolscore_otel.gate.verdict import Comparison, Gate, NotCompared, Verdict, Why

__all__ = [
    "ERROR",
    "MEASURES",
    "Allowed",
    "Asked",
    "Comparison",
    "Drop",
    "Entry",
    "Gate",
    "NotCompared",
    "Release",
    "Rise",
    "Run",
    "Store",
    "Verdict",
    "Why",
    "accepted",
    "drop_of",
    "held",
    "observed",
    "read_rise",
    "read_store",
    "rise_of",
    "runs_needed",
    "runs_to_pass",
    "ties_to_pass",
    "together",
    "whole_fingerprint_of",
    "write_store",
]
