"""Readings of one call that share no id: told apart by tool, time and order.

Most tool spans do not carry the model's call id, and the messages around them do. What a model asks for runs after it asked
and before it asks for the same tool again; what it hears had run before, and after it last heard of the same tool. In each
such stretch of time those with the same arguments belong together, then those that nothing speaks against, in order. Where
another one would have fitted as well, that is a guess, and stands in `Node.doubts`.

Two readings that both have an id are left to it. Every question is answered from one stretch, so that a trace of any length
costs the same per reading.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence

from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.reading import CallReading, Layer
from toolscore_otel.model import CallKind

MOST_IN_A_STRETCH = 128
"""Past this many readings in one stretch of time further ones are not looked at."""

_HANDOFF = "\0handoff"
"""Handoff spans name no tool; the messages do."""
_HANDOFF_NAME = "transfer_to_"
_NAMELESS = "\0nameless"
"""Answers of which nothing but the fact was recorded."""

_MESSAGE, _IS_HANDOFF = Layer.MESSAGE, CallKind.HANDOFF

_Key = tuple[str, str]
_Entry = tuple[int, int, str, Node]
_Before = dict[int, tuple[Node, Node | None, bool]]
"""A reading, what it belonged with, and whether that was a guess."""


class _Told:
    """Readings of one tool that others may tell of, in order of time.

    Attributes:
        idless: how many of them have no call id.
        tracks: of what tells of them.
    """

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.idless = 0
        self.tracks: list[_Track] = []


class Pairs:
    """The readings of one trace that may be told apart in this way."""

    def __init__(self) -> None:
        self._told: defaultdict[_Key, _Told] = defaultdict(_Told)
        self._tracks: dict[_Key, _Track] = {}
        self._waiting: dict[str, Node] = {}

    def enter(self, node: Node) -> Sequence[Node]:
        """A reading came; returns those that belong with another one now.

        Spans wait until there is a message or a log record: before that nothing tells of them.
        """
        call = node.call
        if not self._tracks and call and call.what == "span" and call.layer is not _MESSAGE:
            self._waiting[node.place.id] = node
            return ()
        waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            self._come(each)
        return self._come(node)

    def _come(self, node: Node) -> list[Node]:
        changed: list[Node] = []
        for what, bucket in _roles(node):
            entry = _entry(node)
            if what in _TOLD_BY:
                told = self._told[what, bucket]
                insort(told.entries, entry)
                told.idless += _lacks_id(node)
                for track in told.tracks:
                    changed += track.renew(entry[0])
            else:
                changed += self._track(what, bucket).enter(node, entry)
        return changed

    def leave(self, node: Node) -> list[Node]:
        """A reading is withdrawn; returns those that belong with another one now."""
        changed: list[Node] = []
        if self._waiting.pop(node.place.id, None) is not None:
            return changed
        for what, bucket in _roles(node):
            entry = _entry(node)
            if what in _TOLD_BY:
                told = self._told[what, bucket]
                _remove(told.entries, entry)
                told.idless -= _lacks_id(node)
                for track in told.tracks:
                    changed += [*track.part_from(node), *track.renew(entry[0])]
            else:
                changed += self._track(what, bucket).leave(node, entry)
        return changed

    def _track(self, kind: str, bucket: str) -> _Track:
        track = self._tracks.get((kind, bucket))
        if track is None:
            what = "asks" if kind == "heard" else "runs"
            told = self._told[what, bucket]
            track = self._tracks[kind, bucket] = _Track((kind, bucket), told)
            over = (self._tracks.get((each, bucket)) for each in _TOLD_BY[what])
            told.tracks = [each for each in over if each is not None]
        return track


_TOLD_BY = {"runs": ("asked", "told", "logged"), "asks": ("heard",)}
"""What is told of, and the sorts of telling: a model asks, or hears the answer, or a log record tells."""


def _roles(node: Node) -> Sequence[_Key]:
    """As what a reading stands for which tool."""
    call = node.call
    if call is None or node.place.start_ns is None:
        return ()
    tool = node.facts.tool
    if call.layer is _MESSAGE:
        return _roles_of_message(call, tool)
    if tool is None and call.kind is _IS_HANDOFF:
        tool = _HANDOFF
    if tool is None or call.what not in ("span", "log"):
        return ()
    return (("runs", tool),) if call.what == "span" else (("runs", tool), ("logged", tool))


def _roles_of_message(call: CallReading, tool: str | None) -> Sequence[_Key]:
    if call.fills:
        return (("heard", _NAMELESS),) if call.what == "response" and not call.call_id else ()
    if tool is None:
        return ()
    buckets = (tool, _HANDOFF) if tool.startswith(_HANDOFF_NAME) else (tool,)
    if call.what == "request":
        return (*(("asked", bucket) for bucket in buckets), ("asks", tool), ("asks", _NAMELESS))
    return (*(("told", bucket) for bucket in buckets), ("heard", tool))


class _Track:
    """One sort of telling about one tool: what tells, in order of time, and what it tells of."""

    def __init__(self, key: _Key, told: _Told) -> None:
        self._key = key
        self._forward = key[0] == "asked"
        self._may_overlap = key[0] == "logged" or key[1] == _NAMELESS
        self._tellers: list[_Entry] = []
        self._idless = 0
        self._told = told

    def enter(self, node: Node, entry: _Entry) -> list[Node]:
        """Something more tells."""
        insort(self._tellers, entry)
        self._idless += _lacks_id(node)
        return self.renew(entry[0], is_teller=True)

    def leave(self, node: Node, entry: _Entry) -> list[Node]:
        """Something tells no more."""
        _remove(self._tellers, entry)
        self._idless -= _lacks_id(node)
        return [*self.part_from(node), *self.renew(entry[0], is_teller=True)]

    def part_from(self, node: Node) -> list[Node]:
        """A reading goes; returns the one that it was paired with."""
        partner = node.pairs.get(self._key)
        if partner is None:
            return []
        for each in (node, partner):
            each.pairs = {key: other for key, other in each.pairs.items() if key != self._key}
            each.doubts -= {self._key}
        return [partner]

    def renew(self, time: int, *, is_teller: bool = False) -> list[Node]:
        """Pair anew what a change at some time can touch; returns what has another partner now."""
        if not (self._idless or self._told.idless):
            return []  # all have ids, so none is paired here
        if is_teller:
            place = bisect_left(self._tellers, time, key=_time)
            last = bisect_right(self._tellers, time, key=_time)
            near = {place - 1, place} if self._forward else {place, last}
            if self._may_overlap:
                near = {place - 1, place, last}
        elif self._forward:
            near = {bisect_right(self._tellers, time, key=_time) - 1}
        else:
            place = bisect_left(self._tellers, time, key=_time)
            near = {place - 1, place} if self._key[1] == _NAMELESS else {place}
        spans = {self._together(place) for place in near if 0 <= place < len(self._tellers)}
        stretches = [self._stretch(first, last) for first, last in spans]
        before: _Before = {}
        for tellers, told in stretches:
            for node in (*tellers, *told):
                self._part(node, before)
        for tellers, told in stretches:
            self._pair(tellers, told)
        return [node for node, *was in before.values() if self._stands(node) != tuple(was)]

    def _stands(self, node: Node) -> tuple[Node | None, bool]:
        """What a reading belongs with, and whether that is a guess."""
        return node.pairs.get(self._key), self._key in node.doubts

    def _together(self, place: int) -> tuple[int, int]:
        """From where to where those tell that stand in one stretch: at one time, or (records of calls) overlapping."""
        first, last = place, place + 1
        while first and self._is_with(first) and place - first < MOST_IN_A_STRETCH:
            first -= 1
        while (
            last < len(self._tellers) and self._is_with(last) and last - place < MOST_IN_A_STRETCH
        ):
            last += 1
        return first, last

    def _is_with(self, place: int) -> bool:
        """Whether what tells stands in one stretch with the one before it.

        Answers without a name do where nothing is asked between them: each may be a record of its own.
        """
        if self._key[1] == _NAMELESS:
            since, until = self._tellers[place - 1][0], self._tellers[place][0]
            entries = self._told.entries
            return bisect_right(entries, since, key=_time) == bisect_right(
                entries, until, key=_time
            )
        start = self._tellers[place][3].place.start_ns if self._key[0] == "logged" else None
        time = self._tellers[place][0] if start is None else start
        return time <= self._tellers[place - 1][0]

    def _part(self, node: Node, before: _Before) -> None:
        before.setdefault(id(node), (node, *self._stands(node)))
        partner = node.pairs.get(self._key)
        if partner is not None:
            before.setdefault(id(partner), (partner, *self._stands(partner)))
        self.part_from(node)

    def _stretch(self, first: int, last: int) -> tuple[list[Node], list[Node]]:
        """What tells in a stretch, and what stands there to be told of."""
        tellers = self._tellers[first:last]
        if self._forward:
            until = self._tellers[last][0] if last < len(self._tellers) else None
            start = bisect_left(self._told.entries, tellers[0][0], key=_time)
            end = (
                len(self._told.entries)
                if until is None
                else bisect_left(self._told.entries, until, key=_time)
            )
            end = min(end, start + MOST_IN_A_STRETCH)
        else:
            since = self._tellers[first - 1][0] if first else None
            start = 0 if since is None else bisect_right(self._told.entries, since, key=_time)
            end = bisect_right(self._told.entries, tellers[-1][0], key=_time)
            start = max(start, end - MOST_IN_A_STRETCH)
        told = self._told.entries[start:end]
        if self._key[1] == _NAMELESS:
            told = [entry for entry in told if entry[0] == told[-1][0]]
        return [entry[3] for entry in tellers], [entry[3] for entry in told]

    def _pair(self, tellers: Sequence[Node], told: Sequence[Node]) -> None:
        order = 1 if self._forward else -1
        tellers, free = tellers[::order], list(told[::order])
        for same in (True, False):
            alone = [teller for teller in tellers if self._key not in teller.pairs]
            others = list(free)
            for teller in alone:
                self._pair_one(teller, free, same=same)
            for teller in alone:
                self._doubt(teller, alone, others, same=same)

    def _doubt(
        self, teller: Node, tellers: Sequence[Node], told: Sequence[Node], *, same: bool
    ) -> None:
        """Note where one of a pair would have fitted another one as well."""
        partner = teller.pairs.get(self._key)
        if partner is not None and (
            any(self._fit(teller, node, same=same) for node in told if node is not partner)
            or any(self._fit(node, partner, same=same) for node in tellers if node is not teller)
        ):
            teller.doubts |= {self._key}
            partner.doubts |= {self._key}

    def _fit(self, teller: Node, told: Node, *, same: bool) -> bool:
        return self._may_be_one(teller, told) and (
            not same or teller.facts.have_same_arguments(told.facts)
        )

    def _pair_one(self, teller: Node, free: list[Node], *, same: bool) -> None:
        for place, node in enumerate(free):
            if self._fit(teller, node, same=same):
                teller.pairs = {**teller.pairs, self._key: node}
                node.pairs = {**node.pairs, self._key: teller}
                del free[place]
                return

    def _may_be_one(self, teller: Node, told: Node) -> bool:
        if not (_lacks_id(teller) or _lacks_id(told)):
            return False
        if self._key[0] == "logged" and told.call is not None and told.call.what == "log":
            return False
        return teller.facts.agree(told.facts)


def _lacks_id(node: Node) -> bool:
    return node.call is not None and not node.call.call_id


def _remove(entries: list[_Entry], entry: _Entry) -> None:
    del entries[bisect_left(entries, entry[:3], key=_order)]


def _order(entry: _Entry) -> tuple[int, int, str]:
    return entry[:3]


def _entry(node: Node) -> _Entry:
    call = node.call
    assert call is not None  # noqa: S101 - for the type checker
    end = node.place.end_ns if call.what == "log" else None
    return (end or node.place.start_ns or 0, call.position, node.place.id, node)


def _time(entry: _Entry) -> int:
    return entry[0]
