"""One contract on one trace: which rules see which call, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Ledger, Where, Whose
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Finding, Label, Scope, ToolCall, Trajectory
from toolscore_otel.rules import Changes, Compiled, RuleState, RunContext, Totals, Verdict

OnError = Callable[[str, Exception], None]
"""Told of a rule that raised: rule id and error. It is counted and never a verdict."""


class Plan:
    """The rules of one contract, by the tools that they are about."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.rules = tuple(contract.rules)
        self.whose = tuple(_whose(contract, rule) for rule in self.rules)
        self.of_totals = [n for n, rule in enumerate(self.rules) if rule.uses_totals]
        self.of_agents = [n for n, rule in enumerate(self.rules) if rule.uses_agent]
        self._about: dict[tuple[str, ...], tuple[int, ...]] = {}
        self._all = tuple(range(len(self.rules)))

    def about(self, call: JudgedCall) -> tuple[int, ...]:
        """The rules that may have something to say of this call."""
        if call.dispatcher is not None:
            return self._all
        found = self._about.get(call.names)
        if found is None:
            names = frozenset(call.names)
            found = tuple(
                n
                for n, rule in enumerate(self.rules)
                if rule.tools is None or not names.isdisjoint(rule.tools)
            )
            if len(self._about) < 10_000:  # noqa: PLR2004 - names come from outside: the cache is bounded
                self._about[call.names] = found
        return found


def _whose(contract: Contract, rule: Compiled) -> Whose:
    record = rule.record
    return Whose(
        contract=contract.id,
        rule=record.id or "",
        severity=record.severity or contract.severity,
        shadow=bool(record.shadow),
        scope=record.scope or Scope.TRACE,
        contract_version=contract.version,
        labels=contract.labels,
        runbook=contract.runbook,
    )


@dataclass(slots=True)
class _Slot:
    """One rule on one trajectory: its automaton, what it said, and what waits to be said."""

    state: RuleState
    ledger: Ledger
    waiting: dict[str, tuple[int, Verdict | None]] = field(default_factory=dict)


