"""`loop`: the same thing again and again (contract language, section 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, field

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    any_of,
    digest,
    negate,
)
from toolscore_otel.model import CallKind, ContentState, FindingKind, Label, Status, Trajectory
from toolscore_otel.rules.hidden_runs import hidden
from toolscore_otel.rules.intake import Excuses, Intake, OrderKey
from toolscore_otel.rules.items import selectors_of
from toolscore_otel.rules.runs import ANY_MARK, Entry, Runs
from toolscore_otel.rules.shape import (
    TRAJECTORY,
    Changes,
    Common,
    Compiled,
    Item,
    RuleState,
    Verdict,
)
from toolscore_otel.rules.wording import because, times, unseen

WINDOW = 30
"""How many calls of kind `tool` are looked back at, where nothing else is said."""

POLLING = 3
"""A tool marked `polling` is expected to be called again: it needs this many times the number."""

_RULES = ("same_call", "retry_after_error")
_SHARED = ("window", "ignore", "only", "unless")
_LATER = ("no_progress", "cycle")


class Loop(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key of a `loop` clause, with the keys that stand beside it.

    Attributes:
        key: `same_call` or `retry_after_error`.
        n: calls (`same_call`), or repeats of a failed call that do not succeed.
        window: calls of kind `tool` looked back at, per agent invocation.
        ignore: selectors of calls that are left out.
        only: selectors; no other calls are looked at.
        unless: excuses a call.
    """

    key: str
    n: int
    window: int = WINDOW
    ignore: list[Any] = field(default_factory=list)
    only: list[Any] = field(default_factory=list)
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a number that is too small, or a selector that is none, with its path.
        """
        least = 2 if self.key == "same_call" else 1
        if self.n < least:
            raise MatcherError(("n",), f"`{self.key}` is a number of calls, at least {least}")
        if self.window < 2:  # noqa: PLR2004 - one call repeats nothing
            raise MatcherError(("window",), "`window` is a number of calls, at least 2")
        match, uses_agent = _looked_at(self)
        excuses = Excuses(self.unless)
        entry = _same_call if self.key == "same_call" else _retry
        return Compiled(
            record=self,
            kind=FindingKind.RETRY_LOOP,
            start=lambda _: _Looping(self, Intake(match, excuses), entry),
            uses_agent=True if uses_agent else excuses.uses_agent,
            deferred=excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The rules of a `loop` clause: one for each key that is a rule.

    Raises:
        MatcherError: no mapping, no rule in it, or a key that is none.
    """
    if not isinstance(data, Mapping):
        raise MatcherError((), "`loop` takes a mapping, such as `{same_call: 3}`")
    shared = {key: data[key] for key in _SHARED if key in data}
    for key in data:
        if key in _LATER:
            raise MatcherError((key,), f"`{key}` is not supported by this version")
        if key not in (*_RULES, *_SHARED):
            known = ", ".join(f"`{name}`" for name in (*_RULES, *_SHARED))
            raise MatcherError((key,), f"unknown key `{key}` in `loop`: it takes {known}")
    rules = [key for key in _RULES if key in data]
    if not rules:
        raise MatcherError((), "`loop` has no rule: give `same_call` or `retry_after_error`")
    for key in rules:
        own = data[key] if isinstance(data[key], Mapping) else {"n": data[key]}
        yield Item(f"loop.{key}", (key,), {"key": key, **shared, **own})


def _looked_at(rule: Loop) -> tuple[Callable[[JudgedCall], Answer], bool]:
    ignored = _selectors(rule.ignore, "ignore")
    only = _selectors(rule.only, "only")

    def match(call: JudgedCall) -> Answer:
        if call.call.kind is not CallKind.TOOL:
            return Answer.NO
        if ignored and (left := negate(any_of(s.match(call) for s in ignored))) is not Answer.YES:
            return left
        return any_of(s.match(call) for s in only) if only else Answer.YES

    return match, any(s.uses_agent for s in (*ignored, *only))


