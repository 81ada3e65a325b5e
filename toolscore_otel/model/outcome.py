"""What is made of calls: trajectories, findings, scores."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.model.call import ToolCall
from toolscore_otel.model.data import EMPTY, Json
from toolscore_otel.model.turn import AgentTotal, Tokens, Turn
from toolscore_otel.model.words import (
    ClosedBy,
    CostSource,
    FindingKind,
    Gap,
    Label,
    Scope,
    Severity,
    Stage,
)


class Trajectory(Struct, frozen=True, kw_only=True):
    """One trace (or agent invocation, or session) with its calls in order of start.

    Attributes:
        calls: all calls, requested ones included.
        latency_s: last end minus first start of its agent, model and tool spans.
        active_s: length of the union of its tool and model call intervals.
        cost_usd: sum of what is known; None where nothing is known.
        attributes: values, over its spans, of the attributes that contracts ask for.
        incomplete: known to lack calls.
        closed_by: None while it is open.
        models: that its model calls name, sorted.
        turns: its model calls by start, each once: `tokens` is their sum; `cost_usd` is, too, but for calls that report a
            cost of their own, which stands for what is inside them.
        agent_totals: what runs of agents used and cost by their own account, where no model call of them tells that, by start;
            the outermost of those around each other is in `tokens` and `cost_usd`, too.
    """

    scope: Scope = Scope.TRACE
    trace_id: str = ""
    conversation_id: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None
    scenario: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    latency_s: float | None = None
    active_s: float | None = None
    calls: tuple[ToolCall, ...] = ()
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    cost_source: CostSource | None = None
    closed_by: ClosedBy | None = None
    attributes: Mapping[str, tuple[Json, ...]] = EMPTY
    incomplete: bool = False
    gaps: tuple[Gap, ...] = ()
    models: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    agent_totals: tuple[AgentTotal, ...] = ()

    @property
    def whole_cost_usd(self) -> float | None:
        """`cost_usd`; None also where a part of it is not known."""
        return None if Gap.COST_NOT_KNOWN in self.gaps else self.cost_usd


class Finding(Struct, frozen=True, kw_only=True):
    """What one rule says about one subject of one trajectory.

    Attributes:
        id: stable over replays, restarts and re-deliveries.
        first: call id (else span id) of the first call it is about, for rules about repetition.
        count: how many calls it is about.
        path: where in the arguments or the result, for rules about values.
        fingerprint: keyed hash of a secret; never characters of it.
        revision: starts at 1 and grows with every change.
    """

    id: str
    rule: str
    kind: FindingKind
    severity: Severity
    contract: str
    label: Label
    explanation: str
    scope: Scope = Scope.TRACE
    trace_id: str = ""
    conversation_id: str | None = None
    span_id: str | None = None
    call_id: str | None = None
    tool: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None
    path: str | None = None
    count: int = 1
    first: str | None = None
    last: str | None = None
    stage: Stage | None = None
    shadow: bool = False
    secret_kind: str | None = None
    fingerprint: str | None = None
    contract_version: str | None = None
    labels: Mapping[str, str] = EMPTY
    runbook: str | None = None
    revision: int = 1


class Score(Struct, frozen=True, kw_only=True):
    """One number of one trajectory; `value` is None where it does not apply."""

    name: str
    value: float | None
    label: Label | None = None
    contract: str | None = None
    trace_id: str = ""
    conversation_id: str | None = None
    explanation: str = ""
