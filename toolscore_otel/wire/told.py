"""A protobuf `AnyValue` as JSON to be searched, and what was changed there written back into it.

Unlike in a span that is read, nothing is left out: bytes are told as their text, and of a key that comes twice both
values.
"""

from __future__ import annotations

import math

from toolscore_otel.model import Json
from toolscore_otel.wire.fields import MAX_DEPTH, Unreadable
from toolscore_otel.wire.proto_values import Message, parse


def told(value: Message, depth: int = 0) -> Json:
    """What is in a value; lists and objects in its order.

    Args:
        value: `AnyValue`.
        depth: how many lists and objects it stands in.

    Raises:
        Unreadable: it nests deeper than anything that is read, or is broken inside.
    """
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if depth > MAX_DEPTH:
        raise Unreadable("a value that nests too deeply")
    content = getattr(value, kind)
    match kind:
        case "array_value":
            return [told(entry, depth + 1) for entry in parse("ArrayValue", content).values]
        case "kvlist_value":
            pairs = parse("KeyValueList", content).values
            members = [(pair.key, told(pair.value, depth + 1)) for pair in pairs]
            found = dict(members)
            return found if len(found) == len(members) else [{key: one} for key, one in members]
        case "bytes_value":
            return content.decode("utf-8", "replace")
        case "double_value":
            return content if math.isfinite(content) else None
        case _:
            return content


def write(value: Message, clean: Json) -> None:
    """Change a value into what was made of what it told; whatever is no text stays as it was.

    Args:
        value: `AnyValue`; changed in place.
        clean: of the shape that `told` gave.
    """
    match value.WhichOneof("value"):
        case "string_value":
            value.string_value = clean
        case "bytes_value":
            if clean != value.bytes_value.decode("utf-8", "replace"):
                value.bytes_value = clean.encode()
        case "array_value":
            array = parse("ArrayValue", value.array_value)
            for entry, new in zip(array.values, clean, strict=True):
                write(entry, new)
            value.array_value = array.SerializeToString()
        case "kvlist_value":
            kvlist = parse("KeyValueList", value.kvlist_value)
            for pair, (key, new) in zip(kvlist.values, _members(clean), strict=True):
                pair.key = key
                write(pair.value, new)
            value.kvlist_value = kvlist.SerializeToString()
        case _:
            pass


def _members(clean: Json) -> list[tuple[str, Json]]:
    objects: list[dict[str, Json]] = [clean] if isinstance(clean, dict) else clean
    return [member for one in objects for member in one.items()]
