"""JSON values, as telemetry and contracts hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with text keys."""

EMPTY: Mapping[str, Json] = {}
"""A shared empty mapping; never written to."""

NEVER = 1 << 63
"""Nanoseconds: later than all that was ever recorded. Stands in an order for a time that is not known."""
