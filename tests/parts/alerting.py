"""A real Prometheus and Alertmanager with the configurations that ship, and usual waits cut short."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from tests.parts.collector import SHIPPED
from tests.parts.placing import placed
from tests.parts.ports import free_address
from tests.parts.process import Running, wait_for

CONFIGS = SHIPPED / "prometheus"


def start_alertmanager(
    start: Callable[..., Running], alertmanager: Path, folder: Path, webhook: str
) -> str:
    """Start an Alertmanager, and give its `host:port`.

    Args:
        start: the fixture.
        alertmanager: the program.
        folder: for its configuration and data.
        webhook: `host:port` that stands for everybody who is told.
    """
    address = free_address()
    changes = {"127.0.0.1:9999": webhook, "group_wait: 30s": "group_wait: 1s"}
    file = placed(CONFIGS / "alertmanager.yaml", folder, changes)
    running = start(
        [
            str(alertmanager),
            f"--config.file={file}",
            f"--storage.path={folder / 'alertmanager'}",
            f"--web.listen-address={address}",
            "--cluster.listen-address=",
        ],
        "alertmanager",
    )
    running.wait_until_ready(f"http://{address}/-/ready")
    return address


def start_prometheus(
    start: Callable[..., Running],
    prometheus: Path,
    folder: Path,
    *,
    alertmanager: str,
    toolscore: str,
) -> str:
    """Start a Prometheus that scrapes and evaluates every second, and give its `host:port`.

    It has scraped toolscore-otel once when this returns: it takes up its targets only some seconds after it is ready.

    Args:
        start: the fixture.
        prometheus: the program.
        folder: for its configuration and data.
        alertmanager: `host:port`.
        toolscore: `host:port` of what it scrapes.
    """
    address = free_address()
    file = placed(
        CONFIGS / "prometheus.yaml",
        folder,
        {
            "127.0.0.1:9093": alertmanager,
            "127.0.0.1:9464": toolscore,
            "scrape_interval: 15s": "scrape_interval: 1s",
            "evaluation_interval: 15s": "evaluation_interval: 1s",
            "rules.yaml": str(CONFIGS / "rules.yaml"),
        },
    )
    running = start(
        [
            str(prometheus),
            f"--config.file={file}",
            f"--storage.tsdb.path={folder / 'prometheus'}",
            f"--web.listen-address={address}",
            "--enable-feature=exemplar-storage",
        ],
        "prometheus",
    )
    running.wait_until_ready(f"http://{address}/-/ready")
    wait_for(lambda: query(address, 'up{job="toolscore"} == 1'), "a first scrape")
    return address


def query(prometheus: str, expression: str) -> list[dict[str, Any]]:
    """The series that an expression gives now."""
    answer = httpx.get(f"http://{prometheus}/api/v1/query", params={"query": expression}).json()
    assert answer["status"] == "success", answer
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found
