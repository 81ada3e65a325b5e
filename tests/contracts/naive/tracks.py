"""What a contract sees, and the trajectories of it (docs/pages/contracts.md)."""

# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from msgspec import structs

from tests.contracts.naive.logic import Answer, World, both, no, some
from tests.contracts.naive.selecting import (
    Seen,
    as_list,
    before,
    in_order,
    matches,
    see,
    selector_of,
)
from tests.contracts.naive.values import canonical
from toolscore_otel.model import ContentState, Stage, ToolCall


@dataclass
class Track:
    """One trajectory.

    Attributes:
        place: its trace, or its conversation where it is a session.
        start_ns: when its first span began.
        around: where a call that excuses is looked for; None: among its own.
        outside: calls in no invocation, of a trace that has some: rules that single calls decide look at them too.
    """

    place: str
    calls: list[Seen]
    start_ns: int | None = None
    around: list[Seen] | None = None
    outside: bool = False

    def asks(self, item: Any, seen: Seen, stage: str, **how: bool) -> Answer:
        """Whether a call is one that a rule is about, and not excused."""
        answer = matches(selector_of(item), seen, stage=stage, **how)
        if not isinstance(item, dict) or "unless" not in item:
            return answer
        return both((answer, no(self.excuses(item["unless"], seen))))

    def excuses(self, unless: Any, seen: Seen) -> Answer:
        """Whether an `unless` excuses a call."""
        if isinstance(unless, dict) and "before" in unless:
            excuse = selector_of(unless["before"])
            return some(
                both((matches(excuse, other, stage="executed"), before(other, seen)))
                for other in self.around or self.calls
            )
        return matches(selector_of(unless), seen, stage="any")

    def counts(self, item: Any, seen: Seen, stage: str, world: World) -> bool:
        """The same, in one world."""
        answer = matches(selector_of(item), seen, stage=stage)
        if not world.settle(answer, (canonical(selector_of(item)), seen.at)):
            return False
        if not isinstance(item, dict) or "unless" not in item:
            return True
        excused = self.excuses(item["unless"], seen)
        return not world.settle(excused, ("unless", canonical(item["unless"]), seen.at))

    def ran(self, item: Any, seen: Seen, world: World) -> bool:
        """Whether a call that ran matches, in one world: one that was asked for may have run there."""
        return self.counts(item, _as_run(seen) if seen.at in world.ran else seen, "executed", world)

    def before(self, first: Seen, second: Seen, world: World) -> bool:
        if first.at in world.ran and first.call.start_ns is not None:
            return before(first, second) is not False
        if world.chosen.get(("before", second.at, first.at)):
            return False
        return world.settle(before(first, second), ("before", first.at, second.at))


def _as_run(seen: Seen) -> Seen:
    call = structs.replace(seen.call, stage=Stage.EXECUTED, end_ns=None)
    ran = Seen(call, seen.names, seen.entries, seen.at, seen.names_agents, args=seen.args)
    ran.cost = seen.cost
    return ran


def sees(applies_to: dict[str, Any], call: ToolCall) -> bool:
    """Whether a contract sees a call: an absent value matches only `*`."""
    return all(
        any(
            glob == "*" or (value is not None and fnmatchcase(value, glob))
            for glob in as_list(globs)
        )
        for globs, value in (
            (applies_to.get("service", "*"), call.service),
            (applies_to.get("agent", "*"), call.agent),
            (applies_to.get("environment", "*"), call.environment),
        )
    )


def one_of_each(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Calls, with those that were asked for and seen to run taken together."""
    asked = {(c.trace_id, c.call_id): c for c in calls if c.stage is Stage.REQUESTED and c.call_id}
    ran = {(c.trace_id, c.call_id) for c in calls if c.stage is Stage.EXECUTED and c.call_id}
    found = []
    for call in calls:
        key = (call.trace_id, call.call_id)
        if call.stage is Stage.REQUESTED and key in ran:
            continue
        request = asked.get(key)
        if request is not None and call.args_state is ContentState.NOT_OBSERVED:
            call = structs.replace(
                call, args=request.args, args_text=request.args_text, args_state=request.args_state
            )
        found.append(call)
    return found


def seen_of(contract: dict[str, Any], calls: Sequence[ToolCall]) -> list[Seen]:
    """The calls that a contract sees, in order."""
    registry = {name: entry or {} for name, entry in contract.get("tools", {}).items()}
    everything = one_of_each(calls)
    named = {call.trace_id for call in everything if call.agent is not None}
    found = [see(call, at, registry) for at, call in enumerate(everything)]
    only = _only_conversations(found)
    for seen in found:
        seen.names_agents = seen.call.trace_id in named
        seen.session = _session(seen.call, only)
    return in_order(s for s in found if sees(contract.get("applies_to", {}), s.call))


def tracks_of(scope: str, seen: Iterable[Seen]) -> list[Track]:
    """The trajectories of a scope, each with its calls in order."""
    calls = list(seen)
    named = {s.call.trace_id for s in calls if _invocation(s.call)}
    groups: dict[tuple[Any, ...], list[Seen]] = {}
    for s in calls:
        trace = s.call.trace_id
        if scope == "agent" and trace in named:
            groups.setdefault((trace, _invocation(s.call)), []).append(s)
        elif scope == "session":
            groups.setdefault(s.session, []).append(s)
        else:
            groups.setdefault((trace,), []).append(s)
    starts = {
        t: min(
            (s.call.start_ns for s in calls if s.call.trace_id == t and s.call.start_ns),
            default=None,
        )
        for t in {s.call.trace_id for s in calls}
    }
    found = [
        Track(str(key[0]), ours, outside=scope == "agent" and key[1:] == (None,))
        for key, ours in groups.items()
    ]
    for track in found:
        whole = [starts[s.call.trace_id] for s in track.calls]
        own = [s.call.start_ns for s in track.calls]
        known = [at for at in (own if scope == "agent" else whole) if at is not None]
        track.start_ns = min(known, default=None)
    return found


def _invocation(call: ToolCall) -> str | None:
    return call.invocation_id or (f"agent {call.agent}" if call.agent else None)


def _only_conversations(calls: list[Seen]) -> dict[tuple[str, str | None], str]:
    ids: dict[tuple[str, str | None], set[str]] = {}
    for s in calls:
        if s.call.conversation_id:
            ids.setdefault((s.call.trace_id, s.call.service), set()).add(s.call.conversation_id)
    return {key: next(iter(found)) for key, found in ids.items() if len(found) == 1}


def _session(call: ToolCall, only: dict[tuple[str, str | None], str]) -> tuple[str, str | None]:
    conversation = call.conversation_id or only.get((call.trace_id, call.service))
    return (conversation, call.service) if conversation else (call.trace_id, None)
