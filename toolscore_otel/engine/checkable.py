"""Whether each rule of a contract can be checked on some telemetry, and which evidence is missing.

That is another question than how a rule ends: a loop of which two calls would show the arguments ends well where only one
call was made, whether its arguments were recorded or not. So it is asked of each call (or trace) that a rule looks at
whether the evidence is there (`needs`), and what the rule itself could not check comes beside it. Where no call of the
rule's tools was recorded, the others answer for how they are recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.engine import Engine
from toolscore_otel.engine.needs import needs_of
from toolscore_otel.engine.observed import Origin, Told, facts_of, told
from toolscore_otel.engine.report import Report
from toolscore_otel.engine.scopes import seen_by
from toolscore_otel.matchers import Answer, JudgedCall, Selector, SelectorFields
from toolscore_otel.model import (
    CallKind,
    ContentState,
    Finding,
    Gap,
    Label,
    Stage,
    Status,
    Trajectory,
)
from toolscore_otel.rules import Compiled
from toolscore_otel.rules.items import selector_keys

CALL, TRACE = "call", "trace"


class Missing(Struct, frozen=True):
    """Evidence that is not there.

    Attributes:
        evidence: word of `wording.SWITCH`.
        count: of how many calls or traces.
        unit: `call` or `trace`.
        origins: the instrumentations that tell of these.
    """

    evidence: str
    count: int
    unit: str
    origins: tuple[Origin, ...]


class Checkable(Struct, frozen=True, kw_only=True):
    """One rule on some telemetry.

    Attributes:
        unit: whether it is asked of calls or of traces.
        of: how many there are that the rule looks at.
        can: of how many of them the evidence is there.
        tried: whether the rule looks at any of the recorded calls; if not, `of` and `can` are of all others.
        missing: which evidence is not there.
        unchecked: calls of which the rule itself said that it cannot check them.
        said: what it said of them; empty where it checked all.
    """

    contract: str
    rule: str
    unit: str
    of: int
    can: int
    tried: bool
    missing: tuple[Missing, ...]
    unchecked: int = 0
    said: str = ""

    @property
    def answer(self) -> str:
        """`yes`, `partly`, `no`; `open` where nothing was recorded that would tell."""
        if not self.of:
            return "no" if self.missing else "open"
        if self.can == 0:
            return "no"
        return "partly" if self.missing or self.unchecked else "yes"


def checkable(engine: Engine, report: Report) -> list[Checkable]:
    """Ask it of every rule of every contract.

    Args:
        engine: with all telemetry in it, and all traces closed.
        report: of it.
    """
    said: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.findings:
        if finding.label is Label.CANNOT_CHECK:
            said.setdefault((finding.contract, finding.rule), []).append(finding)
    assembler = engine.assembler
    runs = [
        _Run(trajectory, assembler.trace(trajectory.trace_id), told(assembler, trajectory))
        for trajectory in report.trajectories
    ]
    return [
        _asked(contract, rule, runs, said.get((contract.id, rule.record.id or ""), []))
        for contract in engine.contracts
        for rule in contract.rules
    ]


@dataclass(frozen=True)
class _Run:
    """One trajectory with all that is known of it."""

    trajectory: Trajectory
    trace: TraceAssembly
    calls: list[Told]

    @property
    def names_agents(self) -> bool:
        """Whether some agent is known by name."""
        named = any(node.agent and node.agent.name for node in self.trace.nodes.values())
        return named or any(one.call.agent for one in self.calls)

    @property
    def models(self) -> tuple[Origin, ...]:
        """Who tells of its model calls."""
        nodes = self.trace.nodes.values()
        return tuple(dict.fromkeys(Origin.of(node.place) for node in nodes if node.model))

    def sums_lack(self) -> Iterator[str]:
        """Which of `latency`, `tokens` and `cost` may be more than what is known of the whole."""
        if self.trajectory.latency_s is None:
            yield "latency"
        if self.trace.spending.lacks_tokens:
            yield "tokens"
        if self.trajectory.whole_cost_usd is None:
            yield "cost"


@dataclass
class _Sum:
    """Of how many units evidence is there, and of how many which is not."""

    of: int = 0
    can: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    origins: dict[tuple[str, str], dict[Origin, None]] = field(
        default_factory=dict[tuple[str, str], dict[Origin, None]]
    )

    def add(self, unit: str, lacking: Iterable[tuple[str, Sequence[Origin]]]) -> None:
        """One unit, and what it lacks."""
        self.of += 1
        self.can += not self.note(unit, lacking)

    def note(self, unit: str, lacking: Iterable[tuple[str, Sequence[Origin]]]) -> bool:
        """What one unit lacks; returns whether that is anything."""
        words: dict[str, None] = {}
        for word, origins in lacking:
            words[word] = None
            self.origins.setdefault((word, unit), {}).update(dict.fromkeys(origins))
        self.counts.update((word, unit) for word in words)
        return bool(words)

    @property
    def missing(self) -> tuple[Missing, ...]:
        """All that is lacking, by word."""
        return tuple(
            Missing(word, count, unit, tuple(self.origins[word, unit]))
            for (word, unit), count in sorted(self.counts.items())
        )


def _asked(
    contract: Contract, rule: Compiled, runs: Iterable[_Run], said: Sequence[Finding]
) -> Checkable:
    looks = _Looks(contract, rule)
    ours, others = _Sum(), _Sum()
    is_of_messages = rule.hears and rule.tools is not None
    for run in runs:
        if not looks.applies_to(run):
            continue
        if rule.without_calls:
            ours.add(TRACE, looks.lacking_in(run))
            continue
        unheard = [("messages", run.models)] if looks.is_unheard(run) else []
        if is_of_messages:
            if run.models:
                ours.add(TRACE, unheard)
            continue
        ours.note(TRACE, unheard)
        for judged, one in looks.seen(run):
            tally = ours if looks.at(judged) else others
            tally.add(CALL, looks.lacking(judged, one))
        if Gap.TOOL_SPANS_MISSING in run.trajectory.gaps:
            for tally in (ours, others):
                tally.note(TRACE, [("spans", run.models)])
    tried = bool(ours.of)
    chosen = ours if tried else others
    return Checkable(
        contract=contract.id,
        rule=rule.record.id or "",
        unit=TRACE if rule.without_calls or is_of_messages else CALL,
        of=chosen.of,
        can=chosen.can,
        tried=tried,
        missing=chosen.missing,
        unchecked=sum(finding.count for finding in said),
        said=said[0].explanation if said else "",
    )


_COUNTED = ("max", "min", "of")
"""Fields of rules about calls that have run; others look at those that were only asked for, too."""

_HIDDEN = frozenset({Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING})
"""What may hide calls (docs/pages/gaps.md)."""


class _Looks:
    """What one rule looks at."""

    def __init__(self, contract: Contract, rule: Compiled) -> None:
        self._contract = contract
        self._rule = rule
        self._needs = needs_of(rule)
        self._counts = any(hasattr(rule.record, key) for key in _COUNTED)
        self._selector = _selector(rule)

    def applies_to(self, run: _Run) -> bool:
        """Whether the contract sees anything of it."""
        sees = seen_by(self._contract, run.trace)
        return any(map(sees, run.trace.nodes.values())) or any(
            self._contract.sees_call(one.call) for one in run.calls
        )

    def seen(self, run: _Run) -> Iterator[tuple[JudgedCall, Told]]:
        """The calls that the contract sees."""
        named = run.names_agents
        for one in run.calls:
            if self._contract.sees_call(one.call):
                judged = self._contract.judge(one.call)
                judged.agents_named = named
                yield judged, one

    def at(self, judged: JudgedCall) -> bool:
        """Whether the rule may be about a call."""
        if self._counts and judged.call.stage is not Stage.EXECUTED:
            return False
        if self._selector is not None:
            return self._selector.match(judged) is not Answer.NO
        tools, is_any = self._rule.tools, judged.dispatcher is not None or not judged.call.tool
        is_named = tools is None or is_any or not tools.isdisjoint(judged.names)
        return is_named and judged.call.kind is CallKind.TOOL

    def is_unheard(self, run: _Run) -> bool:
        """Whether the rule asks what was said in model calls, and some that it sees did not record it, or not wholly."""
        if not self._rule.hears:
            return False
        sees, hearing = seen_by(self._contract, run.trace), run.trace.hearing
        models = [node for node in run.trace.nodes.values() if node.model is not None]
        told: set[str] = set()
        for node in models:
            heard = hearing.of(node.place.span_id)
            if heard is not None and heard.content and not heard.cut:
                told.update(_models_around(node))
        return any(told.isdisjoint(_models_around(node)) for node in models if sees(node))

    def lacking(self, judged: JudgedCall, one: Told) -> list[tuple[str, Sequence[Origin]]]:
        """Which of the evidence that the rule needs a call lacks, and who could have told."""
        return [
            (word, one.origins)
            for word in _lacks(judged)
            if _ASKED_AS.get(word, word) in self._needs
        ]

    def lacking_in(self, run: _Run) -> Iterator[tuple[str, Sequence[Origin]]]:
        """The same of a whole trace."""
        if self._rule.uses_totals:
            yield from ((word, run.models) for word in run.sums_lack() if word in self._needs)
            return
        if not _HIDDEN.isdisjoint(run.trajectory.gaps):
            yield "spans", run.models
        for judged, one in self.seen(run):
            if self.at(judged):
                yield from self.lacking(judged, one)


def _models_around(node: Node) -> Iterator[str]:
    """Ids of a model call, and of those around it that tell of the same one."""
    around: Node | None = node
    while around is not None and around.model is not None:
        yield around.place.id
        around = around.enclosing


_WHAT_IT_JUDGES = ("args", "result", "status", "latency_ms", "cost_usd")
"""Keys of a selector that say no of a call only by the very evidence that is asked for."""


def _selector(rule: Compiled) -> Selector | None:
    """Whose calls the rule is about, by tool and agent; None where it has no selector, and any tool's are its matter."""
    record = rule.record
    if not isinstance(record, SelectorFields):
        return None
    keys = selector_keys(record, but=_WHAT_IT_JUDGES)
    return Selector.of(keys, default_stage="any") if keys else None


_ASKED_AS = {"dispatch": "name"}
"""A dispatcher's call has its name in its arguments."""


_WORDS = {
    "name": ("name",),
    "arguments": ("arguments",),
    "result": ("result",),
    "status": ("status",),
    "times": ("latency", "times"),
    "cost": ("cost",),
}
"""Fact of a call -> words of `wording.SWITCH`."""


def _lacks(judged: JudgedCall) -> Iterator[str]:
    """Words of `wording.SWITCH` for all that one call lacks."""
    call = judged.call
    for fact, state in facts_of(call).items():
        if state is not ContentState.OBSERVED:
            yield from _WORDS.get(fact, ())
    if judged.dispatcher is not None:
        yield "dispatch"
    if not judged.agents_named:
        yield "agent"
    if call.status is Status.ERROR and call.error_message is None:
        yield "error"
