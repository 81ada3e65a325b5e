"""Plain data -> records, strictly, with everything that is wrong and not only the first of it.

msgspec stops at the first error and speaks to programmers; so a record is decoded field by field, and what msgspec says
is put into words that name what was expected and what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct, structs

from toolscore_otel.contracts.language import misplaced
from toolscore_otel.contracts.notes import Notes, listed, nearest, unknown
from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

S = TypeVar("S", bound=Struct)

_EXPECTED = re.compile(r"Expected `(.+?)`")
_BOUND = re.compile(r"Expected `.+?` ([<>]=) (.+)")
_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def decode(kind: type[S], data: Json, path: Path, notes: Notes, *, called: str) -> S | None:
    """A record from a mapping.

    Args:
        kind: of record.
        data: as written.
        path: of the data in its document.
        notes: where what is wrong goes.
        called: what the mapping is called in messages, as in `forbid`.

    Returns:
        The record, or None where a key is unknown, missing or of the wrong type; each is noted.
    """
    if not is_mapping(data):
        notes.error(path, f"{called} must be a mapping, not {shown(data)}")
        return None
    fields = {field.encode_name: field for field in structs.fields(kind)}
    before = len(notes.problems)
    for key in data:
        if key not in fields:
            notes.error(notes.place_of(path, (key,)), _no_key(called, key, fields))
    values: dict[str, Any] = {}
    for key, field in fields.items():
        if key in data:
            place = notes.place_of(path, (key,))
            if data[key] is None and field.default is None:
                notes.error(place, f"`{key}` is empty: leave it out, or give a value")
            else:
                values[field.name] = _value(field.type, data[key], place, notes, f"`{key}`")
        elif field.required:
            notes.error(path, f"{called} needs the key `{key}`")
    return kind(**values) if len(notes.problems) == before else None


def shown(value: Json) -> str:
    """What stands somewhere, as it is said in a message."""
    if is_mapping(value):
        return "a mapping"
    if is_list(value):
        return "a list"
    if value is None:
        return "nothing"
    return f"`{str(value).lower() if isinstance(value, bool) else clip(value)}`"


def _no_key(called: str, key: str, fields: Mapping[str, object]) -> str:
    return misplaced(called, key) or unknown("key", key, fields, where=called)


def _value(kind: Any, data: Json, path: Path, notes: Notes, called: str) -> Any:
    """A value of a field; where it is wrong it is noted, and what is returned means nothing."""
    record = _record_in(kind, among_others=is_mapping(data))
    if record is not None and data is not None:
        return decode(record, data, path, notes, called=called)
    if (entry := _entry_in(kind)) is not None and is_list(data):
        whose = called if _record_in(entry) is None else f"an entry of {called}"
        return [_value(entry, v, (*path, n), notes, whose) for n, v in enumerate(data)]
    if get_origin(kind) is dict and is_mapping(data):
        inner = get_args(kind)[1]
        return {k: _value(inner, v, (*path, k), notes, f"`{clip(k)}`") for k, v in data.items()}
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        notes.error(path, _said(str(error), kind, data, called))
    return None


def _said(message: str, kind: Any, value: Json, called: str) -> str:
    if message.startswith("Invalid enum value"):
        words = list(_words(kind))
        near = nearest(str(value), words)
        hint = f"; did you mean `{near}`?" if near else ""
        return f"{called} must be one of {listed(words)}, not {shown(value)}{hint}"
    if (bound := _BOUND.fullmatch(message)) is not None:
        most = {">=": "at least", "<=": "at most"}[bound[1]]
        return f"{called} must be {most} {float(bound[2]):g}, not {shown(value)}"
    found = _EXPECTED.match(message)
    if found is None:  # a number out of range
        return f"{called}: {clip(message)}"
    names = [_NAMES.get(name, name) for name in found[1].split(" | ") if name != "null"]
    hint = ""
    if names == ["a text"] and isinstance(value, int | float):
        hint = ": put it in quotes"
    elif isinstance(value, str) and value.replace(".", "", 1).isdecimal():
        hint = ": leave the quotes out"
    return f"{called} must be {' or '.join(names)}, not {shown(value)}{hint}"


def _options(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _record_in(kind: Any, *, among_others: bool = False) -> type[Struct] | None:
    """The record that a field takes: if it takes no other value (null aside), or `among_others`."""
    kinds = [option for option in _options(kind) if option not in (type(None), msgspec.UnsetType)]
    records = [k for k in kinds if isinstance(k, type) and issubclass(k, Struct)]
    return records[0] if records and (among_others or len(kinds) == 1) else None


def _entry_in(kind: Any) -> Any:
    """What a field takes lists of; None where it takes none."""
    lists = [option for option in _options(kind) if get_origin(option) is list]
    return get_args(lists[0])[0] if lists else None


def _words(kind: Any) -> Iterator[str]:
    """The words of the closed lists in a type."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        yield from (str(member.value) for member in kind)
    elif get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from _words(part)
