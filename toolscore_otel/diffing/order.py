"""Which tool came first, and how much ran at once. Both need times; without them nothing is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from toolscore_otel.diffing.difference import Difference, Kind, State, share
from toolscore_otel.model import Stage, ToolCall, Trajectory

Runs = Sequence[Trajectory]
Firsts = Mapping[str, tuple[int, int]]
"""Tool -> start and end of its first call, in order of start."""


def order(old: Runs, new: Runs) -> Iterator[Difference]:
    """Tools whose first calls came one after the other in every old run, and the other way round in some new one.

    Of several that changed places, those are told that follow on each other in a new run.
    """
    before, after = [_firsts(run) for run in old], [_firsts(run) for run in new]
    told: set[tuple[str, str]] = set()
    for firsts in after:
        for second, first in pairwise(firsts):
            if (first, second) not in told and _precedes(firsts, second, first):
                told.add((first, second))
                yield from _turned(first, second, before, after)


def _turned(
    first: str, second: str, old: Sequence[Firsts], new: Sequence[Firsts]
) -> Iterator[Difference]:
    forth = sum(_precedes(firsts, first, second) for firsts in old)
    back = sum(_precedes(firsts, second, first) for firsts in old)
    both = sum(first in firsts and second in firsts for firsts in old)
    turned = sum(_precedes(firsts, second, first) for firsts in new)
    if not forth:
        return
    yield Difference(
        kind=Kind.ORDER,
        state=State.CHANGED if forth == both else State.FLAPS,
        tool=first,
        path=second,
        old=f"first in {share(forth, forth + back)}",
        new=f"second in {share(turned, len(new))}",
    )


def _firsts(run: Trajectory) -> Firsts:
    firsts: dict[str, tuple[int, int]] = {}
    for call in run.calls:
        if call.tool and call.stage is Stage.EXECUTED and (times := _times(call)) is not None:
            firsts.setdefault(call.tool, times)
    return firsts


def _times(call: ToolCall) -> tuple[int, int] | None:
    if call.start_ns is None or call.end_ns is None:
        return None
    return call.start_ns, call.end_ns


def _precedes(firsts: Firsts, one: str, other: str) -> bool:
    """Whether the first call of one tool was over before that of the other began."""
    return one in firsts and other in firsts and firsts[one][1] <= firsts[other][0]


def parallel(old: Runs, new: Runs) -> Iterator[Difference]:
    """How many calls of one agent ran at once, at most."""
    before = [most for run in old if (most := _at_once(run)) is not None]
    after = [most for run in new if (most := _at_once(run)) is not None]
    if not (before and after):
        return
    if min(before) <= min(after) and max(after) <= max(before):
        if min(before) < max(before):
            yield _of_parallel(before, after, State.FLAPS)
        return
    yield _of_parallel(before, after, State.CHANGED)


def _of_parallel(old: Sequence[int], new: Sequence[int], state: State) -> Difference:
    return Difference(kind=Kind.PARALLEL, state=state, old=_at_most(old), new=_at_most(new))


def _at_most(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{most} at once" if least == most else f"{least} to {most} at once"


def _at_once(run: Trajectory) -> int | None:
    """Calls inside calls are of another agent, and do not count; None where no times are known."""
    agents: dict[str, list[tuple[int, int]]] = {}
    for call in run.calls:
        if call.stage is Stage.EXECUTED and (times := _times(call)) is not None:
            agents.setdefault(call.invocation_id or call.agent or "", []).append(times)
    return max((_most(times) for times in agents.values()), default=None)


def _most(times: Sequence[tuple[int, int]]) -> int:
    running: list[int] = []
    most = 0
    for start, end in sorted(times):
        while running and running[0] <= start:
            heappop(running)
        heappush(running, end)
        most = max(most, len(running))
    return most
