"""JSON equality with three answers: `1` equals `1.0`, `true` is not `1`, objects and lists are compared to the bottom."""

from __future__ import annotations

from typing import Any

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer
from toolscore_otel.matchers.redacted import is_placeholder
from toolscore_otel.matchers.value import (
    ABSENT,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    Value,
    is_list,
    is_number,
    is_object,
    is_unseen,
    seen,
)
from toolscore_otel.model import Json

_Pairs = list[tuple[Any, Any]]


def equal(value: Value, literal: Json) -> Answer:
    """Whether a value equals a literal. Safe at any depth.

    Args:
        value: a value tree.
        literal: a JSON value. NaN, which JSON lacks, equals NaN.
    """
    if isinstance(literal, str) and isinstance(value, str):  # the usual case, fast
        if is_placeholder(value):
            return UNSURE
        return YES if value == literal else NO
    answer = YES
    pairs: _Pairs = [(value, literal)]
    while pairs:
        one = _compare(*pairs.pop(), pairs)
        if one is NO:
            return NO
        if one is UNSURE:
            answer = UNSURE
    return answer


def _compare(value: Value, literal: Json, pairs: _Pairs) -> Answer:
    """Compare one level; what lies below is put on `pairs`."""
    value = seen(value)
    if is_unseen(value):
        return UNSURE
    if value is ABSENT:
        return NO
    if is_object(literal):
        return _compare_object(value, literal, pairs)
    if is_list(literal):
        return _compare_list(value, literal, pairs)
    if isinstance(value, (CutText, SomeNumber)):
        return UNSURE if _may_become(value, literal) else NO
    return YES if same_scalar(value, literal) else NO


def same_scalar(value: Json, literal: Json) -> bool:
    """Whether two JSON values, of which one is no container, are equal."""
    if is_number(value) and is_number(literal):
        return bool(value == literal) or (value != value and literal != literal)  # noqa: PLR0124 - NaN
    if isinstance(literal, str):
        return isinstance(value, str) and value == literal
    return value is literal  # None, true, false


def _compare_object(value: Value, literal: dict[str, Json], pairs: _Pairs) -> Answer:
    items: dict[str, Value]
    if isinstance(value, OpenObject):
        items = value.items
        missing = literal.keys() - items.keys()
        if value.next_key is not None and not any(map(value.may_hold, missing)):
            return NO
        answer = UNSURE
    elif is_object(value):
        items, answer = value, YES
        if len(items) != len(literal):
            return NO
    else:
        return NO
    if not items.keys() <= literal.keys():
        return NO
    pairs.extend((item, literal[key]) for key, item in items.items())
    return answer


def _compare_list(value: Value, literal: list[Json], pairs: _Pairs) -> Answer:
    if isinstance(value, OpenList):
        if len(value.items) > len(literal):
            return NO
        pairs.extend(zip(value.items, literal, strict=False))
        return UNSURE
    if not is_list(value) or len(value) != len(literal):
        return NO
    pairs.extend(zip(value, literal, strict=True))
    return YES


def _may_become(value: CutText | SomeNumber, literal: Json) -> bool:
    if isinstance(value, CutText):
        return isinstance(literal, str) and literal.startswith(value.prefix)
    return is_number(literal) and value.low <= literal <= value.high
