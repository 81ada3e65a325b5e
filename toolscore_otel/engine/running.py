"""One contract on one trace: which rules see which call, and what they say.

What one span changes is taken as a whole: calls that changed are taken out of their rules and put in again, and only what
is different in the end is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange
from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.engine.known_as import AS_BEFORE, KnownAs
from toolscore_otel.engine.ledger import Ledger, Where
from toolscore_otel.engine.measured import Measured
from toolscore_otel.engine.model_calls import ModelCalls
from toolscore_otel.engine.plan import About, Plan
from toolscore_otel.engine.report import RuleOutcome
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.engine.scoring import Scoring
from toolscore_otel.engine.shares import Shares
from toolscore_otel.engine.slot import OnError, Slot
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Finding, Label, Scope, Score, ToolCall, Trajectory
from toolscore_otel.rules import Compiled, RunContext
from toolscore_otel.rules.expectation import NO_EXPECTATION

_AGENT = Scope.AGENT

_Touched = dict[Slot, None]
"""Where calls came or went, in order."""


class Running:
    """One contract on one trace, or on one session. A rule that no call is of interest to costs nothing.

    Args:
        plan: the rules.
        trajectory: the scope key of the whole.
        context: lent to rules.
        on_error: told of a rule that raised.
    """

    def __init__(
        self, plan: Plan, trajectory: tuple[str, str], context: RunContext, on_error: OnError
    ) -> None:
        self.plan = plan
        self._trajectory = trajectory
        self._context = context
        self._on_error = on_error
        self._slots: dict[int, dict[str, Slot]] = {}
        self._shared: dict[tuple[int, ...], tuple[Slot, ...]] = {}
        self._asked: tuple[Collection[str], Collection[str]] = ((), ())
        self._calls: dict[str, JudgedCall] = {}
        self._of_agents: dict[str, tuple[Slot, ...]] = {}
        self._measured = Measured(plan)
        self._model_calls = ModelCalls(plan, self._slot)
        self._measures = plan.sums_of_whole or plan.sums_of_agents
        self._named = False
        self._waiting: dict[Slot, None] = {}

    @property
    def waits(self) -> bool:
        """Whether something waits to be said."""
        return bool(self._waiting)

    @property
    def holds_calls(self) -> bool:
        """Whether the contract sees some call."""
        return bool(self._calls)

    @property
    def sees_any(self) -> bool:
        """Whether the contract sees some call, or some span where it was told of these."""
        return bool(self._calls) or self._measured.sees_any or self._model_calls.sees_any

    def take(
        self,
        changes: Sequence[CallChange],
        where: Where,
        now: int,
        *,
        named: bool,
    ) -> list[Finding]:
        """What a span changed of the calls.

        Args:
            changes: as assembly gives them.
            where: what is known of the trace.
            now: nanoseconds.
            named: whether some agent of the trace is known by name.
        """
        touched: _Touched = {} if named is self._named else self._name_agents(named=named)
        if not (changes or touched):
            return []
        now_known = AS_BEFORE
        fresh: list[tuple[CallChange, JudgedCall]] = []
        for change in changes:
            judged = None if change.after is None else self._judge(change.after)
            known = None if change.before is None else self._calls.get(change.before)
            if known is not None:
                now_known = KnownAs(changes) if now_known is AS_BEFORE else now_known
                now_known.note(known.call, change)
                if judged is not None and _is_same(known.call, judged.call):
                    self._renew(known, judged.call, touched)
                    if self._measures:
                        self._measure(change.after, known)
                    continue
                self._forget(known, touched)
            if judged is not None:
                fresh.append((change, judged))
        for change, judged in fresh:
            self._place(change, judged, touched)
        return self._said(touched, where, now, now_known)

    def measure(self, shares: Shares, where: Where, now: int) -> list[Finding]:
        """What spans add to the sums now; told to rules about sums, with what was taken since the last time."""
        findings: list[Finding] = []
        if self.plan.of_spans:
            findings += self._said(self._model_calls.take(shares), where, now, AS_BEFORE)
        if not self._measures:
            return findings
        measured = self._measured
        measured.take(shares)
        parts, measured.touched = measured.touched, {}
        for of_agent, key in parts:
            touched = self._total(key, of_agent=of_agent)
            named = structs.replace(where, agent=measured.name_of(key)) if key else where
            findings += self._said(touched, named, now, AS_BEFORE)
        return findings

    def _total(self, key: str, *, of_agent: bool) -> _Touched:
        """Tell the sums of a part to the rules about it."""
        totals = self._measured.totals((of_agent, key))
        numbers = self.plan.of_totals[of_agent]
        touched: _Touched = {self._slot(n, key): None for n in numbers}
        for slot in touched:
            slot.total(totals)
        return touched

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
        whole = Where.of(scoped.whole)
        touched: _Touched = {} if named is self._named else self._name_agents(named=named)
        findings = self._said(touched, whole, 0, AS_BEFORE)
        self._waiting.clear()
        self._total("", of_agent=False)
        for key in scoped.trajectories(of_agents=True):
            self._total(key, of_agent=True)
        for n, rule in enumerate(self.plan.rules):
            asked = scoped.trajectories(of_agents=rule.scope is Scope.AGENT)
            known = self._slots.get(n, {})
            for key, trajectory in asked.items():
                if key in known or rule.without_calls:
                    slot = self._slot(n, key)
                    if rule.expectation is not None and rule.expectation.bounds:
                        self._tell_scores(slot, rule, key, trajectory)
                    findings += slot.close(trajectory, Where.of(trajectory))
            for key, slot in self._slots.get(n, {}).items():
                if key not in asked:
                    findings += slot.close(None, whole)
        self._asked = (
            tuple(scoped.trajectories(of_agents=False)),
            tuple(scoped.trajectories(of_agents=True)),
        )
        return findings

    def scores(self, scoped: Scoped) -> list[Score]:
        """The scores of what is over, worked out when they are asked for.

        Args:
            scoped: as `close` was told.
        """
        try:
            return list(self._scoring().scores(scoped))
        except Exception as error:  # noqa: BLE001 - as a rule that raises
            self._on_error(f"{self.plan.contract.id}/scores", error)
            return []

    def retract(self) -> list[Finding]:
        """The trace is over, and the contract does not apply to it."""
        self._waiting.clear()
        return [finding for slot in self._all_slots() for finding in slot.ledger.retract()]

    def findings(self) -> Iterator[Finding]:
        """The last revision of everything that was said."""
        for slot in self._all_slots():
            yield from slot.ledger.said.values()

    def outcomes(self) -> Iterator[RuleOutcome]:
        """Of each rule on each trajectory: failed, could not be checked at all, or held."""
        for n, rule in enumerate(self.plan.rules):
            asked, slots = self._asked[rule.scope is Scope.AGENT], self._slots.get(n, {})
            yield from (self._outcome(n, key, Label.PASS) for key in asked if key not in slots)
            for key, slot in slots.items():
                label = slot.ledger.label
                if label is not Label.PASS or slot.calls or key in asked:
                    yield self._outcome(n, key, label, slot)

    def _outcome(self, n: int, key: str, label: Label, slot: Slot | None = None) -> RuleOutcome:
        (whole, part), whose = self._trajectory, self.plan.whose[n]
        said = slot.ledger.said.values() if slot else ()
        return RuleOutcome(
            contract=whose.contract,
            rule=whose.rule,
            scope=whose.scope,
            trajectory=(whole, key or part),
            label=label,
            findings=tuple(finding.id for finding in said if finding.label is not Label.PASS),
        )

    def _tell_scores(self, slot: Slot, rule: Compiled, key: str, trajectory: Trajectory) -> None:
        """Rules that bound scores are the last of a contract, so that its `require` rules have come out by now."""
        expectation = rule.expectation or NO_EXPECTATION
        try:
            slot.score(self._scoring().ranges(rule.scope, key, trajectory, expectation))
        except Exception as error:  # noqa: BLE001 - as a rule that raises
            self._on_error(f"{self.plan.contract.id}/scores", error)
            slot.score({})

    def _scoring(self) -> Scoring:
        def label_of(n: int, key: str) -> Label:
            slot = self._slots.get(n, {}).get(key)
            return Label.PASS if slot is None else slot.ledger.label

        return Scoring(self.plan, self._calls.values(), label_of)

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
        of_agents = self._slots_of_agents(about, judged) if about.of_agents else ()
        others = self._other_slots(about, judged)
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
        if self._measures:
            self._measure(change.after, judged)

    def _measure(self, call: ToolCall | None, judged: JudgedCall) -> None:
        """Note what a call adds beyond its spans; anew where it was noted before."""
        if call is not None and not is_elsewhere(call):
            self._measured.put_call(call, judged)

    def _renew(self, judged: JudgedCall, call: ToolCall, touched: _Touched) -> None:
        """Only rules to which agents matter look at the call anew; what the others said of it is said again."""
        about, before = self.plan.about(judged), self._of_agents.get(call.key, ())
        _drop(call.key, before, touched)
        judged.call = call
        if before:
            self._of_agents[call.key] = after = self._slots_of_agents(about, judged)
            _put(judged, after, touched)
        for slot in self._other_slots(about, judged):
            slot.renew(judged)
            touched[slot] = None

    def _forget(self, judged: JudgedCall, touched: _Touched) -> None:
        key = judged.call.key
        del self._calls[key]
        self._measured.drop_call(key)
        _drop(key, self._of_agents.pop(key, ()), touched)
        _drop(key, self._other_slots(self.plan.about(judged), judged), touched)

    def _slots_of_agents(self, about: About, judged: JudgedCall) -> tuple[Slot, ...]:
        rules, invocation = self.plan.rules, judged.call.invocation_id or ""
        slots = (
            self._slot(n, invocation if rules[n].scope is _AGENT else "") for n in about.of_agents
        )
        return _lacking(slots) if is_elsewhere(judged.call) else tuple(slots)

    def _other_slots(self, about: About, judged: JudgedCall) -> tuple[Slot, ...]:
        """Those of all other rules that are about a call. Calls share them."""
        slots = self._shared.get(about.others)
        if slots is None:
            slots = self._shared[about.others] = tuple(self._slot(n, "") for n in about.others)
        return _lacking(slots) if is_elsewhere(judged.call) else slots

    def _name_agents(self, *, named: bool) -> _Touched:
        """Whether some agent is known by name: then a call without one is known to be nobody's of those."""
        touched: _Touched = {}
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
            whole, part = self._trajectory
            ledger = Ledger(self.plan.whose[n], (whole, key or part), self._context.present)
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
    return same == call and is_elsewhere(known) is is_elsewhere(call)


def _lacking(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Those of rules that look for what is lacking: nothing else is said of a call where it was only asked for."""
    return tuple(slot for slot in slots if slot.looks_for_lacks)


def _drop(key: str, slots: Iterable[Slot], touched: _Touched) -> None:
    for slot in slots:
        slot.drop(key)
        touched[slot] = None


def _put(judged: JudgedCall, slots: Iterable[Slot], touched: _Touched) -> None:
    for slot in slots:
        slot.put(judged)
        touched[slot] = None
