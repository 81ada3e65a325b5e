"""How whole runs ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscore_otel.diffing.difference import Difference, Kind, State, share
from toolscore_otel.diffing.noise import Has, of_shares
from toolscore_otel.diffing.run import Run
from toolscore_otel.model import Status


def outcome(old: Sequence[Run], new: Sequence[Run]) -> Iterator[Difference]:
    """How many runs of either side failed, of those of which that is known."""
    before, after = (
        [Has.of(run.status is Status.ERROR, 1) for run in side if run.status is not Status.UNKNOWN]
        for side in (old, new)
    )
    state = of_shares(before, after) if before and after else State.NOT_OBSERVED
    if state is not None and (before or after):
        yield Difference(kind=Kind.OUTCOME, state=state, old=_ended(before), new=_ended(after))


def _ended(failed: Sequence[Has]) -> str:
    if not failed:
        return "not recorded"
    return f"failed in {share(failed.count(Has.ALL), len(failed))}" if Has.ALL in failed else "ok"
