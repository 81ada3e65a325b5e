"""Everything that is wrong in a selector as written; compiling it would stop at the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, structs

from toolscore_otel.matchers import MatcherError, Selector, SelectorFields, parse
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

_TYPES = {field.name: field.type for field in structs.fields(SelectorFields)}
_MATCHED = frozenset({"args", "result"})


def selector_problems(record: Struct) -> Iterator[MatcherError]:
    """What is wrong in a record's own selector keys."""
    for field in structs.fields(type(record)):
        value: Any = getattr(record, field.name)
        if _TYPES.get(field.name) != field.type or value is field.default:
            continue
        if field.name in _MATCHED:
            found = [error.below(field.name) for error in _matcher_problems(value)]
            yield from found
            if found:
                continue
        try:
            Selector.of({field.name: value})
        except MatcherError as error:
            yield error


def _matcher_problems(data: Json) -> Iterator[MatcherError]:
    """Everything that is wrong in a matcher: plain keys and elements are looked at one by one."""
    members: list[tuple[Any, Json]] = []
    if is_mapping(data) and not any(str(key).startswith("$") for key in data):
        members = list(data.items())
    elif is_list(data):
        members = list(enumerate(data))
    if not members:
        try:
            parse(data)
        except MatcherError as error:
            yield error
    for step, value in members:
        for problem in _matcher_problems(value):
            yield problem.below(step)
