"""One contract on one trace: which rules see which call, and what they say.

What one span changes is taken as a whole: calls that changed are taken out of their rules and put in again, and only what
is different in the end is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.known_as import now_known_as
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.priced import Priced
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.engine.slot import OnError, Slot
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Finding, Label, Scope, ToolCall
from toolscore_otel.rules import RunContext, Totals

_Touched = dict[Slot, None]
"""Where calls came or went, in order."""


@dataclass(slots=True)
class _Placed:
    """A call, and the slots that know it: those of rules that look at agents first."""

    judged: JudgedCall
    slots: Sequence[Slot]
    of_agents: int


class Running:
    """One contract on one trace."""

    def __init__(self, plan: Plan, trace_id: str, context: RunContext, on_error: OnError) -> None:
        self.plan = plan
        self._trace_id = trace_id
        self._context = context
        self._on_error = on_error
        self._slots: tuple[dict[str, Slot], ...] = tuple({} for _ in plan.rules)
        self._placed: dict[str, _Placed] = {}
        self._priced = Priced()
        self._named = False
        self._told: Totals | None = None
        self._waiting: dict[Slot, None] = {}

    @property
    def waits(self) -> bool:
        """Whether something waits to be said."""
        return bool(self._waiting)

    @property
    def holds_calls(self) -> bool:
        """Whether the contract sees some call."""
        return bool(self._placed)

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
        touched = self._name_agents(named=named)
        gone: list[tuple[ToolCall, ToolCall | None]] = []
        for change in changes:
            if change.before and (placed := self._placed.pop(change.before, None)) is not None:
                gone.append((placed.judged.call, change.after))
                self._priced.drop(placed.judged.call.key)
                _drop(placed, placed.slots, touched)
        for judged, alone in self._judged(changes):
            placed = self._place(judged, alone=alone)
            _put(placed, placed.slots, touched)
        return self._said(touched, where, now, now_known_as(gone, changes) if gone else {})

    def total(self, totals: Totals, where: Where, now: int) -> list[Finding]:
        """The sums of the trace, as far as the contract sees it; what its registry says of costs comes on top."""
        totals = self._priced.added_to(totals)
        if totals == self._told:
            return []
        self._told = totals
        touched = {self._slot(n, ""): None for n in self.plan.of_totals}
        for slot in touched:
            slot.total(totals)
        return self._said(touched, where, now, {})

    def say_what_waited(self, now: int, lateness_ns: int, where: Where) -> list[Finding]:
        """Say what has waited long enough."""
        findings: list[Finding] = []
        for slot in list(self._waiting):
            findings += slot.say_what_waited(now, lateness_ns, where)
            if not slot.waiting:
                del self._waiting[slot]
        return findings

    def close(self, scoped: Scoped, *, named: bool) -> list[Finding]:
        """The trace is over, and the contract applies to it."""
        whole = Where.of(scoped.trace)
        findings = self._said(self._name_agents(named=named), whole, 0, {})
        self._waiting.clear()
        for n, rule in enumerate(self.plan.rules):
            asked = scoped.trajectories(of_trace=rule.scope is Scope.TRACE)
            for key, trajectory in asked.items():
                findings += self._slot(n, key).close(trajectory, Where.of(trajectory))
            for key, slot in self._slots[n].items():
                slot.is_asked = key in asked
                if not slot.is_asked:
                    findings += slot.close(None, whole)
        return findings

    def retract(self) -> list[Finding]:
        """The trace is over, and the contract does not apply to it."""
        self._told = None
        self._waiting.clear()
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

    def _place(self, judged: JudgedCall, *, alone: bool) -> _Placed:
        """Past the cap of its trace a call is only told to rules about single calls, and not remembered."""
        plan, invocation = self.plan, judged.call.invocation_id or ""
        about = plan.about(judged)
        slots = [
            self._slot(n, "" if plan.rules[n].scope is Scope.TRACE else invocation)
            for n in about
            if not alone or plan.rules[n].per_call
        ]
        placed = _Placed(judged, slots, sum(n in plan.of_agents for n in about))
        if not alone:
            self._placed[judged.call.key] = placed
        return placed

    def _name_agents(self, *, named: bool) -> _Touched:
        """Whether some agent is known by name: then a call without one is known to be nobody's of those."""
        touched: _Touched = {}
        if named is self._named:
            return touched
        self._named = named
        for placed in self._placed.values():
            slots = placed.slots[: placed.of_agents]
            _drop(placed, slots, touched)
            placed.judged.agents_named = named
            _put(placed, slots, touched)
        return touched

    def _said(
        self, touched: _Touched, where: Where, now: int, now_known: Mapping[str, str]
    ) -> list[Finding]:
        findings: list[Finding] = []
        for slot in touched:
            findings += slot.say(where, now, now_known)
            if slot.waiting:
                self._waiting[slot] = None
        return findings

    def _all_slots(self) -> Iterator[Slot]:
        for slots in self._slots:
            yield from slots.values()

    def _slot(self, n: int, key: str) -> Slot:
        slot = self._slots[n].get(key)
        if slot is None:
            ledger = Ledger(self.plan.whose[n], self._trace_id, key)
            slot = Slot(self.plan.rules[n], ledger, self._context, self._on_error)
            self._slots[n][key] = slot
        return slot


def _drop(placed: _Placed, slots: Iterable[Slot], touched: _Touched) -> None:
    key = placed.judged.call.key
    for slot in slots:
        slot.drop(key)
        touched[slot] = None


def _put(placed: _Placed, slots: Iterable[Slot], touched: _Touched) -> None:
    for slot in slots:
        slot.put(placed.judged)
        touched[slot] = None
