"""Tokens and money of one trace, every model call once.

Counted are leaf model calls: a span around another model span repeats its numbers, and so does a second span of the same
response id. What a counted call cost is carried up to every call and agent around it, link by link as these are found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from toolscore_otel.assembly.node import PICO, Node, Spent
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.model import Tokens
from toolscore_otel.pricing import price

DEEPEST = 256
"""How many levels up a sum is carried; nested deeper than this are only loops and attacks."""


@dataclass(slots=True)
class _Usage:
    node: Node
    reading: ModelReading
    own: Spent
    inner: int = 0
    counted: bool = False

    @property
    def tells(self) -> bool:
        """Whether it says anything about tokens or money."""
        return (
            bool(self.own.known)
            or self.reading.input_tokens is not None
            or self.reading.output_tokens is not None
        )

    @property
    def rank(self) -> tuple[object, ...]:
        return (self.tells, bool(self.own.known), -self.inner, self.node.place.id)


class Spending:
    """The model calls of one trace.

    Attributes:
        spent: all counted model calls.
        touched: nodes whose sums changed since the caller last emptied it.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self.spent = Spent()
        self.touched: list[Node] = []
        self._counters = counters
        self._usages: dict[str, _Usage] = {}
        self._by_response: dict[str, list[_Usage]] = {}
        self._tokens: dict[str, list[int]] = {name: [0, 0] for name in _TOKENS}

    def add(self, node: Node) -> None:
        """A model call came."""
        if node.model is None:
            return
        usage = _Usage(node, node.model, _cost(node.model))
        self._usages[node.place.id] = usage
        if node.model.response_id:
            self._by_response.setdefault(node.model.response_id, []).append(usage)
        self._review(usage)

    def link(self, node: Node) -> None:
        """A node's surroundings are now known."""
        around = node.enclosing
        if around is None:
            return
        outer = self._usages.get(around.place.id)
        inner = self._usages.get(node.place.id)
        if node.spent:
            self._carry(around, node.spent, 1)
        if outer is not None and inner is not None and inner.tells:
            outer.inner += 1
            self._review(outer)

    def tokens(self) -> Tokens:
        """Tokens of all counted model calls; a part is None where none of them reported it."""
        return Tokens(
            **{name: total if known else None for name, (total, known) in self._tokens.items()}
        )

    def counted(self) -> list[Node]:
        """The model calls that are counted."""
        return [usage.node for usage in self._usages.values() if usage.counted]

    def _review(self, usage: _Usage) -> None:
        twins = self._by_response.get(usage.reading.response_id or "", [usage])
        best = max(twins, key=lambda twin: twin.rank)
        for twin in twins:
            self._count(twin, counted=twin is best and not (twin.inner and len(twins) == 1))

    def _count(self, usage: _Usage, *, counted: bool) -> None:
        if usage.counted is counted:
            return
        usage.counted = counted
        sign = 1 if counted else -1
        self.spent.add(usage.own, sign)
        for name, attribute in _TOKENS.items():
            if (value := getattr(usage.reading, attribute)) is not None:
                self._tokens[name][0] += sign * value
                self._tokens[name][1] += sign
        self._carry(usage.node, usage.own, sign)

    def _carry(self, node: Node | None, spent: Spent, sign: int) -> None:
        for _ in range(DEEPEST):
            if node is None:
                return
            node.spent.add(spent, sign)
            self.touched.append(node)
            node = node.enclosing
        self._counters["nesting"] += 1


_TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_tokens",
    "reasoning": "reasoning_tokens",
}


def _cost(reading: ModelReading) -> Spent:
    if reading.cost_usd is not None:
        return Spent(total=round(reading.cost_usd * PICO), known=1)
    found = price(
        reading.model,
        reading.provider,
        reading.input_tokens,
        reading.output_tokens,
        reading.cached_tokens,
    )
    if found is None:
        return Spent(blind=1)
    return Spent(total=round(found * PICO), known=1, priced=1)
