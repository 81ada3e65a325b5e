"""Which model call asked for a tool call.

A message shows it: the request stands in what one model call said. Its span may repeat what a span inside it tells, or be
one of two that tell of one response; then it is the one of these that is counted (`spending`). Where two model calls said the
same, nothing is known. Where no message is recorded, order may show it (`following`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolscore_otel.assembly.naming import name_of
from toolscore_otel.assembly.node import Node, Usage
from toolscore_otel.conventions.reading import Layer, Spoken
from toolscore_otel.model import NEVER, Tokens, Turn

_MESSAGE, _BEFORE = Layer.MESSAGE, Spoken.BEFORE
_NOTHING: Mapping[str, Node] = {}

MOST_NESTED = 4
"""Past so many model spans inside each other it is not looked for which one of them is counted."""


class Turns:
    """The requests of one trace by the span on which they stand. It sets `Node.asker` and `Usage.told`."""

    def __init__(self) -> None:
        self._requests: dict[str, dict[str, Node]] = {}

    def enter(self, node: Node, nodes: Mapping[str, Node]) -> None:
        """A reading came.

        Args:
            node: of it.
            nodes: all that are known, by place id.
        """
        span_id = _said_on(node)
        if span_id is not None:
            self._requests.setdefault(span_id, {})[node.place.id] = node
            on = nodes.get(span_id)
            node.asker = None if on is None else on.usage

    def leave(self, node: Node) -> None:
        """A reading is withdrawn."""
        span_id = _said_on(node)
        if span_id is not None:
            self._requests[span_id].pop(node.place.id, None)

    def shown(self) -> set[str]:
        """Place ids of the model calls of which it is known what they asked for."""
        askers = (node.asker for said in self._requests.values() for node in said.values())
        told = (asker.told for asker in askers if asker is not None)
        return {usage.node.place.id for usage in told if usage is not None}

    def renew(self, reviewed: Iterable[str], nodes: Mapping[str, Node]) -> Iterator[Node]:
        """Requests of which another model call, or none, is known to have asked now.

        Args:
            reviewed: place ids of model calls of which it may be different whether they are counted.
            nodes: all that are known, by place id.
        """
        for place_id in _with_outer(reviewed, nodes):
            node = nodes.get(place_id)
            usage = None if node is None else node.usage
            is_other = usage is not None and _retold(usage)
            for request in self._requests.get(place_id, _NOTHING).values():
                if is_other or request.asker is not usage:
                    request.asker = usage
                    yield request


def turn_of(nodes: Sequence[Node]) -> Usage | None:
    """The model call that asked for a call; None where nothing shows it, or several may be meant.

    Args:
        nodes: all readings of the call.
    """
    found: Usage | None = None
    for node in nodes:
        if node.asker is None or (told := node.asker.told) is None:
            continue
        if found is not None and found is not told:
            return None
        found = told
    return found


def turns_among(counted: Iterable[Node]) -> tuple[Turn, ...]:
    """Model calls by start; those without one last.

    Args:
        counted: those that are counted.
    """
    turns = [_turn(node, node.usage) for node in counted if node.usage is not None]
    return tuple(sorted(turns, key=_order))


def _turn(node: Node, usage: Usage) -> Turn:
    around = node if node.agent is not None else node.agent_node
    return Turn(
        id=node.place.id,
        agent=name_of(around) or _name_of_step(node.in_step),
        invocation_id=around.place.id if around is not None else None,
        model=usage.reading.model,
        provider=usage.reading.provider,
        start_ns=node.place.start_ns,
        end_ns=node.place.end_ns,
        tokens=usage.tokens,
        cost_usd=usage.own.usd,
        cost_source=usage.own.source,
    )


def _name_of_step(node: Node | None) -> str | None:
    return None if node is None or node.step is None else node.step.name


def _order(turn: Turn) -> tuple[int, str]:
    return (NEVER if turn.start_ns is None else turn.start_ns, turn.id)


def asked_in(turn: Usage) -> Mapping[str, object]:
    """What a call says of the model call that asked for it."""
    return {
        "model": turn.reading.model,
        "provider": turn.reading.provider,
        "turn_id": turn.node.place.id,
        "turn_cost_usd": turn.own.usd,
        "turn_cost_source": turn.own.source,
        "turn_tokens": turn.tokens if turn.tokens != _NO_TOKENS else None,
    }


OF_TURNS = (
    "model",
    "provider",
    "turn_id",
    "turn_cost_usd",
    "turn_cost_source",
    "turn_tokens",
)
"""Names of what a call says of it."""

_NO_TOKENS = Tokens()


def _said_on(node: Node) -> str | None:
    """The span whose model call says it; None for what is no request, and for one that the model hears again."""
    call = node.call
    if call is None or call.what != "request" or call.layer is not _MESSAGE:
        return None
    return None if node.spoken is _BEFORE else node.place.span_id


def _with_outer(reviewed: Iterable[str], nodes: Mapping[str, Node]) -> Iterable[str]:
    """With the model spans around them, of which what stands inside tells again."""
    found: dict[str, None] = {}
    for place_id in reviewed:
        found[place_id] = None
        around = nodes.get(place_id)
        for _ in range(MOST_NESTED):
            around = None if around is None else around.enclosing
            if around is None or around.usage is None:
                break
            found[around.place.id] = None
    return found


def _retold(usage: Usage) -> bool:
    """Say anew by which span it is told; returns whether that is another one now."""
    before, usage.told = usage.told, _told_by(usage)
    return usage.told is not before


def _told_by(usage: Usage) -> Usage | None:
    """Of the model spans that tell of one model call the one that is counted; None where it is not sure to be one."""
    for _ in range(MOST_NESTED):
        if usage.counted:
            return usage
        if not usage.inner:
            return next((twin for twin in usage.twins if twin.counted), None)
        if len(usage.inner) > 1:
            return None
        (usage,) = usage.inner.values()
    return None
