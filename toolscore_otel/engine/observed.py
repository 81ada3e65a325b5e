"""What telemetry shows of its calls, instrumentation by instrumentation: facts that are there, cut, or not there.

A call counts once, under the instrumentation whose span (or record, or message) tells of it best: the outermost one.
Others that tell of it too are named beside it. What is said of a call is what all of them together say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from toolscore_otel.assembly import Assembler
from toolscore_otel.assembly.node import Node, Place
from toolscore_otel.conventions.sampling import Sampled
from toolscore_otel.model import (
    CallKind,
    ContentState,
    Gap,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)


class Origin(NamedTuple):
    """One instrumentation of one service, as it names itself.

    Attributes:
        service: None where none is named.
        scope: empty where it names none.
    """

    service: str | None
    scope: str
    version: str

    @classmethod
    def of(cls, place: Place) -> Origin:
        """Who wrote what stands there."""
        return cls(place.resource.service, place.scope.name, place.scope.version)


class Fact(Struct, frozen=True):
    """How often something was observed.

    Attributes:
        of: how often it could have been.
        truncated: how often the end is cut off.
        unparsable: how often it is text that is no JSON.
    """

    of: int = 0
    observed: int = 0
    truncated: int = 0
    unparsable: int = 0

    @property
    def not_observed(self) -> int:
        """How often nothing is there."""
        return self.of - self.observed - self.truncated - self.unparsable


OF_CALLS = (
    *("name", "arguments", "result", "status", "times"),
    *("agent", "call_id", "conversation", "cost"),
)
OF_MODELS = ("tokens", "model_cost")


class Observed(Struct, frozen=True, kw_only=True):
    """One instrumentation, and what it shows.

    Attributes:
        conventions: whose names it uses.
        executed: calls of kind `tool` that were seen to run and that it tells of best.
        requested: these, and those that were only asked for.
        others: calls of other kinds (handoffs, agents as tools, final answers), by kind.
        agents: agent invocations that it tells of.
        models: model calls that it tells of.
        told: calls that it tells of beside another instrumentation, which is asked first.
        beside: scopes that tell of its calls, too -> of how many.
        facts: of its calls (`OF_CALLS`) and model calls (`OF_MODELS`); without those of which there is nothing to say.
        gaps: of its calls; `tool_spans_missing` counts model calls that asked for tools, whichever.
        sampled: its spans and log records that say that others were left out; None where none does.
    """

    origin: Origin
    conventions: tuple[str, ...]
    executed: int
    requested: int
    others: Mapping[CallKind, int]
    agents: int
    models: int
    told: int
    beside: Mapping[str, int]
    facts: Mapping[str, Fact]
    gaps: Mapping[Gap, int]
    sampled: Sampling | None = None


class Sampling(Struct, frozen=True):
    """How much was left out on the way here.

    Attributes:
        items: spans and log records that say so.
        by: what says so.
        kept: the least share of what there was, 0..1, that any of them names; None where none does.
    """

    items: int
    by: tuple[str, ...]
    kept: float | None

    def with_(self, one: Sampled) -> Sampling:
        """One more that says so."""
        shares = [share for share in (self.kept, one.kept) if share is not None]
        by = self.by if one.by in self.by else (*self.by, one.by)
        return Sampling(self.items + 1, by, min(shares, default=None))


class Told(NamedTuple):
    """A call with its readings, the outermost first; none past the cap of its trace."""

    call: ToolCall
    nodes: tuple[Node, ...]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Who tells of it, the one that is asked first in front."""
        return tuple(dict.fromkeys(Origin.of(node.place) for node in self.nodes))


def told(assembler: Assembler, trajectory: Trajectory) -> list[Told]:
    """The calls of one trajectory, and who tells of them."""
    trace = assembler.trace(trajectory.trace_id)
    heads = {call.key: head for head, call in trace.calls.items()}
    return [
        Told(call, trace.nodes[heads[call.key]].members if call.key in heads else ())
        for call in trajectory.calls
    ]


def observed(
    assembler: Assembler,
    trajectories: Iterable[Trajectory],
    sampling: Mapping[Origin, Sampling],
) -> list[Observed]:
    """What is observed, by service and instrumentation, those with most calls first.

    Args:
        assembler: that rebuilt them.
        trajectories: of it.
        sampling: what was said of sampling, by who was sampled.
    """
    tallies: dict[Origin, _Tally] = {}
    for trajectory in trajectories:
        for call in told(assembler, trajectory):
            _count_call(call, tallies)
        for node in assembler.trace(trajectory.trace_id).nodes.values():
            if node.agent is not None or node.model is not None:
                tally = tallies.setdefault(Origin.of(node.place), _Tally())
                tally.count_span(node, trajectory)
    found = [_finished(origin, tally, sampling.get(origin)) for origin, tally in tallies.items()]
    return sorted(found, key=lambda one: (-one.requested, -one.told, _words(one.origin)))


