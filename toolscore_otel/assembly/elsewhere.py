"""Spans that tell again, in a trace of their own, what a span of another trace tells better.

A tool of an MCP server inside the agent's own process: the agent's span names the tool `mcp__SERVER__TOOL`; the server's span
is the root of another trace, or stands beside it, without id or link. What ties them is the process, the tool, and that one
ran while the other did. All spans of a server that ran inside one agent's span tell of its call: a client tries again. So a
server that also serves others in that process loses calls of theirs that ran in the same moment.

A model call of a framework, and of the client library under it: where the second has no span around it, it is the root of
another trace. What ties them is the process, that one ran inside the other, and the response id, or the ids of the calls that
were asked for and answered. Two spans of one instrumentation are two model calls, whatever ids a model gives.

The outer span tells more, so the inner one says nothing.

A model call of a coding agent in its log, in the trace of its conversation or on another span. What ties it to its span are the
agent, the tokens, and that both ended in the same moment. Which of them tells more differs by agent.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from toolscore_otel.assembly.facts import mcp_name
from toolscore_otel.assembly.node import Place, own_call
from toolscore_otel.conventions.coding_agents import LOGGING_SCOPES, LOGS_TELL_MORE
from toolscore_otel.conventions.reading import Layer, SpanReading

MOST_REMEMBERED = 4096
"""Past this many tools (of one process each) and model calls the oldest is forgotten (counter `twins_forgotten`)."""

MOST_OF_A_KIND = 64
"""Past this many spans of one tool in one process the oldest is forgotten; its twin then is a call of its own."""

SAME_MOMENT_NS = 1_000_000_000
"""How far apart a span's end and its log record may be: the record is written beside it, before or after."""

_FRAMEWORK, _SERVER = Layer.FRAMEWORK, Layer.MCP_SERVER

_Key = tuple[object, ...]


def may_have_twin(reading: SpanReading) -> bool:
    """Whether it is of the sort that another trace may tell, too; most are not."""
    call = own_call(reading)
    return reading.model is not None or (
        call is not None
        and call.name is not None
        and (call.layer is _SERVER or mcp_name(call.name) is not None)
    )


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
        """Whether what an inner span tells of is known from another trace; remembers it where it is not."""
        keys = list(_guest_keys(place, reading))
        for key in keys:
            if any(_are_one(key, place, host) for host in self._hosts.get(key, ())):
                return True
        for key in keys:
            self._remember(self._guests, key, place)
        return False

    def twins(self, place: Place, reading: SpanReading) -> Sequence[Place]:
        """The known inner spans that tell of the same as an outer one; remembers that one."""
        found: list[Place] = []
        for key in _host_keys(place, reading):
            self._remember(self._hosts, key, place)
            known = self._guests.get(key, [])
            for guest in [guest for guest in known if _are_one(key, guest, place)]:
                known.remove(guest)
                if guest not in found:
                    found.append(guest)
        return found

    def _remember(self, places: OrderedDict[_Key, list[Place]], key: _Key, place: Place) -> None:
        known = places.setdefault(key, [])
        places.move_to_end(key)
        if place not in known:
            known.append(place)
            self._counters["twins_forgotten"] += len(known) > MOST_OF_A_KIND
            del known[:-MOST_OF_A_KIND]
        while len(places) > MOST_REMEMBERED:
            self._counters["twins_forgotten"] += len(places.popitem(last=False)[1])


def _guest_keys(place: Place, reading: SpanReading) -> Iterator[_Key]:
    if place.end_ns is None:
        return
    yield from _logged_keys(place, reading, place.is_log)
    if place.parent is None:
        yield from _model_keys(reading)
    call = own_call(reading)
    if call is not None and call.layer is _SERVER and call.name is not None:
        yield ("mcp", _process(place), call.name)


def _host_keys(place: Place, reading: SpanReading) -> Iterator[_Key]:
    if place.end_ns is None:
        return
    yield from _model_keys(reading)
    yield from _logged_keys(place, reading, not place.is_log)
    call = own_call(reading)
    if call is not None and call.layer is _FRAMEWORK and (tool := mcp_name(call.name or "")):
        yield ("mcp", _process(place), tool)


def _model_keys(reading: SpanReading) -> Iterator[_Key]:
    """What two spans share that tell of one model call."""
    if reading.model is None:
        return
    if reading.model.response_id:
        yield ("response", reading.model.response_id)
    ids = [(call.what, call.call_id) for call in reading.calls if call.call_id]
    if ids:
        yield ("calls", *ids)


def _logged_keys(place: Place, reading: SpanReading, of_log: bool) -> Iterator[_Key]:  # noqa: FBT001
    """What the log record of a coding agent's model call shares with its span.

    Args:
        place: of either.
        reading: of either.
        of_log: whether it takes the part that a log record has where the span tells more.
    """
    model = reading.model
    if model is None or not place.scope.name.startswith(LOGGING_SCOPES):
        return
    agent = next(scope for scope in LOGGING_SCOPES if place.scope.name.startswith(scope))
    if model.input_tokens is not None and of_log is not (agent in LOGS_TELL_MORE):
        yield ("logged", agent, place.resource.service, model.input_tokens, model.output_tokens)


def _process(place: Place) -> bytes:
    said = repr(sorted(place.resource.attributes.items(), key=lambda item: item[0]))
    return blake2b(said.encode(errors="replace"), digest_size=16).digest()


def _are_one(key: _Key, guest: Place, host: Place) -> bool:
    if key[0] == "logged":
        return abs((guest.end_ns or 0) - (host.end_ns or 0)) <= SAME_MOMENT_NS
    if not _is_inside(guest, host):
        return False
    if key[0] == "mcp":
        return (guest.parent is None) is not (guest.trace_id == host.trace_id)
    return (
        guest.trace_id != host.trace_id
        and (guest.start_ns, guest.end_ns) != (host.start_ns, host.end_ns)
        and guest.scope.name != host.scope.name
        and guest.resource.attributes == host.resource.attributes
    )


def _is_inside(guest: Place, host: Place) -> bool:
    if guest.parent is not None and guest.parent != host.parent:
        return False
    times = (host.start_ns, guest.start_ns, guest.end_ns, host.end_ns)
    known = [time for time in times if time is not None]
    return len(known) == len(times) and known == sorted(known)
