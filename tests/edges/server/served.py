"""A server as a process that can be ended at any moment and started again: same ports, same state."""

from __future__ import annotations

import sys
from pathlib import Path

import grpc
import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.parts.ports import free_address
from tests.parts.process import Running
from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.reply import Signal

CALL_S = 30
"""How long one export may take."""


class Served:
    """One server, running or not.

    Attributes:
        folder: of its files.
        grpc: where OTLP is received.
        http: the same over HTTP, with `http://`.
        admin: its health and debug pages, with `http://`.
        prometheus: where `/metrics` is, with `http://`.
        running: the program, once it was started.
    """

    running: Running

    def __init__(self, folder: Path, contract: str, config: str) -> None:
        """Write its files.

        Args:
            folder: made where there is none.
            contract: text of its contract.
            config: text of its configuration, without contracts and addresses.
        """
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.grpc = free_address()
        self.http, self.admin, self.prometheus = (f"http://{free_address()}" for _ in range(3))
        (folder / "contract.yaml").write_text(contract)
        self.configure(config)

    def configure(self, config: str) -> None:
        """Write another configuration."""
        urls = {"http": self.http, "prometheus": self.prometheus, "admin": self.admin}
        at = {name: url.removeprefix("http://") for name, url in urls.items()}
        (self.folder / "server.yaml").write_text(
            "contracts: [contract.yaml]\n"
            f"receivers: {{otlp: {{protocols: {{grpc: {{endpoint: '{self.grpc}'}}, http: {{endpoint: '{at['http']}'}}}}}}}}\n"
            f"metrics: {{prometheus: {{endpoint: '{at['prometheus']}'}}}}\n"
            f"admin: {{endpoint: '{at['admin']}'}}\n" + config
        )

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self.begin()
        self.running.wait_until_ready(f"{self.admin}/readyz")

    def begin(self) -> None:
        """Start it."""
        command = [sys.executable, "-m", "toolscore_otel.cli", "serve", "--config", "server.yaml"]
        self.running = Running(command, self.folder / "server.log")

    def kill(self) -> None:
        """End it without giving it a chance."""
        self.running.kill()

    def series(self, *names: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        """The series of metrics by the begin of their names."""
        text = httpx.get(f"{self.prometheus}/metrics", timeout=CALL_S).text
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name.startswith(names)
        }

    def counted(self, name: str) -> float:
        """The sum of a metric's series."""
        return sum(self.series(name).values())


def code_of(channel: grpc.Channel, data: bytes, signal: Signal = Signal.TRACES, timeout_s: float = CALL_S) -> grpc.StatusCode:  # fmt: skip
    """The code that an export is answered with."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(METHODS[signal])
    try:
        call(data, timeout=timeout_s, wait_for_ready=True)
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK
