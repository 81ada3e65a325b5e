"""What benchmarks of ratios share: rounds that take turns, and figures that are said at the end of the run."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from functools import partial
from statistics import median
from time import thread_time_ns
from types import FrameType

import pytest

from tests.bench.peers.process import Peer, at_work
from tests.frameworks.environments import NoEnvironmentError

FIGURES = pytest.StashKey[list[str]]()

Way = Callable[[], object]


@pytest.fixture
def tell(request, benchmark):
    """Say figures of a benchmark: in its JSON, and in a list after the tables."""

    def say(**figures: float) -> None:
        rounded = {name: round(value, 3) for name, value in figures.items()}
        benchmark.extra_info |= rounded
        said = ", ".join(f"{name} {value}" for name, value in rounded.items())
        request.config.stash.setdefault(FIGURES, []).append(f"{request.node.name}: {said}")

    return say


def pytest_terminal_summary(terminalreporter):
    lines = terminalreporter.config.stash.get(FIGURES, [])
    if lines:
        terminalreporter.section("figures of benchmarks")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def take_turns():
    """Nanoseconds that each of several ways takes, of this thread's own time: one list per way, a round in each place.

    The ways take turns, each first in its turn, so that whatever slows the machine down slows all of them. Peers are ways in
    processes of their own, which time themselves. `each_alone`: none has to look through what another one left behind.
    """

    def timed(
        ways: Mapping[str, Way],
        rounds: int,
        warmup: int = 20,
        peers: Mapping[str, Peer] | None = None,
        *,
        each_alone: bool = False,
    ) -> dict[str, list[int]]:
        clocks = {name: partial(_spent, way) for name, way in ways.items()} | dict(peers or {})
        names = list(clocks)
        taken: dict[str, list[int]] = {name: [] for name in names}
        for number in range(warmup + rounds):
            first = number % len(names)
            if not number % 50:
                gc.collect()
            for name in (*names[first:], *names[:first]):
                if each_alone:
                    gc.collect()
                spent = clocks[name]()
                if number >= warmup:
                    taken[name].append(spent)
        return taken

    return timed


def _spent(way: Way) -> int:
    begin = thread_time_ns()
    way()
    return thread_time_ns() - begin


@pytest.fixture
def peer() -> Generator[Callable[[str, str, object], Peer]]:
    """Put another project to work, by `at_work`, until the end of the test.

    Where its environment cannot be built, that is a failure in CI; elsewhere the machine may be off-line.
    """
    with ExitStack() as stack:

        def put_to_work(name: str, way: str, given: object) -> Peer:
            try:
                return stack.enter_context(at_work(name, way, given))
            except NoEnvironmentError as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(str(error))

        yield put_to_work


@pytest.fixture
def ratio():
    """The middle one of the ratios of two ways, round by round."""
    return lambda ours, theirs: median(a / b for a, b in zip(ours, theirs, strict=True))


@pytest.fixture
def calls_made():
    """How many functions a piece of work calls, Python's own ones included: the same on any machine."""

    def count_in(work: Way) -> int:
        made = 0

        def count(_: FrameType, event: str, __: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            work()
        finally:
            sys.setprofile(None)
        return made

    return count_in
