"""From the data of a contract to matchers. Strict: what is not known is an error, with the nearest known word.

A mapping whose keys all begin with `$` holds operators, all of which must hold; a mapping of other keys holds paths; a
list holds one matcher per position; anything else is a literal. A matcher may stand wherever a literal can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from toolscore_otel.errors import clip
from toolscore_otel.matchers.collection import Contains, Exact, Len, OneOf
from toolscore_otel.matchers.error import MatcherError, unknown_word
from toolscore_otel.matchers.logic import AllOf, AnyOf, Not
from toolscore_otel.matchers.matcher import Matcher, is_matcher
from toolscore_otel.matchers.number import Approx, Between, Datetime, Ge, Gt, Le, Lt
from toolscore_otel.matchers.path import steps_of
from toolscore_otel.matchers.presence import ANY, Exists, IsType
from toolscore_otel.matchers.schema import Schema
from toolscore_otel.matchers.shape import Fields, Items, Literal
from toolscore_otel.matchers.text import Casefold, FullMatch, Glob, Regex
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

MAX_DEPTH = 64
"""Deepest nesting of a matcher, steps of paths included; so matching stays far from Python's recursion limit."""

ReadSchema = Callable[[str], Json]
"""Loads the JSON Schema that a file name names; what it raises passes through, `MatcherError` with its path."""

_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_ONLY_LITERALS = "only literals can stand here; `$or` takes matchers"

_Build = Callable[["_Place", Any], Matcher]


