"""One spelling per JSON value, for equality of arguments and results.

Keys are sorted, there is no white space, and `1.0` is written `1`. Two values have the same bytes just when they are equal
as JSON. What JSON lacks has bytes too: NaN (equal to itself), infinities, lone surrogates, integers of any size, a value that
holds itself.
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

CIRCLE = "[within itself]"
"""What stands where a value holds itself, which no JSON does."""

_PLAIN = frozenset({str, int, bool, type(None)})
_VALUE, _TEXT, _END = "value", "text", "end"

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
    pending: list[Any] = [value]
    for node in pending:  # which grows meanwhile
        if type(node) in _PLAIN:  # most are
            continue
        if is_object(node):
            pending += node.values()
        elif is_list(node):
            pending += node
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
    """Write without recursion: what is pending is text that is ready, a value that is not, or the end of one."""
    out: list[bytes] = []
    pending: list[tuple[Any, Any]] = [(_VALUE, value)]
    around: set[int] = set()
    while pending:
        what, item = pending.pop()
        if what is _TEXT:
            out.append(item)
        elif what is _END:
            around.remove(item)
        elif id(item) in around:
            out.append(_text(CIRCLE))
        elif (parts := _parts(item)) is None:
            out.append(_atom(item))
        else:
            around.add(id(item))
            pending.append((_END, id(item)))
            pending.extend(reversed(parts))
    return b"".join(out)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What an object or a list is written from; None for anything else."""
    if is_object(value):
        return _members(value)
    return _elements(value) if is_list(value) else None


def _members(items: dict[Any, Any]) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = [(_TEXT, b"{")]
    for key, item in sorted(((_key(key), item) for key, item in items.items()), key=itemgetter(0)):
        parts += ((_TEXT, (b"," if len(parts) > 1 else b"") + _text(key) + b":"), (_VALUE, item))
    return [*parts, (_TEXT, b"}")]


def _elements(items: list[Any]) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = [(_TEXT, b"[")]
    for item in items:
        if len(parts) > 1:
            parts.append((_TEXT, b","))
        parts.append((_VALUE, item))
    return [*parts, (_TEXT, b"]")]


def _key(key: Any) -> str:
    return key if isinstance(key, str) else written(key)


def _atom(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"null", True: b"true", False: b"false"}[value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value).encode()
        return _integer(int(value)) if value.is_integer() else repr(value).encode()
    return _integer(value) if isinstance(value, int) else _text(written(value))


def written(value: object) -> str:
    """What a value says of itself; its type where it raises instead."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever somebody else's object raises
        return object.__repr__(value)


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
