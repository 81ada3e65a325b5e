"""One contract on one trace: which rules see which call, and what they say.

What one span changes is taken as a whole: calls that changed are taken out of their rules and put in again, and only what
is different in the end is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.known_as import KnownAs
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.engine.plan import About, Plan
from toolscore_otel.engine.priced import Priced
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.engine.slot import OnError, Slot
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Finding, Label, Scope, ToolCall
from toolscore_otel.rules import RunContext, Totals

_Touched = dict[Slot, None]
"""Where calls came or went, in order."""


class Running:
    """One contract on one trace. A rule that no call is of interest to costs nothing."""

    def __init__(self, plan: Plan, trace_id: str, context: RunContext, on_error: OnError) -> None:
        self.plan = plan
        self._trace_id = trace_id
        self._context = context
        self._on_error = on_error
        self._slots: dict[int, dict[str, Slot]] = {}
        self._shared: dict[tuple[int, ...], tuple[Slot, ...]] = {}
        self._asked: tuple[Collection[str], Collection[str]] = ((), ())
        self._calls: dict[str, JudgedCall] = {}
        self._of_agents: dict[str, tuple[Slot, ...]] = {}
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
        return bool(self._calls)

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
        if not (changes or touched):
            return []
        now_known = KnownAs(changes)
        fresh: list[tuple[CallChange, JudgedCall]] = []
        for change in changes:
            judged = None if change.after is None else self._judge(change.after)
            known = None if change.before is None else self._calls.get(change.before)
            if known is not None:
                now_known.note(known.call, change.after)
                if judged is not None and _is_same(known.call, judged.call):
                    self._renew(known, judged.call, touched)
                    self._price(change.after, judged.call)
                    continue
                self._forget(known, touched)
            if judged is not None:
                fresh.append((change, judged))
        for change, judged in fresh:
            self._place(change, judged, touched)
        return self._said(touched, where, now, now_known)

    def total(self, totals: Totals, where: Where, now: int) -> list[Finding]:
        """The sums of the trace, as far as the contract sees it; what its registry says of costs comes on top."""
        totals = self._priced.added_to(totals)
        if totals == self._told:
            return []
        self._told = totals
        touched = {self._slot(n, ""): None for n in self.plan.of_totals}
        for slot in touched:
            slot.total(totals)
        return self._said(touched, where, now, KnownAs([]))

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
        findings = self._said(self._name_agents(named=named), whole, 0, KnownAs([]))
        self._waiting.clear()
        for n, rule in enumerate(self.plan.rules):
            asked = scoped.trajectories(of_trace=rule.scope is Scope.TRACE)
            known = self._slots.get(n, {})
            for key, trajectory in asked.items():
                if key in known or rule.without_calls:
                    findings += self._slot(n, key).close(trajectory, Where.of(trajectory))
            for key, slot in self._slots.get(n, {}).items():
                if key not in asked:
                    findings += slot.close(None, whole)
        self._asked = (
            tuple(scoped.trajectories(of_trace=False)),
            tuple(scoped.trajectories(of_trace=True)),
        )
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
        for n, rule in enumerate(self.plan.rules):
            asked, slots = self._asked[rule.scope is Scope.TRACE], self._slots.get(n, {})
            yield from (Label.PASS for key in asked if key not in slots)
            for key, slot in slots.items():
                if slot.ledger.standing:
                    yield Label.FAIL
                elif slot.ledger.unseen:
                    yield Label.CANNOT_CHECK
                elif slot.calls or key in asked:
                    yield Label.PASS

    def _judge(self, call: ToolCall) -> JudgedCall | None:
        """The call as the contract sees it; None where it does not."""
        contract = self.plan.contract
        if not (self.plan.sees_everything or contract.sees_call(call)):
            return None
        try:
            return contract.judge(call)
        except Exception as error:  # noqa: BLE001 - as a rule that raises
            self._on_error(f"{contract.id}/tools", error)
            return None

    def _place(self, change: CallChange, judged: JudgedCall, touched: _Touched) -> None:
        """Past the cap of its trace a call is only told to rules about single calls, and not remembered."""
        judged.agents_named = self._named
        about = self.plan.about(judged)
        of_agents, others = self._slots_of_agents(about, judged), self._other_slots(about)
        if change.alone:
            of_agents = tuple(slot for slot in of_agents if slot.per_call)
            others = tuple(slot for slot in others if slot.per_call)
        else:
            self._remember(change, judged, of_agents)
        _put(judged, of_agents, touched)
        _put(judged, others, touched)

    def _remember(
        self, change: CallChange, judged: JudgedCall, of_agents: tuple[Slot, ...]
    ) -> None:
        key = judged.call.key
        self._calls[key] = judged
        if of_agents:
            self._of_agents[key] = of_agents
        self._price(change.after, judged.call)

    def _price(self, call: ToolCall | None, judged: ToolCall) -> None:
        """Note what a call costs beyond the sums of its trace; anew where it was noted before."""
        if self.plan.of_totals and call is not None:
            self._priced.put(call, judged)

    def _renew(self, judged: JudgedCall, call: ToolCall, touched: _Touched) -> None:
        """Only rules to which agents matter look at the call anew; what the others said of it is said again."""
        about, before = self.plan.about(judged), self._of_agents.get(call.key, ())
        _drop(call.key, before, touched)
        judged.call = call
        if before:
            self._of_agents[call.key] = after = self._slots_of_agents(about, judged)
            _put(judged, after, touched)
        for slot in self._other_slots(about):
            slot.renew(judged)
            touched[slot] = None

    def _forget(self, judged: JudgedCall, touched: _Touched) -> None:
        key = judged.call.key
        del self._calls[key]
        if self.plan.of_totals:
            self._priced.drop(key)
        _drop(key, self._of_agents.pop(key, ()), touched)
        _drop(key, self._other_slots(self.plan.about(judged)), touched)

    def _slots_of_agents(self, about: About, judged: JudgedCall) -> tuple[Slot, ...]:
        if not about.of_agents:
            return ()
        rules, invocation = self.plan.rules, judged.call.invocation_id or ""
        return tuple(
            self._slot(n, "" if rules[n].scope is Scope.TRACE else invocation)
            for n in about.of_agents
        )

    def _other_slots(self, about: About) -> tuple[Slot, ...]:
        """Those of all other rules that are about a call. Calls share them."""
        slots = self._shared.get(about.others)
        if slots is None:
            slots = tuple(self._slot(n, "") for n in about.others)
            self._shared[about.others] = slots
        return slots

    def _name_agents(self, *, named: bool) -> _Touched:
        """Whether some agent is known by name: then a call without one is known to be nobody's of those."""
        touched: _Touched = {}
        if named is self._named:
            return touched
        self._named = named
        for key, judged in self._calls.items():
            slots = self._of_agents.get(key, ())
            _drop(key, slots, touched)
            judged.agents_named = named
            _put(judged, slots, touched)
        return touched

    def _said(self, touched: _Touched, where: Where, now: int, now_known: KnownAs) -> list[Finding]:
        findings: list[Finding] = []
        for slot in touched:
            findings += slot.say(where, now, now_known)
            if slot.waiting:
                self._waiting[slot] = None
        return findings

    def _all_slots(self) -> Iterator[Slot]:
        for n in sorted(self._slots):
            yield from self._slots[n].values()

    def _slot(self, n: int, key: str) -> Slot:
        slots = self._slots.setdefault(n, {})
        slot = slots.get(key)
        if slot is None:
            ledger = Ledger(self.plan.whose[n], self._trace_id, self._context.present, key)
            slot = Slot(self.plan.rules[n], ledger, self._context, self._on_error)
            slots[key] = slot
        return slot


def _is_same(known: ToolCall, call: ToolCall) -> bool:
    """Whether only what stands around a call is another now, as when the span of its agent has come."""
    same = structs.replace(
        known,
        agent=call.agent,
        invocation_id=call.invocation_id,
        conversation_id=call.conversation_id,
        gaps=call.gaps,
    )
    return same == call


def _drop(key: str, slots: Iterable[Slot], touched: _Touched) -> None:
    for slot in slots:
        slot.drop(key)
        touched[slot] = None


def _put(judged: JudgedCall, slots: Iterable[Slot], touched: _Touched) -> None:
    for slot in slots:
        slot.put(judged)
        touched[slot] = None
