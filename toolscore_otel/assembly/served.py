"""Calls of an MCP client that its server tells of in another trace, since the context was not passed on.

What ties the two are the session and the request (`CallReading.rpc`), a link from the span of one to that of the other, or the
model's call id: one that a provider made up, or within what ties their traces (`ties`), or where the server ran while the client
waited for the same tool with the same arguments. Ids come again where answers of models are kept, and so do sessions that count:
what is far apart in time is tied by a link alone. One client's call is one server's: where more would do, those are looked at of
which the server's ran inside the client's, and where that leaves more than one, none is the other's.

The client's call stands. It has its place, its times and its id; the server fills what it does not know, and tells how it ended.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.assembly.hearing import by_path
from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.retold import Name, agree, filled
from toolscore_otel.assembly.ties import Told, are_tied, is_made_up
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.conventions import mcp
from toolscore_otel.conventions.reading import Layer
from toolscore_otel.model import NEVER, Gap, Status, ToolCall

MOST_SERVED = 16_384
"""Past this many calls of clients and servers the oldest is forgotten (counter `across_forgotten`)."""

MOST_SIDES = 8
"""Past this many calls that share a session and request, a link or a call id, it ties only those that ran inside of each other,
of so many that began before a call, and after it (counter `crowded`)."""

FARTHEST_NS = 600_000_000_000
"""A client that gave up may have ended so long before its server began, and their clocks may differ."""

_CLIENT, _SERVER = Layer.MCP_CLIENT, Layer.MCP_SERVER

_Key = tuple[str, str]

_Sharer = tuple[int, Name]
"""By start."""


class Side(Struct, frozen=True):
    """A call as one side of MCP tells of it.

    Attributes:
        told: by its own trace.
        keys: by what the other side may be found.
        spans: those of the keys that are its own spans.
    """

    told: Told
    is_server: bool
    keys: tuple[_Key, ...]
    spans: frozenset[_Key]


def is_of_mcp(call: ToolCall) -> bool:
    """Whether a span of MCP tells of a call."""
    if len(call.sources) == 1:  # most
        return call.convention == mcp.CONVENTION
    return any(source.convention == mcp.CONVENTION for source in call.sources)


def side_of(told: Told, trace: TraceAssembly) -> Side | None:
    """As which side of MCP a call of it is told; None where by neither, or by both, or by one of several spans under one id.

    A framework's span that has MCP's attributes stands for the client's.
    """
    sources = told.call.sources
    if Gap.SPAN_ID_REUSED in told.call.gaps:
        return None
    found = (trace.nodes.get(source.span_id or "") for source in sources if source.what == "span")
    nodes = [node for node in found if node is not None and node.call is not None]
    sides = [node for node in nodes if _is_side(node)]
    layers = [node.call.layer for node in nodes if node.call is not None]
    is_server = _SERVER in layers
    if not sides or (is_server and (_CLIENT in layers or layers[0] is not _SERVER)):
        return None
    spans = frozenset(("span", f"{node.place.trace_id}:{node.place.id}") for node in sides)
    keys = {*spans, *(("span", link) for node in sides for link in node.place.links)}
    keys |= {("rpc", node.call.rpc) for node in sides if node.call is not None and node.call.rpc}
    if told.call.call_id:
        keys.add(("id", told.call.call_id))
    return Side(told, is_server, tuple(sorted(keys)), spans)


def _is_side(node: Node) -> bool:
    return node.call is not None and (
        node.call.layer in (_CLIENT, _SERVER) or node.call.rpc is not None
    )


class Served:
    """Calls that one side of MCP tells of, of all traces.

    Args:
        counters: `across_forgotten` counts calls past the cap, `crowded` those past the cap of what they share.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._sides: OrderedDict[Name, Side] = OrderedDict()
        self._by_key: dict[_Key, list[_Sharer]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._sides

    def __len__(self) -> int:
        return len(self._sides)

    def take(self, gone: Iterable[Name], come: Mapping[Name, Side]) -> Sequence[Name]:
        """What goes and comes; returns all that may be another side's now, or no more, itself included."""
        touched = dict.fromkeys((*(name for name in gone if name in self._sides), *come))
        near = self._near(touched)
        for name in touched.keys() & self._sides.keys():
            self._drop(name)
        for name, side in come.items():
            self._sides[name] = side
            for key in side.keys:
                insort(self._by_key.setdefault(key, []), _sharer(name, side))
                self._counters["crowded"] += self._is_crowded(key)
        near |= self._near(touched)
        while len(self._sides) > MOST_SERVED:
            self._drop(next(iter(self._sides)))
            self._counters["across_forgotten"] += 1
        near |= self._near(near)
        return [name for name in (touched | near) if name in self._sides]

    def told(self, name: Name) -> ToolCall:
        """A known call, as its own trace tells of it."""
        return self._sides[name].told.call

    def client_of(self, name: Name) -> Name | None:
        """The call of a client that a server's is; None for any other."""
        return self._other(name) if self._sides[name].is_server else None

    def whole(self, name: Name) -> Told:
        """A known call, and if it is a client's, with what its server tells of it."""
        side = self._sides[name]
        server = None if side.is_server else self._other(name)
        if server is None:
            return side.told
        return structs.replace(side.told, call=_with(side.told.call, self.told(server)))

    def _drop(self, name: Name) -> None:
        side = self._sides.pop(name)
        for key in side.keys:
            sharers = self._by_key[key]
            del sharers[bisect_left(sharers, _sharer(name, side))]
            if not sharers:
                del self._by_key[key]

    def _near(self, names: Iterable[Name]) -> dict[Name, None]:
        """All that share something with these."""
        known = [name for name in names if name in self._sides]
        return {
            other: None
            for name in known
            for key in self._sides[name].keys
            for other in self._sharers(key, name)
        }

    def _sharers(self, key: _Key, name: Name) -> Iterable[Name]:
        sharers = self._by_key[key]
        if self._is_crowded(key):
            at = bisect_left(sharers, _sharer(name, self._sides[name]))
            sharers = sharers[max(0, at - MOST_SIDES) : at + MOST_SIDES + 1]
        return [other for _, other in sharers]

    def _is_crowded(self, key: _Key) -> bool:
        return len(self._by_key[key]) > MOST_SIDES

    def _other(self, name: Name) -> Name | None:
        """The only one that is the other side of a call, if to that one it is, too."""
        found = self._others(name)
        return found[0] if len(found) == 1 and self._others(found[0]) == [name] else None

    def _others(self, name: Name) -> list[Name]:
        side = self._sides[name]
        found = {
            other: None
            for key in side.keys
            for other in self._sharers(key, name)
            if self._are_one(key, name, other)
        }
        if len(found) > 1:
            inside = [other for other in found if _is_inside(*_in_order(side, self._sides[other]))]
            return inside or list(found)
        return list(found)

    def _are_one(self, key: _Key, one: Name, other: Name) -> bool:
        mine, yours = self._sides[one], self._sides[other]
        if mine.is_server is yours.is_server or one[0] == other[0]:
            return False
        times = _in_order(mine, yours)
        if self._is_crowded(key) and not _is_inside(*times):
            return False
        if key[0] == "span":
            if key not in mine.spans | yours.spans:
                return False  # both link to the same third one
        elif _are_far_apart(*times):
            return False
        if key[0] == "id" and not _is_same_id(key[1], one, mine, other, yours):
            return False
        return agree(mine.told.call, yours.told.call)


def _is_same_id(call_id: str, one: Name, mine: Side, other: Name, yours: Side) -> bool:
    if is_made_up(call_id) or are_tied(one, mine.told, other, yours.told):
        return True
    ours, theirs = Facts.of_call(mine.told.call), Facts.of_call(yours.told.call)
    return ours.have_same_arguments(theirs) and _is_inside(*_in_order(mine, yours))


def _sharer(name: Name, side: Side) -> _Sharer:
    start_ns = side.told.call.start_ns
    return (NEVER if start_ns is None else start_ns, name)


def _in_order(mine: Side, yours: Side) -> tuple[ToolCall, ToolCall]:
    client, server = (yours, mine) if mine.is_server else (mine, yours)
    return client.told.call, server.told.call


def _is_inside(client: ToolCall, server: ToolCall) -> bool:
    times = (client.start_ns, server.start_ns, server.end_ns, client.end_ns)
    known = [time for time in times if time is not None]
    return len(known) == len(times) and known == sorted(known)


def _are_far_apart(client: ToolCall, server: ToolCall) -> bool:
    sooner, later = sorted((client, server), key=lambda call: call.start_ns or 0)
    end_ns = sooner.start_ns if sooner.end_ns is None else sooner.end_ns
    return (
        None not in (end_ns, later.start_ns) and (later.start_ns or 0) - (end_ns or 0) > FARTHEST_NS
    )


def _with(call: ToolCall, server: ToolCall) -> ToolCall:
    """A client's call with what its server knows better."""
    call = filled(call, server)
    gaps = set(call.gaps)
    if server.recorded_name and Gap.NAME_FROM_SPAN not in server.gaps:
        gaps.discard(Gap.NAME_FROM_SPAN)
    changes: dict[str, object] = {
        "sources": tuple(dict.fromkeys((*call.sources, *server.sources))),
        "attributes": {**server.attributes, **call.attributes} or call.attributes,
        "exposed": by_path((*call.exposed, *server.exposed)),
        "gaps": tuple(sorted(gaps)),
    }
    if server.status is Status.ERROR:
        changes |= {
            "status": Status.ERROR,
            "error_type": server.error_type or call.error_type,
            "error_message": server.error_message or call.error_message,
        }
    return structs.replace(call, **changes)
