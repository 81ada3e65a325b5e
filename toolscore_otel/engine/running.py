"""One contract on one trace: which rules see which call, and what they say.

What one span changes is taken as a whole: calls that changed are taken out of their rules and put in again, and only what
is different in the end is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.known_as import now_known_as
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.priced import Priced
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Finding, Label, Scope, ToolCall, Trajectory
from toolscore_otel.rules import RuleState, RunContext, Totals, Verdict
from toolscore_otel.rules.intake import order_of

OnError = Callable[[str, Exception], None]
"""Told of a rule that raised: contract and rule, and the error. It is counted and never a verdict."""

_At = tuple[int, str]
"""A rule's number, and the key of the trajectory: an invocation's span id, or empty for the trace."""

Said = TypeVar("Said")

_Touched = dict[_At, None]
"""Where calls came or went, in order."""

_Waiting = tuple[int, Verdict | None]
"""Since when, and the verdict that waits to be said."""


@dataclass(slots=True)
class _Slot:
    """One rule on one trajectory.

    Attributes:
        waiting: by subject.
        calls: how many it was told of.
        is_asked: whether it was asked at closing, so that it is one that can hold.
    """

    state: RuleState
    ledger: Ledger
    waiting: dict[str, _Waiting] = field(default_factory=dict[str, _Waiting])
    calls: int = 0
    is_asked: bool = False


@dataclass(slots=True)
class _Placed:
    judged: JudgedCall
    at: tuple[_At, ...]


class Running:
    """One contract on one trace.

    Attributes:
        waits: whether something waits to be said.
    """

    def __init__(self, plan: Plan, trace_id: str, context: RunContext, on_error: OnError) -> None:
        self.plan = plan
        self.waits = False
        self._trace_id = trace_id
        self._context = context
        self._on_error = on_error
        self._slots: dict[int, dict[str, _Slot]] = {}
        self._placed: dict[str, _Placed] = {}
        self._priced = Priced()
        self._named = False
        self._told: Totals | None = None

    def take(
        self, changes: Sequence[CallChange], where: Where, now: int, *, named: bool
    ) -> list[Finding]:
        """What a span changed of the calls.

        Args:
            changes: as assembly gives them.
            where: what is known of the trace.
            now: nanoseconds.
            named: whether some agent of the trace is known by name.
        """
        touched: _Touched = {}
        self._name_agents(touched, named=named)
        gone: list[tuple[ToolCall, ToolCall | None]] = []
        for change in changes:
            if change.before and (placed := self._placed.pop(change.before, None)) is not None:
                gone.append((placed.judged.call, change.after))
                self._priced.drop(placed.judged.call.key)
                self._drop(placed, placed.at, touched)
        for judged, alone in sorted(self._judged(changes), key=lambda pair: order_of(pair[0])):
            at = tuple(self._places(judged, alone=alone))
            if not alone:
                self._placed[judged.call.key] = _Placed(judged, at)
            self._put(judged, at, touched)
        return self._said(touched, where, now, now_known_as(gone, changes))

    def total(self, totals: Totals, where: Where, now: int) -> list[Finding]:
        """The sums of the trace, as far as the contract sees it; what its registry says of costs comes on top."""
        totals = self._priced.added_to(totals)
        if totals == self._told:
            return []
        self._told = totals
        touched: _Touched = {}
        for n in self.plan.of_totals:
            self._tell((n, ""), lambda state: state.total(totals), touched)
        return self._said(touched, where, now, {})

    def say_what_waited(self, now: int, lateness: int, where: Where) -> list[Finding]:
        """Say what has waited long enough, in nanoseconds."""
        findings: list[Finding] = []
        self.waits = False
        for slot in self._all_slots():
            due = {s: v for s, (since, v) in slot.waiting.items() if now - since >= lateness}
            for subject in due:
                del slot.waiting[subject]
            self.waits = self.waits or bool(slot.waiting)
            findings.extend(slot.ledger.take(due, where))
        return findings

    def close(self, scoped: Scoped, *, named: bool) -> list[Finding]:
        """The trace is over, and the contract applies to it."""
        touched: _Touched = {}
        self._name_agents(touched, named=named)
        findings = self._said(touched, Where.of(scoped.trace), 0, {})
        self.waits = False
        for n, rule in enumerate(self.plan.rules):
            asked = scoped.trajectories(of_trace=rule.scope is Scope.TRACE)
            for slot in self._slots.get(n, {}).values():
                slot.is_asked = False
            for key, trajectory in asked.items():
                slot = self._slot((n, key))
                slot.is_asked = True
                findings += self._close_slot(n, slot, trajectory, Where.of(trajectory))
            for slot in self._slots.get(n, {}).values():
                if not slot.is_asked:
                    findings += self._close_slot(n, slot, None, Where.of(scoped.trace))
        return findings

    def retract(self) -> list[Finding]:
        """The trace is over, and the contract does not apply to it."""
        return [finding for slot in self._all_slots() for finding in slot.ledger.retract()]

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for slot in self._all_slots():
            yield from slot.ledger.said.values()

    def outcomes(self) -> Iterator[Label]:
        """Of each rule on each trajectory: failed, could not be checked at all, or held."""
        for slot in self._all_slots():
            if slot.ledger.standing:
                yield Label.FAIL
            elif slot.ledger.unseen:
                yield Label.CANNOT_CHECK
            elif slot.is_asked or slot.calls:
                yield Label.PASS

    def _judged(self, changes: Sequence[CallChange]) -> Iterator[tuple[JudgedCall, bool]]:
        contract = self.plan.contract
        for change in changes:
            call = change.after
            if call is None or not (self.plan.sees_everything or contract.sees_call(call)):
                continue
            try:
                judged = contract.judge(call)
            except Exception as error:  # noqa: BLE001 - as a rule that raises
                self._on_error(f"{contract.id}/tools", error)
                continue
            judged.agents_named = self._named
            if not change.alone:
                self._priced.put(call, judged.call)
            yield judged, change.alone

    def _places(self, judged: JudgedCall, *, alone: bool) -> Iterator[_At]:
        for n in self.plan.about(judged):
            rule = self.plan.rules[n]
            if rule.per_call or not alone:
                yield n, "" if rule.scope is Scope.TRACE else judged.call.invocation_id or ""

    def _name_agents(self, touched: _Touched, *, named: bool) -> None:
        """Whether some agent is known by name: then a call without one is known to be nobody's of those."""
        if named is self._named:
            return
        self._named = named
        for placed in self._placed.values() if self.plan.of_agents else ():
            places = tuple(at for at in placed.at if at[0] in self.plan.of_agents)
            self._drop(placed, places, touched)
            placed.judged.agents_named = named
            self._put(placed.judged, places, touched)

    def _drop(self, placed: _Placed, places: Sequence[_At], touched: _Touched) -> None:
        key = placed.judged.call.key
        for at in places:
            self._slot(at).calls -= 1
            self._tell(at, lambda state: state.drop(key), touched)

    def _put(self, judged: JudgedCall, places: Sequence[_At], touched: _Touched) -> None:
        for at in places:
            self._slot(at).calls += 1
            self._tell(at, lambda state: state.put(judged), touched)

    def _tell(self, at: _At, what: Callable[[RuleState], None], touched: _Touched) -> None:
        self._ask(at[0], self._slot(at).state, what)
        touched[at] = None

    def _said(
        self, touched: _Touched, where: Where, now: int, now_known: Mapping[str, str]
    ) -> list[Finding]:
        findings: list[Finding] = []
        for at in touched:
            slot = self._slot(at)
            changes = self._ask(at[0], slot.state, lambda state: state.changes()) or {}
            if self.plan.rules[at[0]].deferred:
                self.waits = self.waits or bool(changes)
                for subject, verdict in changes.items():
                    slot.waiting[subject] = (_since(slot, subject, verdict, now), verdict)
            else:
                findings.extend(slot.ledger.take(changes, where, now_known))
        return findings

    def _close_slot(
        self, n: int, slot: _Slot, trajectory: Trajectory | None, where: Where
    ) -> Iterator[Finding]:
        waited = {subject: verdict for subject, (_, verdict) in slot.waiting.items()}
        slot.waiting.clear()
        yield from slot.ledger.take(waited, where)
        changes = self._ask(n, slot.state, lambda state: state.close(trajectory))
        yield from slot.ledger.take(changes or {}, where)
        yield from slot.ledger.close(where)

    def _all_slots(self) -> Iterator[_Slot]:
        for slots in self._slots.values():
            yield from slots.values()

    def _slot(self, at: _At) -> _Slot:
        n, key = at
        slots = self._slots.setdefault(n, {})
        if key not in slots:
            ledger = Ledger(self.plan.whose[n], self._trace_id, key)
            slots[key] = _Slot(self.plan.rules[n].start(self._context), ledger)
        return slots[key]

    def _ask(self, n: int, state: RuleState, what: Callable[[RuleState], Said]) -> Said | None:
        try:
            return what(state)
        except Exception as error:  # noqa: BLE001 - a rule that raises is counted and never a verdict
            whose = self.plan.whose[n]
            self._on_error(f"{whose.contract}/{whose.rule}", error)
            return None


def _since(slot: _Slot, subject: str, verdict: Verdict | None, now: int) -> int:
    """Since when a verdict waits: what is said again with the same label has waited since it was first said."""
    known = slot.waiting.get(subject)
    if known is None or _label(known[1]) is not _label(verdict):
        return now
    return known[0]


def _label(verdict: Verdict | None) -> Label | None:
    return None if verdict is None else verdict.label
