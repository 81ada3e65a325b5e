"""A serialised span with findings written on it and secrets taken out of it.

What is not changed keeps its bytes: fields in their order, unknown ones too, on every level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolscore_otel.assembly import Place
from toolscore_otel.model import Json
from toolscore_otel.secrets import Cleaner
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.passing import PassingSpan
from toolscore_otel.wire.proto_fields import LENGTH, Field, fields, replaced, varint
from toolscore_otel.wire.proto_messages import MESSAGES
from toolscore_otel.wire.proto_values import Message, parse
from toolscore_otel.wire.told import told, write
from toolscore_otel.wire.write_proto import pairs_of

AttributeValue = str | int | float | bool
Event = tuple[str, Mapping[str, AttributeValue]]
"""Name and attributes of a span event."""

_NAME, _ATTRIBUTES, _EVENTS, _LINKS, _STATUS = 5, 9, 11, 13, 15
_EVENT_NAME = 2
_INNER_ATTRIBUTES = {_EVENTS: 3, _LINKS: 4}
"""Field numbers."""

UNREADABLE = "[REDACTED:unreadable]"
"""Stands for an attribute that cannot be searched: it nests too deeply, or is broken inside."""

_EVENT_TAG = varint(_EVENTS << 3 | LENGTH)
_STATUS_TEXT = "message"


def may_change(span: PassingSpan, cleaner: Cleaner) -> bool:
    """Whether `without_secrets` may take something out of a span: one look at all that it carries.

    False is certain, and spares parsing it again.

    Args:
        span: of interest.
        cleaner: of the clauses in force.
    """
    read = span.span()
    if not span.shows_all:
        return True
    inner = [event.attributes for event in read.events] + [link.attributes for link in read.links]
    names = [read.name, *(event.name for event in read.events)]
    return cleaner.may_find([read.attributes, {_STATUS_TEXT: read.status_message}, *inner, names])


def with_events(raw: bytes, events: Sequence[Event], time_ns: int) -> bytes:
    """A span with more events, behind its own.

    Args:
        raw: a serialised `Span`.
        events: to be added; not searched for secrets.
        time_ns: when they happened, since the epoch.
    """
    return b"".join((raw, *(_event(name, attributes, time_ns) for name, attributes in events)))


def without_secrets(raw: bytes, cleaner: Cleaner) -> bytes:
    """A span with fewer secrets; the same object where nothing changes.

    Args:
        raw: a serialised `Span`.
        cleaner: searches names, all attributes, events, links and the status text.

    Raises:
        Unreadable: the bytes are no span.
    """
    parse("Span", raw)

    def event_name(field: Field, content: bytes) -> bytes:
        return clean_name(content, cleaner) if field.number == _EVENT_NAME else content

    def change(field: Field, content: bytes) -> bytes:
        if field.number == _NAME:
            return clean_name(content, cleaner)
        if field.number == _EVENTS:
            content = replaced(content, event_name)
        if field.number in _INNER_ATTRIBUTES:
            return clean_attributes(content, _INNER_ATTRIBUTES[field.number], cleaner)
        return _clean_status(content, cleaner) if field.number == _STATUS else content

    return replaced(clean_attributes(raw, _ATTRIBUTES, cleaner), change)


def withheld(place: Place) -> bytes:
    """What goes on in the stead of a span that cannot be searched: its ids and times, and nothing that it carries."""
    written: bytes = MESSAGES["Span"](
        trace_id=bytes.fromhex(place.trace_id),
        span_id=bytes.fromhex(place.id),
        parent_span_id=bytes.fromhex(place.parent or ""),
        name=UNREADABLE,
        start_time_unix_nano=place.start_ns or 0,
        end_time_unix_nano=place.end_ns or 0,
    ).SerializeToString()
    return written


def _event(name: str, attributes: Mapping[str, AttributeValue], time_ns: int) -> bytes:
    event = MESSAGES["Event"](
        time_unix_nano=time_ns, name=name, attributes=pairs_of(attributes)
    ).SerializeToString()
    return b"".join((_EVENT_TAG, varint(len(event)), event))


class _Pair(Struct):
    """One attribute.

    Attributes:
        message: `KeyValue`.
        value: what it tells.
        is_readable: whether it could be searched.
    """

    message: Message
    value: Json
    is_readable: bool


def clean_name(content: bytes, cleaner: Cleaner) -> bytes:
    """The name of a span or an event, as it may go on; the same object where there is no secret in it."""
    name = content.decode("utf-8", "replace")
    clean = cleaner.name(name)
    return content if clean is name else clean.encode("utf-8", "replace")


def clean_attributes(holder: bytes, number: int, cleaner: Cleaner) -> bytes:
    """A span, an event or a link with clean attributes."""
    pairs = [_pair(holder[f.start : f.end]) for f in fields(holder) if f.number == number]
    everything = [{pair.message.key: pair.value} for pair in pairs]
    if all(pair.is_readable for pair in pairs) and not cleaner.finds(everything):
        return holder
    rest = iter(pairs)
    names: set[str] = set()

    def change(field: Field, content: bytes) -> bytes | None:
        if field.number != number:
            return content
        return _clean_pair(content, next(rest), names, cleaner)

    return replaced(holder, change)


def _pair(content: bytes) -> _Pair:
    message = parse("KeyValue", content)
    try:
        return _Pair(message, told(message.value), is_readable=True)
    except Unreadable:
        message.value.string_value = UNREADABLE
        return _Pair(message, UNREADABLE, is_readable=False)


def _clean_pair(content: bytes, pair: _Pair, names: set[str], cleaner: Cleaner) -> bytes | None:
    """The bytes of an attribute, as they may go on; None for one that may not.

    Args:
        content: as they are.
        pair: the same, read.
        names: of the attributes before it; its own is added.
        cleaner: of all of them.
    """
    message = pair.message
    clean = cleaner.value(message.key, pair.value)
    if clean is None and pair.value is not None:
        return None
    name = cleaner.name(message.key)
    if name != message.key and name in names:
        name = f"{name} {len(names)}"
    names.add(name)
    if pair.is_readable and clean == pair.value and name == message.key:
        return content
    message.key = name
    write(message.value, clean)
    written: bytes = message.SerializeToString()
    return written


def _clean_status(content: bytes, cleaner: Cleaner) -> bytes:
    status = parse("Status", content)
    clean = cleaner.value(_STATUS_TEXT, status.message)
    if clean == status.message:
        return content
    status.message = clean or ""
    written: bytes = status.SerializeToString()
    return written
