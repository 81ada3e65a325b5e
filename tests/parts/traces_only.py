"""A `toolscore-otel serve` before a backend that takes only traces, as the documentation says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.edges.server.served import Served
from tests.parts.agent import Agent
from tests.parts.programs import ROOT

PAGE = ROOT / "docs" / "pages" / "server.md"
HEADING = "## A backend that takes only traces\n"
EXPERIMENT = "1"
"""The experiment that the page names."""
CONTRACT = """
contract: desk
language: 1
forbid:
  - {tool: delete_user, reason: support never deletes accounts}
"""
EXPLANATION_HOLDS = "support never deletes accounts"


@contextmanager
def agent_before(folder: Path, backend: str) -> Iterator[Agent]:
    """An application whose spans go through the server of that section; its contract forbids `delete_user`.

    Args:
        folder: of the server's files.
        backend: `host:port` that takes the place of the one in the page.
    """
    server = Served(folder, CONTRACT, _shown(backend))
    server.begin()
    try:
        server.running.wait_until_ready(f"{server.admin}/readyz")
        agent = Agent(server.grpc)
        yield agent
        agent.close()
    finally:
        server.kill()


def _shown(backend: str) -> str:
    """The section's configuration, less what `Served` writes itself."""
    _, _, section = PAGE.read_text().partition(HEADING)
    found = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert found is not None, f"no configuration under {HEADING!r}"
    for text in ("mlflow:5000", "contracts: [contracts/]\n"):
        assert text in found[1], f"{text!r} is not in the page's configuration"
    return found[1].replace("mlflow:5000", backend).replace("contracts: [contracts/]\n", "")
