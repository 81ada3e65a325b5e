"""Attributes and values of the SDK without the secrets in them; the same object where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolscore_otel.model import Json
from toolscore_otel.secrets import Cleaner

_PLAIN = (str, int, float, bool, type(None))


def clean_attributes(given: dict[str, Any], cleaner: Cleaner) -> dict[str, Any]:
    """Attributes without secrets in names and values; one of which nothing may stay is left out."""
    if not given or not cleaner.finds(_readable(given)):
        return given
    found: dict[str, Any] = {}
    for key, value in given.items():
        clean = clean_value(key, value, cleaner)
        if clean is not None or value is None:
            name = cleaner.name(key)
            found[name if name not in found else f"{name} {len(found)}"] = clean
    return found


def clean_value(key: str, value: Any, cleaner: Cleaner) -> Any:
    """A value without secrets, however it nests; None where nothing of it may stay.

    Args:
        key: what it stands under, which may tell what it is.
        value: what the SDK holds.
        cleaner: of the clauses in force.

    Raises:
        RecursionError: it nests too deeply to be searched, or in itself.
    """
    told = _readable({key: value})[key]
    clean = cleaner.value(key, told)
    return value if clean is told else clean


def _readable(told: dict[str, Any]) -> dict[str, Json]:
    """What the SDK holds, as JSON: bytes as their text, anything unknown by its own."""
    if all(_is_plain(value) for value in told.values()):
        return told
    return {key: _as_json(value) for key, value in told.items()}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(entry, _PLAIN) for entry in cast("Sequence[Any]", value))
    return isinstance(value, _PLAIN)


def _as_json(value: Any) -> Json:
    match value:
        case str() | int() | float() | None:
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return {str(key): _as_json(entry) for key, entry in entries.items()}
        case Sequence():
            return [_as_json(entry) for entry in cast("Sequence[object]", value)]
        case _:
            return str(value)
