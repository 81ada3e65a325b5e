"""Calls that several traces tell of: each belongs to the one in which it ran (contract language, section 1).

A call id joins across traces only within one conversation or along a span link, and only where tool and arguments agree.
What becomes of calls under one id depends on all of them that are known, never on which came first.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from functools import partial

from msgspec import Struct

from toolscore_otel.assembly.change import CallChange
from toolscore_otel.assembly.retold import Fate, Name, joins, retold
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import ToolCall

MOST_IDS = 65_536
"""Past this many call ids the one of which nothing came longest is forgotten (counter `across_forgotten`)."""

MOST_TELLERS = 1_024
"""Past this many calls under one id, of all traces in memory together, it is no id across traces."""


class _Told(Struct, frozen=True):
    """A call as its own trace tells of it, and what ties it to others."""

    call: ToolCall
    conversation: str | None
    links: AbstractSet[str]


class _Id(Struct):
    """All that is known under one call id.

    Attributes:
        tellers: the calls.
        owners: those that stand.
        givers: those that these took something from.
        only: the one trace that ever told of it; None once there were several.
    """

    only: str | None
    tellers: dict[Name, _Told] = {}
    owners: dict[Name, Fate] = {}
    givers: set[Name] = set()


_Fates = Mapping[Name, Fate]


class Across:
    """Calls of all traces by their ids.

    Args:
        counters: `across_forgotten` counts ids past the cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._ids: OrderedDict[str, _Id] = OrderedDict()
        self._known: dict[str, dict[str, str]] = {}
        self._ties: dict[str, tuple[str | None, int]] = {}
        self._retold: dict[str, dict[str, ToolCall | None]] = {}

    def take(
        self, trace_id: str, changes: Sequence[CallChange], trace: TraceAssembly
    ) -> dict[str, list[CallChange]]:
        """What calls of a trace change, there and in others.

        Args:
            trace_id: of the trace.
            changes: by what it tells alone.
            trace: as it stands; its `retold` is kept up to date.

        Returns:
            By trace id; those of this trace stand in the place of `changes`.
        """
        ours = self._retold.setdefault(trace_id, {})
        trace.retold = ours
        ties = _ties_of(trace)
        if self._are_unheard_of(changes) and self._ties.get(trace_id, ties) == ties:
            self._ties[trace_id] = ties
            self._note_first(trace_id, changes, trace)
            return {trace_id: list(changes)}
        stood = {c.before: c.before is not None and not _is_none(ours, c.before) for c in changes}
        for key in stood:
            ours.pop(key or "", None)
        fates = self._fates(self._learn(trace_id, changes, trace))
        found: dict[str, list[CallChange]] = {trace_id: []}
        fresh = {change.after.key for change in changes if change.after is not None}
        for change in changes:
            found[trace_id] += self._own(trace_id, change, fates, stood=stood[change.before])
        for (other, key), fate in fates.items():
            if other in self._known and (other != trace_id or key not in fresh):
                self._tell(other, key, fate, found)
        self._make_room()
        return found

    def forget(self, trace_id: str) -> None:
        """A trace is no longer in memory: it is told nothing, and its calls are only known where they stand."""
        for key, call_id in self._known.get(trace_id, {}).items():
            of, name = self._ids.get(call_id, _Id(None)), (trace_id, key)
            if name not in of.owners and name not in of.givers:
                of.tellers.pop(name, None)
        for known in (self._known, self._ties, self._retold):
            known.pop(trace_id, None)

    def _are_unheard_of(self, changes: Sequence[CallChange]) -> bool:
        """Whether all are new calls, and nobody told of their ids before: as nearly every call is."""
        ids: list[str] = []
        for change in changes:
            if change.before is not None:
                return False
            if change.after is not None and change.after.call_id:
                ids.append(change.after.call_id)
        return len(set(ids)) == len(ids) and self._ids.keys().isdisjoint(ids)

    def _note_first(
        self, trace_id: str, changes: Sequence[CallChange], trace: TraceAssembly
    ) -> None:
        """Take in calls of which nobody told before."""
        known = self._known.setdefault(trace_id, {})
        only, links = trace.only, frozenset(trace.links)
        for change in changes:
            call = change.after
            if call is not None and call.call_id:
                known[call.key] = call.call_id
                name = (trace_id, call.key)
                told = _Told(call, call.conversation_id or only, links)
                self._ids[call.call_id] = _Id(trace_id, {name: told}, {name: Fate(call, call)})
        self._make_room()

    def _learn(
        self, trace_id: str, changes: Sequence[CallChange], trace: TraceAssembly
    ) -> Mapping[str, set[Name]]:
        """Take in what a trace tells; returns what has changed, by call id."""
        known = self._known.setdefault(trace_id, {})
        ids: dict[str, set[Name]] = {}
        for change in changes:
            if (call_id := known.pop(change.before or "", None)) is not None:
                name = (trace_id, change.before or "")
                self._ids.setdefault(call_id, _Id(trace_id)).tellers.pop(name, None)
                ids.setdefault(call_id, set()).add(name)
        told = [c.after for c in changes if c.after is not None and c.after.call_id]
        ties = _ties_of(trace)
        if self._ties.get(trace_id) != ties:
            self._ties[trace_id] = ties
            told = [call for call in trace.calls.values() if call.call_id]
        links = frozenset(trace.links)
        for call in told:
            call_id = call.call_id or ""
            known[call.key] = call_id
            conversation = call.conversation_id or trace.only
            of = self._ids.setdefault(call_id, _Id(trace_id))
            of.only = of.only if of.only == trace_id else None
            of.tellers[trace_id, call.key] = _Told(call, conversation, links)
            self._ids.move_to_end(call_id)
            ids.setdefault(call_id, set()).add((trace_id, call.key))
        return ids

    def _fates(self, changed: Mapping[str, set[Name]]) -> _Fates:
        """What becomes of the calls under these ids, of those of which that may be something else now."""
        fates: dict[Name, Fate] = {}
        for call_id, names in changed.items():
            of = self._ids[call_id]
            joining = _joining(of, names) if of.only is None else _of_one_trace(of, names)
            fates |= _anew(of) if joining is None else joining
            if not of.tellers:
                del self._ids[call_id]
        return fates

    def _own(
        self, trace_id: str, change: CallChange, fates: _Fates, *, stood: bool
    ) -> Iterable[CallChange]:
        """A change of the trace itself, as all traces together know of it."""
        call, before = change.after, change.before if stood else None
        now = None
        if call is not None and (fate := fates.get((trace_id, call.key))) is not None:
            now = self._note(trace_id, call.key, fate)
            call = fate.left
        if before is not None or call is not None:
            yield CallChange(before, call, change.alone, now)

    def _tell(
        self, trace_id: str, key: str, fate: Fate, found: dict[str, list[CallChange]]
    ) -> None:
        """What is different now of a call that did not change itself."""
        retold = self._retold[trace_id]
        before = retold.get(key, fate.told)
        now = self._note(trace_id, key, fate)
        if fate.left != before:
            change = CallChange(None if before is None else key, fate.left, now=now)
            found.setdefault(trace_id, []).append(change)

    def _note(self, trace_id: str, key: str, fate: Fate) -> ToolCall | None:
        """Keep what became of a call; returns the one that it turned out to be, where it is another."""
        if fate.left is fate.told:
            self._retold[trace_id].pop(key, None)
        else:
            self._retold[trace_id][key] = fate.left
        return fate.now

    def _make_room(self) -> None:
        while len(self._ids) > MOST_IDS:
            self._ids.popitem(last=False)
            self._counters["across_forgotten"] += 1


