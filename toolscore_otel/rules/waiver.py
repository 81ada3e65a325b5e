"""Waivers: calls for which a rule fails nothing until some day (docs/pages/clauses/building.md).

A waived rule runs twice: as written, and with its waivers as further excuses. What stands with the waivers is said as
ever; what fails only without them is said in shadow. Whether a waiver still held is asked of the call's own begin, so
that the same spans give the same findings whenever they are judged, and no clock is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from msgspec import UNSET, Struct, structs

from toolscore_otel.errors import Location
from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector, all_of
from toolscore_otel.matchers.answer import UNSURE, yes_if
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Label, Trajectory
from toolscore_otel.rules.shape import (
    Changes,
    Compiled,
    RuleFields,
    RuleState,
    RunContext,
    Verdict,
)

_EPOCH = date(1970, 1, 1)
_DAY_NS = 86_400_000_000_000


class Waiver(Struct, frozen=True, kw_only=True, eq=False):
    """Excuses matching calls of one rule that began no later than on its last day.

    Attributes:
        rule: id, as the contract that waives it calls it.
        owner: who answers for it.
        until: last day on which it holds, in UTC.
        where: it stands.
        selector: which calls.
    """

    rule: str
    owner: str
    until: date
    where: Location
    selector: Selector
    reason: str | None = None

    @property
    def uses_agent(self) -> bool:
        """Whether an agent's name matters."""
        return self.selector.uses_agent

    def has_ended(self, today: date) -> bool:
        """Whether its last day is past."""
        return today > self.until

    def match(self, call: JudgedCall) -> Answer:
        """Whether it excuses a call; unknown, too, where the call's begin was not observed."""
        return all_of((self.selector.match(call), self._in_time(call)))

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """Which evidence was not observed where `match` said unknown."""
        words = self.selector.missing(call)
        return (*words, "times") if self._in_time(call) is UNSURE else words

    def _in_time(self, call: JudgedCall) -> Answer:
        start_ns = call.call.start_ns
        if start_ns is None:
            return UNSURE
        return yes_if(start_ns < ((self.until - _EPOCH).days + 1) * _DAY_NS)


def excused(
    record: RuleFields, excuses: Sequence[object], compiled: Callable[[RuleFields], Compiled]
) -> Compiled:
    """A rule with further excuses beside its own `unless`.

    Args:
        record: as written.
        excuses: entries of `unless`, or waivers.
        compiled: compiles a record.

    Raises:
        MatcherError: no single calls are judged or counted by it.
    """
    if "unless" not in record.__struct_fields__:
        raise MatcherError((), "rules that judge or count single calls can excuse some, not this")
    own: object = getattr(record, "unless")  # noqa: B009 - no common class of records has it
    entries: list[object] = [] if own is UNSET else list(own) if is_list(own) else [own]
    return compiled(structs.replace(record, unless=[*entries, *excuses]))


def waived(rule: Compiled, held: Compiled, waivers: Sequence[Waiver]) -> Compiled:
    """A rule that says in shadow what fails only without its waivers.

    Args:
        rule: as written.
        held: the same with its waivers as excuses.
        waivers: for what is said.
    """
    said = " or ".join(f"by `{one.owner}` until {one.until}" for one in waivers)

    def start(context: RunContext) -> RuleState:
        return _Waiving(held.start(context), rule.start(context), said)

    return structs.replace(held, record=rule.record, start=start, waived=True)


class _Waiving(RuleState):
    """The two, and what each of them says now."""

    def __init__(self, held: RuleState, bare: RuleState, said: str) -> None:
        self._held = held
        self._bare = bare
        self._said = said
        self._held_says: dict[str, Verdict] = {}
        self._bare_says: dict[str, Verdict] = {}

    def put(self, call: JudgedCall) -> None:
        self._held.put(call)
        self._bare.put(call)

    def drop(self, key: str) -> None:
        self._held.drop(key)
        self._bare.drop(key)

    def renew(self, call: JudgedCall) -> None:
        self._held.renew(call)
        self._bare.renew(call)

    def changes(self) -> Changes:
        return self._joined(self._held.changes(), self._bare.changes())

    def close(self, trajectory: Trajectory | None) -> Changes:
        return self._joined(self._held.close(trajectory), self._bare.close(trajectory))

    def _joined(self, held: Changes, bare: Changes) -> Changes:
        _note(self._held_says, held)
        _note(self._bare_says, bare)
        return {subject: self._verdict(subject) for subject in {**held, **bare}}

    def _verdict(self, subject: str) -> Verdict | None:
        """What stands with the waivers; else, in shadow, what fails without them."""
        if (verdict := self._held_says.get(subject)) is not None:
            return verdict
        bare = self._bare_says.get(subject)
        if bare is None or bare.label is not Label.FAIL:
            return None
        explanation = f"{bare.explanation} (waived {self._said})"
        return structs.replace(bare, explanation=explanation, shadow=True)


def _note(says: dict[str, Verdict], changes: Changes) -> None:
    for subject, verdict in changes.items():
        if verdict is None:
            says.pop(subject, None)
        else:
            says[subject] = verdict
