"""Whatever text of a reading comes from outside, no secret in it is written: a field that is added is looked at, too."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
import pytest

from toolscore_otel.assembly import Place, Taken
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import InstrumentationScope, Payload, Resource, ToolSchema
from toolscore_otel.secrets import Fingerprints, Sealer
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.kept import entries_as_bytes, entries_of_bytes

SECRET = make_sample("aws_access_key_id", 1)
SEALER = Sealer((), Fingerprints(b"key"))
OURS = {"convention", "what", "digest", "family", "kind", "fingerprint", "place", "looked_for"}
"""Fields whose texts are our own."""


def with_a_secret(kind: Any) -> Iterator[Any]:
    """Records of a type, each with a secret in another one of its texts."""
    fields = msgspec.structs.fields(kind)
    needed = {f.name: () if f.name == "looked_for" else "ours" for f in fields if f.required}
    for one in fields:
        if one.name not in OURS:
            for value in values(one.type):
                yield kind(**{**needed, one.name: value})


def values(kind: Any) -> Iterator[Any]:
    """Values of a type that hold a secret."""
    parts = [part for part in get_args(kind) if part is not Ellipsis]
    if kind is str:
        yield SECRET
    elif kind is ToolSchema:
        yield ToolSchema({"default": SECRET})
    elif get_origin(kind) in (Union, UnionType):
        for part in parts:
            yield from values(part)
    elif get_origin(kind) is tuple:
        for at, part in enumerate(parts):
            for value in values(part):
                yield tuple(value if n == at else "ours" for n in range(len(parts)))
    elif get_origin(kind) is dict:
        yield from ({SECRET: value} for value in values(parts[1]))
        yield from ({"ours": value} for value in values(parts[1]))
    elif kind is not Payload and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from with_a_secret(kind)


READINGS = list(with_a_secret(SpanReading))


def written(place: Place, reading: SpanReading | None) -> bytes:
    return entries_as_bytes([Taken(place, reading, 1)], SEALER, lambda _resource: 1)


@pytest.mark.parametrize("reading", READINGS)
def test_no_text_of_a_reading_is_written_with_a_secret(reading):
    data = written(Place("t", "a", None, "a"), reading)
    assert SECRET.encode() not in data
    (kept,) = entries_of_bytes(data, "t", lambda _number: Resource())
    assert isinstance(kept, Taken)


def test_texts_are_looked_for_at_any_depth():
    told = "".join(map(repr, READINGS))
    assert len(READINGS) > 20
    assert all(
        f"{name}='{SECRET}'" in told for name in ("call_id", "rpc", "session", "response_id")
    )


@pytest.mark.parametrize("scope", [InstrumentationScope(SECRET, "1"), InstrumentationScope("x", SECRET)])  # fmt: skip
@pytest.mark.parametrize("reading", [None, SpanReading()])
def test_no_scope_is_written_with_a_secret(scope, reading):
    data = written(Place("t", "a", None, "a", scope=scope), reading)
    assert SECRET.encode() not in data
    (kept,) = entries_of_bytes(data, "t", lambda _number: Resource())
    assert "[REDACTED:" in repr(kept)
