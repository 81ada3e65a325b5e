"""One spelling per JSON value, for equality of arguments and results.

Keys are sorted, there is no white space, and `1.0` is written `1`. Two values have the same bytes just when they are equal
as JSON. What JSON lacks has bytes too: NaN (equal to itself), infinities, lone surrogates, integers of any size.
"""

from __future__ import annotations

import json
import math
from hashlib import blake2b
from operator import itemgetter
from typing import Any

import msgspec

from toolscore_otel.matchers.value import is_list, is_object
from toolscore_otel.model import Json

DIGEST_BYTES = 16

_encoder = msgspec.json.Encoder(order="deterministic")


def canonical(value: Json) -> bytes:
    """The canonical JSON of a value. Safe at any depth."""
    if isinstance(value, float):
        return _atom(value)
    try:
        fast = _encoder.encode(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return _write(value)
    return _write(value) if _holds_float(value) else fast


def _holds_float(value: Json) -> bool:
    """Whether the fast encoder wrote a float in its own way: `1.0` for `1`, `null` for NaN."""
    pending = [value]
    while pending:
        node = pending.pop()
        if is_object(node):
            pending.extend(node.values())
        elif is_list(node):
            pending.extend(node)
        elif isinstance(node, float):
            return True
    return False


def digest(value: Json) -> bytes:
    """A hash of the canonical JSON, 16 bytes, the same on every machine."""
    return hashed(canonical(value))


def hashed(written: bytes) -> bytes:
    """The same, of a canonical JSON that is there already."""
    return blake2b(written, digest_size=DIGEST_BYTES).digest()


def _write(value: Json) -> bytes:
    """Write without recursion: what is pending is text that is ready, or a value that is not."""
    out: list[bytes] = []
    pending: list[tuple[bool, Any]] = [(False, value)]
    while pending:
        is_ready, item = pending.pop()
        if is_ready:
            out.append(item)
        elif is_object(item):
            out.append(b"{")
            pending.extend(reversed(_members(item)))
        elif is_list(item):
            out.append(b"[")
            pending.extend(reversed(_elements(item)))
        else:
            out.append(_atom(item))
    return b"".join(out)


def _members(items: dict[Any, Any]) -> list[tuple[bool, Any]]:
    parts: list[tuple[bool, Any]] = []
    for key, item in sorted(((str(key), item) for key, item in items.items()), key=itemgetter(0)):
        parts += ((True, (b"," if parts else b"") + _text(key) + b":"), (False, item))
    return [*parts, (True, b"}")]


def _elements(items: list[Any]) -> list[tuple[bool, Any]]:
    parts: list[tuple[bool, Any]] = []
    for item in items:
        if parts:
            parts.append((True, b","))
        parts.append((False, item))
    return [*parts, (True, b"]")]


def _atom(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"null", True: b"true", False: b"false"}[value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value).encode()
        return _integer(int(value)) if value.is_integer() else repr(value).encode()
    return _integer(value) if isinstance(value, int) else _text(repr(value))


def _integer(value: int) -> bytes:
    try:
        return str(value).encode()
    except ValueError:  # more digits than Python writes
        return hex(value).encode()


def _text(value: str) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()
