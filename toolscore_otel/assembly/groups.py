"""The readings of one trace, put together call by call, while they come, change and go.

Each change makes a few nodes restless; `regroup` looks again at these and at all that can be joined with them, and at
nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from msgspec import structs

from toolscore_otel.assembly.histories import Histories
from toolscore_otel.assembly.join import clusters, nests, shares_id
from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.pairs import Pairs
from toolscore_otel.conventions.reading import CallReading, Layer

MOST_PER_ID = 256
"""Past this many readings under one call id it is no id, and joins nothing any more."""

MOST_TOGETHER = 128
"""Past this many readings that could be of one call, the next one stands alone."""


_MESSAGE = Layer.MESSAGE
_WHOLE_FRACTION = re.compile(r"(?<![\w.])(-?\d+)\.0(?![\w.])", re.ASCII)


class Groups:
    """Which nodes stand together for a call.

    Attributes:
        touched: ids of nodes that may stand for a call now, or no more; the caller empties it.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self.touched: dict[str, None] = {}
        self._counters = counters
        self._by_id: dict[str, list[Node]] = {}
        self._messages: dict[bytes, list[Node]] = {}
        self._restless: dict[str, Node] = {}
        self._histories = Histories()
        self._pairs = Pairs()

    def enter(self, node: Node) -> None:
        """A reading came."""
        if node.place.is_log:
            self._turn_over(self._histories.enter(node))
        if node.call is not None and not node.is_history:
            self._come(node, node.call)

    def leave(self, node: Node) -> None:
        """A reading is withdrawn."""
        changed = self._histories.leave(node) if node.place.is_log else ()
        if node.call is not None and not node.is_history:
            self._go(node)
        self._turn_over(changed)

    def _turn_over(self, nodes: Iterable[Node]) -> None:
        """Messages that turned out to be history, or not to be."""
        for node in nodes:
            if node.is_history:
                self._go(node)
            else:
                assert node.call is not None  # noqa: S101 - for the type checker
                self._come(node, node.call)

    def _come(self, node: Node, call: CallReading) -> None:
        if call.layer is _MESSAGE and call.call_id:
            self._hear(node, call)
        else:
            self._admit(node, call)

    def _hear(self, node: Node, call: CallReading) -> None:
        """Of a message that every later model call repeats, only the first one counts."""
        told = self._messages.setdefault(_content(node), [])
        if told and _moment(told[0]) <= _moment(node):
            node.is_repeat = True
            told.append(node)
            return
        if told:
            self._dismiss(told[0])
            told[0].is_repeat = True
        told.insert(0, node)
        self._admit(node, call)

    def _admit(self, node: Node, call: CallReading) -> None:
        node.is_repeat = False
        self._restless[node.place.id] = node
        if belong := self._pairs.enter(node):
            self._unsettle(belong)
        if not call.call_id:
            return
        others = self._by_id.get(call.call_id)
        if not others:  # most calls
            self._by_id[call.call_id] = [node]
            return
        if len(others) >= MOST_PER_ID:
            self._counters["crowded"] += 1
            return
        node.same_id = tuple(other for other in others if shares_id(other, node))
        for other in node.same_id:
            other.same_id = (*other.same_id, node)
        others.append(node)

    def _go(self, node: Node) -> None:
        assert node.call is not None  # noqa: S101 - for the type checker
        if not node.is_repeat:
            self._dismiss(node)
        if node.call.layer is _MESSAGE and node.call.call_id:
            told = self._messages[_content(node)]
            told.remove(node)
            told.sort(key=_moment)
            if told and told[0].is_repeat:
                self._admit(told[0], node.call)

    def _dismiss(self, node: Node) -> None:
        self.unlink(node)
        for child in node.inner:
            child.is_inner = False
            self._unsettle(self._pairs.enter(child))
        self._unsettle(self._pairs.leave(node))
        for other in node.same_id:
            other.same_id = _without(other.same_id, node)
        self._unsettle((*node.inner, *node.same_id))
        self._take_out(node)
        self._restless.pop(node.place.id, None)
        node.inner = node.same_id = ()
        others = self._by_id.get((node.call.call_id if node.call else None) or "", [])
        if node in others:
            others.remove(node)

    def link(self, node: Node) -> None:
        """What is around a node is known, or is another one now."""
        outer = node.enclosing
        if node.call is None or outer is None or not nests(outer, node):
            return
        if len(outer.inner) >= MOST_TOGETHER - 1:
            self._counters["crowded"] += 1
            return
        outer.inner = (*outer.inner, node)
        node.is_inner = True
        self._unsettle((node, *self._pairs.leave(node)))

    def unlink(self, node: Node) -> None:
        """What is around a node will be another one."""
        if node.is_inner and node.enclosing is not None:
            node.enclosing.inner = _without(node.enclosing.inner, node)
            node.is_inner = False
            self._unsettle((node, node.enclosing, *self._pairs.enter(node)))

    def regroup(self) -> None:
        """Look again at all that changed."""
        self._stand_alone()
        while self._restless:
            node = next(iter(self._restless.values()))
            reached = self._reach(node)
            if len(reached) > MOST_TOGETHER:
                self._counters["crowded"] += 1
                self._take_out(node)
                reached = [node]
                self._stand((node,))
            else:
                for cluster in clusters(reached):
                    self._stand(cluster)
            for each in reached:
                self._restless.pop(each.place.id, None)

    def _reach(self, start: Node) -> list[Node]:
        """All that can be joined with a node, directly or through others; cut off where it is too much."""
        found = {start.place.id: start}
        queue = [start]
        for node in queue:
            for other in _near(node):
                if other.place.id not in found:
                    found[other.place.id] = other
                    queue.append(other)
            if len(found) > MOST_TOGETHER:
                break
        return queue

    def _stand_alone(self) -> None:
        """Readings that stood for no call, and cannot be joined with any other: as most cannot."""
        joined: dict[str, Node] = {}
        for place_id, node in self._restless.items():
            if node.inner or node.same_id or node.pairs or node.is_inner or node.members:
                joined[place_id] = node
                continue
            self.touched[place_id] = None
            if node.call is not None and not node.call.fills:
                node.members, node.in_doubt = (node,), bool(node.doubts)
        self._restless = joined

    def _stand(self, cluster: tuple[Node, ...]) -> None:
        if all(node.call is not None and node.call.fills for node in cluster):
            self._stand_for_nothing(cluster)
            return
        in_doubt = any(
            node.pairs.get(key, node) in cluster for node in cluster for key in node.doubts
        )
        if all(node.members == cluster and node.in_doubt is in_doubt for node in cluster):
            return
        for node in cluster:
            self.touched[node.group.place.id] = None
        for node in cluster:
            node.members, node.in_doubt = cluster, in_doubt
        self.touched[cluster[0].place.id] = None

    def _stand_for_nothing(self, cluster: tuple[Node, ...]) -> None:
        """These only add to a call, and the call is not there."""
        for node in cluster:
            self.touched[node.group.place.id] = None
            node.members = ()

    def _take_out(self, node: Node) -> None:
        """From the call that it stood for together with others."""
        self.touched[node.group.place.id] = None
        rest = _without(node.members, node)
        for other in rest:
            other.members = rest
            self.touched[other.group.place.id] = None
        self._unsettle(rest)
        node.members = ()

    def _unsettle(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._restless[node.place.id] = node


def _near(node: Node) -> Iterator[Node]:
    yield from node.members
    yield from node.inner
    yield from node.same_id
    yield from node.pairs.values()
    if node.is_inner and node.enclosing is not None:
        yield node.enclosing


def _without(nodes: tuple[Node, ...], node: Node) -> tuple[Node, ...]:
    return tuple(other for other in nodes if other is not node)


def _moment(node: Node) -> tuple[int, str]:
    return (node.place.start_ns or 0, node.place.id)


def _content(node: Node) -> bytes:
    """What a message says, whoever repeats it, for which agent, and wherever it stands there."""
    call = node.call
    assert call is not None  # noqa: S101 - for the type checker
    said = repr((node.place.scope.name, structs.replace(call, position=0, agent=None)))
    if ".0" in said:  # some pipelines write 17 as 17.0
        said = _WHOLE_FRACTION.sub(r"\1", said)
    return blake2b(said.encode(), digest_size=16).digest()
