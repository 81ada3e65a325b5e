"""Matchers of values (docs/pages/clauses/selectors.md), as plain recursion."""

import fnmatch
import json
import math
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import jsonschema_rs

from tests.contracts.naive.logic import Answer, both, no, some


class _Nothing:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


ABSENT = _Nothing("ABSENT")
UNKNOWN = _Nothing("UNKNOWN")


class Cut(dict[str, Any]):
    """An object of which only the first keys were recorded."""


def read_cut(text: str) -> Any:
    """What a cut text of a flat object still shows whole."""
    for comma in reversed([at for at, sign in enumerate(text) if sign == ","]):
        try:
            return Cut(json.loads(text[:comma] + "}"))
        except ValueError:
            continue
    return Cut() if text.lstrip().startswith("{") else UNKNOWN


def answer(matcher: Any, value: Any) -> Answer:
    """Whether a value matches."""
    if isinstance(matcher, dict) and matcher and all(key.startswith("$") for key in matcher):
        return both(_operator(name, wanted, value) for name, wanted in matcher.items())
    if value is UNKNOWN:
        return None
    if isinstance(matcher, dict):
        if not isinstance(value, dict):
            return False
        return both(at_path(path, wanted, value) for path, wanted in matcher.items())
    if isinstance(matcher, list):
        if not isinstance(value, list) or len(value) != len(matcher):
            return False
        return both(answer(*pair) for pair in zip(matcher, value, strict=True))
    return same(matcher, value)


def answer_args(matcher: Any, args: Any) -> Answer:
    """Whether arguments match: `{}` is no arguments at all."""
    if matcher == {}:
        if args is UNKNOWN or (isinstance(args, Cut) and not args):
            return None
        return args == {} and not isinstance(args, Cut)
    return answer(matcher, args)


def at_path(path: str, matcher: Any, value: Any) -> Answer:
    return some(answer(matcher, found) for found in look_up(value, path))


def look_up(value: Any, path: str) -> Iterator[Any]:
    """What stands at a path: several values where it has a star."""
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        chosen = value if head == "*" else value[int(head) :][:1] if head.isdecimal() else []
        for element in chosen:
            yield from look_up(element, rest) if rest else [element]
        if not chosen and head != "*":
            yield ABSENT
        return
    if value is UNKNOWN or not isinstance(value, dict):
        yield UNKNOWN if value is UNKNOWN else ABSENT
        return
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        if (head := ".".join(parts[:end])) in value:
            rest = ".".join(parts[end:])
            yield from look_up(value[head], rest) if rest else [value[head]]
            return
    yield UNKNOWN if isinstance(value, Cut) else ABSENT


def canonical(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def same(left: Any, right: Any) -> bool:
    if left is ABSENT or right is ABSENT:
        return False
    return canonical(left) == canonical(right)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _instant(value: Any) -> datetime | None:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\d[Tt ]", value):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _compare(name: str, left: Any, right: Any) -> bool:
    return {
        "$gt": left > right,
        "$ge": left >= right,
        "$lt": left < right,
        "$le": left <= right,
    }[name]


def _type(value: Any) -> set[str]:
    if value is None or isinstance(value, bool):
        return {"null" if value is None else "boolean"}
    if is_number(value):
        return {"number", "integer"} if float(value).is_integer() else {"number"}
    return {{str: "string", list: "array"}.get(type(value), "object")}


def _operator(name: str, wanted: Any, value: Any) -> Answer:
    if name == "$not":
        return no(answer(wanted, value))
    if name == "$all":
        return both(answer(each, value) for each in wanted)
    if name == "$or":
        return some(answer(each, value) for each in wanted)
    if value is UNKNOWN:
        return None
    if name == "$exists":
        return (value is not ABSENT) == wanted
    if value is ABSENT:
        return False
    if name in ("$exact", "$len", "$contains") and isinstance(value, Cut):
        return None
    return _OPERATORS[name](wanted, value)


def _ordered(name: str) -> Any:
    def compare(wanted: Any, value: Any) -> Answer:
        if is_number(wanted) and is_number(value):
            return _compare(name, value, wanted)
        times = _instant(value), _instant(wanted)
        return None not in times and _compare(name, *times)

    return compare


def _approx(wanted: Any, value: Any) -> Answer:
    given = wanted if isinstance(wanted, dict) else {"value": wanted}
    rel, near = given.get("rel"), given.get("abs", 0.0)
    rel = rel if rel is not None else 0.0 if "abs" in given else 1e-9
    return is_number(value) and math.isclose(value, given["value"], rel_tol=rel, abs_tol=near)


def _length(wanted: Any, value: Any) -> Answer:
    return isinstance(value, str | list | dict) and answer(wanted, len(value))


def _datetime(wanted: Any, value: Any) -> Answer:
    if isinstance(wanted, str):
        return None not in (_instant(value), _instant(wanted)) and _instant(value) == _instant(
            wanted
        )
    return _instant(value) is not None and answer(wanted, value)


def _exact(wanted: Any, value: Any) -> Answer:
    if not isinstance(value, dict) or wanted.keys() != value.keys():
        return False
    return both(answer(wanted[key], value[key]) for key in wanted)


def _contains(wanted: Any, value: Any) -> Answer:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, list) and any(same(wanted, each) for each in value)


def _text(test: Any) -> Any:
    return lambda wanted, value: isinstance(value, str) and bool(test(wanted, value))


_OPERATORS: dict[str, Any] = {
    "$any": lambda wanted, value: wanted,
    "$type": lambda wanted, value: bool(
        _type(value) & set([wanted] if isinstance(wanted, str) else wanted)
    ),
    "$regex": _text(re.search),
    "$fullmatch": _text(re.fullmatch),
    "$glob": _text(lambda wanted, value: fnmatch.fnmatchcase(value, wanted)),
    "$casefold": _text(lambda wanted, value: wanted.casefold() == value.casefold()),
    "$contains": _contains,
    "$one_of": lambda wanted, value: any(same(each, value) for each in wanted),
    "$gt": _ordered("$gt"),
    "$ge": _ordered("$ge"),
    "$lt": _ordered("$lt"),
    "$le": _ordered("$le"),
    "$between": lambda wanted, value: both(
        (_ordered("$ge")(wanted[0], value), _ordered("$le")(wanted[1], value))
    ),
    "$approx": _approx,
    "$len": _length,
    "$datetime": _datetime,
    "$schema": lambda wanted, value: jsonschema_rs.is_valid(wanted, value),
    "$exact": _exact,
}
