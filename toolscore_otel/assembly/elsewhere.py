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
agent, the tokens, and that both ended in the same moment. The span stands: it has its place, what was asked for and what was
said. What the record tells beyond it (the model, the tokens of the cache, the cost) is said of the span, too (`SpanReading.logged`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from msgspec import structs

from toolscore_otel.assembly.facts import mcp_name
from toolscore_otel.assembly.node import Place, own_call
from toolscore_otel.conventions.coding_agents import LOGGING_SCOPES
from toolscore_otel.conventions.reading import Layer, SpanReading

MOST_REMEMBERED = 4096
"""Past this many tools (of one process each) and model calls the oldest is forgotten (counter `twins_forgotten`)."""

MOST_OF_A_KIND = 64
"""Past this many spans of one tool in one process the oldest is forgotten; its twin then is a call of its own."""

SAME_MOMENT_NS = 1_000_000_000
"""How far apart a span's end and its log record may be: the record is written beside it, before or after."""

_FRAMEWORK, _SERVER = Layer.FRAMEWORK, Layer.MCP_SERVER

TWIN = SpanReading(is_twin=True)
"""Said of a place whose call is told in another trace."""

_Key = tuple[object, ...]


class _Known(NamedTuple):
    """A place, and of a log record what it says of the model call on its span."""

    place: Place
    says: SpanReading | None = None


def of_twin(told: SpanReading) -> SpanReading:
    """Of what is told in another trace, what holds for the whole of this one, and what was heard on its span."""
    return structs.replace(
        TWIN,
        conversation_id=told.conversation_id,
        session=told.session,
        scenario=told.scenario,
        named=told.named,
        heard=told.heard,
    )


def may_have_twin(reading: SpanReading) -> bool:
    """Whether it is of the sort that another trace may tell, too; most are not."""
    if reading.model is not None:
        return True
    call = reading.calls[0] if reading.calls else None
    return (
        call is not None
        and call.name is not None
        and (call.layer is _SERVER or call.name.startswith("mcp__"))
        and own_call(reading) is call
    )


class Elsewhere:
    """Spans of all traces that may have a twin in another one.

    Args:
        counters: `twins_forgotten` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._hosts: OrderedDict[_Key, list[_Known]] = OrderedDict()
        self._guests: OrderedDict[_Key, list[_Known]] = OrderedDict()

    def is_twin(self, place: Place, reading: SpanReading) -> bool:
        """Whether what an inner span tells of is known from another trace; remembers it where it is not.

        A log record is remembered in any case: it may tell of a span still to come as well.
        """
        keys = list(_guest_keys(place, reading))
        is_known = any(
            _are_one(key, place, host.place) for key in keys for host in self._hosts.get(key, ())
        )
        guest = _Known(place, _said_of_span(place, reading))
        if not is_known or guest.says is not None:
            for key in keys:
                self._remember(self._guests, key, guest)
        return is_known

    def twins(self, place: Place, reading: SpanReading) -> Sequence[tuple[Place, SpanReading]]:
        """What is to be said elsewhere, now that this is known; remembers an outer span.

        Returns:
            The known inner spans and log records that tell of the same as an outer span, each with `TWIN`; that span with
            what a log record tells of it (`SpanReading.logged`), whichever of the two came first.
        """
        found: list[tuple[Place, SpanReading]] = []
        for key in _host_keys(place, reading):
            self._remember(self._hosts, key, _Known(place))
            known = self._guests.get(key, [])
            for guest in [guest for guest in known if _are_one(key, guest.place, place)]:
                if (guest.place, TWIN) not in found:
                    found.append((guest.place, TWIN))
                if guest.says is None:
                    known.remove(guest)
                else:
                    found.append((place, guest.says))
        if (said := _said_of_span(place, reading)) is not None:
            for key in _logged_keys(place, reading):
                hosts = [host.place for host in self._hosts.get(key, ())]
                found += ((host, said) for host in hosts if _are_one(key, place, host))
        return found

    def _remember(self, places: OrderedDict[_Key, list[_Known]], key: _Key, new: _Known) -> None:
        known = places.setdefault(key, [])
        places.move_to_end(key)
        if new not in known:
            known.append(new)
            self._counters["twins_forgotten"] += len(known) > MOST_OF_A_KIND
            del known[:-MOST_OF_A_KIND]
        while len(places) > MOST_REMEMBERED:
            self._counters["twins_forgotten"] += len(places.popitem(last=False)[1])


def _said_of_span(place: Place, reading: SpanReading) -> SpanReading | None:
    return SpanReading(logged=reading.model) if place.is_log and reading.model else None


def _guest_keys(place: Place, reading: SpanReading) -> Iterator[_Key]:
    if place.end_ns is None:
        return
    if place.is_log:
        yield from _logged_keys(place, reading)
    if place.parent is None:
        yield from _model_keys(reading)
    call = own_call(reading)
    if call is not None and call.layer is _SERVER and call.name is not None:
        yield ("mcp", _process(place), call.name)


def _host_keys(place: Place, reading: SpanReading) -> Iterator[_Key]:
    if place.end_ns is None:
        return
    yield from _model_keys(reading)
    if not place.is_log:
        yield from _logged_keys(place, reading)
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


def _logged_keys(place: Place, reading: SpanReading) -> Iterator[_Key]:
    """What the log record of a coding agent's model call shares with its span."""
    model = reading.model
    if model is None or not place.scope.name.startswith(LOGGING_SCOPES):
        return
    agent = next(scope for scope in LOGGING_SCOPES if place.scope.name.startswith(scope))
    if model.input_tokens is not None:
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
