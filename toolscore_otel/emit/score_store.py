"""What was said of the scores of trajectories that were closed, so that one that closes again repeats nothing.

Bounded: the oldest traces' go first.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from toolscore_otel.model import Label, Score

MOST = 100
"""How many scores of one trajectory are said; past it the later ones are not (counter `scores_untold`)."""

COUNTERS = {
    "scores_untold": "scores that went out in no event, past `score_store.MOST` of one trajectory",
    "scores_forgotten": "scores of which is no longer known that they were said, past a cap",
}
"""What is counted here."""


class Stands(Struct, frozen=True, array_like=True):
    """How a score was said last.

    Attributes:
        value: None: that it has none any more.
        revision: starts at 1 and grows with every change.
    """

    contract: str
    name: str
    value: float | None
    label: Label | None
    revision: int = 1


Said = Mapping[str, Stands]
"""All scores of one trajectory that were said, by id."""


class ScoreRevision(Struct, frozen=True, kw_only=True):
    """A score that is to be said.

    Attributes:
        id: the same over replays and restarts.
        revision: starts at 1 and grows with every change.
    """

    id: str
    revision: int
    score: Score


class ScoreStore:
    """How the scores of each trajectory stand for those who were told.

    Args:
        cap: how many are remembered.
        counters: see `COUNTERS`.
    """

    def __init__(self, cap: int, counters: Counter[str]) -> None:
        self._cap = cap
        self._counters = counters
        self._traces: OrderedDict[str, Said] = OrderedDict()
        self._count = 0

    def take(self, trace_id: str, scores: Iterable[Score]) -> list[ScoreRevision]:
        """A trajectory was closed; returns what is to be said: what has a value and is new, and what has changed.

        Args:
            trace_id: of the trajectory.
            scores: all that its contracts give.
        """
        before = self._traces.get(trace_id, {})
        said, revisions = dict(before), list[ScoreRevision]()
        for key, score in _all(trace_id, scores, before):
            known = before.get(key)
            if known is None and (score.value is None or self._is_full(said)):
                continue
            if known is None or (known.value, known.label) != (score.value, score.label):
                number = 1 if known is None else known.revision + 1
                said[key] = Stands(score.contract or "", score.name, score.value, score.label, number)  # fmt: skip
                revisions.append(ScoreRevision(id=key, revision=number, score=score))
        if said:
            self.put(trace_id, said)
        return revisions

    def of(self, trace_id: str) -> Said:
        """What was said of a trajectory."""
        return self._traces.get(trace_id, {})

    def put(self, trace_id: str, said: Said) -> None:
        """Take in what was said of a trajectory."""
        self._count += len(said) - len(self._traces.pop(trace_id, {}))
        self._traces[trace_id] = said
        while self._count > self._cap:
            gone = len(self._traces.popitem(last=False)[1])
            self._count -= gone
            self._counters["scores_forgotten"] += gone

    def _is_full(self, said: Said) -> bool:
        is_full = len(said) >= MOST
        self._counters["scores_untold"] += is_full
        return is_full


def _all(trace_id: str, scores: Iterable[Score], before: Said) -> Iterator[tuple[str, Score]]:
    """Scores with their ids, and behind them those that were said and are given no longer."""
    numbers, given = Counter[tuple[str, str]](), set[str]()
    for score in scores:
        whose = (score.contract or "", score.name)
        numbers[whose] += 1
        key = _id(trace_id, *whose, numbers[whose])
        given.add(key)
        yield key, score
    for key, stands in before.items():
        if key not in given:
            yield key, _withdrawn(trace_id, stands)


def _withdrawn(trace_id: str, stands: Stands) -> Score:
    return Score(
        name=stands.name,
        value=None,
        contract=stands.contract,
        trace_id=trace_id,
        explanation="corrected: by what is known now it does not apply",
    )


def _id(trace_id: str, contract: str, name: str, number: int) -> str:
    """32 hex digits; the number tells agent invocations and rules apart, which a score does not name."""
    text = "\x00".join((contract, name, trace_id, str(number))).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
