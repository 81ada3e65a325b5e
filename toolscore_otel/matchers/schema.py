"""`$schema`: the value is valid under a JSON Schema of draft 2020-12.

Where a part of the value was not observed, it is surely invalid if a keyword fails on a part that was, and if that
keyword holds for this part whatever the rest is: it is reached through `properties`, `items`, `allOf` and the like only,
never through `if`, `anyOf` or `not`. Else the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscore_otel.errors import clip
from toolscore_otel.matchers.answer import NO, UNSURE, Answer, yes_if
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.value import (
    ABSENT,
    CutText,
    Missing,
    OpenList,
    OpenObject,
    SomeNumber,
    Value,
    is_list,
    is_object,
    is_whole,
)
from toolscore_otel.model import Json

if TYPE_CHECKING:
    import jsonschema_rs

_APPLIED_BY_NAME = frozenset({"properties", "patternProperties", "prefixItems", "allOf"})
_APPLIED = frozenset({"items", "additionalProperties", "$ref"})
_STAYS_BROKEN = frozenset(
    {"type", "maxLength", "maxItems", "maxProperties", "additionalProperties"}
)
"""What fails on the beginning of a text, a list or an object fails on all that can follow."""


class Breach(NamedTuple):
    """One thing that is wrong in a value.

    Attributes:
        path: keys and indices down to it.
        says: what is wrong, as in `is missing`; never the value.
    """

    path: tuple[str | int, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Schema:
    """Valid under this schema; unknown, too, where the value is nothing that JSON can hold.

    Attributes:
        schema: a mapping, or true or false. It must not refer to other files or addresses.
    """

    schema: Json
    _validator: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_validator", _compile(self.schema))

    def match(self, value: Value) -> Answer:
        """Whether the value is valid."""
        if value is ABSENT:
            return NO
        try:
            if is_whole(value):
                return yes_if(self._validator.is_valid(value))
            errors = self._validator.iter_errors(_filled(value))
            return NO if any(_stands(error, value) for error in errors) else UNSURE
        except (ValueError, TypeError, OverflowError, RecursionError):
            return UNSURE

    def breaches(self, value: Value) -> tuple[Breach, ...]:
        """What is surely wrong in a value, whatever was not observed of it, by path."""
        try:
            errors = list(self._validator.iter_errors(_filled(value)))
            whole = is_whole(value)
            stand = [error for error in errors if whole or _stands(error, value)]
            return tuple(sorted(_breaches(stand), key=_by_path))
        except (ValueError, TypeError, OverflowError, RecursionError):
            return ()

    def describe(self) -> str:
        """As in `is valid under its schema`."""
        return "is valid under its schema"


def _breaches(errors: Iterable[jsonschema_rs.ValidationError]) -> Iterator[Breach]:
    for error in errors:
        path = tuple(error.instance_path)
        said: dict[str, Any] = error.kind.as_dict()
        match error.kind.name:
            case "required":
                yield Breach((*path, str(said["property"])), "is missing")
            case "type":
                yield Breach(path, f"is no {' or '.join(map(str, said['types']))}")
            case "additionalProperties" | "unevaluatedProperties":
                for name in said["unexpected"]:
                    yield Breach((*path, str(name)), "is not allowed")
            case "enum" | "const":
                yield Breach(path, "is none of the values that are allowed")
            case keyword:
                yield Breach(path, f"breaks `{keyword}` of the schema")


def _by_path(breach: Breach) -> tuple[list[str], str]:
    return [str(step) for step in breach.path], breach.says


def _compile(schema: Json) -> Any:
    import jsonschema_rs  # noqa: PLC0415 - loaded where a contract has a schema: readers of calls load this package, too

    if not isinstance(schema, bool) and not is_object(schema):
        raise MatcherError((), "must be a JSON Schema: a mapping, or the name of a file")
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)
    except (ValueError, TypeError, OverflowError, jsonschema_rs.ReferencingError) as problem:
        message = f"is no JSON Schema of draft 2020-12: {clip(problem)}"
        raise MatcherError((), message) from problem


def _refuse(uri: str) -> Json:
    raise ValueError(f"a reference to `{uri}` leaves the schema")


def _filled(value: Value) -> Json:
    """A JSON value of the same outline; what stands where nothing was observed is of no account."""
    if isinstance(value, Missing):
        return None
    if isinstance(value, CutText):
        return value.prefix
    if isinstance(value, SomeNumber):
        return 0
    if isinstance(value, (OpenList, OpenObject)):
        return _filled(value.items)
    if is_object(value):
        return {key: _filled(item) for key, item in value.items()}
    return [_filled(item) for item in value] if is_list(value) else value


def _stands(error: jsonschema_rs.ValidationError, value: Value) -> bool:
    """Whether an error of the filled value is one of every value that it can turn out to be."""
    path: list[str | int] = error.evaluation_path
    if not _applies_always(path):
        return False
    for step in error.instance_path:
        value = _member(value, step)
    if isinstance(value, (CutText, OpenList, OpenObject)):
        return bool(path) and path[-1] in _STAYS_BROKEN
    return is_whole(value)


def _member(value: Value, step: str | int) -> Value:
    items: Any = value.items if isinstance(value, (OpenList, OpenObject)) else value
    return items[step]


def _applies_always(path: list[str | int]) -> bool:
    """Whether the keyword at the end of the path is applied to what it looks at whatever the rest is."""
    at = 0
    while at < len(path):
        if path[at] in _APPLIED_BY_NAME:
            at += 2
        elif path[at] in _APPLIED:
            at += 1
        else:
            return at == len(path) - 1
    return True
