"""One trace: readings come in any order, calls come out, and change as more is known.

A reading is placed under its parent (which may come later), joined with readings of the same call, and given the agent
around it. Whatever that changes is given back as `CallChange`s; the calls that stand in the end depend only on what
was fed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import structs

from toolscore_otel.assembly.call import assemble, reporter, surrounded
from toolscore_otel.assembly.change import CallChange, changes_since
from toolscore_otel.assembly.groups import Groups
from toolscore_otel.assembly.handing import Handoffs
from toolscore_otel.assembly.hearing import Hearing
from toolscore_otel.assembly.keys import Keys
from toolscore_otel.assembly.naming import Naming
from toolscore_otel.assembly.node import Node, Place, nodes_of
from toolscore_otel.assembly.offers import Offers
from toolscore_otel.assembly.records import Record, is_beyond, nodes_under, standing, with_record
from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.assembly.spending import Spending
from toolscore_otel.assembly.sums import Sums
from toolscore_otel.assembly.surroundings import Surroundings
from toolscore_otel.assembly.turns import Turns
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import ToolCall

MOST_MOVES = 64
"""How often the spans of one trace may move; past it they stay where they stood first."""

MOST_LINKED = 256
"""Past so many traces that a trace links to, further ones are not looked at."""


class TraceAssembly:
    """All that is known of one trace.

    Attributes:
        nodes: what agent, model and tool spans (and messages) said, by place id.
        calls: as they stand, by the place id of the node that stands for each.
        retold: calls of which other traces tell more, by key; None: they belong to one of those (`across`).
        links: ids of traces that its spans link to.
        conversations: ids that its spans name.
        sessions: those that their resources name.
        altered: place ids of nodes of which what they add to sums may be another now; the caller empties it.
        offers: tools that its models were offered.
        hearing: what was found in the messages of its model calls.
        scenarios: test scenarios that its spans name.
        is_sampled: whether one of its spans says that others were left out on the way.
        spending: tokens and money of its model calls.
        turns: what these asked for.
        sums: how far it reaches.
        placed: all that has a place, and under what it stands, by place id.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self.nodes: dict[str, Node] = {}
        self.calls: dict[str, ToolCall] = {}
        self.retold: Mapping[str, ToolCall | None] = {}
        self.links: set[str] = set()
        self.conversations: set[str] = set()
        self.sessions: set[str] = set()
        self.scenarios: set[str] = set()
        self.is_sampled = False
        self.sums = Sums()
        self._counters = counters
        self._keys = Keys(counters)
        self._naming = Naming()
        self.offers = Offers(counters)
        self.hearing = Hearing(counters)
        self._records: dict[str, tuple[Record, ...]] = {}
        self.altered: dict[str, None] = {}
        self._dirty: dict[str, None] = {}
        self._moves = 0
        self._tells_cost = False
        self._start()

    def _start(self) -> None:
        self._around = Surroundings(self.nodes)
        self.placed = self._around.placed
        self._groups = Groups(self._counters)
        self.spending = Spending(self._counters, self.nodes)
        self.turns = Turns()
        self._handoffs = Handoffs()

    @property
    def only(self) -> str | None:
        """The only conversation that it names, else that of the resources; None where there is none, or several."""
        said = self.conversations or self.sessions
        return next(iter(said)) if len(said) == 1 else None

    def standing(self) -> Collection[ToolCall]:
        """The calls that ran here, or were asked for and ran nowhere, as all traces together tell of them."""
        if not self.retold:  # most traces
            return self.calls.values()
        told = [self.retold.get(call.key, call) for call in self.calls.values()]
        return [call for call in told if call is not None and not is_elsewhere(call)]

    def __len__(self) -> int:
        return len(self.placed)

    def knows(self, place: Place, reading: SpanReading) -> bool:
        """Whether this adds nothing to what was said of a place before."""
        known = self._records.get(place.id, ())
        return with_record(known, Record(place, reading)) is known

    def add(self, place: Place, reading: SpanReading | None) -> list[CallChange]:
        """Take in one thing, and look at once what it changes: `take_in`, then `settle`."""
        self.take_in(place, reading)
        return self.settle()

    def take_in(self, place: Place, reading: SpanReading | None) -> None:
        """Take in what a span (or message, or log record) said, or nothing but where it stood."""
        if place.links and len(self.links) < MOST_LINKED:
            self.links.update(link.partition(":")[0] for link in place.links)
        if reading is not None and reading.heard is not None:
            name = self.hearing.note(place, reading.heard, reading.conversation_id)
            self.altered[name] = None
            reading = structs.replace(reading, heard=None)
        told = None if reading is None else self._noted(reading)
        if told is None:
            self._add_plain(place)
        else:
            self._add_record(Record(place, told))

    def _noted(self, reading: SpanReading) -> SpanReading | None:
        """What holds for the whole trace is kept; the reading is given back where it says more."""
        if reading.conversation_id:
            self.conversations.add(reading.conversation_id)
        if reading.session:
            self.sessions.add(reading.session)
        self.is_sampled |= reading.is_sampled
        if reading.scenario:
            self.scenarios.add(reading.scenario)
        if reading.named:
            for node in self._naming.name(*reading.named):
                self._mark(node)
        if reading.offer is not None:
            reading = self.offers.noted(reading, reading.offer)
        says_more = reading.calls or reading.agent or reading.model or reading.logged
        return reading if says_more or reading.spoken or reading.is_twin else None

    def _add_plain(self, place: Place) -> None:
        if place.id not in self.placed:
            self._surround_all(self._around.plant(place.id, place.parent))
            return
        self._counters["duplicates"] += 1
        if place.id in self._records:
            return
        if (place.parent or "") > (self._around.forest.named(place.id) or "") and self._may_move():
            self._replant({place.id: place.parent})

    def _add_record(self, record: Record) -> None:
        span_id = record.place.id
        self.sums.reach(record.place.start_ns, record.place.end_ns)
        if span_id not in self._records and span_id not in self.placed:  # most spans
            self._records[span_id] = (record,)
            self._put_all(record.place, nodes_of(record.place, record.reading))
            return
        known = self._records.get(span_id, ())
        records = with_record(known, record)
        before, after = standing(known), standing(records)
        if before == after:
            which = "reuse_limit" if is_beyond(known, record) else "duplicates"
            self._counters[which] += 1
            self._records[span_id] = records
            return
        self._counters["reused" if len(after) > max(1, len(before)) else "replaced"] += 1
        nodes = nodes_under(after)
        if self._fits(after[0].place, nodes, nodes_under(before)):
            self._records[span_id] = records
            self._put_all(after[0].place, nodes)
        elif self._may_move():
            self._records[span_id] = records
            self._replant({})

    def _fits(self, place: Place, nodes: Sequence[Node], before: Sequence[Node]) -> bool:
        """Whether what a span says now only adds to the trace: no node has gone, moved, or is no agent any more."""
        if self._around.forest.named(place.id) != place.parent:
            return False
        now = {node.place.id: node for node in nodes}
        return all(
            (new := now.get(old.place.id)) is not None
            and old.place.parent == new.place.parent
            and (old.agent is None or new.agent is not None)
            and (old.step is None or new.step is not None)
            for old in before
        )

    def _may_move(self) -> bool:
        self._moves += 1
        self._counters["moved" if self._moves <= MOST_MOVES else "move_limit"] += 1
        return self._moves <= MOST_MOVES

    def _put_all(self, place: Place, nodes: Sequence[Node]) -> None:
        if place.id not in self.placed and not (nodes and nodes[0].place.id == place.id):
            self._surround_all(self._around.plant(place.id, place.parent))
        for node in nodes:
            own = node.place
            if own.id not in self.placed:  # most nodes
                around = self._around.plant(own.id, own.parent, node)
            else:
                around = self._around.mark(node)
                if (old := self.nodes.get(own.id)) is not None:
                    self._leave(old)
            self._enter(node)
            if len(around) > 1:
                self._surround_all(around)
            elif others := self._surround(node):  # of most nodes there are none
                self._surround_all(others)

    def _leave(self, node: Node) -> None:
        self._naming.leave(node)
        self.offers.leave(node)
        self._groups.leave(node)
        self.spending.leave(node)
        self.turns.leave(node)
        self._mark_all(self._handoffs.leave(node))

    def _enter(self, node: Node) -> None:
        self.nodes[node.place.id] = node
        if node.offer is not None:
            self.offers.enter(node.offer)
        if node.model is not None or node.agent is not None:
            self.spending.enter(node)
        if (call := node.call) is not None:
            if call.agent_id is not None:
                self._naming.enter(node, call.agent_id)
            if call.what == "request":
                self.turns.enter(node, self.nodes)
            self._tells_cost |= call.cost_usd is not None
        self._groups.enter(node)
        if turned := self._handoffs.enter(node):
            self._mark_all(turned)

    def _surround_all(self, place_ids: Iterable[str]) -> None:
        queue = list(dict.fromkeys(place_ids))
        for place_id in queue:
            if (node := self.nodes.get(place_id)) is not None:
                queue += self._surround(node)

    def _surround(self, node: Node) -> Collection[str]:
        """Find what is around a node, again each time that may have changed; returns those for which that is news."""
        agent_before, before = node.agent_node, node.enclosing
        enclosing, node.settled = self._around.enclosing(node)
        if enclosing is not before:
            self._groups.unlink(node)
            self.spending.move(node, enclosing)
            self._groups.link(node)
        self.altered[node.place.id] = None
        around = None if enclosing is None else self._around.agent(node, enclosing)
        node.in_step = around if around is not None and around.step is not None else None
        node.agent_node = around if node.in_step is None else node.in_step.agent_node
        if node.members:
            self._dirty[node.group.place.id] = None
        is_news = node.agent_node is not agent_before or enclosing is not before
        return self._around.inside(node) if is_news and node.passes_on else ()

    def _replant(self, moved: Mapping[str, str | None]) -> None:
        """Put all spans in their places anew: one has moved, or says less than before. Rare, and costs what the trace costs."""
        parents = {
            place_id: parent
            for place_id, parent in self._around.forest.recorded().items()
            if place_id not in self.nodes
        }
        parents |= moved
        parents |= {one: standing(r)[0].place.parent for one, r in self._records.items()}
        nodes = [node for known in self._records.values() for node in nodes_under(standing(known))]
        own = {node.place.id for node in nodes}
        self.altered.update(dict.fromkeys(self.nodes))
        self.nodes.clear()
        self._naming.leave_all()
        self.offers.leave_all()
        self._start()
        for place_id, parent in parents.items():
            if place_id not in own:
                self._around.plant(place_id, parent)
        for node in nodes:
            self._around.plant(node.place.id, node.place.parent, node)
            self._enter(node)
        self._surround_all(node.place.id for node in nodes)
        self._dirty.update(dict.fromkeys(self.calls))

    def _mark_all(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._mark(node)

    def _mark(self, node: Node) -> None:
        if node.members:
            self._dirty[node.group.place.id] = None

    def settle(self) -> list[CallChange]:
        """What is different since the last time. Calls are built anew here: once, however much was taken in."""
        before = self._renew(self._regroup())
        if self.offers:
            self._offer(before)
        for head in before:
            if (node := self.nodes.get(head)) is not None:
                for member in node.members:  # they take from their call who made it
                    self.altered[member.place.id] = None
        return changes_since(before, self.calls, self._counters)

    def _regroup(self) -> Mapping[str, None]:
        """Look again at what was taken in; returns the place ids of nodes that may stand for another call now, or for none."""
        self._groups.regroup()
        for node in self.turns.renew(self.spending.reviewed, self.nodes):
            self._mark(node)
        self.spending.reviewed.clear()
        heads, self._groups.touched = self._groups.touched, {}
        if self._tells_cost:
            for head in heads:
                self._report(head)
        self.spending.add_up()
        for node in self.spending.touched:
            self.altered[node.place.id] = None
            self._mark(node)
        self.spending.touched.clear()
        return heads

    def _renew(self, heads: Mapping[str, None]) -> dict[str, ToolCall | None]:
        """Build anew what stands for another call, or elsewhere; returns all calls that may be different, as they were."""
        before: dict[str, ToolCall | None] = {}
        renamed: dict[str, None] = {}
        for head in {**heads, **self._dirty}:
            before[head] = self.calls.get(head)
            if head in heads or not self._surround_call(head):
                for other in self._assemble(head):
                    renamed[other] = None
        self._dirty = {}
        for head in renamed:
            call = self.calls.get(head)
            before.setdefault(head, call)
            if call is not None and call.key != (key := self._keys.of(head)):
                self.calls[head] = structs.replace(call, key=key)
        return before

    def _offer(self, before: dict[str, ToolCall | None]) -> None:
        """Give calls the schemas that are known of their tools now."""
        if touched := self.offers.take_touched():
            for head, call in self.calls.items():
                if call.recorded_name in touched:
                    before.setdefault(head, call)
        for head in before.keys() & self.calls.keys():
            call = self.calls[head]
            schemas = self.offers.of(call, self.nodes[head].members)
            if schemas != call.schemas:
                self.calls[head] = structs.replace(call, schemas=schemas)

    def _surround_call(self, head: str) -> bool:
        """Renew what stands around a call of one reading that stays; returns whether that is all there is to do.

        How a call of several readings ended may hang on where they stand.
        """
        members, call = self._readings(head), self.calls.get(head)
        if call is None or len(members) != 1:
            return False
        self.calls[head] = surrounded(call, members)
        return True

    def _readings(self, head: str) -> tuple[Node, ...]:
        """All readings of the call that a node stands for; empty where it stands for none."""
        node = self.nodes.get(head)
        members = () if node is None else node.members
        return members if members and members[0] is node else ()

    def _report(self, head: str) -> None:
        members = self._readings(head)
        telling = reporter(members)
        for member in members:
            cost = member.call.cost_usd if member.call and member is telling else None
            if cost is not None or member.report is not None:
                self.spending.report(member, cost)

    def _assemble(self, head: str) -> list[str]:
        """Build one call anew, or let it go; returns the calls whose keys may be other ones now."""
        if members := self._readings(head):
            self.calls[head] = assemble(members)
            return self._keys.put(head, self.calls[head])
        self.calls.pop(head, None)
        return self._keys.drop(head)
