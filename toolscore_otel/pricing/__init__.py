"""What model calls cost at list prices."""

from __future__ import annotations

from toolscore_otel.pricing.prices import price

__all__ = ["price"]
