"""Real recordings beside themselves, and beside the same with one change planted in each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from msgspec import structs

from tests.corpus.recordings import FOLDERS, files_of, items_in, trajectories
from toolscore_otel.diffing import Difference, Kind, Run, compare, noting_ends, scenarios
from toolscore_otel.model import ContentState, Stage, Status, ToolCall, Trajectory

Sides = Mapping[str, list[Run]]
Plant = Callable[[ToolCall], ToolCall]


def read(folder: str) -> Sides:
    ends: dict[str, Status] = {}
    return scenarios(
        (name, [Run(one, ends.get(one.trace_id, Status.UNKNOWN)) for one in found])
        for name, paths in files_of(folder).items()
        for found in [trajectories(noting_ends(items_in(paths), ends))]
    )


def changed(old: Sides, new: Sides) -> list[Difference]:
    return [one for diff in compare(old, new) for one in diff.changed]


def planted(old: Sides, plant: Plant, **fields: object) -> Sides:
    def run(one: Trajectory) -> Run:
        calls = tuple(plant(call) for call in one.calls)
        return Run(structs.replace(one, calls=calls, **fields))

    return {name: [run(one.trajectory) for one in runs] for name, runs in old.items()}


def is_whole(call: ToolCall) -> bool:
    """Whether its arguments were recorded as an object."""
    return call.args_state is ContentState.OBSERVED and isinstance(call.args, dict)


def with_more(call: ToolCall) -> ToolCall:
    return structs.replace(call, args={**call.args, "dry_run": True}) if is_whole(call) else call


def failing(call: ToolCall) -> ToolCall:
    is_ok = call.status is Status.OK and call.stage is Stage.EXECUTED
    return structs.replace(call, status=Status.ERROR) if is_ok else call


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_recording_beside_itself_differs_in_nothing(folder: str) -> None:
    old = read(folder)

    assert [one for diff in compare(old, old) for one in diff.differences] == []
    assert [one for diff in compare(old, {n: r[::-1] * 2 for n, r in old.items()}) for one in diff.differences] == []  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_planted_is_what_is_told_and_nothing_else(folder: str) -> None:
    old = read(folder)
    calls = [call for runs in old.values() for call in calls_of(runs)]

    more = changed(old, planted(old, with_more))
    assert {one.kind for one in more} <= {Kind.ARGUMENT_APPEARED}
    assert {one.path for one in more} <= {"dry_run"}
    worse = changed(old, planted(old, failing))
    assert {one.kind for one in worse} <= {Kind.STATUS}
    renamed = changed(
        old, planted(old, lambda call: structs.replace(call, tool=call.tool and f"{call.tool}_v2"))
    )
    assert {one.kind for one in renamed} <= {Kind.TOOL_GONE, Kind.TOOL_APPEARED}

    assert bool(more) is any(are_seen(calls_of(runs)) for runs in old.values())
    assert bool(worse) is any(failing(call) is not call for call in calls)


def calls_of(runs: list[Run]) -> list[ToolCall]:
    return [call for run in runs for call in run.trajectory.calls]


def are_seen(calls: list[ToolCall]) -> bool:
    """Whether some tool is called with recorded arguments, and never without."""
    tools = {call.tool for call in calls if call.tool}
    return any(all(is_whole(call) for call in calls if call.tool == tool) for tool in tools)


def test_slower_and_dearer_runs_are_told() -> None:
    old = {"": [Run(Trajectory(latency_s=1 + n / 10, cost_usd=0.01)) for n in range(3)]}

    slow = planted(old, lambda call: call, latency_s=4.0, cost_usd=0.05)

    assert [one.kind for one in changed(old, slow)] == [Kind.COST, Kind.LATENCY]
