"""The pipeline that ships: applications, a real Collector, toolscore-otel, and a far end that keeps everything."""

import pytest

from tests.parts.agent import Agent
from tests.parts.collector import start_collector
from tests.parts.fixtures import otelcol, sink, start, telemetrygen
from tests.parts.ports import free_address
from tests.parts.server import start_server

__all__ = ["otelcol", "sink", "start", "telemetrygen"]

CHANGES = {
    "mirror": {},
    "inline": {"initial_interval: 1s, max_interval: 15s": "initial_interval: 100ms, max_interval: 1s"},
}  # fmt: skip
"""Waits that are cut short."""


@pytest.fixture
def server(start, tmp_path, mode):
    """A toolscore-otel, which sends to where the Collector will listen. The module says in which mode."""
    return start_server(start, tmp_path, f"toolscore.{mode}.yaml", next_hop=free_address())


@pytest.fixture
def collector(otelcol, start, tmp_path, *, mode, server, sink):
    """The Collector beside it."""
    return start_collector(
        start,
        otelcol,
        tmp_path,
        f"{mode}.yaml",
        toolscore=server.grpc,
        backend=sink.grpc,
        back=server.next_hop,
        changes=CHANGES[mode],
    )


@pytest.fixture
def agent(collector):
    """An application."""
    one = Agent(collector.grpc)
    yield one
    one.close()
