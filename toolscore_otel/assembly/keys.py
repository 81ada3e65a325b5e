"""What findings name a call by: its call id, `#n` by start where several calls of a trace share one, else its span id."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable

from toolscore_otel.model import NEVER, ToolCall

MOST_SHARED = 100
"""Past this many calls under one id it is no id: they are named by their spans."""

_NUMBERED = re.compile(r"#\d+\Z")
"""A call id that looks like a shared one is always numbered, so that two calls never have one key."""

_Order = tuple[int, str]


class Keys:
    """The keys of the calls of one trace. A call is known by the place id of the node that stands for it."""

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._known: dict[str, tuple[str, _Order]] = {}
        self._shared: dict[str, list[_Order]] = {}

    def put(self, head: str, call: ToolCall) -> list[str]:
        """A call is new or was built anew; returns the calls whose key may be another one than their id, or was, before."""
        order = (NEVER if call.start_ns is None else call.start_ns, head)
        call_id = call.call_id or ""
        known = self._known.get(head)
        if known == (call_id, order):
            return [head]
        affected = [] if known is None else self.drop(head)
        self._known[head] = (call_id, order)
        if not call_id:
            return affected
        sharers = self._shared.get(call_id)
        if sharers is None:  # most calls
            self._shared[call_id] = [order]
            return [*affected, head] if "#" in call_id else affected
        insort(sharers, order)
        count = len(sharers)
        if count == MOST_SHARED + 1:
            self._counters["shared_id"] += 1
        if count in (2, MOST_SHARED + 1):
            changed = sharers
        else:
            changed = [order] if count > MOST_SHARED else sharers[bisect_left(sharers, order) :]
        return [*affected, *(other for _, other in changed)]

    def drop(self, head: str) -> list[str]:
        """A call is gone; returns the others whose key may have changed with it."""
        call_id, order = self._known.pop(head, ("", (0, "")))
        if not call_id:
            return []
        sharers = self._shared[call_id]
        place = bisect_left(sharers, order)
        del sharers[place]
        if not sharers:
            del self._shared[call_id]
        if len(sharers) in (1, MOST_SHARED):
            return _others(sharers, head)
        return [] if len(sharers) > MOST_SHARED else _others(sharers[place:], head)

    def of(self, head: str) -> str:
        """The key of a known call."""
        call_id, order = self._known[head]
        sharers = self._shared.get(call_id, [])
        if not call_id or len(sharers) > MOST_SHARED:
            return head
        if len(sharers) == 1 and not ("#" in call_id and _NUMBERED.search(call_id)):
            return call_id
        return f"{call_id}#{bisect_left(sharers, order) + 1}"


def _others(sharers: Iterable[_Order], head: str) -> list[str]:
    return [other for _, other in sharers if other != head]
