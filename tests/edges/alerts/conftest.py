"""Alerting as it ships, with a real Prometheus and a real Alertmanager."""

from collections.abc import Callable

import pytest

from tests.parts.alerting import start_alertmanager
from tests.parts.fixtures import (
    alertmanager,
    amtool,
    otelcol,
    prometheus,
    promtool,
    sink,
    start,
    webhook,
)

__all__ = [
    "alertmanager",
    "amtool",
    "otelcol",
    "prometheus",
    "promtool",
    "sink",
    "start",
    "webhook",
]


@pytest.fixture
def manager(start, alertmanager, tmp_path, webhook) -> str:
    """`host:port` of an Alertmanager that runs; everybody whom it tells is the webhook."""
    return start_alertmanager(start, alertmanager, tmp_path, webhook.address)


@pytest.fixture
def measured(capsys) -> Callable[[str, float], None]:
    """Shows a time that was taken, also where the test passes."""

    def show(what: str, seconds: float) -> None:
        with capsys.disabled():
            print(f"\n{what}: {seconds:.1f} s")  # noqa: T201, the figure that the docs give

    return show
