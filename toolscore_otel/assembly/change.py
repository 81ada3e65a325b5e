"""What is told of a call whenever something else is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.model import ToolCall


class CallChange(Struct, frozen=True):
    """A call is new, has changed, or turned out to be part of another.

    Attributes:
        before: the key under which it was known; None for a new one.
        after: the call as it is known now; None where it is no call of its own any more.
        alone: past the cap of its trace: it was not placed, so only rules about single calls apply.
        now: the call elsewhere that it turned out to be, where it is none of its own here.
    """

    before: str | None
    after: ToolCall | None
    alone: bool = False
    now: ToolCall | None = None


def changes_since(
    before: Mapping[str, ToolCall | None], calls: Mapping[str, ToolCall], counters: Counter[str]
) -> list[CallChange]:
    """What is different of the calls of a trace; those that are gone come first.

    Args:
        before: calls that may be different now, as they were, by what they are known by; None: there was none.
        calls: as they are.
        counters: `calls` counts new ones, `joined` those that turned out to be told by another one, too.
    """
    if not before:
        return []
    gone = {call.key for head, call in before.items() if call and head not in calls}
    changes: list[CallChange] = []
    for head, known in before.items():
        call = calls.get(head)
        if call is None or call == known:
            continue
        key = known.key if known else None
        if known is None:
            counters["calls"] += 1
            key = call.key if call.key in gone else None
            gone.discard(call.key)
        changes.append(CallChange(key, call))
    counters["joined"] += len(gone)
    return [*(CallChange(key, None) for key in sorted(gone)), *changes]