class Running:
    """One contract on one trace.

    Attributes:
        applies: whether any span of the trace is one that the contract sees.
    """

    def __init__(self, plan: Plan, context: RunContext, on_error: OnError) -> None:
        self.plan = plan
        self.applies = False
        self._context = context
        self._on_error = on_error
        self._slots: dict[tuple[int, str], _Slot] = {}
        self._placed: dict[str, tuple[JudgedCall, tuple[tuple[int, str], ...]]] = {}

    def put(
        self, call: ToolCall, where: Where, now: int, *, named: bool, alone: bool
    ) -> Iterator[Finding]:
        """A call is new or has changed."""
        judged = self.plan.contract.judge(call)
        judged.agents_named = named
        yield from self.put_judged(judged, where, now, alone=alone)

    def put_judged(
        self, judged: JudgedCall, where: Where, now: int, *, alone: bool = False
    ) -> Iterator[Finding]:
        """The same, for a call that was looked at before."""
        key = judged.call.key
        slots = tuple((n, self._scope_key(n, judged.call)) for n in self.plan.about(judged))
        if alone:
            slots = tuple(slot for slot in slots if self.plan.rules[slot[0]].per_call)
        _, before = self._placed.get(key, (judged, ()))
        for slot in before:
            if slot not in slots:
                yield from self._tell(slot, where, now, lambda state: state.drop(key))
        if not alone:
            self._placed[key] = (judged, slots)
        for slot in slots:
            yield from self._tell(slot, where, now, lambda state: state.put(judged))

    def drop(self, key: str, where: Where, now: int) -> Iterator[Finding]:
        """A call is no call of its own any more."""
        _, slots = self._placed.pop(key, (None, ()))
        for slot in slots:
            yield from self._tell(slot, where, now, lambda state: state.drop(key))

    def agents_are_named(self, where: Where, now: int) -> Iterator[Finding]:
        """The first agent of the trace was named: a call without one is now known to be nobody's of those."""
        for judged, _ in list(self._placed.values()):
            judged.agents_named = True
            yield from self.put_judged(judged, where, now)

    def total(self, totals: Totals, where: Where, now: int) -> Iterator[Finding]:
        """The sums of the trace changed."""
        for n in self.plan.of_totals:
            yield from self._tell((n, ""), where, now, lambda state: state.total(totals))

    def tick(self, now: int, lateness: int, where: Where) -> Iterator[Finding]:
        """Say what has waited long enough."""
        for slot in self._slots.values():
            due = {s: v for s, (since, v) in slot.waiting.items() if now - since >= lateness}
            for subject in due:
                del slot.waiting[subject]
            yield from slot.ledger.take(due, where)

    def close(self, trajectories: dict[str, Trajectory]) -> Iterator[Finding]:
        """The trace is over.

        Args:
            trajectories: by scope key: the trace under "", agent invocations under their span ids.
        """
        for n, rule in enumerate(self.plan.rules):
            keys = [""] if self._is_of_trace(rule) else [key for key in trajectories if key] or [""]
            known = [key for number, key in self._slots if number == n]
            for key in dict.fromkeys((*keys, *known)):
                yield from self._close_slot((n, key), trajectories.get(key, trajectories[""]))

    def _close_slot(self, at: tuple[int, str], trajectory: Trajectory) -> Iterator[Finding]:
        slot, where = self._slot(at), Where.of(trajectory, at[1])
        waited = {subject: verdict for subject, (_, verdict) in slot.waiting.items()}
        slot.waiting.clear()
        yield from slot.ledger.take(waited, where)
        yield from slot.ledger.take(self._ask(at[0], lambda: slot.state.close(trajectory)), where)
        yield from slot.ledger.close(where)

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for slot in self._slots.values():
            yield from slot.ledger.said.values()

    def outcomes(self) -> Iterator[Label]:
        """Of each rule on each trajectory: failed, could not be checked at all, or held."""
        for slot in self._slots.values():
            if slot.ledger.fails:
                yield Label.FAIL
            else:
                yield Label.CANNOT_CHECK if slot.ledger.unseen else Label.PASS

    @staticmethod
    def _is_of_trace(rule: Compiled) -> bool:
        return rule.record.scope in (None, Scope.TRACE)

    def _scope_key(self, n: int, call: ToolCall) -> str:
        return "" if self._is_of_trace(self.plan.rules[n]) else call.invocation_id or ""

    def _slot(self, at: tuple[int, str]) -> _Slot:
        slot = self._slots.get(at)
        if slot is None:
            n, _ = at
            slot = _Slot(self.plan.rules[n].start(self._context), Ledger(self.plan.whose[n]))
            self._slots[at] = slot
        return slot

    def _tell(
        self,
        at: tuple[int, str],
        where: Where,
        now: int,
        what: Callable[[RuleState], Changes],
    ) -> Iterable[Finding]:
        slot = self._slot(at)
        changes = self._ask(at[0], lambda: what(slot.state))
        if not changes:
            return ()
        if self.plan.rules[at[0]].deferred:
            slot.waiting.update({subject: (now, verdict) for subject, verdict in changes.items()})
            return ()
        place = where if not at[1] else _inside(where, at[1])
        return list(slot.ledger.take(changes, place))

    def _ask(self, n: int, question: Callable[[], Changes]) -> Changes:
        try:
            return question()
        except Exception as error:  # noqa: BLE001 - a rule that raises is counted and never a verdict
            whose = self.plan.whose[n]
            self._on_error(f"{whose.contract}/{whose.rule}", error)
            return {}


def _inside(where: Where, key: str) -> Where:
    return Where(
        trace_id=where.trace_id,
        key=key,
        conversation_id=where.conversation_id,
        agent=where.agent,
        service=where.service,
        environment=where.environment,
    )
