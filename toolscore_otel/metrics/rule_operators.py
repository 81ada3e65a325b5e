"""Operators in plain lists of forbidden calls, with that format's meaning: a value is looked through, not only looked at.

`$regex`, `$contains` and `$one_of` see every text in a value: elements of an argument vector and also all of them joined by
a space, values of an object, texts in JSON in a text; each as it stands, and with compatibility characters unfolded and
invisible ones gone, so that no rule is got round by how a value is written. `$regex` also sees numbers and booleans, as JSON
writes them, and the keys of objects. Expressions are those of Python's `re`, but that no text makes them run away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Any
from unicodedata import category, normalize

from msgspec import Struct

from toolscore_otel.matchers import (
    OPERATORS,
    AllOf,
    Answer,
    CutText,
    Matcher,
    MatcherError,
    OpenList,
    OpenObject,
    SomeNumber,
    canonical,
    parse,
)
from toolscore_otel.matchers.answer import NO, UNSURE
from toolscore_otel.matchers.canonical import written
from toolscore_otel.matchers.error import unknown_word
from toolscore_otel.matchers.value import (
    Missing,
    Value,
    is_list,
    is_object,
    is_unseen,
    is_whole,
    seen,
)
from toolscore_otel.metrics.given_calls import MOST_LEVELS, text_of
from toolscore_otel.metrics.likeness import Same, decoded, expectation
from toolscore_otel.metrics.python_pattern import PythonPattern


def condition(value: object, where: str, levels: int = MOST_LEVELS) -> Any:
    """What stands for an argument in a rule, with matchers for operators, on every level.

    Args:
        value: JSON.
        where: of it, in an error.
        levels: it may be nested so deep.

    Raises:
        ValueError: an unknown operator, one among plain keys, one that makes no sense, or all of it is too deep.
    """
    if not levels:
        raise ValueError(f"{where}: nested more than {MOST_LEVELS} deep")
    inner = partial(condition, where=where, levels=levels - 1)
    if is_list(value):
        return list(map(inner, value))
    if not is_object(value):
        return value
    operators = [key for key in value if str(key).startswith("$")]
    if not operators:
        return {key: inner(item) for key, item in value.items()}
    if len(operators) < len(value):
        raise ValueError(f"{where}: operators stand among plain keys")
    try:
        parts = [_operator(str(key), item, inner) for key, item in value.items()]
    except MatcherError as error:
        raise ValueError(f"{where}: {error}") from error
    return parts[0] if len(parts) == 1 else AllOf(*parts)


def _operator(key: str, value: Any, inner: Callable[[object], Any]) -> Matcher:
    if key == "$regex":
        return _search(value)
    if key == "$contains":
        return _contains(inner(value))
    if key == "$one_of":
        if not is_list(value):
            raise MatcherError((key,), "must be a list")
        return _Anywhere(_one_of([inner(item) for item in value]), f"{key} {written(value)}")
    if key not in OPERATORS:
        raise MatcherError((), unknown_word("operator", key, OPERATORS))
    return parse({key: value})


class _Anywhere(Struct, frozen=True):
    """Asked of a whole value; what was not observed of it may hold what was not found."""

    holds: Callable[[Value], bool]
    says: str

    def match(self, value: Value) -> Answer:
        """Whether it is there."""
        value = seen(value)
        if is_unseen(value):
            return UNSURE
        if isinstance(value, Missing):
            return NO
        if self.holds(value):
            return Answer.YES
        return NO if is_whole(value) else UNSURE

    def describe(self) -> str:
        """As in `$regex 'x' holds`."""
        return f"{self.says} holds"


def _search(pattern: Any) -> Matcher:
    if not isinstance(pattern, str):
        raise MatcherError(("$regex",), "must be a regular expression, as text")
    compiled = PythonPattern(pattern, re.MULTILINE)
    return _Anywhere(
        lambda value: any(map(compiled.is_in, _searched(value))), f"$regex {pattern!r}"
    )


def _contains(item: Any) -> Matcher:
    def holds(value: Value) -> bool:
        if (is_list(value) or is_object(value)) and any(_takes(item, one) for one in value):
            return True
        if not isinstance(item, str):
            return False
        texts = [text for sort, text in _leaves(value) if sort is _Sort.TEXT]
        return any(item in text for text in _texts(texts))

    return _Anywhere(holds, f"$contains {written(item)}")


def _one_of(items: list[Any]) -> Callable[[Value], bool]:
    def holds(value: Value) -> bool:
        forms = {value, _plain(value)} if isinstance(value, str) else [value]
        return any(_takes(item, form) for item in items for form in forms)

    return holds


def _takes(item: Any, value: Value) -> bool:
    return _as_matcher(item).match(value) is Answer.YES


def _as_matcher(item: Any) -> Matcher:
    return expectation(item) or Same(item, strict=False)


def _searched(value: Value) -> Iterator[str]:
    """What an expression is searched in: texts, numbers and booleans, and keys; a list or an object of none is an empty one."""
    leaves = list(_leaves(value))
    yield from _texts([text for sort, text in leaves if sort is not _Sort.KEY])
    yield from _texts([text for sort, text in leaves if sort is _Sort.KEY], joined=False)
    if not leaves and is_list(value):
        yield ""
    elif not leaves and is_object(value):
        yield "{}"


def _texts(leaves: Sequence[str], *, joined: bool = True) -> Iterator[str]:
    """These, and all of them joined; each also in plain form."""
    rows = [" ".join(leaves), " ".join(filter(None, leaves))] if joined and len(leaves) > 1 else []
    for text in dict.fromkeys((*leaves, *rows)):
        yield text
        if not text.isascii():
            yield _plain(text)


class _Sort(Enum):
    TEXT = "text"
    KEY = "key"
    OTHER = "number or boolean"


def _leaves(value: Value) -> Iterator[tuple[_Sort, str]]:
    """Texts, and numbers and booleans as JSON writes them, in their order; null has none."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, CutText):
            yield _Sort.TEXT, one.prefix
            continue
        one = one.items if isinstance(one, (OpenList, OpenObject)) else one
        inner: Any = one
        if isinstance(one, str) and (inner := decoded(one)) is not one:
            yield _Sort.TEXT, one
        if is_object(inner):
            yield from ((_Sort.KEY, text_of(key)) for key in inner)
            pending.extend(reversed(inner.values()))
        elif is_list(inner):
            pending.extend(reversed(inner))
        elif isinstance(inner, str):
            yield _Sort.TEXT, inner
        elif isinstance(inner, float) and "e" not in repr(inner):
            yield _Sort.OTHER, repr(inner)
        elif inner is not None and not isinstance(inner, (Missing, SomeNumber)):
            yield _Sort.OTHER, canonical(inner).decode()


def _plain(text: str) -> str:
    """Full-width and other compatibility forms as the plain ones, without what cannot be seen."""
    return normalize("NFKC", "".join(one for one in text if category(one) != "Cf"))
