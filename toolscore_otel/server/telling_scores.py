"""Scores of trajectories that were closed, as deliveries: each is said once, and again when it has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from toolscore_otel.assembly import Place
from toolscore_otel.emit import LogEvent, score_event
from toolscore_otel.emit.score_store import Said, ScoreStore
from toolscore_otel.engine import Engine
from toolscore_otel.model import Score, Trajectory
from toolscore_otel.server.deliveries import Delivery

SCORES = 300_000
"""Of how many scores it is remembered that they were said; of a trace that is on disk, that is kept there."""


class TellingScores:
    """What was said of scores, and what is to be said next.

    Args:
        counters: those of `score_store.COUNTERS`.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._store = ScoreStore(SCORES, counters)
        self._changed: dict[str, Said] = {}
        self._waiting: list[tuple[LogEvent, Place | None]] = []

    def closed(self, engine: Engine, trajectory: Trajectory, scores: Iterable[Score]) -> None:
        """A trajectory was closed.

        Args:
            engine: that closed it.
            trajectory: as it was closed.
            scores: of it.
        """
        trace_id = trajectory.trace_id
        revisions = self._store.take(trace_id, scores)
        if not revisions:
            return
        self._changed[trace_id] = self._store.of(trace_id)
        contracts = {contract.id: contract for contract in engine.contracts}
        place = engine.place_of(trace_id, None)
        for revision in revisions:
            contract = contracts.get(revision.score.contract or "")
            event = score_event(revision, contract, closed_by=trajectory.closed_by)
            self._waiting.append((event, place))

    def take(self, now: int) -> list[Delivery]:
        """What is to be delivered.

        Args:
            now: nanoseconds since the epoch.
        """
        waiting, self._waiting = self._waiting, []
        return [Delivery.of_score(event, place, now) for event, place in waiting]

    def recall(self, said: Mapping[str, Said]) -> None:
        """What was said of traces before a restart, or before they were let go of."""
        for trace_id, scores in said.items():
            self._store.put(trace_id, scores)

    def take_changed(self) -> Mapping[str, Said]:
        """Of each trace of which something was said since this was last asked: all that was ever said of it."""
        changed, self._changed = self._changed, {}
        return changed
