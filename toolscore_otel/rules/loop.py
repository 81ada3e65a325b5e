"""`loop`: the same thing again and again (contract language, section 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import UNSET, Struct, field

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    all_of,
    any_of,
    digest,
    negate,
)
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import (
    CallKind,
    ContentState,
    FindingKind,
    Label,
    Scope,
    Stage,
    Status,
    Trajectory,
)
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
from toolscore_otel.rules.wording import because, did, times, tool_of

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
    ignore: list[Any] = field(default_factory=list[Any])
    only: list[Any] = field(default_factory=list[Any])
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
        looked_at = _LookedAt(_selectors(self.ignore, "ignore"), _selectors(self.only, "only"))
        excuses = Excuses(self.unless)
        entry = _same_call if self.key == "same_call" else _retry
        selectors = (*looked_at.ignored, *looked_at.only)
        return Compiled(
            record=self,
            start=lambda _: _Looping(self, Intake(looked_at, excuses), entry),
            scope=self.scope or Scope.TRACE,
            uses_agent=excuses.uses_agent or any(s.uses_agent for s in selectors),
            deferred=excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The rules of a `loop` clause: one for each key that is a rule.

    Raises:
        MatcherError: no mapping, no rule in it, or a key that is none.
    """
    if not is_mapping(data):
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
        own = data[key] if is_mapping(data[key]) else {"n": data[key]}
        yield Item(f"loop.{key}", (key,), {"key": key, **shared, **own})


class _LookedAt(Struct, frozen=True):
    """The calls among which repetition is looked for."""

    ignored: list[Selector]
    only: list[Selector]

    def match(self, call: JudgedCall) -> Answer:
        """Whether a call is one of them."""
        if call.call.kind is not CallKind.TOOL:
            return Answer.NO
        kept = negate(any_of(selector.match(call) for selector in self.ignored))
        wanted = any_of(s.match(call) for s in self.only) if self.only else Answer.YES
        return all_of((kept, wanted))

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """What would tell."""
        return tuple(word for s in (*self.ignored, *self.only) for word in s.missing(call))


def _selectors(entries: list[Any], key: str) -> list[Selector]:
    try:
        return selectors_of(entries, default_stage="any")
    except MatcherError as error:
        raise error.below(key) from error


MakeEntry = Callable[["Loop", JudgedCall, bool], Entry]


def _tool(call: JudgedCall) -> str:
    """What the arguments belong to: of a dispatched call the dispatcher, as a call that was not observed may be any of its."""
    is_dispatched = call.dispatches and call.dispatcher is None
    return call.names[1] if is_dispatched else call.call.tool


def _key(call: JudgedCall) -> bytes | None:
    if call.call.args_state is not ContentState.OBSERVED:
        return None
    return digest([call.call.tool, call.call.args])


def _same_call(rule: Loop, call: JudgedCall, is_there: bool) -> Entry:  # noqa: FBT001 - as MakeEntry
    is_seen = call.call.result_state is ContentState.OBSERVED
    return Entry(
        call,
        tool=_tool(call),
        key=_key(call),
        mark=digest(call.call.result) if is_seen else ANY_MARK,
        repeats=Answer.YES,
        is_there=is_there,
        need=rule.n * POLLING if call.polling else rule.n,
    )


def _retry(rule: Loop, call: JudgedCall, is_there: bool) -> Entry:  # noqa: FBT001 - as MakeEntry
    is_known = call.call.stage is Stage.EXECUTED
    return Entry(
        call,
        tool=_tool(call),
        key=_key(call),
        mark=b"failed",
        repeats=_FAILED[call.call.status] if is_known else Answer.UNKNOWN,
        is_there=is_there,
        need=rule.n + 1,
    )


_FAILED = {Status.ERROR: Answer.YES, Status.OK: Answer.NO, Status.UNKNOWN: Answer.UNKNOWN}


class _Looping(RuleState):
    def __init__(self, rule: Loop, intake: Intake, entry: MakeEntry) -> None:
        self._rule = rule
        self._intake = intake
        self._entry = entry
        self._runs: dict[str | None, Runs] = {}
        self._stale: dict[str | None, Runs] = {}
        self._places: dict[str, tuple[str | None, OrderKey]] = {}

    def put(self, call: JudgedCall) -> None:
        self._place(self._intake.put(call))

    def drop(self, key: str) -> None:
        self._take_out(key)
        self._place(self._intake.drop(key))

    def changes(self) -> Changes:
        changes: dict[str, Verdict | None] = {}
        for runs in self._stale.values():
            for subject in runs.settle():
                if (run := runs.run(subject)) is not None:
                    changes[subject] = self._verdict(*run)
                else:
                    changes.setdefault(subject, None)  # it may have moved to another invocation
        self._stale = {}
        return changes

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - the calls are known
        unsure = [entry for runs in self._runs.values() for entry in hidden(runs)]
        if not unsure:
            return {TRAJECTORY: None}
        first = min(unsure, key=lambda entry: entry.order)
        missing = {word for entry in unsure for word in self._missing(entry)}
        return {
            TRAJECTORY: Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.RETRY_LOOP,
                explanation=f"whether this call of {tool_of(first.call.call)} repeats others",
                call=first.call.call,
                count=len(unsure),
                missing=tuple(sorted(missing)),
            )
        }

    def _missing(self, entry: Entry) -> Iterator[str]:
        if entry.key is None:
            yield "arguments"
        if entry.repeats is Answer.UNKNOWN:
            yield "status"
        if not entry.is_there:
            yield from self._intake.missing(entry.call)

    def _place(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            self._take_out(call.call.key)
            if answer is Answer.NO:
                continue
            invocation = call.call.invocation_id
            runs = self._runs.setdefault(invocation, Runs(self._rule.window))
            entry = self._entry(self._rule, call, answer is Answer.YES)
            runs.insert(entry)
            self._places[call.call.key] = (invocation, entry.order)
            self._stale[invocation] = runs

    def _take_out(self, key: str) -> None:
        if (place := self._places.pop(key, None)) is not None:
            invocation, order = place
            self._stale[invocation] = runs = self._runs[invocation]
            runs.remove(order)

    def _verdict(self, first: Entry, done: Entry, last: Entry) -> Verdict:
        call = done.call.call
        if self._rule.key == "same_call":
            what = f"{did(call)} {times(last.count)} with equal arguments"
            if last.is_sure:
                text = f"{what} and got the same each time"
            else:
                text = f"{what}; results were not observed, so this is a possible loop"
        else:
            again = times(last.count - 1)
            text = f"{did(call)} again {again} with equal arguments after it had failed, without success"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.RETRY_LOOP,
            explanation=because(text, self._rule.reason),
            call=call,
            count=last.count,
            first=first.call.call,
            last=last.call.call,
            lowered=not last.is_sure,
        )
