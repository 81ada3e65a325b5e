"""A real MLflow server: installed once into the user's cache, started for a test, asked for traces over its REST API."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.parts.ports import free_address
from tests.parts.process import Running
from tests.parts.programs import CACHE, MissingPartError

VERSION = "3.17.2"
START_S = 300
"""The first start makes the tables of its database, and imports much."""
QUIET = {
    "DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}
"""Nothing is reported to its makers, and no workers for jobs are started."""


@dataclass(frozen=True)
class Mlflow:
    """A server that runs.

    Attributes:
        address: `host:port`.
        running: the program.
    """

    address: str
    running: Running

    def new_experiment(self, name: str) -> str:
        """Make an experiment, and give its id."""
        url = f"http://{self.address}/api/2.0/mlflow/experiments/create"
        made = httpx.post(url, json={"name": name}, timeout=60).raise_for_status().json()
        return str(made["experiment_id"])

    def spans(self, trace_id: str) -> list[dict[str, Any]]:
        """The spans of a trace as MLflow tells them: OTLP in JSON, with ids in base64; none where it has no such trace.

        Args:
            trace_id: 32 hex digits.
        """
        url = f"http://{self.address}/api/3.0/mlflow/traces/get"
        answer = httpx.get(url, params={"trace_id": f"tr-{trace_id}"}, timeout=60)
        if answer.status_code == httpx.codes.NOT_FOUND:
            return []
        spans: list[dict[str, Any]] = answer.raise_for_status().json()["trace"].get("spans", [])
        return spans


@contextmanager
def mlflow_server(folder: Path) -> Iterator[Mlflow]:
    """A server with a database of its own; it and its workers are gone afterwards.

    Args:
        folder: for its database and log.

    Raises:
        MissingPartError: it cannot be installed.
    """
    address = free_address()
    host, _, port = address.partition(":")
    command = [
        *(str(_installed() / "bin" / "mlflow"), "server", "--host", host, "--port", port),
        *("--workers", "1", "--backend-store-uri", "sqlite:///mlflow.db"),
        *("--artifacts-destination", str(folder / "artifacts")),
    ]
    running = Running(command, folder / "mlflow.log", QUIET, is_group=True)
    try:
        running.wait_until_ready(f"http://{address}/health", START_S)
        yield Mlflow(address, running)
    finally:
        running.kill()


def _installed() -> Path:
    """Its environment; built where it is missing or was not finished."""
    home = CACHE / "mlflow" / VERSION
    mark = home / "is-complete"
    if not mark.is_file():
        _uv("venv", "--clear", "--python", sys.executable, str(home))
        _uv("pip", "install", "--python", str(home / "bin" / "python"), f"mlflow=={VERSION}")
        mark.touch()
    return home


def _uv(*arguments: str) -> None:
    command = ["uv", "--quiet", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingPartError(f"`{' '.join(command)}`: {error}") from error
    if done.returncode != 0:
        raise MissingPartError(f"`{' '.join(command)}` ended with\n{done.stderr[-3000:]}")
