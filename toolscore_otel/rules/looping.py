"""The automaton of `loop`: each agent invocation by itself, and what is said of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.matchers.answer import NO, YES
from toolscore_otel.model import FindingKind, Label, Trajectory
from toolscore_otel.rules.cycles import Cycles
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.repetition import Entry, Run
from toolscore_otel.rules.runs import Runs
from toolscore_otel.rules.shape import TRAJECTORY, Changes, RuleState, Verdict, key_in
from toolscore_otel.rules.wording import because, tool_of

Invocation = str | None
"""Span id of an agent invocation; None for what stands outside of them all."""


class Looping(RuleState):
    """One key of `loop` on one trajectory.

    Args:
        reason: of the rule.
        intake: which calls it looks at.
        entry: of a call; the second argument is whether it is known that the rule looks at it.
        start: the automaton of one agent invocation.
        say: what is said of a run.
    """

    def __init__(
        self,
        reason: str | None,
        intake: Intake,
        entry: Callable[[JudgedCall, bool], Entry],
        start: Callable[[], Runs | Cycles],
        say: Callable[[Run], str],
    ) -> None:
        self._reason = reason
        self._intake = intake
        self._entry = entry
        self._start = start
        self._say = say
        self._runs: dict[Invocation, Runs | Cycles] = {}
        self._stale: dict[Invocation, Runs | Cycles] = {}
        self._entries: dict[str, Entry] = {}

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        if answers := self._intake.put(call):
            self._place(answers)

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._take_out(key)
        self._place(self._intake.drop(key))

    def changes(self) -> Changes:
        """What is different since this was last asked."""
        stale, self._stale = self._stale, {}
        return self._said({s for runs in stale.values() for s in runs.line.advance()})

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - the calls are known
        """What has waited, and what could not be seen."""
        said = self._said({s for runs in self._runs.values() for s in runs.line.settle()})
        return {**said, TRAJECTORY: self._unseen()}

    def _unseen(self) -> Verdict | None:
        unsure = [entry for runs in self._runs.values() for entry in runs.hidden()]
        if not unsure:
            return None
        first = min(unsure, key=lambda entry: entry.order)
        missing = {word for entry in unsure for word in self._missing(entry)}
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.RETRY_LOOP,
            explanation=f"whether this call of {tool_of(first.call.call)} repeats others",
            call=first.call.call,
            count=len(unsure),
            missing=tuple(sorted(missing)),
        )

    def _said(self, subjects: Iterable[str]) -> Changes:
        """What stands of them, in the invocation in which their first call is now."""
        changes: dict[str, Verdict | None] = {}
        for subject in subjects:
            first = self._entries.get(key_in(subject))
            run = None if first is None else self._runs[first.invocation].run(subject)
            changes[subject] = None if run is None else self._verdict(run)
        return changes

    def _missing(self, entry: Entry) -> tuple[str, ...]:
        if entry.is_there:
            return entry.missing
        return (*entry.missing, *self._intake.missing(entry.call))

    def _place(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            self._take_out(call.call.key)
            if answer is NO:
                continue
            entry = self._entry(call, answer is YES)
            runs = self._runs.get(entry.invocation)
            if runs is None:
                runs = self._runs[entry.invocation] = self._start()
            runs.line.insert(entry)
            self._entries[call.call.key] = entry
            self._stale[entry.invocation] = runs

    def _take_out(self, key: str) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self._stale[entry.invocation] = runs = self._runs[entry.invocation]
            runs.line.remove(entry.order)

    def _verdict(self, run: Run) -> Verdict:
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.RETRY_LOOP,
            explanation=because(self._say(run), self._reason),
            call=run.done.call,
            count=run.count,
            first=run.first.call,
            last=run.last.call,
            lowered=not run.is_sure,
        )
