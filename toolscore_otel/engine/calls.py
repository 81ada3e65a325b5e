"""Calls that are there already, without any span: hold them against contracts. For cases, tests and scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly import in_order
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Where
from toolscore_otel.engine.running import Plan, Running
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    CostSource,
    Finding,
    Gap,
    Scope,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import RunContext, Totals


def judge_calls(contract: Contract, calls: Sequence[ToolCall]) -> tuple[Finding, ...]:
    """The findings that stand once all these calls are known.

    Args:
        contract: to hold them against.
        calls: hand-made ones need `tool`, and `args` where known; calls of one `trace_id` are one trajectory, in the
            order given where they have no times.

    Returns:
        In order of the calls.

    Raises:
        Exception: whatever a rule raises: there is no telemetry here that must not be disturbed.
    """
    traces: dict[str, list[ToolCall]] = {}
    for number, call in enumerate(calls):
        named = (
            call if call.key else structs.replace(call, key=call.call_id or f"call {number + 1}")
        )
        traces.setdefault(call.trace_id, []).append(named)
    return tuple(
        finding
        for trace_id, ours in traces.items()
        for finding in _judge_trace(contract, trace_id, ours)
    )


def _judge_trace(contract: Contract, trace_id: str, calls: Sequence[ToolCall]) -> Iterable[Finding]:
    if not any(contract.sees_call(call) for call in calls):
        return ()
    running = Running(Plan(contract), RunContext(), _raise)
    trajectory = _trajectory(trace_id, calls)
    where = Where.of(trajectory)
    named = any(call.agent for call in calls)
    seen = [call for call in calls if contract.sees_call(call)]
    for call in seen:
        list(running.put(call, where, 0, named=named, alone=False))
    judged = [contract.judge(call).call for call in calls]
    list(running.total(_totals(judged), where, 0))
    list(running.close(_scopes(trajectory)))
    return running.findings()


def _raise(rule: str, error: Exception) -> None:
    error.add_note(f"in rule {rule}")
    raise error


def _trajectory(trace_id: str, calls: Sequence[ToolCall]) -> Trajectory:
    starts = [call.start_ns for call in calls if call.start_ns is not None]
    ends = [call.end_ns for call in calls if call.end_ns is not None]
    first = calls[0]
    asked = any(call.stage is Stage.REQUESTED and call.kind is CallKind.TOOL for call in calls)
    return Trajectory(
        trace_id=trace_id,
        conversation_id=first.conversation_id,
        service=first.service,
        environment=first.environment,
        start_ns=min(starts, default=None),
        end_ns=max(ends, default=None),
        latency_s=(max(ends) - min(starts)) / 1e9 if starts and ends else None,
        calls=in_order(calls),
        closed_by=ClosedBy.END_OF_INPUT,
        incomplete=asked,
        gaps=(Gap.REQUESTED_NOT_RUN,) if asked else (),
    )


def _totals(calls: Sequence[ToolCall]) -> Totals:
    starts = [call.start_ns for call in calls if call.start_ns is not None]
    ends = [call.end_ns for call in calls if call.end_ns is not None]
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    made = [c for c in calls if c.kind is CallKind.TOOL and c.stage is Stage.EXECUTED]
    return Totals(
        latency_ns=max(ends) - min(starts) if starts and ends else None,
        cost_usd=sum(costs) if costs else None,
        cost_source=CostSource.REPORTED if costs else None,
        cost_whole=True,
        calls=len(made),
    )


def _scopes(trajectory: Trajectory) -> dict[str, Trajectory]:
    found = {"": trajectory}
    for call in trajectory.calls:
        if (key := call.invocation_id) and key not in found:
            own = tuple(c for c in trajectory.calls if c.invocation_id == key)
            found[key] = structs.replace(trajectory, scope=Scope.AGENT, agent=call.agent, calls=own)
    return found
