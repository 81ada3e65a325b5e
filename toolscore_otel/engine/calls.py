"""Calls that are there already, without any span: hold them against contracts. For cases, tests and scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from toolscore_otel.assembly import CallChange, in_order
from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.assembly.trajectory import gathered
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.attributes import SCENARIOS
from toolscore_otel.engine.belonging import SessionKey, session_of
from toolscore_otel.engine.ledger import Where
from toolscore_otel.engine.made import Agents, only_of, reach_of, shares_of_calls, traces_of
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.engine.qualified import of_session, qualified
from toolscore_otel.engine.report import by_call
from toolscore_otel.engine.running import Running
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.engine.session import JudgedSession
from toolscore_otel.engine.shares import NO_SHARES
from toolscore_otel.engine.trace_note import TraceNote
from toolscore_otel.model import (
    EMPTY,
    CallKind,
    ClosedBy,
    Finding,
    Gap,
    Scope,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import RunContext


def judge_calls(
    contract: Contract, calls: Sequence[ToolCall], *, agents: Agents = EMPTY
) -> tuple[Finding, ...]:
    """The findings that stand once all these calls are known.

    Args:
        contract: to hold them against.
        calls: hand-made ones need `tool`, and `args` where known; calls of one `trace_id` are one trajectory, those of
            one `conversation_id` and `service` one session, in the order given where they have no times; none at all
            are one trajectory without calls. Those of one agent without `invocation_id` are of one invocation. A
            requested call that ran under the same id is one call.
        agents: invocations of which it is known that they were there, whether or not they made a call: by id, their
            trace id and name.

    Returns:
        Trace by trace, in order of the calls where these have times; then session by session.

    Raises:
        Exception: whatever a rule raises: there is no telemetry here that must not be disturbed.
    """
    context = RunContext(None, Presenting([contract]))
    traces = [
        _Trace(trace_id, ours, agents)
        for trace_id, ours in (traces_of(calls) if calls else {"": []}).items()
    ]
    of_traces, of_sessions = Plan(contract), Plan(contract, of_sessions=True)
    found = [finding for trace in traces for finding in trace.judged(of_traces, context)]
    return (*found, *(_judged_sessions(of_sessions, traces, context) if of_sessions.rules else ()))


class _Trace:
    """The calls of one trace."""

    def __init__(self, trace_id: str, calls: Sequence[ToolCall], agents: Agents) -> None:
        self.told = calls
        self.calls = calls = [call for call in calls if not is_elsewhere(call)]
        names = {i: name for i, (trace, name) in agents.items() if trace == trace_id}
        names |= {c.invocation_id: c.agent or "" for c in calls if c.invocation_id}
        self.shares = shares_of_calls(calls, names) if calls else NO_SHARES
        self.trajectory = _trajectory(trace_id, calls)
        if len(self.told) > len(calls):
            gaps = (*self.trajectory.gaps, Gap.RAN_ELSEWHERE)
            self.trajectory = structs.replace(self.trajectory, incomplete=True, gaps=gaps)
        self.named = any(call.agent for call in calls) or any(names.values())
        self._invocations = {
            key: _of_agent(self.trajectory, key, name or None) for key, name in names.items()
        }

    def judged(self, plan: Plan, context: RunContext) -> Sequence[Finding]:
        """What its own rules say."""
        seen = self._seen(plan)
        if seen is None:
            return ()
        running = Running(plan, (self.trajectory.trace_id, ""), context, _raise)
        where = Where.of(self.trajectory)
        running.take([CallChange(None, c) for c in self.told], where, 0, named=self.named)
        running.measure(self.shares, where, 0)
        running.close(seen, named=self.named)
        return by_call(running.findings(), [self.trajectory])

    def _seen(self, plan: Plan) -> Scoped | None:
        scoped = Scoped(self.trajectory, self._invocations, bool(self._invocations))
        if plan.sees_everything:
            return scoped
        seen = [c.invocation_id or "" for c in self.told if plan.contract.sees_call(c)]
        if not seen:
            return None
        return scoped.only(dict.fromkeys(seen))


def _of_agent(trajectory: Trajectory, key: str, name: str | None) -> Trajectory:
    """One invocation of a trace; it began with its first call, as far as is known."""
    calls = tuple(call for call in trajectory.calls if call.invocation_id == key)
    start_ns, end_ns = reach_of(calls)
    return structs.replace(
        trajectory, scope=Scope.AGENT, agent=name, start_ns=start_ns, end_ns=end_ns, calls=calls
    )


def _judged_sessions(
    plan: Plan, traces: Sequence[_Trace], context: RunContext
) -> Iterator[Finding]:
    sessions: dict[SessionKey, JudgedSession] = {}
    for trace in traces:
        for key, calls in _by_session(trace).items():
            session = sessions.get(key)
            if session is None:
                session = sessions[key] = JudgedSession(key, [plan], context, _raise, 0)
            _tell(session, trace, calls)
    for session in sessions.values():
        session.close(ClosedBy.END_OF_INPUT)
        yield from by_call(session.findings(), [trace.trajectory for trace in traces])


def _by_session(trace: _Trace) -> Mapping[SessionKey, list[ToolCall]]:
    trajectory = trace.trajectory
    found: dict[SessionKey, list[ToolCall]] = {}
    for call in trace.calls:
        key = session_of(
            trajectory.trace_id, call.service, call.conversation_id, trajectory.conversation_id
        )
        found.setdefault(key, []).append(of_session(call, key.conversation or None))
    return found or {SessionKey(trajectory.trace_id): []}


def _tell(session: JudgedSession, trace: _Trace, calls: Sequence[ToolCall]) -> None:
    trajectory = trace.trajectory
    note = TraceNote(
        start_ns=trajectory.start_ns,
        end_ns=trajectory.end_ns,
        gaps=trajectory.gaps,
        named=trace.named,
        environment=trajectory.environment,
        scenario=trajectory.scenario,
    )
    session.note(trajectory.trace_id, note)
    own = {call.key for call in calls}
    shares = {
        name: share
        for key, share in trace.shares.items()
        if (name := qualified(key, trajectory.trace_id)) in own
    }
    session.take([CallChange(None, call) for call in calls], shares, 0, most=sys.maxsize)


def _raise(rule: str, error: Exception) -> None:
    error.add_note(f"in rule {rule}")
    raise error


def _trajectory(trace_id: str, calls: Sequence[ToolCall]) -> Trajectory:
    first = calls[0] if calls else ToolCall(tool="")
    start_ns, end_ns = reach_of(calls)
    asked = any(call.stage is Stage.REQUESTED and call.kind is CallKind.TOOL for call in calls)
    return Trajectory(
        trace_id=trace_id,
        conversation_id=only_of(calls),
        service=first.service,
        environment=first.environment,
        scenario=min(_scenarios(calls), default=None),
        start_ns=start_ns,
        end_ns=end_ns,
        calls=in_order(calls),
        closed_by=ClosedBy.END_OF_INPUT,
        attributes=gathered(call.attributes for call in calls),
        incomplete=asked,
        gaps=(Gap.REQUESTED_NOT_RUN,) if asked else (),
    )


def _scenarios(calls: Sequence[ToolCall]) -> Iterator[str]:
    for call in calls:
        if isinstance(scenario := call.attributes.get(SCENARIOS[0]), str):
            yield scenario
