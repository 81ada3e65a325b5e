"""What benchmarks of ratios share: rounds that take turns, and figures that are said at the end of the run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from statistics import median
from time import thread_time_ns
from types import FrameType

import pytest

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

    The ways take turns, each first in its turn, so that whatever slows the machine down slows all of them.
    """

    def timed(ways: Mapping[str, Way], rounds: int, warmup: int = 20) -> dict[str, list[int]]:
        names = list(ways)
        taken: dict[str, list[int]] = {name: [] for name in names}
        for number in range(warmup + rounds):
            first = number % len(names)
            if not number % 50:
                gc.collect()
            for name in (*names[first:], *names[:first]):
                begin = thread_time_ns()
                ways[name]()
                spent = thread_time_ns() - begin
                if number >= warmup:
                    taken[name].append(spent)
        return taken

    return timed


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
