"""Calls that are told twice and apart: a tool of an MCP server inside the agent's own process.

The agent's span names the tool `mcp__SERVER__TOOL`; the server's span is the root of another trace, or stands beside it,
without id or link. What ties them is the process, the tool, and that one ran while the other did. The agent's span tells more, so
the server's is no call. All spans of a server that ran inside one agent's span tell of its call: a client tries again. So a server
that also serves others in that process loses calls of theirs that ran in the same moment.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from hashlib import blake2b

from toolscore_otel.assembly.facts import mcp_name
from toolscore_otel.assembly.node import Place, own_call
from toolscore_otel.conventions.reading import Layer, SpanReading

MOST_REMEMBERED = 4096
"""Past this many tools (of one process each) the one that was silent longest is forgotten (counter `twins_forgotten`)."""

MOST_OF_A_TOOL = 64
"""Past this many spans of one tool in one process the oldest is forgotten; its twin then is a call of its own."""

_Key = tuple[bytes, str]


class Elsewhere:
    """Spans of all traces that may have a twin in another one.

    Args:
        counters: `twins_forgotten` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._hosts: OrderedDict[_Key, list[Place]] = OrderedDict()
        self._guests: OrderedDict[_Key, list[Place]] = OrderedDict()

    def is_twin(self, place: Place, reading: SpanReading) -> bool:
        """Whether what a server's span tells of is known from another trace; remembers it where it is not."""
        key = _guest_key(place, reading)
        if key is None:
            return False
        if any(_is_inside(place, host) for host in self._hosts.get(key, ())):
            return True
        self._remember(self._guests, key, place)
        return False

    def twins(self, place: Place, reading: SpanReading) -> Iterator[Place]:
        """The known server's spans that tell of the same call as an agent's span; remembers that one."""
        key = _host_key(place, reading)
        if key is None:
            return
        self._remember(self._hosts, key, place)
        known = self._guests.get(key, [])
        for guest in [guest for guest in known if _is_inside(guest, place)]:
            known.remove(guest)
            yield guest

    def _remember(self, places: OrderedDict[_Key, list[Place]], key: _Key, place: Place) -> None:
        known = places.setdefault(key, [])
        places.move_to_end(key)
        if place not in known:
            known.append(place)
            self._counters["twins_forgotten"] += len(known) > MOST_OF_A_TOOL
            del known[:-MOST_OF_A_TOOL]
        while len(places) > MOST_REMEMBERED:
            self._counters["twins_forgotten"] += len(places.popitem(last=False)[1])


def _guest_key(place: Place, reading: SpanReading) -> _Key | None:
    call = own_call(reading)
    if call is None or call.layer is not Layer.MCP_SERVER:
        return None
    return None if call.name is None or place.end_ns is None else (_process(place), call.name)


def _host_key(place: Place, reading: SpanReading) -> _Key | None:
    call = own_call(reading)
    if call is None or call.layer is not Layer.FRAMEWORK or place.end_ns is None:
        return None
    tool = mcp_name(call.name or "")
    return None if tool is None else (_process(place), tool)


def _process(place: Place) -> bytes:
    said = repr(sorted(place.resource.attributes.items(), key=lambda item: item[0]))
    return blake2b(said.encode(errors="replace"), digest_size=16).digest()


def _is_inside(guest: Place, host: Place) -> bool:
    is_apart = guest.parent is None or guest.parent == host.parent
    if not is_apart or (guest.trace_id == host.trace_id) is (guest.parent is None):
        return False
    times = (host.start_ns, guest.start_ns, guest.end_ns, host.end_ns)
    known = [time for time in times if time is not None]
    return len(known) == len(times) and known == sorted(known)
