"""The automaton of a rule that one call decides: judge it when it comes, take it back when it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.matchers.answer import NO
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.shape import Changes, RuleState, Verdict

Judge = Callable[[JudgedCall, Answer, Intake], Mapping[str, Verdict]]
"""Call and answer (yes or unknown) -> verdicts by subject. The intake tells what was not observed."""


class PerCall(RuleState):
    """State of a rule that one call decides. Remembers only calls with a verdict."""

    def __init__(self, intake: Intake, judge: Judge) -> None:
        self._intake = intake
        self._judge = judge
        self._standing: dict[str, tuple[str, ...]] = {}
        self._changes: dict[str, Verdict | None] = {}

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        if answers := self._intake.put(call):
            self._look(answers)

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._take_back(key)
        self._look(self._intake.drop(key))

    def renew(self, call: JudgedCall) -> None:
        """Its verdict is the same, and says who called."""
        if call.call.key in self._standing:
            super().renew(call)

    def changes(self) -> Changes:
        """What is different since this was last asked."""
        found = self._changes
        if found:
            self._changes = {}
        return found

    def _look(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            key = call.call.key
            self._take_back(key)
            if answer is not NO and (verdicts := self._judge(call, answer, self._intake)):
                self._changes.update(verdicts)
                self._standing[key] = tuple(verdicts)

    def _take_back(self, key: str) -> None:
        if (subjects := self._standing.pop(key, None)) is not None:
            self._changes.update(dict.fromkeys(subjects))
