"""What findings name a call by: its call id, `#n` by start where several calls of a trace share one, else its span id."""

from __future__ import annotations

from bisect import bisect_left, insort

from toolscore_otel.model import ToolCall

MOST_SHARED = 100
"""Past this many calls under one id it is no id: they are named by their spans."""


class Keys:
    """The keys of the calls of one trace."""

    def __init__(self) -> None:
        self._ids: dict[str, str | None] = {}
        self._orders: dict[str, tuple[int, str]] = {}
        self._spans: dict[str, str] = {}
        self._shared: dict[str, list[tuple[int, str]]] = {}

    def put(self, root: str, call: ToolCall) -> list[str]:
        """A call is new or has changed; returns the other calls whose key may have changed with it."""
        order = (call.start_ns or 0, root)
        self._spans[root] = call.span_id or root
        if self._ids.get(root, "") == call.call_id and self._orders.get(root) == order:
            return []
        affected = self.drop(root)
        self._ids[root], self._orders[root] = call.call_id, order
        if not call.call_id:
            return affected
        sharers = self._shared.setdefault(call.call_id, [])
        insort(sharers, order)
        if 1 < len(sharers) <= MOST_SHARED + 1:
            affected.extend(other for _, other in sharers if other != root)
        return affected

    def drop(self, root: str) -> list[str]:
        """A call is gone; returns the other calls whose key may have changed with it."""
        call_id = self._ids.pop(root, None)
        order = self._orders.pop(root, None)
        if not call_id or order is None:
            return []
        sharers = self._shared[call_id]
        del sharers[bisect_left(sharers, order)]
        return [other for _, other in sharers] if len(sharers) <= MOST_SHARED else []

    def of(self, root: str) -> str:
        """The key of a known call."""
        call_id = self._ids.get(root)
        sharers = self._shared.get(call_id, []) if call_id else []
        if not call_id or len(sharers) > MOST_SHARED:
            return self._spans[root]
        if len(sharers) == 1:
            return call_id
        return f"{call_id}#{bisect_left(sharers, self._orders[root]) + 1}"
