"""Which tools were called, how often, and how their calls ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from toolscore_otel.diffing.difference import Difference, Kind, State, share
from toolscore_otel.diffing.noise import Has, of_counts, of_shares
from toolscore_otel.model import Stage, Status, Trajectory

Runs = Sequence[Trajectory]


def tools(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of whole tools."""
    before, after = _counts(old), _counts(new)
    names = dict.fromkeys(tool for counts in (*before, *after) for tool in counts)
    for tool in names:
        in_old, in_new = [run[tool] for run in before], [run[tool] for run in after]
        if not any(in_old):
            yield _one_sided(Kind.TOOL_APPEARED, tool, in_old, in_new, old)
        elif not any(in_new):
            yield _one_sided(Kind.TOOL_GONE, tool, in_old, in_new, new)
        else:
            yield from _calls(tool, in_old, in_new, old, new)
            yield from _status(tool, old, new)


def _counts(runs: Runs) -> list[Counter[str]]:
    """How often each tool was called, by run; calls that were only asked for count."""
    return [Counter(call.tool for call in run.calls if call.tool) for run in runs]


def _one_sided(
    kind: Kind, tool: str, old: Sequence[int], new: Sequence[int], without: Runs
) -> Difference:
    """A tool that the runs of one side do not call; those that lack calls prove nothing."""
    state = of_shares(*([Has.of(count, count) for count in side] for side in (old, new)))
    said = [_in(old), _in(new)]
    if any(run.incomplete for run in without):
        state = State.NOT_OBSERVED
        said[kind is Kind.TOOL_GONE] = "not seen, in runs that lack calls"
    assert state is not None  # noqa: S101 - one side has it, the other has not
    return Difference(kind=kind, state=state, tool=tool, old=said[0], new=said[1])


def _in(counts: Sequence[int]) -> str:
    having = sum(1 for count in counts if count)
    return f"in {share(having, len(counts))}"


def _calls(
    tool: str, old: Sequence[int], new: Sequence[int], old_runs: Runs, new_runs: Runs
) -> Iterator[Difference]:
    state = of_counts(old, new)
    if state is None:
        return
    fewer = new_runs if fmean(new) < fmean(old) else old_runs
    if state is State.CHANGED and any(run.incomplete for run in fewer):
        state = State.NOT_OBSERVED
    yield Difference(kind=Kind.CALLS, state=state, tool=tool, old=counted(old), new=counted(new))


def counted(counts: Sequence[int]) -> str:
    """From the least to the most, and where they differ how many on average."""
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}, {fmean(counts):.3g} on average"


def _status(tool: str, old: Runs, new: Runs) -> Iterator[Difference]:
    before, after = _failures(tool, old), _failures(tool, new)
    sides = [[Has.of(*one) for one in side] for side in (before, after)]
    state = of_shares(*sides) if before and after else State.NOT_OBSERVED
    if state is not None and (before or after):
        yield Difference(kind=Kind.STATUS, state=state, tool=tool, old=_failed(before), new=_failed(after))  # fmt: skip


def _failures(tool: str, runs: Runs) -> list[tuple[int, int]]:
    """How many calls of a tool failed, and of how many that is known, by run that has one of these."""
    found: list[tuple[int, int]] = []
    for run in runs:
        ended = Counter(
            call.status for call in run.calls if call.tool == tool and call.stage is Stage.EXECUTED
        )
        failed = ended[Status.ERROR]
        if known := failed + ended[Status.OK]:
            found.append((failed, known))
    return found


def _failed(failures: Sequence[tuple[int, int]]) -> str:
    failed, known = (sum(one) for one in zip(*failures, strict=True)) if failures else (0, 0)
    if not known:
        return "status not recorded"
    return f"{failed} of {known} {'call' if known == 1 else 'calls'} failed" if failed else "ok"
