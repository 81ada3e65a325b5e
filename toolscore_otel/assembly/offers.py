"""The tools that the models of one trace were offered: which schema the arguments of a call were written for.

Of several schemas of one tool, that of the model call that asked counts, then that on the call's own span. Where neither
is known, it is open which of them the model was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import structs

from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.reading import Offer, SpanReading
from toolscore_otel.model import ToolCall, ToolSchema

MOST_OFFERS = 64
"""Different lists of tools that are kept of one trace."""

MOST_CHARACTERS = 1 << 20
"""Their length together."""


class Offers:
    """Kept up to date node by node.

    Args:
        counters: `offer_limit` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._known: dict[str, Offer] = {}
        self._held: Counter[str] = Counter()
        self._by_tool: dict[str, Counter[ToolSchema]] = {}
        self._touched: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._known)

    def noted(self, reading: SpanReading, offer: Offer) -> SpanReading:
        """Note the offer of a reading; the reading is given back without one that is not kept."""
        if offer.digest in self._known:
            return reading
        if not self._has_room_for(offer):
            self._counters["offer_limit"] += 1
            return structs.replace(reading, offer=None)
        self._known[offer.digest] = offer
        return reading

    def brief(self, reading: SpanReading) -> SpanReading:
        """A reading without what an earlier one told, or what will not be kept."""
        offer = reading.offer
        if offer is None:
            return reading
        if offer.digest in self._known:
            return structs.replace(reading, offer=Offer(offer.digest))
        return reading if self._has_room_for(offer) else structs.replace(reading, offer=None)

    def enter(self, offer: Offer) -> None:
        """A node with an offer came."""
        self._held[offer.digest] += 1
        if self._held[offer.digest] == 1:
            self._count(offer, 1)

    def leave(self, node: Node) -> None:
        """A node is withdrawn."""
        if node.offer is not None:
            self._held[node.offer.digest] -= 1
            if not self._held[node.offer.digest]:
                self._count(node.offer, -1)

    def leave_all(self) -> None:
        """All nodes are withdrawn."""
        self._held.clear()
        self._touched |= self._by_tool.keys()
        self._by_tool.clear()

    def take_touched(self) -> set[str]:
        """The tools of which other schemas are known than when this was last asked."""
        touched, self._touched = self._touched, set()
        return touched

    def of(self, call: ToolCall, nodes: Sequence[Node]) -> tuple[ToolSchema, ...]:
        """The schemas of a call's arguments: none, one, or several of which one it is.

        Args:
            call: as its readings tell.
            nodes: these.
        """
        for offer in _nearest(nodes):
            if (schema := self._tools(offer).get(call.recorded_name)) is not None:
                return (schema,)
        known = self._by_tool.get(call.recorded_name, ())
        return tuple(sorted(known, key=lambda schema: schema.digest))

    def _has_room_for(self, offer: Offer) -> bool:
        size = sum(known.size for known in self._known.values()) + offer.size
        is_whole = offer.tools is not None
        return is_whole and len(self._known) < MOST_OFFERS and size <= MOST_CHARACTERS

    def _tools(self, offer: Offer) -> dict[str, ToolSchema]:
        return self._known[offer.digest].tools or {}

    def _count(self, offer: Offer, sign: int) -> None:
        for tool, schema in self._tools(offer).items():
            schemas = self._by_tool.setdefault(tool, Counter())
            schemas[schema] += sign
            if not schemas[schema]:
                del schemas[schema]
            self._touched.add(tool)


def _nearest(nodes: Sequence[Node]) -> Iterator[Offer]:
    """What the model calls that asked were offered, then what the call's own spans say."""
    for node in nodes:
        if node.call is not None and node.call.what == "request":
            asker = node.enclosing
            if asker is not None and asker.offer is not None:
                yield asker.offer
    for node in nodes:
        if node.offer is not None:
            yield node.offer
