"""One rule on one trajectory: its automaton, what it said, and what waits to be said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from toolscore_otel.engine.known_as import KnownAs
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.model import Finding, Label, Trajectory
from toolscore_otel.rules import Changes, Compiled, RunContext, Totals, Verdict
from toolscore_otel.rules.model_calls import ModelCall

OnError = Callable[[str, Exception], None]
"""Told of a rule that raised: contract and rule, and the error. It is counted and never a verdict."""

_NOTHING: Changes = {}


class Slot:
    """A rule's state, guarded: what it raises is told to `on_error` and stops no other rule.

    Attributes:
        ledger: what it said.
        calls: how many calls it was told of.
        per_call: whether one call alone decides.
        looks_for_lacks: whether it may fail for lack of a call.
        waiting: subject -> since when a verdict waits to be said, and the verdict.
    """

    __slots__ = (
        "_deferred",
        "_on_error",
        "_state",
        "calls",
        "ledger",
        "looks_for_lacks",
        "per_call",
        "waiting",
    )

    def __init__(
        self, rule: Compiled, ledger: Ledger, context: RunContext, on_error: OnError
    ) -> None:
        self.ledger = ledger
        self.calls = 0
        self.per_call = rule.per_call
        self.looks_for_lacks = rule.without_calls
        self.waiting: dict[str, tuple[int, Verdict | None]] = {}
        self._state = rule.start(context)
        self._deferred = rule.deferred
        self._on_error = on_error

    def put(self, call: JudgedCall) -> None:
        """A call is new."""
        self.calls += 1
        try:
            self._state.put(call)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def drop(self, key: str) -> None:
        """A call is gone."""
        self.calls -= 1
        try:
            self._state.drop(key)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def renew(self, call: JudgedCall) -> None:
        """Who made a call is known better; the rest of it is as it was."""
        try:
            self._state.renew(call)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def hear(self, key: str, call: ModelCall | None) -> None:
        """What is known of the messages of a model call."""
        try:
            self._state.hear(key, call)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def total(self, totals: Totals) -> None:
        """The sums changed."""
        try:
            self._state.total(totals)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def score(self, scores: Mapping[str, ScoreRange]) -> None:
        """The scores of a trajectory that is over."""
        try:
            self._state.score(scores)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)

    def say(self, where: Where, now: int, now_known: KnownAs) -> Sequence[Finding]:
        """What is different since the last time; what a later span could turn waits."""
        try:
            changes = self._state.changes()
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)
            return ()
        if not changes:
            return ()
        if not self._deferred:
            return list(self.ledger.take(changes, where, now_known))
        for subject, verdict in changes.items():
            self.waiting[subject] = (self._since(subject, verdict, now), verdict)
        return ()

    def say_what_waited(self, now: int, lateness_ns: int, where: Where) -> Iterator[Finding]:
        """What has waited long enough."""
        due = {s: v for s, (since, v) in self.waiting.items() if now - since >= lateness_ns}
        for subject in due:
            del self.waiting[subject]
        return self.ledger.take(due, where)

    def close(self, trajectory: Trajectory | None, where: Where) -> Iterator[Finding]:
        """The trajectory is over; None where these calls are none."""
        waited = {subject: verdict for subject, (_, verdict) in self.waiting.items()}
        self.waiting.clear()
        try:
            changes = self._state.close(trajectory)
        except Exception as error:  # noqa: BLE001 - counted, never a verdict
            self._failed(error)
            changes = _NOTHING
        yield from self.ledger.take({**waited, **changes}, where)
        yield from self.ledger.close(where)

    def _since(self, subject: str, verdict: Verdict | None, now: int) -> int:
        """What is said again with the same label has waited since it was first said."""
        known = self.waiting.get(subject)
        return now if known is None or _label(known[1]) is not _label(verdict) else known[0]

    def _failed(self, error: Exception) -> None:
        whose = self.ledger.whose
        self._on_error(f"{whose.contract}/{whose.rule}", error)


def _label(verdict: Verdict | None) -> Label | None:
    return None if verdict is None else verdict.label