class _Place:
    """How deep we are, and what loads files."""

    __slots__ = ("depth", "read_schema")

    def __init__(self, read_schema: ReadSchema | None, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise MatcherError((), _TOO_DEEP)
        self.read_schema = read_schema
        self.depth = depth

    def parse(self, data: Any, *steps: str | int, levels: int = 1) -> Matcher:
        """The matcher of what stands `steps` below; its problems get these steps."""
        try:
            return _parse(_Place(self.read_schema, self.depth + levels), data)
        except MatcherError as problem:
            raise problem.below(*steps) from problem


def parse(data: object, *, read_schema: ReadSchema | None = None) -> Matcher:
    """Build the matcher that stands in a contract.

    Args:
        data: a JSON value; a `Matcher` may stand wherever a literal can.
        read_schema: loads the file that `$schema: NAME` names; without it, a name is an error.

    Raises:
        MatcherError: the first thing that is wrong, with its path in `data`.
    """
    return _parse(_Place(read_schema), data)


def _parse(place: _Place, data: Any) -> Matcher:
    if is_mapping(data):
        return _parse_mapping(place, data)
    if is_list(data):
        return Items(tuple(place.parse(item, index) for index, item in enumerate(data)))
    if data is None or isinstance(data, (bool, int, float, str)):
        return Literal(data)
    if is_matcher(data):
        return data
    raise MatcherError((), f"`{clip(type(data).__name__)}` is no JSON value")


def _parse_mapping(place: _Place, data: Mapping[Any, Any]) -> Matcher:
    operators = [key for key in data if _is_operator(key)]
    if not operators:
        return Fields(tuple(_parse_field(place, key, value) for key, value in data.items()))
    if len(operators) < len(data):
        raise MatcherError(
            (), f"operators (`{clip(operators[0])}`) and plain keys cannot stand in one mapping"
        )
    matchers = [_parse_operator(place, key, value) for key, value in data.items()]
    return matchers[0] if len(matchers) == 1 else AllOf(*matchers)


def _parse_field(place: _Place, key: Any, value: Any) -> tuple[tuple[str, ...], Matcher]:
    if not isinstance(key, str):
        raise MatcherError((), _key_problem(key))
    steps = steps_of(key)
    return steps, place.parse(value, key, levels=len(steps))


def _key_problem(key: object) -> str:
    return f"the key `{clip(key)}` must be text; put it in quotes"


def is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it is a mapping, with whatever keys."""
    return isinstance(data, Mapping)


def holds_operators(data: object) -> bool:
    """Whether it is a mapping of operators and nothing else."""
    return is_mapping(data) and bool(data) and all(map(_is_operator, data))


def _is_operator(key: object) -> bool:
    return isinstance(key, str) and key.startswith("$")


def _parse_operator(place: _Place, key: str, value: Any) -> Matcher:
    build = OPERATORS.get(key)
    if build is None:
        raise MatcherError((key,), unknown_word("operator", key, OPERATORS))
    try:
        return build(place, value)
    except MatcherError as problem:
        raise problem.below(key) from problem


def _any(_: _Place, value: Any) -> Matcher:
    if value is not True:
        raise MatcherError((), "must be true; what must be absent is `$exists: false`")
    return ANY


def _exists(_: _Place, value: Any) -> Matcher:
    if not isinstance(value, bool):
        raise MatcherError((), "must be true or false")
    return Exists(value)


def _type(_: _Place, value: Any) -> Matcher:
    names = _some(value) if is_list(value) else [value]
    if not all(isinstance(name, (str, type)) for name in names):
        raise MatcherError((), "must be the name of a JSON type, or a list of them")
    return IsType(*names)


def _one_of(place: _Place, value: Any) -> Matcher:
    choices = _some(value)
    for index, choice in enumerate(choices):
        if not is_matcher(choice):
            _demand_literal(place, choice, (index,))
    return OneOf(*choices)


def _demand_literal(place: _Place, data: Any, steps: tuple[str | int, ...]) -> None:
    """Refuse operators in a literal: they would be taken as keys and match nothing."""
    members: list[tuple[Any, Any]] = []
    if is_mapping(data):
        members = list(data.items())
    elif is_list(data):
        members = list(enumerate(data))
    elif is_matcher(data):
        raise MatcherError(steps, _ONLY_LITERALS)
    else:
        place.parse(data, *steps)
    if len(steps) > MAX_DEPTH:
        raise MatcherError(steps, _TOO_DEEP)
    for key, item in members:
        if _is_operator(key):
            raise MatcherError((*steps, key), _ONLY_LITERALS)
        if is_mapping(data) and not isinstance(key, str):
            raise MatcherError(steps, _key_problem(key))
        _demand_literal(place, item, (*steps, key))


def _all(place: _Place, value: Any) -> Matcher:
    return AllOf(*(place.parse(part, index) for index, part in enumerate(_some(value))))


def _or(place: _Place, value: Any) -> Matcher:
    return AnyOf(*(place.parse(part, index) for index, part in enumerate(_some(value))))


def _some(value: Any) -> list[Any]:
    if not is_list(value) or not value:
        raise MatcherError((), "must be a list with something in it")
    return list(value)


def _between(_: _Place, value: Any) -> Matcher:
    bounds = _some(value)
    if len(bounds) != 2:  # noqa: PLR2004 - a lower and an upper one
        raise MatcherError((), "must be a list of two bounds, such as [1, 10]")
    return Between(*bounds)


def _approx(_: _Place, value: Any) -> Matcher:
    if not is_mapping(value):
        return Approx(value)
    known = ("value", "rel", "abs")
    for key in value:
        if key not in known:
            raise MatcherError((clip(key),), unknown_word("key", key, known))
    return Approx(value.get("value"), rel=value.get("rel"), abs=value.get("abs"))


def _len(place: _Place, value: Any) -> Matcher:
    return Len(place.parse(value) if holds_operators(value) else value)


_OF_INSTANTS: Mapping[str, Callable[[Any], Matcher]] = {"$gt": Gt, "$ge": Ge, "$lt": Lt, "$le": Le}


def _datetime(place: _Place, value: Any) -> Matcher:
    if not is_mapping(value):
        return Datetime(value)
    if not value:
        raise MatcherError((), "must be an RFC 3339 time, or a mapping of comparisons")
    return AllOf(*(_compare_instants(place, key, bound) for key, bound in value.items()))


def _compare_instants(place: _Place, key: Any, bound: Any) -> Matcher:
    known = (*_OF_INSTANTS, "$between")
    if key not in known:
        raise MatcherError((clip(key),), unknown_word("comparison", key, known))
    times = bound if key == "$between" else [bound]
    if not all(isinstance(time, str) for time in _some(times)):
        raise MatcherError((key,), "must be an RFC 3339 time such as `2025-01-31T09:00:00Z`")
    return _parse_operator(place, key, bound)


def _schema(place: _Place, value: Any) -> Matcher:
    if not isinstance(value, str):
        return Schema(value)
    if place.read_schema is None:
        raise MatcherError((), "a schema file cannot be read here; write the schema itself")
    return Schema(place.read_schema(value))


def _exact(place: _Place, value: Any) -> Matcher:
    if not is_mapping(value):
        raise MatcherError((), "must be a mapping of keys to what they hold")
    fields: dict[str, Matcher] = {}
    for key, item in value.items():
        if not isinstance(key, str) or _is_operator(key):
            raise MatcherError((clip(key),), "must be a plain key, as text")
        fields[key] = place.parse(item, key)
    return Exact(fields)


OPERATORS: Mapping[str, _Build] = {
    "$any": _any,
    "$exists": _exists,
    "$type": _type,
    "$regex": lambda _, value: Regex(value),
    "$fullmatch": lambda _, value: FullMatch(value),
    "$glob": lambda _, value: Glob(value),
    "$contains": lambda place, value: Contains(place.parse(value)),
    "$one_of": _one_of,
    "$gt": lambda _, value: Gt(value),
    "$ge": lambda _, value: Ge(value),
    "$lt": lambda _, value: Lt(value),
    "$le": lambda _, value: Le(value),
    "$between": _between,
    "$approx": _approx,
    "$len": _len,
    "$casefold": lambda _, value: Casefold(value),
    "$datetime": _datetime,
    "$schema": _schema,
    "$exact": _exact,
    "$not": lambda place, value: Not(place.parse(value)),
    "$all": _all,
    "$or": _or,
}
"""The closed list of operators."""
