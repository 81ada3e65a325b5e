"""Real programs as fixtures. A `conftest.py` names those that its tests use.

A program that cannot be had fails its tests in CI; elsewhere it skips them, and says why.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.parts import programs
from tests.parts.browser import Page, browsing
from tests.parts.process import Running
from tests.parts.sink import Sink
from tests.parts.webhook import Webhook

Start = Callable[..., Running]


def _had(part: Callable[[], Path]) -> Path:
    try:
        return part()
    except programs.MissingPartError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{error} (`python -m tests.parts.install` gets it)")


@pytest.fixture(scope="session")
def otelcol() -> Path:
    """The Collector of `collector-config/builder.yaml`."""
    return _had(programs.collector)


@pytest.fixture(scope="session")
def telemetrygen() -> Path:
    """The Collector project's load generator."""
    return _had(partial(programs.go_program, "telemetrygen"))


@pytest.fixture(scope="session")
def prometheus() -> Path:
    """A Prometheus."""
    return _had(partial(programs.debian_program, "prometheus"))


@pytest.fixture(scope="session")
def promtool() -> Path:
    """Its tool that checks and tests rules."""
    return _had(partial(programs.debian_program, "promtool"))


@pytest.fixture(scope="session")
def alertmanager() -> Path:
    """An Alertmanager."""
    return _had(partial(programs.go_program, "alertmanager"))


@pytest.fixture(scope="session")
def amtool() -> Path:
    """Its tool that checks configurations."""
    return _had(partial(programs.go_program, "amtool"))


@pytest.fixture(scope="session")
def page() -> Iterator[Page]:
    """A page of a browser."""
    with browsing(_had(programs.browser)) as one:
        yield one


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program, `start(command, name, variables)`; what still runs is ended after the test.

    Its log is `NAME.log` in the test's folder, where it also runs.
    """
    started: list[Running] = []

    def begin(command: list[str], name: str, variables: dict[str, str] | None = None) -> Running:
        started.append(Running(command, tmp_path / f"{name}.log", variables))
        return started[-1]

    yield begin
    for running in reversed(started):
        running.kill()
        sys.stdout.write(
            f"{running.log.name}:\n{running.printed()[-5000:]}\n"
        )  # shown where the test fails


@pytest.fixture
def sink() -> Iterator[Sink]:
    """The far end of a pipeline."""
    one = Sink()
    yield one
    one.die()


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    """A receiver of webhooks."""
    one = Webhook()
    yield one
    one.close()