def _of_one_trace(of: _Id, names: set[Name]) -> _Fates:
    """What becomes of calls under an id of which no other trace tells: they stand."""
    found = {n: Fate(of.tellers[n].call, of.tellers[n].call) for n in names & of.tellers.keys()}
    for name in names:
        of.owners.pop(name, None)
    of.owners |= found
    return found


def _joining(of: _Id, names: set[Name]) -> _Fates | None:
    """What becomes of calls that tell again what stands, as histories do; None where others matter, too."""
    if not of.owners or any(name in of.owners or name in of.givers for name in names):
        return None
    found: dict[Name, Fate] = {}
    for name in names & of.tellers.keys():
        call, ties = of.tellers[name].call, partial(_may_be_one, of.tellers)
        if (fate := joins(name, call, of.owners, ties)) is None:
            return None
        found[name] = fate
    return found


def _anew(of: _Id) -> _Fates:
    calls = {name: told.call for name, told in of.tellers.items()}
    if len(calls) == 1 or len(calls) > MOST_TELLERS:
        found = {name: Fate(call, call) for name, call in calls.items()}
    else:
        found = retold(calls, partial(_may_be_one, of.tellers))
    of.owners = {name: fate for name, fate in found.items() if fate.now is None}
    of.givers = {name for name, fate in found.items() if fate.gives}
    return found


def _ties_of(trace: TraceAssembly) -> tuple[str | None, int]:
    """What binds a trace to others, as far as it may change."""
    return trace.only, len(trace.links)


def _is_none(retold: Mapping[str, ToolCall | None], key: str) -> bool:
    return key in retold and retold[key] is None


def _may_be_one(by: Mapping[Name, _Told], one: Name, other: Name) -> bool:
    """Whether two calls under one id are of one conversation, or of traces that one links to."""
    mine, yours = by[one], by[other]
    is_one_talk = mine.conversation is not None and mine.conversation == yours.conversation
    return is_one_talk or one[0] in yours.links or other[0] in mine.links
