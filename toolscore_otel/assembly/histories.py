"""Log records of one message each: which of them a model call hears for the first time.

Every model call writes all that went before it as records on its span, then what the model says. A message after which the
model's own earlier words stand, and not new ones, was heard by an earlier model call.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.reading import Layer, Spoken


@dataclass(slots=True)
class _Records:
    """The records on one span, in order of time."""

    words: list[tuple[int, str, Spoken]] = field(default_factory=list[tuple[int, str, Spoken]])
    messages: list[tuple[int, str, Node]] = field(default_factory=list[tuple[int, str, Node]])


class Histories:
    """The log records of one trace. It sets `Node.is_history`."""

    def __init__(self) -> None:
        self._spans: dict[str, _Records] = {}

    def enter(self, node: Node) -> list[Node]:
        """A record came; returns the others of which it changed whether they are history."""
        records = self._records(node)
        if records is None:
            return []
        time = node.place.start_ns or 0
        if node.call is not None:
            insort(records.messages, (time, node.place.id, node))
            node.is_history = _is_history(records, time)
            return []
        assert node.spoken is not None  # noqa: S101 - for the type checker
        insort(records.words, (time, node.place.id, node.spoken))
        return _changed(records, time)

    def leave(self, node: Node) -> list[Node]:
        """A record is withdrawn; returns the others of which it changed whether they are history."""
        records = self._records(node)
        if records is None:
            return []
        time = node.place.start_ns or 0
        if node.call is not None:
            del records.messages[bisect_left(records.messages, (time, node.place.id), key=_place)]
            return []
        del records.words[bisect_left(records.words, (time, node.place.id), key=_place)]
        return _changed(records, time)

    def _records(self, node: Node) -> _Records | None:
        if node.place.span_id is None:
            return None
        if node.call is None:
            is_of_history = node.spoken is not None
        else:
            is_of_history = node.call.layer is Layer.MESSAGE
        return self._spans.setdefault(node.place.span_id, _Records()) if is_of_history else None


def _is_history(records: _Records, time: int) -> bool:
    later = bisect_right(records.words, time, key=_time)
    return later < len(records.words) and records.words[later][2] is Spoken.BEFORE


def _changed(records: _Records, time: int) -> list[Node]:
    """Messages whose next words have come or gone with those at this time."""
    first = bisect_left(records.words, time, key=_time)
    since = records.words[first - 1][0] if first else None
    start = 0 if since is None else bisect_left(records.messages, since, key=_time)
    near = records.messages[start : bisect_left(records.messages, time, key=_time)]
    if not near or near[0][2].is_history is _is_history(records, near[0][0]):
        return []  # the same words follow on all of them
    for _, _, node in near:
        node.is_history = not node.is_history
    return [node for _, _, node in near]


def _time(entry: tuple[int, str, object]) -> int:
    return entry[0]


def _place(entry: tuple[int, str, object]) -> tuple[int, str]:
    return entry[:2]
