"""Reading what a program counts about itself."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families


def counted(address: str, name: str, **labels: str) -> float:
    """The sum of a metric over all series that have these labels; 0 where there is none."""
    return sum(series(address, name, **labels))


def series(address: str, name: str, **labels: str) -> list[float]:
    """The value of each series of a metric that has these labels.

    Args:
        address: `host:port` of what answers `/metrics`.
        name: with or without `_total` at its end.
        labels: that a series must have.
    """
    return [
        sample.value
        for family in text_string_to_metric_families(httpx.get(f"http://{address}/metrics").text)
        for sample in family.samples
        if sample.name in (name, f"{name}_total") and labels.items() <= sample.labels.items()
    ]
