"""Values that were seen -> a JSON Schema that all of them satisfy, and that says no more than they show.

No value ever stands in it: no enum, no bound, no pattern. What a few values cannot show (that a key is required, that a
number has no decimals) is not said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from toolscore_otel.conventions.content import is_hidden
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

ENOUGH = 5
"""Values from which on it counts that something was so in all of them."""

MAX_DEPTH = 6
"""Levels of objects and arrays that are gone into."""

_KEY = re.compile(r"[A-Za-z_$][\w$.-]{0,63}", re.ASCII)
"""What a parameter is called; other keys (`2026-01-01`, an address) are data."""

_TYPES: dict[type[object], str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
}

MaySay = Callable[[str], bool]
"""Whether a name may be repeated."""


def schema_of(values: Sequence[Json], may_say: MaySay, depth: int = 0) -> dict[str, Json]:
    """The schema of values that stood in one place.

    Args:
        values: decoded; one that hides another (`[REDACTED]`) leaves the type open.
        may_say: keys that it refuses are left out.
        depth: levels above this place.
    """
    if not values or any(map(is_hidden, values)):
        return {}
    types = _types(values)
    schema: dict[str, Json] = {"type": types[0] if len(types) == 1 else types}
    if depth < MAX_DEPTH:
        objects = [value for value in values if is_mapping(value)]
        elements = [entry for value in values if is_list(value) for entry in value]
        if objects:
            schema |= _members(objects, may_say, depth + 1)
        if elements and (inner := schema_of(elements, may_say, depth + 1)):
            schema["items"] = inner
    return schema


def _types(values: Sequence[Json]) -> list[str]:
    found = {_type(value) for value in values}
    if "number" in found or ("integer" in found and len(values) < ENOUGH):
        found = (found - {"integer"}) | {"number"}
    return sorted(found)


def _type(value: Json) -> str:
    for kind, name in _TYPES.items():
        if isinstance(value, kind):
            return name
    return "object" if is_mapping(value) else "array"


def _members(objects: Sequence[Mapping[str, Json]], may_say: MaySay, depth: int) -> dict[str, Json]:
    """`properties` and `required`: keys of all the objects, or of enough of them."""
    by_key: dict[str, list[Json]] = {}
    for one in objects:
        for key, value in one.items():
            by_key.setdefault(key, []).append(value)
    if not all(_KEY.fullmatch(key) for key in by_key):
        return {}
    shown = {
        key: values
        for key, values in sorted(by_key.items())
        if len(values) >= min(ENOUGH, len(objects)) and may_say(key)
    }
    required = [key for key, values in shown.items() if len(values) == len(objects) >= ENOUGH]
    members: dict[str, Json] = {}
    if shown:
        members["properties"] = {k: schema_of(v, may_say, depth) for k, v in shown.items()}
    if required:
        members["required"] = required
    return members
