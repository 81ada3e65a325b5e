"""`loop`: the same thing again and again (docs/pages/clauses/loop.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    all_of,
    any_of,
    negate,
)
from toolscore_otel.matchers.answer import NO, YES
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import CallKind, Scope
from toolscore_otel.rules import sameness
from toolscore_otel.rules.cycles import Cycles
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selectors_of
from toolscore_otel.rules.looping import Looping
from toolscore_otel.rules.repetition import Entry, Run
from toolscore_otel.rules.runs import Runs
from toolscore_otel.rules.sameness import Looked
from toolscore_otel.rules.shape import Common, Compiled, Item
from toolscore_otel.rules.wording import did, times, tool_of

WINDOW = 30
"""How many calls of kind `tool` are looked back at, where nothing else is said."""

_TOOL = CallKind.TOOL
_SHARED = ("window", "ignore", "only", "unless")


class Loop(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key of a `loop` clause, with the keys that stand beside it.

    Whatever its scope, it looks at each agent invocation by itself (where a trace has none, at the trace), and so no session
    can show more than its traces do.

    Attributes:
        key: `same_call`, `retry_after_error`, `no_progress` or `cycle`.
        n: how many calls, repeats of a failed call, or repetitions of a block are too many.
        window: calls of kind `tool` looked back at, per agent invocation.
        ignore: selectors of calls that are left out.
        only: selectors; no other calls are looked at.
        unless: excuses a call.
    """

    key: str
    n: int
    window: int = WINDOW
    ignore: list[Any] = field(default_factory=list[Any])
    only: list[Any] | UnsetType = UNSET
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a number that is too small, or a selector that is none, with its path.
        """
        sort = _SORTS[self.key]
        if self.n < sort.least:
            raise MatcherError(("n",), f"`{self.key}` is a number of calls, at least {sort.least}")
        if self.window < 2:  # noqa: PLR2004 - one call repeats nothing
            raise MatcherError(("window",), "`window` is a number of calls, at least 2")
        if self.only == []:
            raise MatcherError(("only",), "`only` lists nothing: leave it out to look at all calls")
        only = [] if self.only is UNSET else self.only
        looked_at = _LookedAt(_selectors(self.ignore, "ignore"), _selectors(only, "only"))
        excuses = Excuses(self.unless)
        selectors = (*looked_at.ignored, *looked_at.only)
        return Compiled(
            record=self,
            start=lambda _: Looping(
                self.reason,
                Intake(looked_at, excuses),
                lambda call, is_there: sort.entry(Looked(call, self.n, is_there)),
                lambda: sort.start(self),
                sort.say,
            ),
            scope=Scope.AGENT if self.scope is Scope.AGENT else Scope.TRACE,
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
    for key in data:
        if key not in (*RULES, *_SHARED):
            raise MatcherError(
                (key,), f"unknown key `{key}` in `loop`: it takes {_listed((*RULES, *_SHARED))}"
            )
    rules = [key for key in RULES if key in data]
    if not rules:
        raise MatcherError((), f"`loop` has no rule: give {_listed(RULES)}")
    shared = {key: data[key] for key in _SHARED if key in data}
    for key in rules:
        own = data[key] if is_mapping(data[key]) else {"n": data[key]}
        if "key" in own:
            raise MatcherError((key, "key"), f"unknown key `key` in `{key}`")
        yield Item(f"loop.{key}", (key,), {"key": key, **shared, **own, **_added(own, shared)})


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _added(own: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What excuses calls, or leaves them out, both inside of a rule and beside all: it counts together."""
    found: dict[str, list[Any]] = {}
    for key in ("ignore", "unless"):
        if key in own and key in shared:
            both = (own[key], shared[key])
            if key == "unless" or all(is_list(one) for one in both):
                found[key] = [each for one in both for each in (one if is_list(one) else [one])]
    return found


class _LookedAt(Struct, frozen=True):
    """The calls among which repetition is looked for."""

    ignored: list[Selector]
    only: list[Selector]

    def match(self, call: JudgedCall) -> Answer:
        """Whether a call is one of them."""
        if call.call.kind is not _TOOL:
            return NO
        if not (self.ignored or self.only):
            return YES
        kept = negate(any_of(selector.match(call) for selector in self.ignored))
        wanted = any_of(s.match(call) for s in self.only) if self.only else YES
        return all_of((kept, wanted))

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """What would tell."""
        return tuple(word for s in (*self.ignored, *self.only) for word in s.missing(call))


def _selectors(entries: list[Any], key: str) -> list[Selector]:
    try:
        return selectors_of(entries, default_stage="any")
    except MatcherError as error:
        raise error.below(key) from error


class _Sort(Struct, frozen=True):
    """One key of the clause.

    Attributes:
        least: number that makes sense.
        entry: how it sees a call.
        start: the automaton of one agent invocation.
        say: what it says of a run.
    """

    least: int
    entry: Callable[[Looked], Entry]
    start: Callable[[Loop], Runs | Cycles]
    say: Callable[[Run], str]


def _said_same(run: Run) -> str:
    what = f"{did(run.done.call)} {times(run.count)} with equal arguments"
    if run.is_sure:
        return f"{what} and got the same each time"
    return f"{what}; results were not observed, so this is a possible loop"


def _said_retry(run: Run) -> str:
    again = times(run.count - 1)
    return f"{did(run.done.call)} again {again} with equal arguments after it had failed, without success"


def _said_no_progress(run: Run) -> str:
    return f"{did(run.done.call)} {times(run.count)} in a row and got the same each time, whatever the arguments"


def _said_cycle(run: Run) -> str:
    tools = ", ".join(tool_of(call.call) for call in run.block)
    often = times(run.count // len(run.block))
    return f"the same {len(run.block)} calls stand {often} in a row: {tools}"


_SORTS = {
    "same_call": _Sort(2, sameness.same_call, lambda rule: Runs(rule.window), _said_same),
    "retry_after_error": _Sort(
        1, sameness.retry_after_error, lambda rule: Runs(rule.window), _said_retry
    ),
    "no_progress": _Sort(
        2, sameness.no_progress, lambda rule: Runs(rule.window, adjacent=True), _said_no_progress
    ),
    "cycle": _Sort(2, sameness.cycle, lambda rule: Cycles(rule.n), _said_cycle),
}

RULES = tuple(_SORTS)
"""The keys of the clause that are rules."""