def _words(origin: Origin) -> tuple[str, ...]:
    return tuple(word or "" for word in origin)


_UNKNOWN = Origin(None, "", "")


@dataclass
class _Tally:
    """What was counted of one instrumentation."""

    conventions: set[str] = field(default_factory=set[str])
    count: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[CallKind] = field(default_factory=Counter[CallKind])
    beside: Counter[str] = field(default_factory=Counter[str])
    states: Counter[tuple[str, ContentState]] = field(
        default_factory=Counter[tuple[str, ContentState]]
    )
    gaps: Counter[Gap] = field(default_factory=Counter[Gap])

    def count_span(self, node: Node, trajectory: Trajectory) -> None:
        """An agent's or a model's span."""
        if node.agent is not None:
            self.conventions.add(node.agent.convention)
            self.count["agents"] += 1
        if node.model is None:
            return
        self.conventions.add(node.model.convention)
        self.count["models"] += 1
        tokens = (node.model.input_tokens, node.model.output_tokens)
        self.states["tokens", _seen(tokens != (None, None))] += 1
        priced = node.usage is not None and bool(node.usage.own.known)
        self.states["model_cost", _seen(priced)] += 1
        if node.model.asks and Gap.TOOL_SPANS_MISSING in trajectory.gaps:
            self.gaps[Gap.TOOL_SPANS_MISSING] += 1


def _count_call(one: Told, tallies: dict[Origin, _Tally]) -> None:
    first, *others = one.origins or (_UNKNOWN,)
    tally = tallies.setdefault(first, _Tally())
    tally.conventions.update(_conventions(one, first))
    for other in others:
        tallies.setdefault(other, _Tally()).count["told"] += 1
        tallies[other].conventions.update(_conventions(one, other))
    tally.beside.update({other.scope for other in others} - {first.scope})
    if one.call.kind is not CallKind.TOOL:
        tally.kinds[one.call.kind] += 1
        return
    tally.count["requested"] += 1
    tally.count["executed"] += one.call.stage is Stage.EXECUTED
    tally.states.update(facts_of(one.call).items())
    tally.gaps.update(one.call.gaps)


def _conventions(one: Told, origin: Origin) -> Iterator[str]:
    for node in one.nodes:
        if node.call is not None and Origin.of(node.place) == origin:
            yield node.call.convention


def facts_of(call: ToolCall) -> dict[str, ContentState]:
    """What is known of each fact of one call.

    Without those that it cannot have, as it was only asked for, and without the result of a call that failed and has none.
    """
    found = {
        "name": _seen(bool(call.tool)),
        "arguments": call.args_state,
        "agent": _seen(call.agent is not None),
        "call_id": _seen(call.call_id is not None),
        "conversation": _seen(call.conversation_id is not None),
    }
    if call.stage is Stage.EXECUTED:
        found |= {
            "status": _seen(call.status is not Status.UNKNOWN),
            "times": _seen(call.duration_s is not None),
            "cost": _seen(call.cost_usd is not None),
        }
        if call.status is not Status.ERROR or call.result_state is not ContentState.NOT_OBSERVED:
            found["result"] = call.result_state
    return found


def _seen(observed: bool) -> ContentState:  # noqa: FBT001 - a fact, not a mode
    return ContentState.OBSERVED if observed else ContentState.NOT_OBSERVED


def _finished(origin: Origin, tally: _Tally, sampling: Sampling | None) -> Observed:
    count = tally.count
    facts = {name: _fact(tally, name) for name in (*OF_CALLS, *OF_MODELS)}
    return Observed(
        origin=origin,
        conventions=tuple(sorted(tally.conventions)),
        executed=count["executed"],
        requested=count["requested"],
        others=dict(sorted(tally.kinds.items())),
        agents=count["agents"],
        models=count["models"],
        told=count["told"],
        beside=dict(sorted(tally.beside.items())),
        facts={name: fact for name, fact in facts.items() if fact.of},
        gaps=dict(sorted(tally.gaps.items())),
        sampled=sampling,
    )


def _fact(tally: _Tally, name: str) -> Fact:
    counts = {state: tally.states[name, state] for state in ContentState}
    return Fact(
        of=sum(counts.values()),
        observed=counts[ContentState.OBSERVED],
        truncated=counts[ContentState.TRUNCATED],
        unparsable=counts[ContentState.UNPARSABLE],
    )
