"""Which readings tell of the same call.

Two readings can be joined where one span encloses the other directly (no agent or model call between), where they share
the model's call id, or where tool, time and order say so (`pairs`), and only if nothing that both observed differs. Two records of the same instrumentation on
the same layer are two calls, however equal: a tool that calls itself really ran twice. `nests` and `shares_id` say of
a pair whether it can be one call; `clusters` then decides for all readings that hang together in this way at once, so
that the order of arrival does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.waiting import is_made_again, waits
from toolscore_otel.conventions.reading import Layer, Spoken
from toolscore_otel.model import ContentState, Json

_MESSAGE, _CUT = Layer.MESSAGE, ContentState.TRUNCATED
_NOT_OBSERVED, _OBSERVED = ContentState.NOT_OBSERVED, ContentState.OBSERVED
_SAID_AND_REPEATED = {Spoken.NOW, Spoken.BEFORE}

LAYER_RANK = {Layer.FRAMEWORK: 0, Layer.MCP_CLIENT: 1, Layer.MCP_SERVER: 2, Layer.MESSAGE: 3}
"""Outermost first."""

_WHAT_RANK = {"span": 0, "log": 1, "request": 3, "response": 4}
"""The best witness first."""
_WAITING_RANK = 2

BY_ID = ("id", "")
"""In `Node.doubts`: several calls share the id that joins a reading to one of them."""


def nests(outer: Node, inner: Node) -> bool:
    """Whether a tool span and the tool span directly around it can tell of one call.

    An inner one without a name of its own (the part in which a tool runs) can only tell of the call around it. Any other
    inside the run of another agent is a call of that agent's.
    """
    if outer.call is None or inner.call is None or outer.model:
        return False
    if outer.agent and inner.call.name is not None:
        return False
    if _MESSAGE in (outer.call.layer, inner.call.layer):
        return False
    if inner.call.fills and inner.place.parent != outer.place.id:
        return False
    apart = inner.call.name is None or writer(outer) != writer(inner)
    return apart and outer.facts.agree(inner.facts)


def shares_id(one: Node, other: Node) -> bool:
    """Whether two readings with the same call id, neither around the other, can tell of one call."""
    if one.call is None or other.call is None or _are_two(one, other):
        return False
    if not one.facts.agree(other.facts):
        return False
    if is_made_again(one, other):
        return True
    return not (one.call.what == other.call.what == "span") or _distance([one], [other]) == 0


def writer(node: Node) -> tuple[object, ...]:
    """Which instrumentation says it, on which layer, and in which way."""
    call = node.call
    assert call is not None  # noqa: S101 - for the type checker
    return (call.layer, call.convention, node.place.scope.name, call.what, call.stage)


def _are_two(one: Node, other: Node) -> bool:
    """Whether two readings are of two calls, since one instrumentation wrote both; some write a message twice, and one is cut."""
    if writer(one) != writer(other):
        return False
    if one.place.span_id != other.place.span_id:
        return not (_is_repeated(one, other) or is_made_again(one, other))
    return _is_cut(one) is _is_cut(other)


def _is_repeated(one: Node, other: Node) -> bool:
    """Whether a later history repeats what the model said, and only one of both tells the arguments.

    botocore leaves out `{}` in what the model says, and writes it in the history (0.66).
    """
    is_repeat = {one.spoken, other.spoken} == _SAID_AND_REPEATED
    return is_repeat and _lacks_arguments(one) is not _lacks_arguments(other)


def _lacks_arguments(node: Node) -> bool:
    return node.call is not None and node.call.args.state is _NOT_OBSERVED


def _is_cut(node: Node) -> bool:
    """Whether it is a message that a length limit has cut."""
    call = node.call
    if call is None or call.layer is not _MESSAGE:
        return False
    return _CUT in (call.args.state, call.result.state)


def clusters(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The calls that these readings tell of.

    Args:
        nodes: readings of calls, with all that they can be joined with.

    Returns:
        Each call's readings, the outermost first.
    """
    for node in nodes:
        node.doubts -= {BY_ID}
    if len(nodes) == 1:
        return [(nodes[0],)]
    groups = list(_nested(nodes))
    messages = _together(group for group in groups if group.is_message)
    spans = (group for group in groups if not group.is_message)
    return [group.in_order() for group in _together((*spans, *messages))]


def _together(groups: Iterable[_Group]) -> list[_Group]:
    """Groups that tell of the same call as one; messages are put together first, or each would look for a span of its own."""
    standing: list[_Group] = []
    for group in sorted(groups, key=lambda g: g.precedence):
        same = [other for other in standing if other.is_same(group)]
        if same:
            nearest = min(same, key=group.farness)
            nearest.absorb(group, by_guess=_is_guess(group, nearest, same))
        else:
            standing.append(group)
    return standing


