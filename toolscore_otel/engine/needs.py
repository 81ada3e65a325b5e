"""Which evidence a rule looks at, by the keys of the contract language that it gives.

A key asks for the same evidence wherever it stands: in a rule's own selector, in an excuse, in one step of a sequence.
So one table says it for every clause, those to come included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import UNSET, Struct

from toolscore_otel.rules import Compiled
from toolscore_otel.rules.score_bounds import ScoreBounds

_ASKS: Mapping[str, str] = {
    "tool": "name",
    "label": "name",
    "mutating": "name",
    "args": "arguments",
    "result": "result",
    "status": "status",
    "agent": "agent",
    "latency_ms": "latency",
    "active_ms": "latency",
    "cost_usd": "cost",
    "tokens": "tokens",
    "sum": "arguments",
    "distinct": "arguments",
    "check": "arguments",
    "before": "times",
    "within_ms": "times",
    "then": "times",
    "never": "times",
    "sequence": "times",
}
"""Key -> word of `wording.SWITCH`."""

_LOOPS = {
    "same_call": ("arguments",),
    "retry_after_error": ("arguments", "status"),
    "no_progress": ("result",),
    "cycle": ("arguments",),
}
_SCORES = {
    **dict.fromkeys(("argument_f1", "argument_exact", "redundant_rate"), "arguments"),
    **dict.fromkeys(("order", "edit_distance"), "times"),
    "error_rate": "status",
}
_SELECTORS = frozenset(
    {
        *("tools", "calls", "sequence", "among", "only", "ignore", "unless", "before", "by", "if"),
        *("first", "then", "never", "after", "until"),
    }
)
"""Keys under which selectors stand, alone or in lists; below all others stand values of calls."""

_PLACES = ("arguments", "result", "error", "messages")
_SCOPES = ("trace", "agent", "session")


def needs_of(rule: Compiled) -> frozenset[str]:
    """Words of `wording.SWITCH`: `arguments`, `result`, `times` and so on; empty where the rule counts on names alone."""
    words = set(_asked(_plain(rule.record)))
    if rule.without_calls and not rule.uses_totals:
        words.add("spans")
    return frozenset(words)


def _asked(keys: Mapping[str, Any]) -> Iterator[str]:
    for key, value in keys.items():
        if value is UNSET or value is None or value == "*":
            continue
        if key in _ASKS:
            yield _ASKS[key]
        yield from _by_value(key, value)
        if key in _SELECTORS:
            yield from _in_selectors(value)


def _by_value(key: str, value: Any) -> Iterator[str]:
    if key == "key":  # of `loop`
        yield from _LOOPS.get(value, ())
    elif key == "in":
        yield from (word for word in value if word in _PLACES)
    elif key in ("min", "max") and isinstance(value, ScoreBounds):
        yield from (_SCORES[name] for name in value.given() if name in _SCORES)
    elif key == "per" and value not in _SCOPES:  # a sliding window
        yield "times"


def _in_selectors(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from () if value == "*" else ("name",)
    elif isinstance(value, Struct):
        yield from _asked(_plain(value))
    elif isinstance(value, Mapping):
        yield from _asked(cast("Mapping[str, Any]", value))
    elif isinstance(value, list | tuple):
        for entry in cast("list[Any]", value):
            yield from _in_selectors(entry)


def _plain(record: Struct) -> Mapping[str, Any]:
    """A record's keys as a contract writes them."""
    names = zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True)
    return {written: getattr(record, name) for written, name in names}
