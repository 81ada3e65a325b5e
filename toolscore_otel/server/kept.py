"""What was taken in, as bytes and back, without the secrets in it.

A secret leaves a sealed mark (`secrets.seals`), so that rules find the same again. Where arguments, results and error
texts have none, what comes back is what went in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from toolscore_otel.assembly import Entry, Place, Taken
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import (
    ClosedBy,
    ContentState,
    InstrumentationScope,
    Json,
    Payload,
    Resource,
)
from toolscore_otel.secrets import Sealer

MARK = b"[REDACTED:"
"""Stands in the bytes of everything that a secret was taken out of."""

_JSON = (b"[", b"{")


class _Kept(Struct, frozen=True, array_like=True):
    """A `Taken`: the trace is known, and the resource is kept elsewhere under a number."""

    now: int
    id: str
    parent: str | None
    span_id: str | None
    start_ns: int | None
    end_ns: int | None
    ended: bool
    resource: int
    scope: str
    scope_version: str
    dropped: int
    is_log: bool
    reading: SpanReading | None
    attributes: dict[str, Json] = {}
    links: tuple[str, ...] = ()


_entries = msgspec.msgpack.Decoder(list[_Kept | str])


def packed(value: Any) -> bytes:
    """Plain data and records as bytes: MessagePack, or JSON where telemetry holds what that cannot carry."""
    try:
        return msgspec.msgpack.encode(value)
    except (ValueError, TypeError, OverflowError):  # integers past 64 bits, lone surrogates
        return json.dumps(msgspec.to_builtins(value)).encode()


def unpacked(data: bytes, decoder: msgspec.msgpack.Decoder[Any]) -> Any:
    """What `packed` was given.

    Raises:
        msgspec.ValidationError: it is something else.
    """
    if data.startswith(_JSON):
        return msgspec.convert(json.loads(data), decoder.type)
    return decoder.decode(data)


def entries_as_bytes(
    entries: Sequence[Entry], sealer: Sealer, number_of: Callable[[Resource], int]
) -> bytes:
    """Entries of one trace.

    Args:
        entries: in order.
        sealer: takes the secrets out.
        number_of: under which number a resource is kept.
    """
    taken = [entry for entry in entries if isinstance(entry, Taken)]
    readings = [each.reading for each in taken if each.reading is not None]
    told: list[Json] = [_told(reading) for reading in readings]
    told += (dict(each.place.attributes) for each in taken if each.place.attributes)
    told += {text for each in taken for text in (each.place.scope.name, each.place.scope.version)}
    is_clean = not sealer.holds_secret(told)
    keep = is_clean and not any(_is_partial(reading) for reading in readings)
    return packed(
        [
            _kept(entry, None if keep else sealer, number_of(entry.place.resource))
            if isinstance(entry, Taken)
            else entry.value
            for entry in entries
        ]
    )


def entries_of_bytes(
    data: bytes, trace_id: str, resource_of: Callable[[int], Resource]
) -> list[Entry]:
    """What `entries_as_bytes` was given.

    Raises:
        msgspec.ValidationError: it is something else.
    """
    return [
        ClosedBy(kept) if isinstance(kept, str) else _taken(kept, trace_id, resource_of)
        for kept in unpacked(data, _entries)
    ]


def without_secrets_of(resource: Resource, sealer: Sealer) -> Resource:
    """A resource with plain marks where a secret stood: command lines are attributes, too."""
    return Resource(sealer.plain(dict(resource.attributes)))


def sealed_place(place: Place, sealer: Sealer) -> Place:
    """A place without secrets in its scope and the attributes that it carries; its resource is kept elsewhere."""
    name, version = sealer.plain([place.scope.name, place.scope.version])
    attributes = sealer.plain(dict(place.attributes)) if place.attributes else place.attributes
    return structs.replace(place, scope=InstrumentationScope(name, version), attributes=attributes)


def sealed(reading: SpanReading, sealer: Sealer) -> SpanReading:
    """A reading without its secrets; the same object where there is none."""
    calls = tuple(_sealed_call(call, sealer) for call in reading.calls)
    if any(new is not old for new, old in zip(calls, reading.calls, strict=True)):
        reading = structs.replace(reading, calls=calls)
    if not sealer.holds_secret(_told(reading)):
        return reading
    return msgspec.convert(sealer.plain(msgspec.to_builtins(reading)), SpanReading)


def _kept(taken: Taken, sealer: Sealer | None, resource: int) -> _Kept:
    """The same as it is kept; without a sealer it is known to hold no secret."""
    place, reading, now = taken
    if sealer is not None:
        place = sealed_place(place, sealer)
        reading = None if reading is None else sealed(reading, sealer)
    return _Kept(
        now,
        place.id,
        place.parent,
        place.span_id,
        place.start_ns,
        place.end_ns,
        place.ended,
        resource,
        place.scope.name,
        place.scope.version,
        place.dropped,
        place.is_log,
        reading,
        dict(place.attributes),
        place.links,
    )


def _taken(kept: _Kept, trace_id: str, resource_of: Callable[[int], Resource]) -> Taken:
    place = Place(
        trace_id=trace_id,
        id=kept.id,
        parent=kept.parent,
        span_id=kept.span_id,
        start_ns=kept.start_ns,
        end_ns=kept.end_ns,
        ended=kept.ended,
        resource=resource_of(kept.resource),
        scope=InstrumentationScope(kept.scope, kept.scope_version),
        dropped=kept.dropped,
        is_log=kept.is_log,
        attributes=kept.attributes,
        links=kept.links,
    )
    return Taken(place, kept.reading, kept.now)


def _sealed_call(call: CallReading, sealer: Sealer) -> CallReading:
    args, result = _sealed_payload(call.args, sealer), _sealed_payload(call.result, sealer)
    message = sealer.value(call.error_message)
    if args is call.args and result is call.result and message is call.error_message:
        return call
    return structs.replace(call, args=args, result=result, error_message=message)


def _sealed_payload(payload: Payload, sealer: Sealer) -> Payload:
    value, text = payload.value, payload.text
    if value is not None:
        value = sealer.value(value)
    if text is not None:
        text = sealer.text(text, cut=payload.state is ContentState.TRUNCATED)
    if value is payload.value and text is payload.text:
        return payload
    return structs.replace(payload, value=value, text=text)


def _told(reading: SpanReading) -> list[Json]:
    """Everything that comes from outside. In names no secret belongs, and no rule looks for one."""
    told: list[Json] = [reading.conversation_id, reading.session, reading.scenario]
    for call in reading.calls:
        told += (call.name, call.call_id, call.agent, call.error_type, call.error_message)
        told += (call.agent_id, call.rpc)
        told += (call.args.value, call.args.text, call.result.value, call.result.text)
        told += [exposed.path for exposed in call.exposed]
    if reading.agent is not None:
        told.append(reading.agent.name)
    told += reading.named or ()
    if reading.offer is not None:
        tools = reading.offer.tools or {}
        told += [*tools, *(schema.schema for schema in tools.values())]
    if reading.heard is not None:
        told += [exposed.path for exposed in reading.heard.exposed]
    rolled = reading.agent.roll_up if reading.agent is not None else None
    for model in (reading.model, reading.logged, None if rolled is None else rolled.used):
        if model is not None:
            told += (model.model, model.provider, model.response_id)
    return told


def _is_partial(reading: SpanReading) -> bool:
    """Whether there is text that is no JSON: a secret in it may be cut."""
    return any(c.args.text is not None or c.result.text is not None for c in reading.calls)