def _selectors(entries: list[Any], key: str) -> list[Selector]:
    try:
        return selectors_of(entries, default_stage="any")
    except MatcherError as error:
        raise error.below(key) from error


MakeEntry = Callable[["Loop", JudgedCall], Entry]


def _key(call: JudgedCall) -> bytes | None:
    if call.call.args_state is not ContentState.OBSERVED:
        return None
    return digest([call.call.tool, call.call.args])


def _same_call(rule: Loop, call: JudgedCall) -> Entry:
    seen = call.call.result_state is ContentState.OBSERVED
    mark = digest(call.call.result) if seen else ANY_MARK
    need = rule.n * POLLING if call.polling else rule.n
    return Entry(call, call.call.tool, _key(call), mark, counts=True, could_count=True, need=need)


def _retry(rule: Loop, call: JudgedCall) -> Entry:
    status = call.call.status
    return Entry(
        call,
        call.call.tool,
        _key(call),
        b"failed",
        counts=status is Status.ERROR,
        could_count=status is not Status.OK,
        need=rule.n + 1,
    )


class _Looping(RuleState):
    def __init__(self, rule: Loop, intake: Intake, entry: MakeEntry) -> None:
        self._rule = rule
        self._intake = intake
        self._entry = entry
        self._runs: dict[str | None, Runs] = {}
        self._places: dict[str, tuple[Runs, OrderKey]] = {}

    def put(self, call: JudgedCall) -> Changes:
        changes: dict[str, Verdict | None] = {}
        for each, answer in self._intake.put(call):
            self._place(each, answer, changes)
        return changes

    def drop(self, key: str) -> Changes:
        changes: dict[str, Verdict | None] = {}
        self._take_out(key, changes)
        for each, answer in self._intake.drop(key):
            self._place(each, answer, changes)
        return changes

    def close(self, trajectory: Trajectory) -> Changes:  # noqa: ARG002 - the calls are known
        unsure = [e for runs in self._runs.values() for e in hidden(runs.entries, runs.window)]
        if not unsure:
            return {TRAJECTORY: None}
        missing = {"arguments" if entry.key is None else "status" for entry in unsure}
        return {
            TRAJECTORY: Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.RETRY_LOOP,
                explanation=unseen(f"whether calls of `{unsure[0].tool}` repeat", missing),
                count=len(unsure),
                missing=tuple(sorted(missing)),
            )
        }

    def _place(self, call: JudgedCall, answer: Answer, changes: dict[str, Verdict | None]) -> None:
        self._take_out(call.call.key, changes)
        if answer is Answer.NO:
            return
        entry = self._entry(self._rule, call)
        entry.counts = entry.counts and answer is Answer.YES
        runs = self._runs.setdefault(call.call.invocation_id, Runs(self._rule.window))
        self._places[call.call.key] = (runs, entry.order)
        self._say(runs, runs.insert(entry), changes)

    def _take_out(self, key: str, changes: dict[str, Verdict | None]) -> None:
        if (place := self._places.pop(key, None)) is not None:
            runs, order = place
            self._say(runs, runs.remove(order), changes)

    def _say(self, runs: Runs, subjects: set[str], changes: dict[str, Verdict | None]) -> None:
        for subject in subjects:
            run = runs.run(subject)
            changes[subject] = None if run is None else self._verdict(*run)

    def _verdict(self, first: Entry, done: Entry, last: Entry) -> Verdict:
        tool = done.call.call.tool
        if self._rule.key == "same_call":
            text = f"`{tool}` was called {times(last.run_count)} with equal arguments and equal results"
            if last.unsure:
                text = f"`{tool}` was called {times(last.run_count)} with equal arguments (results were not observed: a possible loop)"
        else:
            again = times(last.run_count - 1)
            text = (
                f"`{tool}` failed and was tried again {again} with equal arguments, without success"
            )
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.RETRY_LOOP,
            explanation=because(text, self._rule.reason),
            call=done.call.call,
            count=last.run_count,
            first=first.call.call,
            last=last.call.call,
            lowered=self._rule.key == "same_call" and last.unsure,
        )
