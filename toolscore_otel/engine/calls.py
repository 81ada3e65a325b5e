"""Calls that are there already, without any span: hold them against contracts. For cases, tests and scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange, in_order
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Where
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.engine.report import by_call
from toolscore_otel.engine.running import Running
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    ContentState,
    Finding,
    Gap,
    Scope,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import RunContext, Totals

_PICO = 1_000_000_000_000
"""Picodollars in a dollar: a sum of whole ones is the same in whatever order."""


def judge_calls(contract: Contract, calls: Sequence[ToolCall]) -> tuple[Finding, ...]:
    """The findings that stand once all these calls are known.

    Args:
        contract: to hold them against.
        calls: hand-made ones need `tool`, and `args` where known; calls of one `trace_id` are one trajectory, in the
            order given where they have no times; none at all are one trajectory without calls. Those of one agent
            without `invocation_id` are of one invocation. A requested call that ran under the same id is one call.

    Returns:
        Trace by trace, in order of the calls where these have times.

    Raises:
        Exception: whatever a rule raises: there is no telemetry here that must not be disturbed.
    """
    traces: dict[str, list[ToolCall]] = {} if calls else {"": []}
    for number, call in enumerate(_run(calls)):
        traces.setdefault(call.trace_id, []).append(_placed(call, number))
    plan = Plan(contract)
    return tuple(
        finding
        for trace_id, ours in traces.items()
        for finding in _judge(plan, trace_id, _keyed(ours))
    )


def _run(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Calls without the requests that were seen to run; what only the request told is kept."""
    asked = {_identity(c): c for c in calls if c.call_id and c.stage is Stage.REQUESTED}
    ran = {_identity(c) for c in calls if c.call_id and c.stage is Stage.EXECUTED}
    return [
        _told_by(call, asked.get(_identity(call)))
        for call in calls
        if call.stage is Stage.EXECUTED or _identity(call) not in ran
    ]


def _identity(call: ToolCall) -> tuple[str, str, str | None]:
    return (call.trace_id, call.tool, call.call_id)


def _told_by(call: ToolCall, request: ToolCall | None) -> ToolCall:
    if request is None or call.args_state is not ContentState.NOT_OBSERVED:
        return call
    return structs.replace(
        call, args=request.args, args_text=request.args_text, args_state=request.args_state
    )


def _placed(call: ToolCall, number: int) -> ToolCall:
    """A call with what hand-made ones leave out: a key, an invocation, and its place among those without times."""
    return structs.replace(
        call,
        key=call.key or call.call_id or call.span_id or f"call {number + 1}",
        invocation_id=call.invocation_id or (f"agent {call.agent}" if call.agent else None),
        position=number if call.start_ns is None else call.position,
    )


def _keyed(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Calls that share a key, told apart by `#n`."""
    shared = Counter(call.key for call in calls)
    seen: Counter[str] = Counter()
    found: list[ToolCall] = []
    for call in in_order(calls):
        seen[call.key] += 1
        key = f"{call.key}#{seen[call.key]}" if shared[call.key] > 1 else call.key
        found.append(structs.replace(call, key=key))
    return found


def _judge(plan: Plan, trace_id: str, calls: Sequence[ToolCall]) -> Iterable[Finding]:
    seen = [call for call in calls if plan.contract.sees_call(call)]
    if not seen and (calls or not _sees_anything(plan.contract)):
        return ()
    running = Running(plan, trace_id, RunContext(None, Presenting([plan.contract])), _raise)
    scoped = _scoped(_trajectory(trace_id, calls))
    where = Where.of(scoped.trace)
    changes = [CallChange(None, call) for call in calls]
    named = any(call.agent for call in calls)
    running.take(changes, where, 0, named=named)
    running.total(_totals(seen), where, 0)
    invocations = (call.invocation_id for call in seen if call.invocation_id)
    running.close(scoped.only(invocations), named=named)
    return by_call(running.findings(), [scoped.trace])


def _sees_anything(contract: Contract) -> bool:
    """Whether it applies to a trajectory of which nothing is known."""
    return contract.sees(service=None, agent=None, environment=None)


def _raise(rule: str, error: Exception) -> None:
    error.add_note(f"in rule {rule}")
    raise error


def _trajectory(trace_id: str, calls: Sequence[ToolCall]) -> Trajectory:
    first = calls[0] if calls else ToolCall(tool="")
    start_ns, end_ns = _span(calls)
    asked = any(call.stage is Stage.REQUESTED and call.kind is CallKind.TOOL for call in calls)
    return Trajectory(
        trace_id=trace_id,
        conversation_id=first.conversation_id,
        service=first.service,
        environment=first.environment,
        start_ns=start_ns,
        end_ns=end_ns,
        calls=in_order(calls),
        closed_by=ClosedBy.END_OF_INPUT,
        incomplete=asked,
        gaps=(Gap.REQUESTED_NOT_RUN,) if asked else (),
    )


def _span(calls: Sequence[ToolCall]) -> tuple[int | None, int | None]:
    starts = [call.start_ns for call in calls if call.start_ns is not None]
    ends = [call.end_ns for call in calls if call.end_ns is not None]
    return min(starts, default=None), max(ends, default=None)


def _totals(calls: Sequence[ToolCall]) -> Totals:
    start_ns, end_ns = _span(calls)
    costs = [round(call.cost_usd * _PICO) for call in calls if call.cost_usd is not None]
    lacking = {"tokens"}
    if any(call.start_ns is None or call.end_ns is None for call in calls):
        lacking.add("latency")
    return Totals(
        latency_ns=None if start_ns is None or end_ns is None else max(0, end_ns - start_ns),
        cost_usd=sum(costs) / _PICO if costs else None,
        lacking=frozenset(lacking),
    )


def _scoped(trajectory: Trajectory) -> Scoped:
    calls: dict[str, list[ToolCall]] = {}
    for call in trajectory.calls:
        if call.invocation_id:
            calls.setdefault(call.invocation_id, []).append(call)
    invocations = {
        key: structs.replace(trajectory, scope=Scope.AGENT, agent=ours[0].agent, calls=tuple(ours))
        for key, ours in calls.items()
    }
    return Scoped(trajectory, invocations, bool(invocations))
