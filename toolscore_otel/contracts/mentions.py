"""The tools that a rule names, wherever in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, to_builtins

from toolscore_otel.matchers import Selector
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list

_TEXTS = frozenset(
    {"tools", "sequence", "calls", "only", "ignore"}
    | {"first", "then", "never", "after", "until", "before", "if", "unless"}
)
"""Keys of which a text, or each text of a list, is short for `{tool: TEXT}`."""

_NO_SELECTORS = frozenset({"args", "result", "attributes", "labels"})
"""Keys below which `tool` is no tool's name."""


def mentions(rule: Struct) -> Iterator[Selector]:
    """Selectors of the tools that a rule names; one of any tool names none.

    Args:
        rule: as a contract holds it.
    """
    for tool in _tools(to_builtins(rule)):
        if tool != "*":
            yield Selector.of({"tool": tool}, default_stage="any")


def _tools(data: Any) -> Iterator[Any]:
    if is_list(data):
        for entry in data:
            yield from _tools(entry)
    elif is_mapping(data):
        for key, value in data.items():
            if key == "tool":
                yield value
            elif key in _TEXTS:
                yield from (
                    one for one in (value if is_list(value) else [value]) if isinstance(one, str)
                )
            if key not in _NO_SELECTORS:
                yield from _tools(value)
