"""A `toolscore-otel serve` of its own process, with a configuration that ships."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.parts.collector import SHIPPED
from tests.parts.placing import placed
from tests.parts.ports import free_address
from tests.parts.process import Running


@dataclass(frozen=True)
class Server:
    """A server that runs, or ran.

    Attributes:
        grpc: where OTLP is received.
        http: the same, over HTTP.
        next_hop: where it sends to.
        metrics: what a Prometheus scrapes.
        admin: health and readiness.
        running: the program.
        command: starts the same one again, on the same ports and state.
    """

    grpc: str
    http: str
    next_hop: str
    metrics: str
    admin: str
    running: Running
    command: list[str]


def start_server(
    start: Callable[..., Running],
    folder: Path,
    config: str,
    *,
    next_hop: str,
    grpc: str | None = None,
    changes: Mapping[str, str] | None = None,
) -> Server:
    """Start a server with the example contract, and wait until it is ready.

    Args:
        start: the fixture.
        folder: for its configuration, contracts and state.
        config: name of the shipped file.
        next_hop: `host:port` of the Collector's receiver for what comes from it.
        grpc: where it is to listen; a free address where left out.
        changes: texts of the file to be replaced, besides its addresses.
    """
    grpc, http = grpc or free_address(), free_address()
    metrics, admin = free_address(), free_address()
    file = placed(
        SHIPPED / config,
        folder,
        {
            "127.0.0.1:14317": grpc,
            "127.0.0.1:14318": http,
            "127.0.0.1:15317": next_hop,
            "127.0.0.1:9464": metrics,
            "127.0.0.1:14133": admin,
            "/var/lib/toolscore": str(folder / "state"),
            **(changes or {}),
        },
    )
    shutil.copytree(SHIPPED / "contracts", folder / "contracts", dirs_exist_ok=True)
    command = [sys.executable, "-m", "toolscore_otel.cli", "serve", "--config", str(file)]
    running = start(command, "toolscore")
    running.wait_until_ready(f"http://{admin}/readyz")
    return Server(grpc, http, next_hop, metrics, admin, running, command)


def restart_server(start: Callable[..., Running], server: Server) -> Server:
    """Start the same server again once it has ended: same ports, same state."""
    running = start(server.command, "toolscore")
    running.wait_until_ready(f"http://{server.admin}/readyz")
    return replace(server, running=running)
