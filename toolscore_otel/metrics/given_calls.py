"""What the functions of the field are given: calls that somebody made by hand, out of Python values of any sort."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from toolscore_otel.errors import clip
from toolscore_otel.matchers.canonical import CIRCLE, written
from toolscore_otel.matchers.value import is_list, is_object
from toolscore_otel.model import Json, ToolCall

MOST_LEVELS = 100
"""What is told of arguments goes so deep."""

DEEPER = "[nested deeper]"


def checked(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """The calls, of which no arguments hold themselves any more.

    Raises:
        TypeError: they are no calls of tools with a name.
    """
    if not hasattr(calls, "__iter__"):
        raise TypeError(f"calls are a list of `ToolCall`, and not {_kind(calls)}")
    return list(map(_checked, calls))


def _checked(call: Any) -> ToolCall:
    if not isinstance(call, ToolCall):
        raise TypeError(f"a call is a `ToolCall`, and not {_kind(call)}")
    tool: Any = call.tool
    if not isinstance(tool, str):
        raise TypeError(f"the tool of a call is named by a text, and not by {_kind(tool)}")
    args = without_circles(call.args)
    return call if args is call.args else structs.replace(call, args=args)


def without_circles(value: Json) -> Json:
    """The value, with a text that says so wherever it holds itself; the same object where it does not."""
    if not _repeats(value):
        return value
    root: list[Any] = [value]
    pending: list[tuple[Any, Any]] = [(root, 0)]
    around: set[int] = set()
    while pending:
        holder, key = pending.pop()
        if holder is None:
            around.remove(key)
            continue
        one = holder[key]
        if not (is_object(one) or is_list(one)):
            continue
        if id(one) in around:
            holder[key] = CIRCLE
            continue
        around.add(id(one))
        pending.append((None, id(one)))
        inner: Any = dict(one) if is_object(one) else list(one)
        holder[key] = inner
        pending.extend((inner, each) for each in (inner if is_object(inner) else range(len(inner))))
    return root[0]


def _repeats(value: Json) -> bool:
    """Whether one and the same object or list stands in it twice, as it must where it holds itself."""
    pending, met = [value], set[int]()
    while pending:
        one = pending.pop()
        if is_object(one) or is_list(one):
            if id(one) in met:
                return True
            met.add(id(one))
            pending.extend(one.values() if is_object(one) else one)
    return False


def plain(value: Any, levels: int = MOST_LEVELS) -> Json:
    """A value as JSON that can be written down: what is no JSON as it says itself, matchers too. None of it holds itself."""
    if is_list(value):
        return [plain(item, levels - 1) for item in value] if levels else DEEPER
    if is_object(value):
        inside = ((text_of(key), plain(item, levels - 1)) for key, item in value.items())
        return dict(inside) if levels else DEEPER
    if isinstance(value, int):
        return value if value.bit_length() < _WRITABLE_BITS else hex(value)
    return value if value is None or isinstance(value, float) else text_of(value)


_WRITABLE_BITS = 14_000
"""Python writes integers of up to 4,300 digits."""


def text_of(value: object) -> str:
    """A text that can be written down, character by character: what is none as it says itself."""
    text = value if isinstance(value, str) else written(value)
    return text if text.isascii() else text.encode(errors="replace").decode()


def _kind(value: object) -> str:
    return f"`{clip(type(value).__name__)}`"
