"""The model call after which a call ran, where no message shows which one asked for it.

With content switched off, most telemetry still shows that a model asked for tools (the reason why it stopped) and, on the
span of a call, the id that a model gave it. Every provider refuses a next turn before all calls of the last one are answered.
So it is the last model call of the same agent invocation, where that one asked for tools and shows not which, and nothing
speaks against turns that follow one another: no other model call at the same time, no call that ran on into this turn,
no earlier turn that asked for tools and was followed by none. Everything else stays unknown: a call without an id may be the
framework's own, and where spans were left out the turn may be among these.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from toolscore_otel.assembly.node import Node, Usage
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import NEVER, ToolCall

DEEPEST = 16
"""So many levels up to its invocation a call around a call is looked for; deeper down nothing is said."""


def followed(trace: TraceAssembly) -> dict[str, Usage]:
    """The turns in which calls were asked for, by the keys of the calls, where order alone shows it.

    Args:
        trace: settled.
    """
    if not trace.spending.counted():
        return {}
    asked = [call for head, call in trace.calls.items() if _is_open(trace.nodes[head], call)]
    if not asked:
        return {}
    invocations = _invocations(trace, {call.invocation_id or "" for call in asked})
    shown = trace.turns.shown()
    found: dict[str, Usage] = {}
    for call in asked:
        turn = invocations[call.invocation_id or ""].before(call.start_ns or 0)
        if turn is not None and turn.node.place.id not in shown:
            found[call.key] = turn
    return found


def _is_open(node: Node, call: ToolCall) -> bool:
    """Whether a model asked for it, directly in an agent invocation, and no message shows which one."""
    if call.turn_id is not None or call.invocation_id is None or call.start_ns is None:
        return False
    ids = [one.call.call_id for one in node.members if one.call and one.call.what == "span"]
    return any(ids) and _is_directly_in(call.invocation_id, node)


def _is_directly_in(invocation_id: str, node: Node) -> bool:
    """Whether no other call stands between."""
    around = node.enclosing
    for _ in range(DEEPEST):
        if around is None:
            return False
        if around.place.id == invocation_id:
            return True
        if around.call is not None and around not in node.members:
            return False
        around = around.enclosing
    return False


def _invocations(trace: TraceAssembly, ids: set[str]) -> dict[str, _Invocation]:
    turns: dict[str, list[Usage]] = {each: [] for each in ids}
    calls: dict[str, list[ToolCall]] = {each: [] for each in ids}
    for node in trace.spending.counted():
        around = node.agent_node
        if around is not None and around.place.id in turns and node.usage is not None:
            turns[around.place.id].append(node.usage)
    for head, call in trace.calls.items():
        reading = trace.nodes[head].call
        if call.invocation_id in calls and reading is not None and reading.what == "span":
            calls[call.invocation_id].append(call)
    return {each: _Invocation(turns[each], calls[each]) for each in ids}


class _Invocation:
    """The turns and the calls of one agent invocation, by start."""

    def __init__(self, turns: Sequence[Usage], calls: Iterable[ToolCall]) -> None:
        known = [(_start(turn), turn.node.place.id, turn) for turn in turns]
        self._turns = [turn for *_, turn in sorted(known)]
        self._starts = [_start(turn) for turn in self._turns]
        self._ends = list(accumulate(map(_end, self._turns), max))
        ran = sorted(
            (call.start_ns, NEVER if call.end_ns is None else call.end_ns)
            for call in calls
            if call.start_ns is not None
        )
        self._call_starts = [start for start, _ in ran]
        self._call_ends = list(accumulate((end for _, end in ran), max))

    def before(self, start: int) -> Usage | None:
        """The turn of a call that begins then; None where it is not sure."""
        place = bisect_left(self._starts, start) - 1
        if place < 0 or not self._turns[place].reading.asks:
            return None
        turn = self._turns[place]
        until = max(_end(turn), start)
        is_alone = bisect_right(self._starts, until) == place + 1 and (
            not place or self._ends[place - 1] <= self._starts[place]
        )
        return turn if is_alone and self._is_answered(place) else None

    def _is_answered(self, place: int) -> bool:
        """Whether all that was asked for before a turn had run when it began."""
        start = self._starts[place]
        earlier = bisect_left(self._call_starts, start)
        if earlier and self._call_ends[earlier - 1] > start:
            return False
        if not place or not self._turns[place - 1].reading.asks:
            return True
        return earlier > bisect_left(self._call_starts, self._starts[place - 1])


def _start(turn: Usage) -> int:
    return turn.node.place.start_ns or 0


def _end(turn: Usage) -> int:
    """One of which it is not known from when to when it ran may have run beside all others."""
    start_ns, end_ns = turn.node.place.start_ns, turn.node.place.end_ns
    return NEVER if start_ns is None or end_ns is None else end_ns
