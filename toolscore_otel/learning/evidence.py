"""What recorded runs show: which tools were called, how often, with what, and what came before what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from toolscore_otel.matchers import Answer, before
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import (
    CallKind,
    ContentState,
    Json,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)

Pair = tuple[str, str]
"""A tool, and one that was only ever called after it."""


class ToolEvidence(Struct):
    """What was seen of one tool.

    Attributes:
        calls: made or asked for.
        executed: made.
        failed: made, with an error.
        traces: in which it was called.
        most: calls made in one trace, at most.
        args: observed ones.
        no_object: calls whose arguments were seen, and are no JSON object.
    """

    calls: int = 0
    executed: int = 0
    failed: int = 0
    traces: int = 0
    most: int = 0
    args: list[Mapping[str, Json]] = field(default_factory=list[Mapping[str, Json]])
    no_object: int = 0

    def add(self, calls: Sequence[ToolCall]) -> None:
        """All its calls of one trace."""
        executed = [call for call in calls if call.stage is Stage.EXECUTED]
        self.calls += len(calls)
        self.executed += len(executed)
        self.failed += sum(call.status is Status.ERROR for call in executed)
        self.traces += 1
        self.most = max(self.most, len(executed))
        for call in calls:
            if call.args_state is ContentState.OBSERVED and is_mapping(call.args):
                self.args.append(call.args)
            elif call.args_state in (ContentState.OBSERVED, ContentState.UNPARSABLE):
                self.no_object += 1


class Evidence(Struct):
    """What was seen of all of them.

    Attributes:
        traces: how many there are.
        calls: tool calls of all of them.
        longest: tool calls in one trace, at most.
        services: names of services, None where a call or trace names none.
        complete: traces that are not known to lack something.
        always: tool -> complete traces in which it ran.
        called: tool -> complete traces in which it was called.
        after: pair -> complete traces in which each call of the second came after one of the first.
    """

    tools: dict[str, ToolEvidence] = field(default_factory=dict[str, ToolEvidence])
    traces: int = 0
    calls: int = 0
    longest: int = 0
    services: set[str | None] = field(default_factory=set[str | None])
    complete: int = 0
    always: Counter[str] = field(default_factory=Counter[str])
    called: Counter[str] = field(default_factory=Counter[str])
    after: Counter[Pair] = field(default_factory=Counter[Pair])


def evidence_of(trajectories: Iterable[Trajectory]) -> Evidence:
    """Gather what traces show.

    Args:
        trajectories: of whole traces.
    """
    seen = Evidence()
    for trajectory in trajectories:
        by_tool: dict[str, list[ToolCall]] = {}
        for call in trajectory.calls:
            if call.kind is CallKind.TOOL:
                by_tool.setdefault(call.tool, []).append(call)
        for tool, calls in by_tool.items():
            seen.tools.setdefault(tool, ToolEvidence()).add(calls)
        count = sum(map(len, by_tool.values()))
        seen.traces += 1
        seen.calls += count
        seen.longest = max(seen.longest, count)
        seen.services |= {trajectory.service, *(call.service for call in trajectory.calls)}
        if not trajectory.incomplete:
            _add_habits(seen, by_tool)
    return seen


def _add_habits(seen: Evidence, by_tool: Mapping[str, Sequence[ToolCall]]) -> None:
    """What happened in a trace that is whole: there, what was not seen did not happen."""
    first = {tool: run for tool, calls in by_tool.items() if (run := _first_to_end(calls))}
    seen.complete += 1
    seen.always.update(first.keys())
    seen.called.update(by_tool.keys())
    for tool, calls in by_tool.items():
        for earlier, run in first.items():
            if earlier != tool and all(before(run, call) is Answer.YES for call in calls):
                seen.after[earlier, tool] += 1


def _first_to_end(calls: Iterable[ToolCall]) -> ToolCall | None:
    """Of the calls that were made the one that ended first; what has no end proves no order."""
    made = [call for call in calls if call.stage is Stage.EXECUTED]
    return min(made, key=lambda c: (c.end_ns is None, c.end_ns or 0, c.position), default=None)
