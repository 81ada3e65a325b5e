"""Attribute values of OTLP/JSON -> plain JSON values.

One that cannot be read costs its own value, not its span: it becomes None, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable

from toolscore_otel.model import Json
from toolscore_otel.wire import json_fields as fields
from toolscore_otel.wire.fields import MAX_DEPTH, Unreadable
from toolscore_otel.wire.stats import ReadStats


def attributes(pairs: Json, stats: ReadStats) -> dict[str, Json]:
    """Attributes as a flat dict; of a key that comes twice, the later value.

    Raises:
        Unreadable: it is no list of pairs with text keys.
    """
    found: dict[str, Json] = {}
    for pair in fields.as_list(pairs):
        try:  # most values are texts: look-ups only, this is where the time of a file goes
            key, content = pair["key"], pair["value"].get("stringValue")
        except (AttributeError, KeyError, TypeError):
            key = content = None
        if isinstance(content, str) and isinstance(key, str):
            found[key] = content
        else:
            entry = fields.as_object(pair)
            found[fields.text(entry.get("key"))] = value_or_none(entry.get("value"), stats)
    return found


def value_or_none(raw: Json, stats: ReadStats) -> Json:
    """One `AnyValue` as a JSON value; None, and counted, where it cannot be read."""
    try:
        return _value(raw, 0)
    except (Unreadable, RecursionError):
        stats.unreadable_values += 1
        return None


def _value(raw: Json, depth: int) -> Json:
    if raw is None:
        return None
    for kind, content in fields.as_object(raw).items():
        if content is not None and kind in _READERS:
            return _READERS[kind](content, depth)
    return None


def _array(content: Json, depth: int) -> list[Json]:
    inner = _deeper(depth)
    return [_value(entry, inner) for entry in _entries(content)]


def _kvlist(content: Json, depth: int) -> dict[str, Json]:
    inner = _deeper(depth)
    pairs = map(fields.as_object, _entries(content))
    return {fields.text(pair.get("key")): _value(pair.get("value"), inner) for pair in pairs}


def _entries(content: Json) -> list[Json]:
    return fields.as_list(fields.as_object(content).get("values"))


def _deeper(depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise Unreadable
    return depth + 1


def _boolean(content: Json, _: int) -> bool:
    if isinstance(content, bool):
        return content
    raise Unreadable


_READERS: dict[str, Callable[[Json, int], Json]] = {
    "stringValue": lambda content, _: fields.text(content),
    "boolValue": _boolean,
    "intValue": lambda content, _: fields.integer(content),
    "doubleValue": lambda content, _: fields.number(content),
    "arrayValue": _array,
    "kvlistValue": _kvlist,
    "bytesValue": lambda content, _: fields.text(content),
}
