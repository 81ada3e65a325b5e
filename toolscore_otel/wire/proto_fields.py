"""The fields of a serialised protobuf message, by their place in its bytes; and others in their stead.

What is replaced this way leaves every other byte as it was: the order of fields, unknown fields, odd encodings.

Source:
    https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
"""Wire forms."""

_SIZES = {FIXED64: 8, FIXED32: 4}
_MORE = 0x80
"""Bit of a varint's byte: another one follows."""


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        number: of the field.
        form: wire form.
        start: where its content begins: behind the tag and the length.
        end: one past its last byte.
        length_at: where its length stands, behind the tag; `start` for a field without.
    """

    number: int
    form: int
    start: int
    end: int
    length_at: int


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message, up to the first that is broken; what stands inside a group is passed over."""
    position = depth = 0
    while position < len(message):
        tag, position = _varint(message, position)
        form, length_at = tag & 7, position
        if form == LENGTH:
            size, position = _varint(message, position)
            end = position + size
        elif form == VARINT:
            _, end = _varint(message, position)
        elif form in _SIZES:
            end = position + _SIZES[form]
        elif form in (GROUP, END_GROUP):
            depth += 1 if form == GROUP else -1
            continue
        else:
            return
        if not depth:
            yield Field(tag >> 3, form, position, end, length_at)
        position = end


def replaced(message: bytes, change: Callable[[Field, bytes], bytes | None]) -> bytes:
    """A message with other contents in some of its fields; the same object where none changed.

    Args:
        message: as protobuf's own parser takes it.
        change: is given each field that has a length, and its content; returns what shall stand there (the same object
            to let it be), or None to take the field out.
    """
    parts: list[bytes] = []
    done = field_at = 0
    for field in fields(message):
        if field.form == LENGTH:
            content = message[field.start : field.end]
            new = change(field, content)
            if new is None:
                parts.append(message[done:field_at])
                done = field.end
            elif new is not content:
                parts += (message[done : field.length_at], varint(len(new)), new)
                done = field.end
        field_at = field.end
    return b"".join((*parts, message[done:])) if done else message


def varint(number: int) -> bytes:
    """A number that is not negative, as a varint."""
    written = bytearray()
    while number >= _MORE:
        written.append(number & 0x7F | _MORE)
        number >>= 7
    written.append(number)
    return bytes(written)


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    for at in range(position, len(message)):
        value |= (message[at] & 0x7F) << shift
        shift += 7
        if not message[at] & _MORE:
            return value, at + 1
    return value, len(message)
