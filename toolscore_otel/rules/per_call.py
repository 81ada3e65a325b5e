"""The automaton of a rule that one call decides: judge it when it comes, take it back when it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.shape import Changes, RuleState, Verdict

Judge = Callable[[JudgedCall, Answer], Mapping[str, Verdict]]
"""Call and answer (yes or unknown) -> verdicts by what tells them apart within the call ("" for the only one)."""


class PerCall(RuleState):
    """State of a rule that one call decides. Remembers only calls with a verdict."""

    def __init__(self, intake: Intake, judge: Judge) -> None:
        self._intake = intake
        self._judge = judge
        self._standing: dict[str, tuple[str, ...]] = {}

    def put(self, call: JudgedCall) -> Changes:
        """A call is new or has changed."""
        return self._look(self._intake.put(call))

    def drop(self, key: str) -> Changes:
        """A call is gone."""
        changes: dict[str, Verdict | None] = dict.fromkeys(self._standing.pop(key, ()))
        changes.update(self._look(self._intake.drop(key)))
        return changes

    def _look(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> Changes:
        changes: dict[str, Verdict | None] = {}
        for call, answer in answers:
            key = call.call.key
            verdicts = {} if answer is Answer.NO else self._judge(call, answer)
            named = {f"{key}{suffix}": verdict for suffix, verdict in verdicts.items()}
            changes.update(dict.fromkeys(self._standing.pop(key, ())))
            changes.update(named)
            if named:
                self._standing[key] = tuple(named)
        return changes
