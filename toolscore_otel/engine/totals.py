"""The sums of a trace: those that assembly keeps while spans arrive, and those of the part that a contract sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly.node import Node, Place
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.engine.scopes import Sees
from toolscore_otel.model import Tokens
from toolscore_otel.rules import Totals


def totals_so_far(trace: TraceAssembly) -> Totals:
    """The sums of a whole trace while it is open; costs the same however large it is."""
    sums, spent = trace.sums, trace.spending.spent
    return Totals(
        latency_ns=_length(sums.start_ns, sums.end_ns),
        cost_usd=spent.usd,
        tokens=_tokens(trace.spending.tokens()),
        lacking=frozenset({"cost"} if spent.blind else ()),
    )


def totals_at_end(trace: TraceAssembly, sees: Sees | None) -> Totals:
    """The sums of a trace that is over, and what they lack.

    Args:
        trace: what is known of it.
        sees: None where everything is seen.
    """
    nodes = [node for node in trace.nodes.values() if sees is None or sees(node)]
    totals = totals_so_far(trace) if sees is None else _sums_of(nodes)
    spans = _spans(nodes)
    models = _counted(nodes)
    told = _Around(lambda node: _used(node) is not None)
    lacking = {
        "latency": any(place.start_ns is None or place.end_ns is None for place in spans),
        "tokens": not models
        or any(_used(node) is None and not told.around(node) for node in models),
    }
    words = (word for word, lacks in lacking.items() if lacks)
    return structs.replace(totals, lacking=totals.lacking.union(words))


def _sums_of(nodes: Sequence[Node]) -> Totals:
    """The sums of a part of a trace. A call that reports a cost stands for all that is inside it."""
    starts = [place.start_ns for place in _spans(nodes) if place.start_ns is not None]
    ends = [place.end_ns for place in _spans(nodes) if place.end_ns is not None]
    tokens = [used for node in _counted(nodes) if (used := _used(node)) is not None]
    spent, reported = Spent(), _Around(lambda node: node.report is not None)
    for node in nodes:
        own = node.report
        if own is None and node.usage is not None and node.usage.counted:
            own = node.usage.own
        if own is not None and not reported.around(node):
            spent.add(own)
    return Totals(
        latency_ns=_length(min(starts, default=None), max(ends, default=None)),
        cost_usd=spent.usd,
        tokens=sum(tokens) if tokens else None,
        lacking=frozenset({"cost"} if spent.blind else ()),
    )


def _spans(nodes: Iterable[Node]) -> list[Place]:
    return [node.place for node in nodes if node.place.id == node.place.span_id]


def _counted(nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.usage is not None and node.usage.counted]


def _length(start_ns: int | None, end_ns: int | None) -> int | None:
    return None if start_ns is None or end_ns is None else max(0, end_ns - start_ns)


def _tokens(tokens: Tokens) -> int | None:
    known = [part for part in (tokens.input, tokens.output) if part is not None]
    return sum(known) if known else None


def _used(node: Node) -> int | None:
    model = node.model
    return None if model is None else _tokens(Tokens(model.input_tokens, model.output_tokens))


class _Around:
    """Whether something is said by a node around another, however deep; each node is asked once."""

    def __init__(self, says: Callable[[Node], bool]) -> None:
        self._says = says
        self._known: dict[str, bool] = {}

    def around(self, node: Node) -> bool:
        """Whether one of those around it says so."""
        passed: list[str] = []
        found, around = False, node.enclosing
        while around is not None and not found:
            if (known := self._known.get(around.place.id)) is not None:
                found = known
                break
            found = self._says(around)
            passed.append(around.place.id)
            around = around.enclosing
        self._known.update(dict.fromkeys(passed, found))
        return found
