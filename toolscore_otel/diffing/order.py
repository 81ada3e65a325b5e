"""Which tool came first, and how much ran at once. Both need times; without them nothing is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from toolscore_otel.diffing.difference import Difference, Kind, share
from toolscore_otel.diffing.noise import Has, of_counts, of_shares
from toolscore_otel.model import Stage, ToolCall, Trajectory

Runs = Sequence[Trajectory]
Firsts = Mapping[str, tuple[int, int]]
"""Tool -> start and end of its first call, in order of start."""


def order(old: Runs, new: Runs) -> Iterator[Difference]:
    """Tools whose first calls follow on each other in some run, and the other way round in another.

    Runs in which they ran at once, or one of them did not, have no order.
    """
    before, after = [_firsts(run) for run in old], [_firsts(run) for run in new]
    pairs = dict.fromkeys(
        (min(pair), max(pair)) for firsts in (*before, *after) for pair in pairwise(firsts)
    )
    for one, other in pairs:
        forth, back = _places(before, one, other), _places(before, other, one)
        is_forth = forth.count(Has.ALL) >= back.count(Has.ALL)
        first, second = (one, other) if is_forth else (other, one)
        sides = [_places(side, first, second) for side in (before, after)]
        state = of_shares(*sides) if all(sides) else None
        if state is not None:
            old_said, new_said = (f"first in {share(s.count(Has.ALL), len(s))}" for s in sides)
            yield Difference(kind=Kind.ORDER, state=state, tool=first, path=second, old=old_said, new=new_said)  # fmt: skip


def _places(runs: Sequence[Firsts], one: str, other: str) -> list[Has]:
    """Whether one tool came before the other, by run in which one of them did."""
    found = [(_precedes(run, one, other), _precedes(run, other, one)) for run in runs]
    return [Has.of(forth, 1) for forth, back in found if forth != back]


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
    state = of_counts(before, after) if before and after else None
    if state is not None:
        yield Difference(kind=Kind.PARALLEL, state=state, old=_at_most(before), new=_at_most(after))


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
