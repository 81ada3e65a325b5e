"""Runs made up for comparisons."""

from collections.abc import Callable
from typing import Any

import pytest

from toolscore_otel.diffing import Difference, Run as Recorded, compare
from toolscore_otel.model import ToolCall, Trajectory
from toolscore_otel.testing.made import make_call

SECOND = 1_000_000_000
Run = Callable[..., Trajectory]
Differences = Callable[[list[Trajectory], list[Trajectory]], list[Difference]]


@pytest.fixture
def run() -> Run:
    """A run: each call is a tool, or a tool with its arguments, or a whole call; they follow on each other."""

    def made(*calls: str | tuple[str, object] | ToolCall, **fields: Any) -> Trajectory:
        told: list[ToolCall] = []
        for number, call in enumerate(calls):
            if isinstance(call, str):
                told.append(timed(call, start=number))
            elif isinstance(call, tuple):
                told.append(timed(call[0], call[1], start=number))
            else:
                told.append(call)
        return Trajectory(calls=tuple(told), **fields)

    return made


def timed(tool: str, args: object = None, *, start: float, took: float = 0.5, **fields: Any) -> ToolCall:  # fmt: skip
    """A call with times, in seconds."""
    begin = round(start * SECOND)
    return make_call(tool, args, start_ns=begin, end_ns=begin + round(took * SECOND), **fields)


@pytest.fixture
def differences() -> Differences:
    """What is different between the runs of one scenario."""

    def of(old: list[Trajectory], new: list[Trajectory]) -> list[Difference]:
        (found,) = compare(*({"": [Recorded(run) for run in side]} for side in (old, new)))
        return list(found.differences)

    return of
