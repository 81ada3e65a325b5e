"""Joins what several spans say into calls, and calls into trajectories. See `assembler` for the whole."""

from __future__ import annotations

from toolscore_otel.assembly.assembler import Assembler, Fed, Item, placed, placed_all
from toolscore_otel.assembly.change import CallChange
from toolscore_otel.assembly.journal import Entry, Journal, Taken
from toolscore_otel.assembly.limits import COUNTERS, Limits
from toolscore_otel.assembly.lots import in_lots
from toolscore_otel.assembly.node import Place
from toolscore_otel.assembly.trajectory import in_order

__all__ = [
    "COUNTERS",
    "Assembler",
    "CallChange",
    "Entry",
    "Fed",
    "Item",
    "Journal",
    "Limits",
    "Place",
    "Taken",
    "in_lots",
    "in_order",
    "placed",
    "placed_all",
]
