"""Hand-made calls, with what they leave out: keys, invocations, places, and what they add to sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from toolscore_otel.assembly import in_order
from toolscore_otel.assembly.retold import Fate, Name, retold
from toolscore_otel.assembly.spent import PICO
from toolscore_otel.engine.shares import NO_MONEY, Share, Shares
from toolscore_otel.model import ContentState, Source, Stage, ToolCall

Agents = Mapping[str, tuple[str, str]]
"""Invocation id -> trace id, and name of the agent."""


def traces_of(calls: Sequence[ToolCall]) -> Mapping[str, list[ToolCall]]:
    """Calls by trace, with all that they leave out; a request that was seen to run is no call of its own."""
    traces: dict[str, list[ToolCall]] = {}
    for number, call in enumerate(_run(calls)):
        traces.setdefault(call.trace_id, []).append(_placed(call, number))
    keyed = {trace_id: _keyed(ours) for trace_id, ours in traces.items()}
    return keyed if len(keyed) == 1 else _of_all(keyed)


def only_of(calls: Iterable[ToolCall]) -> str | None:
    """The only conversation that calls of one trace name."""
    named = {call.conversation_id for call in calls if call.conversation_id}
    return named.pop() if len(named) == 1 else None


def reach_of(calls: Iterable[ToolCall]) -> tuple[int | None, int | None]:
    """First start and last end."""
    calls = list(calls)
    starts = [call.start_ns for call in calls if call.start_ns is not None]
    ends = [call.end_ns for call in calls if call.end_ns is not None]
    return min(starts, default=None), max(ends, default=None)


def shares_of_calls(calls: Sequence[ToolCall], agents: Mapping[str, str | None]) -> Shares:
    """What calls of one trace and its agent invocations add to sums.

    Args:
        calls: of one trace.
        agents: name of the agent, by invocation.
    """
    shares: dict[str, Share | None] = {call.key: _share(call) for call in calls}
    first = reach_of(calls)[0]
    for invocation, name in agents.items():
        own = [call for call in calls if call.invocation_id == invocation]
        start_ns, end_ns = reach_of(own)
        origin = (own or list(calls))[0]
        shares[f"agent {invocation}"] = structs.replace(
            _share(origin),
            agent=name,
            invocation=invocation,
            is_agent=True,
            start_ns=start_ns if own else first,
            end_ns=end_ns if own else first,
            cost=NO_MONEY,
            own_cost=NO_MONEY,
        )
    return shares


def _share(call: ToolCall) -> Share:
    cost = NO_MONEY if call.cost_usd is None else (round(call.cost_usd * PICO), 1, 0)
    return Share(
        service=call.service,
        environment=call.environment,
        attributes=call.attributes,
        agent=call.agent,
        invocation=call.invocation_id,
        conversation=call.conversation_id,
        is_agent=False,
        is_actor=False,
        start_ns=call.start_ns,
        end_ns=call.end_ns,
        cost=cost,
        own_cost=cost,
        inside=cost[0],
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


def _of_all(traces: Mapping[str, list[ToolCall]]) -> Mapping[str, list[ToolCall]]:
    """Calls of several traces as all of these know them: within one conversation, what ran in another one is told there."""
    talks: dict[Name, str | None] = {}
    by_id: dict[str, dict[Name, ToolCall]] = {}
    for trace_id, calls in traces.items():
        only = only_of(calls)
        for call in calls:
            talks[trace_id, call.key] = call.conversation_id or only
            if call.call_id:
                by_id.setdefault(call.call_id, {})[trace_id, call.key] = _witnessed(call)

    def is_one_talk(one: Name, other: Name) -> bool:
        return talks[one] is not None and talks[one] == talks[other]

    fates: dict[Name, Fate] = {}
    for told in by_id.values():
        fates |= retold(told, is_one_talk)
    return {
        trace_id: [
            left
            for call in calls
            if (left := fates.get((trace_id, call.key), Fate(call, call)).left) is not None
        ]
        for trace_id, calls in traces.items()
    }


def _witnessed(call: ToolCall) -> ToolCall:
    what = "span" if call.stage is Stage.EXECUTED else "request"
    return structs.replace(call, sources=call.sources or (Source(what, "", call.span_id),))


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