def _is_guess(group: _Group, nearest: _Group, same: Sequence[_Group]) -> bool:
    """Whether another group would do as well, all having one id, none being nearer and none alone having the answer."""
    farness = group.farness(nearest)[:2]
    return any(each is not nearest and group.farness(each)[:2] == farness for each in same)


def _nested(nodes: Sequence[Node]) -> Iterable[_Group]:
    known = {node.place.id for node in nodes}
    depths = {node.place.id: sum(1 for _ in _around(node, known)) for node in nodes}
    groups: dict[str, _Group] = {}
    for node in sorted(nodes, key=lambda n: (depths[n.place.id], *_time(n))):
        around = next(_around(node, known), None)
        group = None if around is None else groups[around.place.id]
        if group is None or not group.takes_inner(node):
            group = _Group(depths)
        group.add(node)
        groups[node.place.id] = group
    return {id(group): group for group in groups.values()}.values()


def _around(node: Node, known: Iterable[str]) -> Iterator[Node]:
    """The nodes around it of which it may be the inner one, from the nearest outward."""
    while node.is_inner and node.enclosing is not None and node.enclosing.place.id in known:
        node = node.enclosing
        yield node


def _time(node: Node) -> tuple[int, str]:
    return (node.place.start_ns or 0, node.place.id)


class _Group:
    """Readings of one call, while they are put together."""

    def __init__(self, depths: dict[str, int]) -> None:
        self.members: list[Node] = []
        self._facts = Facts()
        self._writers: set[tuple[object, ...]] = set()
        self._depths = depths

    def add(self, node: Node) -> None:
        self.members.append(node)
        self._facts = self._facts.with_(node.facts)
        self._writers.add(writer(node))

    def takes_inner(self, node: Node) -> bool:
        """Whether a node inside one of its members tells of the same call; siblings may be attempts at it."""
        if not self._facts.agree(node.facts):
            return False
        if node.call is not None and node.call.name is None:
            return True
        ours = {member.place.id for member in self.members}
        return all(writer(around) != writer(node) for around in _around(node, ours))

    def is_same(self, other: _Group) -> bool:
        """Whether both tell of one call, by its id or by what runs before and after it."""
        if not self._facts.agree(other._facts) or self._is_of_two_calls(other):
            return False
        return any(
            one in node.same_id or one in node.pairs.values()
            for node in other.members
            for one in self.members
        )

    def _is_of_two_calls(self, other: _Group) -> bool:
        return not self._writers.isdisjoint(other._writers) and any(
            _are_two(one, node) for one in self.members for node in other.members
        )

    @property
    def is_message(self) -> bool:
        """Whether nothing but messages tell of it."""
        return all(node.call is not None and node.call.layer is _MESSAGE for node in self.members)

    def absorb(self, other: _Group, *, by_guess: bool) -> None:
        """Take in what tells of the same call."""
        for node in other.members:
            self.add(node)
            if by_guess:
                node.doubts |= {BY_ID}

    def farness(self, other: _Group) -> tuple[int, bool, int]:
        """How little another one fits: by time, then by what was answered, which of several attempts the last one gives."""
        answers = self._results("response")
        is_other = bool(answers) and not any(r in answers for r in other._results("span", "log"))
        began = max((node.place.start_ns or 0 for node in other.members), default=0)
        return _distance(self.members, other.members), is_other, -began if answers else 0

    def _results(self, *told_by: str) -> list[Json]:
        calls = [node.call for node in self.members if node.call is not None]
        return [c.result.value for c in calls if c.what in told_by and c.result.state is _OBSERVED]

    @property
    def precedence(self) -> tuple[object, ...]:
        """The best witnesses first, then by start."""
        first = self.in_order()[0]
        return (min(_witness(node) for node in self.members), *_time(first))

    def in_order(self) -> tuple[Node, ...]:
        return tuple(sorted(self.members, key=self._outwardness))

    def _outwardness(self, node: Node) -> tuple[object, ...]:
        layer = node.call.layer if node.call is not None else Layer.FRAMEWORK
        depth = self._depths[node.place.id]
        start, place_id = _time(node)
        return (
            _witness(node),
            depth,
            LAYER_RANK[layer],
            start,
            -(node.place.end_ns or 0),
            place_id,
        )


def _witness(node: Node) -> int:
    assert node.call is not None  # noqa: S101 - for the type checker
    return _WAITING_RANK if waits(node) else _WHAT_RANK[node.call.what]


def _interval(nodes: Sequence[Node]) -> tuple[int | None, int | None]:
    starts = [node.place.start_ns for node in nodes if node.place.start_ns is not None]
    ends = [node.place.end_ns for node in nodes if node.place.end_ns is not None]
    return min(starts, default=None), max(ends, default=None)


def _distance(ours: Sequence[Node], theirs: Sequence[Node]) -> int:
    """Nanoseconds between two stretches of time; 0 where they overlap, or may do so."""
    (a, b), (c, d) = _interval(ours), _interval(theirs)
    if a is None or b is None or c is None or d is None:
        return 0
    return max(0, a - d, c - b)
