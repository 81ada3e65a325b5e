"""Paths: from an object or a list down to what a key of a contract means.

`user.id` and `{user: {id: ...}}` are the same; an existing key with a dot wins, the longest first. `items.0.sku` is an
index, `items.*.sku` means some element (of an object: some member). A step below a text, a number, a boolean or null
leads to a path that is known to be absent, and so does `*` where there is no element.
"""

from __future__ import annotations

import re

from toolscore_otel.matchers.answer import NO, UNSURE, Answer, any_of
from toolscore_otel.matchers.matcher import Matcher
from toolscore_otel.matchers.value import (
    ABSENT,
    UNKNOWN,
    OpenList,
    OpenObject,
    Value,
    is_list,
    is_object,
    is_unseen,
    seen,
)

Steps = tuple[str, ...]

SOME = "*"
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,17})")


def steps_of(path: str) -> Steps:
    """The steps of a path as it is written."""
    return tuple(path.split("."))


def match_at(value: Value, steps: Steps, matcher: Matcher) -> Answer:
    """What `matcher` says of the value at the end of `steps`."""
    if len(steps) == 1 and type(value) is dict and steps[0] in value:  # the usual case, fast
        return matcher.match(value[steps[0]])
    while steps:
        if (found := _descend(value, steps)) is None:
            return _match_some(value, steps[1:], matcher)
        value, steps = found
    return matcher.match(value)


def value_at(value: Value, steps: Steps) -> Value:
    """The value at the end of steps of which none means some element; ABSENT or UNKNOWN where there is none to be seen."""
    while steps:
        value, steps = _descend(value, steps) or (UNKNOWN, ())
    return value


def _descend(value: Value, steps: Steps) -> tuple[Value, Steps] | None:
    """One step down, and the steps that are left; None where the step means some element."""
    if is_object(value) or isinstance(value, OpenObject):
        return _descend_object(value, steps)
    if is_list(value) or isinstance(value, OpenList):
        return None if steps[0] == SOME else _descend_list(value, steps)
    return (UNKNOWN if is_unseen(seen(value)) else ABSENT), ()


def _descend_object(
    value: dict[str, Value] | OpenObject, steps: Steps
) -> tuple[Value, Steps] | None:
    items = value.items if isinstance(value, OpenObject) else value
    for end in range(len(steps), 0, -1):
        key = ".".join(steps[:end])
        if key in items:
            return items[key], steps[end:]
    if steps[0] == SOME:
        return None
    return (UNKNOWN if isinstance(value, OpenObject) else ABSENT), ()


def _descend_list(value: Value, steps: Steps) -> tuple[Value, Steps]:
    is_open = isinstance(value, OpenList)
    if _INDEX.fullmatch(steps[0]) is None:
        return ABSENT, ()
    items = value.items if is_open else value
    index = int(steps[0])
    if index < len(items):
        return items[index], steps[1:]
    return (UNKNOWN if is_open else ABSENT), ()


def _match_some(value: Value, steps: Steps, matcher: Matcher) -> Answer:
    is_open = isinstance(value, (OpenList, OpenObject))
    items = value.items if is_open else value
    elements = list(items.values()) if is_object(items) else items
    if not elements:
        return UNSURE if is_open else matcher.match(ABSENT)
    answer = any_of(match_at(element, steps, matcher) for element in elements)
    return UNSURE if is_open and answer is NO else answer
