"""Tokens and money of one trace, every model call once.

Counted are leaf model calls: a span around another model span repeats its numbers, and so does a second span of the same
response id. What a counted call cost is carried up to every call and agent around it; a call that reports a cost of its
own stands for all that is inside it, there and further up. So does what an agent invocation adds up, where no model call
inside it tells what it used (`roll_ups`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from toolscore_otel.assembly.node import Node, Usage
from toolscore_otel.assembly.roll_ups import RollUps
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.model import Tokens
from toolscore_otel.pricing import price

DEEPEST = 64
"""How many levels up a sum is carried; nested deeper than this are only loops and attacks."""

MOST_TWINS = 8
"""Past this many model calls under one response id it is no id, and each of them is counted."""


class Spending:
    """The model calls of one trace, and what its tool calls report.

    Attributes:
        spent: all of the trace.
        touched: nodes whose sums changed since the caller last emptied it.
        reviewed: place ids of model calls of which it may be different whether they are counted; the caller empties it.
        roll_ups: what its invocations add up.
    """

    def __init__(self, counters: Counter[str], nodes: Mapping[str, Node]) -> None:
        self.spent = Spent()
        self.touched: list[Node] = []
        self.reviewed: dict[str, None] = {}
        self.roll_ups = RollUps(nodes)
        self._counters = counters
        self._counted: dict[str, Usage] = {}
        self._by_response: dict[str, list[Usage]] = {}
        self._tokens: dict[str, list[int]] = {name: [0, 0] for name in Tokens.__struct_fields__}

    def enter(self, node: Node) -> None:
        """A model call or an agent invocation came."""
        if node.model is not None:
            self._enter(node, node.model)
        self.roll_ups.enter(node)

    def _enter(self, node: Node, model: ModelReading) -> None:
        node.usage = Usage(node, model, _used(model), _cost(model))
        if model.response_id:
            twins = self._by_response.setdefault(model.response_id, [])
            twins.append(node.usage)
            node.usage.twins = twins
            if len(twins) == MOST_TWINS + 1:
                self._counters["shared_response"] += 1
                for twin in twins:
                    self._decide(twin, counted=not twin.inner)
        self._review(node.usage)

    def leave(self, node: Node) -> None:
        """A node is withdrawn; what stands inside it is moved by itself."""
        rolled = self.roll_ups.leave(node)
        self._tell(node, None)
        if rolled is not None and rolled.is_blind:
            self._carry(node, _BLIND, -1, _BLIND)
        self._repeated(node, node.enclosing, -1)
        usage = node.usage
        if usage is None:
            return
        self._decide(usage, counted=False)
        node.usage = None
        if node.model is not None and node.model.response_id:
            twins = self._by_response[node.model.response_id]
            twins.remove(usage)
            if len(twins) <= MOST_TWINS:
                for twin in twins:
                    self._review(twin)

    def move(self, node: Node, to: Node | None) -> None:
        """Put another node (or none) around a node; what stands inside it moves with it."""
        self.roll_ups.move(node, to)
        self._repeated(node, node.enclosing, -1)
        said, own = _said(node), _own(node)
        if said:
            self._carry(node.enclosing, said, -1, own)
            self._carry(to, said, 1, own)
        node.enclosing = to
        self._repeated(node, to, 1)

    def report(self, node: Node, usd: float | None) -> None:
        """A node tells the cost of its call and of all that stands inside, or tells it no more."""
        report = None if usd is None else Spent.reported(usd)
        if (report is None) is not (node.report is None):
            self.roll_ups.pay(node, 1 if node.report is None else -1)
        self._tell(node, report)

    def add_up(self) -> None:
        """Let roll-ups stand for what is inside, or no more, by what is known now."""
        for rolled in self.roll_ups.review():
            report, is_blind = self.roll_ups.money(rolled)
            self._tell(rolled.node, report)
            if is_blind is not rolled.is_blind:
                rolled.is_blind = is_blind
                self._carry(rolled.node, _BLIND, 1 if is_blind else -1, _BLIND)
            self.touched.append(rolled.node)

    def _tell(self, node: Node, report: Spent | None) -> None:
        if report == node.report:
            return
        self._carry(node.enclosing, _said(node), -1, _own(node))
        node.report = report
        self._carry(node.enclosing, _said(node), 1, _own(node))

    def tokens(self) -> Tokens:
        """Tokens of all counted model calls, and roll-ups of others; a part is None where none of them reported it."""
        roll_ups = list(self.roll_ups.counted())
        if not (self._counted or roll_ups):
            return Tokens()
        sums = {name: list(sum_) for name, sum_ in self._tokens.items()}
        for rolled in roll_ups:
            _add(sums, rolled.tokens, 1)
        return Tokens(**{name: total if known else None for name, (total, known) in sums.items()})

    @property
    def lacks_tokens(self) -> bool:
        """Whether more tokens may have been used than `tokens` tells."""
        told = [usage.is_silent for usage in self._counted.values() if not self._is_covered(usage)]
        rolled = [one.has_sub_agents for one in self.roll_ups.counted()]
        return any(told) or any(rolled) or not (told or rolled)

    def _is_covered(self, usage: Usage) -> bool:
        return usage.is_silent and self.roll_ups.covers(usage.node)

    def counted(self) -> list[Node]:
        """The model calls that are counted."""
        return [usage.node for usage in self._counted.values()]

    def _repeated(self, node: Node, outer: Node | None, sign: int) -> None:
        """A model call inside another tells the same again, unless both are known as one by their response id."""
        usage, around = node.usage, None if outer is None else outer.usage
        if usage is None or around is None or not usage.tells:
            return
        if usage.reading.response_id and usage.reading.response_id == around.reading.response_id:
            return
        if sign > 0:
            around.inner[node.place.id] = usage
        else:
            around.inner.pop(node.place.id, None)
        self._review(around)

    def _review(self, usage: Usage) -> None:
        twins = self._by_response.get(usage.reading.response_id or "", [usage])
        if len(twins) > MOST_TWINS:
            self._decide(usage, counted=not usage.inner)
            return
        best = max(twins, key=_rank)
        repeats = any(twin.inner for twin in twins)
        for twin in twins:
            self._decide(twin, counted=twin is best and not repeats)

    def _decide(self, usage: Usage, *, counted: bool) -> None:
        self.reviewed[usage.node.place.id] = None
        if usage.counted is counted:
            return
        usage.counted = counted
        sign = 1 if counted else -1
        if counted:
            self._counted[usage.node.place.id] = usage
        else:
            del self._counted[usage.node.place.id]
        _add(self._tokens, usage.tokens, sign)
        self._carry(usage.node, usage.own, sign, usage.own)

    def _carry(self, node: Node | None, spent: Spent, sign: int, own: Spent) -> None:
        """Tell a sum to all that stand around: of it, `own` is what no agent invocation on the way has spent."""
        for _ in range(DEEPEST):
            if node is None:
                self.spent = self.spent.plus(spent, sign)
                return
            node.spent = node.spent.plus(spent, sign)
            node.own = node.own.plus(own, sign)
            self.touched.append(node)
            if node.report is not None:
                return
            own = _NOTHING if node.agent is not None else own
            node = node.enclosing
        self._counters["nesting"] += 1
        self.spent = self.spent.plus(spent, sign)


def _said(node: Node) -> Spent:
    """What a node says upward."""
    return node.spent if node.report is None else node.report


def _own(node: Node) -> Spent:
    """What it says of that to the agent invocation around it: nothing, where it is one itself and no call."""
    if node.report is not None and node.call is not None:
        return node.report
    return _NOTHING if node.agent is not None else node.own


_NOTHING = Spent()
_BLIND = Spent(blind=1)


def _add(sums: Mapping[str, list[int]], tokens: Tokens, sign: int) -> None:
    for name, sum_ in sums.items():
        if (value := getattr(tokens, name)) is not None:
            sum_[0] += sign * value
            sum_[1] += sign


def _rank(usage: Usage) -> tuple[object, ...]:
    """Of several records of one model call the one that says most, the innermost first."""
    return (
        usage.tells,
        usage.reading.cost_usd is not None,
        bool(usage.own.known),
        usage.node.place.start_ns or 0,
        usage.node.place.id,
    )


def _used(reading: ModelReading) -> Tokens:
    return Tokens(
        input=reading.input_tokens,
        output=reading.output_tokens,
        cached=reading.cached_tokens,
        cache_write=reading.cache_write_tokens,
        reasoning=reading.reasoning_tokens,
    )


def _cost(reading: ModelReading) -> Spent:
    if reading.cost_usd is not None:
        return Spent.reported(reading.cost_usd)
    found = price(
        reading.model,
        reading.provider,
        reading.input_tokens,
        reading.output_tokens,
        reading.cached_tokens,
        cache_write_tokens=reading.cache_write_tokens,
    )
    if found is None or reading.is_unclear:
        return Spent(blind=1)
    return Spent.listed(found)
