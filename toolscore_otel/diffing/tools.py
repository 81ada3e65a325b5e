"""Which tools were called, how often, and how their calls ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from toolscore_otel.diffing.difference import Difference, Kind, State, share
from toolscore_otel.model import Stage, Status, Trajectory

Runs = Sequence[Trajectory]


def tools(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of whole tools."""
    before, after = _counts(old), _counts(new)
    names = dict.fromkeys(tool for counts in (*before, *after) for tool in counts)
    for tool in names:
        in_old, in_new = [run[tool] for run in before], [run[tool] for run in after]
        if not any(in_old):
            yield _appeared(tool, in_old, in_new, old)
        elif not any(in_new):
            yield _gone(tool, in_old, in_new, new)
        else:
            yield from _calls(tool, in_old, in_new, new)
            yield from _status(tool, old, new)


def _counts(runs: Runs) -> list[Counter[str]]:
    """How often each tool was called, by run; calls that were only asked for count."""
    return [Counter(call.tool for call in run.calls if call.tool) for run in runs]


def _appeared(tool: str, old: Sequence[int], new: Sequence[int], old_runs: Runs) -> Difference:
    lacks = any(run.incomplete for run in old_runs)
    state = State.NOT_OBSERVED if lacks else State.CHANGED
    said = "not seen, in runs that lack calls" if lacks else _in(old)
    return Difference(kind=Kind.TOOL_APPEARED, state=state, tool=tool, old=said, new=_in(new))


def _gone(tool: str, old: Sequence[int], new: Sequence[int], new_runs: Runs) -> Difference:
    state, said = State.CHANGED, _in(new)
    if any(run.incomplete for run in new_runs):
        state, said = State.NOT_OBSERVED, "not seen, in runs that lack calls"
    elif not all(old):
        state = State.FLAPS
    return Difference(kind=Kind.TOOL_GONE, state=state, tool=tool, old=_in(old), new=said)


def _in(counts: Sequence[int]) -> str:
    having = sum(1 for count in counts if count)
    return f"in {share(having, len(counts))}"


def _calls(
    tool: str, old: Sequence[int], new: Sequence[int], new_runs: Runs
) -> Iterator[Difference]:
    if min(old) <= min(new) and max(new) <= max(old):
        if min(old) < max(old):
            yield _difference_of_calls(tool, old, new, State.FLAPS)
        return
    fewer_only = max(new) <= max(old)
    unsure = fewer_only and any(run.incomplete for run in new_runs)
    state = State.NOT_OBSERVED if unsure else State.CHANGED
    yield _difference_of_calls(tool, old, new, state)


def _difference_of_calls(
    tool: str, old: Sequence[int], new: Sequence[int], state: State
) -> Difference:
    return Difference(kind=Kind.CALLS, state=state, tool=tool, old=_range(old), new=_range(new))


def _range(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"


def _status(tool: str, old: Runs, new: Runs) -> Iterator[Difference]:
    before, after = _endings(tool, old), _endings(tool, new)
    known = [ending for ending in before if ending is not None]
    seen = [ending for ending in after if ending is not None]
    if not (known and seen):
        if known or seen:
            yield _of_status(tool, before, after, State.NOT_OBSERVED)
    elif set(seen) - set(known):
        yield _of_status(tool, before, after, State.CHANGED)
    elif len(set(known)) > 1:
        yield _of_status(tool, before, after, State.FLAPS)


def _endings(tool: str, runs: Runs) -> list[bool | None]:
    """Whether a call of a tool failed, by run that has one; None where that is not known."""
    found: list[bool | None] = []
    for run in runs:
        ended = {
            call.status for call in run.calls if call.tool == tool and call.stage is Stage.EXECUTED
        }
        if Status.ERROR in ended:
            found.append(True)
        elif ended:
            found.append(None if Status.UNKNOWN in ended else False)
    return found


def _of_status(
    tool: str, old: Sequence[bool | None], new: Sequence[bool | None], state: State
) -> Difference:
    return Difference(kind=Kind.STATUS, state=state, tool=tool, old=_failed(old), new=_failed(new))


def _failed(endings: Sequence[bool | None]) -> str:
    known = [ending for ending in endings if ending is not None]
    if not known:
        return "status not recorded"
    return f"failed in {share(sum(known), len(known))}" if any(known) else "ok"
