"""One trace: readings come in any order, calls come out, and change as more is known.

A reading is placed under its parent (which may come later), joined with readings of the same call, and given the agent
around it. Whatever that changes is given back as `CallChange`s; the calls that stand in the end depend only on what
was fed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from msgspec import Struct, structs

from toolscore_otel.assembly.forest import Forest
from toolscore_otel.assembly.join import assemble, id_is_same, nested_is_same, outermost_first
from toolscore_otel.assembly.keys import Keys
from toolscore_otel.assembly.node import Node, Place, richness
from toolscore_otel.assembly.spending import Spending
from toolscore_otel.assembly.sums import Sums
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import CostSource, Gap, ToolCall

MOST_PER_ID = 1000
"""Past this many readings under one call id it is no id, and joins nothing any more."""


class CallChange(Struct, frozen=True):
    """A call is new, has changed, or turned out to be part of another.

    Attributes:
        before: the key under which it was known; None for a new one.
        after: the call as it is known now; None where it is no call of its own any more.
        alone: past the cap of its trace: it was not placed, so only rules about single calls apply.
    """

    before: str | None
    after: ToolCall | None
    alone: bool = False


class TraceAssembly:
    """All that is known of one trace.

    Attributes:
        nodes: what agent, model and tool spans (and messages) said, by place id.
        calls: as they stand, by the place id of the node that stands for each.
        spending: tokens and money of its model calls.
        sums: running sums of its calls.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self.spending = Spending(counters)
        self.nodes: dict[str, Node] = {}
        self.calls: dict[str, ToolCall] = {}
        self.sums = Sums()
        self._counters = counters
        self._spans = Forest()
        self._agents = Forest()
        self._keys = Keys()
        self._by_call_id: dict[str, list[Node]] = {}
        self._dirty: dict[str, Node] = {}
        self._gone: list[str] = []

    def __len__(self) -> int:
        return len(self._spans)

    def __contains__(self, place_id: str) -> bool:
        return place_id in self._spans

    def add(self, place: Place, reading: SpanReading | None) -> list[CallChange]:
        """Take in one span (or message, or log record) that is not known yet."""
        nodes = [] if reading is None else _nodes(place, reading)
        freed = self._spans.add(place.id, place.parent, marked=bool(nodes))
        for node in nodes:
            if node.place.id != place.id:
                self._spans.add(node.place.id, node.place.parent, marked=True)
            self.nodes[node.place.id] = node
            self.sums.reach(node.place.start_ns, node.place.end_ns)
            self.spending.add(node)
        for node in nodes:
            self._settle(node)
            self._join_by_id(node)
        for waiting in freed:
            self._settle(self.nodes[waiting])
        return self._flush()

    def again(self, place: Place, reading: SpanReading | None) -> list[CallChange]:
        """A span that is known came again: the record that says more stands."""
        node = self.nodes.get(place.id)
        if reading is None or not reading.calls or node is None or node.call is None:
            self._counters["duplicates"] += 1
            return []
        new = reading.calls[0]
        if (new.name, new.call_id) != (node.call.name, node.call.call_id) and _differ(new, node):
            return self._reused(place, reading)
        if richness(place, new) <= richness(node.place, node.call):
            self._counters["duplicates"] += 1
            return []
        self._counters["replaced"] += 1
        node.place, node.call = place, new
        self.sums.reach(place.start_ns, place.end_ns)
        node.conversation_id = reading.conversation_id or node.conversation_id
        self._join_by_id(node)
        self._mark(node)
        return self._flush()

    def _reused(self, place: Place, reading: SpanReading) -> list[CallChange]:
        call = reading.calls[0]
        other = replace(place, id=f"{place.id}~{call.name}~{call.call_id}")
        if other.id in self._spans:
            self._counters["duplicates"] += 1
            return []
        self._counters["reused"] += 1
        gapped = structs.replace(call, gaps=(*call.gaps, Gap.SPAN_ID_REUSED))
        first = self.nodes[place.id]
        if first.call is not None and Gap.SPAN_ID_REUSED not in first.call.gaps:
            first.call = structs.replace(first.call, gaps=(*first.call.gaps, Gap.SPAN_ID_REUSED))
            self._mark(first)
        return self.add(other, structs.replace(reading, calls=(gapped,)))

    def _settle(self, node: Node) -> None:
        """Find what is around a node; called again each time a missing ancestor came."""
        if not node.settled:
            found, node.settled = self._spans.enclosing(node.place.id)
            node.enclosing = self.nodes[found] if found is not None else None
            if node.settled:
                self._settled(node)
        self._mark(node)

    def _settled(self, node: Node) -> None:
        around = node.enclosing
        self.spending.link(node)
        if around is not None and node.call is not None and nested_is_same(around, node):
            self._join(around, node)
        parent = None if around is None else around.place.id
        waiting = self._agents.add(node.place.id, parent, marked=node.agent is not None)
        for each in (node.place.id, *waiting):
            self._find_agent(self.nodes[each])

    def _find_agent(self, node: Node) -> None:
        found, node.agent_settled = self._agents.enclosing(node.place.id)
        node.agent_node = self.nodes[found] if found is not None else None
        self._mark(node)

    def _join_by_id(self, node: Node) -> None:
        call_id = node.call.call_id if node.call else None
        if not call_id:
            return
        others = self._by_call_id.setdefault(call_id, [])
        if len(others) < MOST_PER_ID:
            for other in others:
                if other is not node and other.group is not node.group and id_is_same(other, node):
                    self._join(other, node)
        if node not in others[-1:]:
            others.append(node)

    def _join(self, one: Node, other: Node) -> None:
        a, b = one.group, other.group
        if a is b:
            return
        self._counters["joined"] += 1
        b.joined_to = a
        a.members = [*a.members, *b.members]
        b.members = []
        self._dirty.pop(b.place.id, None)
        if (known := self.calls.pop(b.place.id, None)) is not None:
            self._gone.append(known.key)
            self.sums.drop(b.place.id)
            for root in self._keys.drop(b.place.id):
                self._mark(self.nodes[root])
        self._mark(a)

    def _mark(self, node: Node) -> None:
        if node.call is not None:
            self._dirty[node.group.place.id] = node.group

    def _flush(self) -> list[CallChange]:
        changes = [CallChange(key, None) for key in self._gone]
        self._gone = []
        before: dict[str, ToolCall | None] = {}
        self._mark_spenders()
        while self._dirty:
            dirty, self._dirty = self._dirty, {}
            fresh = {root: self._assembled(node) for root, node in dirty.items()}
            for root, call in fresh.items():
                for other in self._keys.put(root, call):
                    if other not in fresh:
                        self._mark(self.nodes[other])
            for root, call in fresh.items():
                before.setdefault(root, self.calls.get(root))
                self.calls[root] = structs.replace(call, key=self._keys.of(root))
                self.sums.put(root, self.calls[root], self.nodes[root])
        for root, known in before.items():
            self._counters["calls"] += known is None
            if known != self.calls[root]:
                changes.append(CallChange(None if known is None else known.key, self.calls[root]))
        return changes

    def _mark_spenders(self) -> None:
        for node in self.spending.touched:
            self._mark(node)
        self.spending.touched.clear()

    def _assembled(self, root: Node) -> ToolCall:
        call = assemble(outermost_first(root.members))
        spent = max((node.spent for node in root.members), key=lambda s: (s.known, s.blind))
        if call.cost_usd is not None:
            return structs.replace(call, cost_source=CostSource.REPORTED)
        if not spent:
            return call
        gaps = tuple(sorted({*call.gaps, Gap.COST_NOT_KNOWN})) if spent.blind else call.gaps
        return structs.replace(call, cost_usd=spent.usd, cost_source=spent.source, gaps=gaps)


def _differ(new: object, node: Node) -> bool:
    """Whether two records under one span id name different calls; what one of them lacks is no difference."""
    old = node.call
    pairs = ((getattr(new, name), getattr(old, name)) for name in ("name", "call_id"))
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _nodes(place: Place, reading: SpanReading) -> list[Node]:
    if not reading.calls:
        if reading.agent is None and reading.model is None:
            return []
        return [Node.of(place, reading, None)]
    if reading.agent is None and reading.model is None:
        first, *others = reading.calls
        nodes = [Node.of(place, reading, first)]
    else:
        others = list(reading.calls)
        nodes = [Node.of(place, reading, None)]
    for number, call in enumerate(others):
        inside = replace(place, id=f"{place.id}#{number}", parent=place.id)
        nodes.append(Node(inside, call=call, conversation_id=reading.conversation_id))
    return nodes
