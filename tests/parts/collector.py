"""A real Collector with a configuration that ships."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.parts.placing import placed
from tests.parts.ports import free_address, free_port
from tests.parts.process import Running
from tests.parts.programs import ROOT

SHIPPED = ROOT / "collector-config"


@dataclass(frozen=True)
class Collector:
    """A Collector that runs.

    Attributes:
        grpc: where applications send to.
        http: the same, over HTTP.
        back: where toolscore-otel sends to.
        metrics: where its own metrics are read.
        health: answers 200 once it is ready.
        running: the program.
        command: starts the same one again, on the same ports and queue.
    """

    grpc: str
    http: str
    back: str
    metrics: str
    health: str
    running: Running
    command: list[str]


def start_collector(
    start: Callable[..., Running],
    otelcol: Path,
    folder: Path,
    config: str,
    *,
    toolscore: str,
    backend: str,
    back: str | None = None,
    changes: Mapping[str, str] | None = None,
) -> Collector:
    """Start a Collector and wait until it is ready.

    Args:
        start: the fixture.
        otelcol: the program.
        folder: for its configuration and queue.
        config: name of the shipped file.
        toolscore: `host:port` of toolscore-otel.
        backend: `host:port` of the far end.
        back: where toolscore-otel is to send to; a free address where left out.
        changes: texts of the file to be replaced, besides its addresses.
    """
    health, port = free_address(), free_port()
    grpc, http, back = free_address(), free_address(), back or free_address()
    file = placed(
        SHIPPED / config,
        folder,
        {
            "127.0.0.1:4317": grpc,
            "127.0.0.1:4318": http,
            "127.0.0.1:15317": back,
            "127.0.0.1:14317": toolscore,
            "backend:4317": backend,
            "127.0.0.1:13133": health,
            "port: 8888": f"port: {port}",
            "/var/lib/otelcol/queue": str(folder / "queue"),
            **(changes or {}),
        },
    )
    command = [str(otelcol), "--config", str(file)]
    running = start(command, "otelcol")
    running.wait_until_ready(f"http://{health}")
    return Collector(grpc, http, back, f"127.0.0.1:{port}", health, running, command)


def restart_collector(start: Callable[..., Running], collector: Collector) -> Collector:
    """Start the same Collector again once it has ended: same ports, same queue."""
    running = start(collector.command, "otelcol")
    running.wait_until_ready(f"http://{collector.health}")
    return replace(collector, running=running)
