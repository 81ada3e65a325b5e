"""Calls by their call ids, and what those under one id make of each other where several traces tell of it (`retold`).

Nearly every id is told of by one trace alone: then its calls stand as they are told, and nothing more is known of it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Set as AbstractSet

from msgspec import Struct, structs

from toolscore_otel.assembly.retold import Fate, Name, Precedence, joins, precedence, retold
from toolscore_otel.assembly.ties import Told, ties
from toolscore_otel.model import Stage, ToolCall

MOST_IDS = 65_536
"""Past this many call ids the one of which nothing came longest is forgotten (counter `across_forgotten`)."""

MOST_TELLERS = 1_024
"""Past this many calls under one id, of all traces together, it is no id across traces (counter `across_forgotten`)."""

_Fates = dict[Name, Fate]


class _Id(Struct):
    """All that is known under one call id.

    Attributes:
        only: the one trace that ever told of it; None once there were several.
        tellers: the calls.
        owners: those that stand, where several traces tell.
        givers: those that these took something from.
        last: the last of all these.
        is_crowded: whether there were too many: nothing is kept of them.
    """

    only: str | None
    tellers: dict[Name, Told]
    owners: _Fates = {}
    givers: set[Name] = set()
    last: Precedence | None = None
    is_crowded: bool = False


class Ids:
    """Calls of all traces by their ids.

    Args:
        counters: `across_forgotten` counts ids past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._ids: OrderedDict[str, _Id | Told] = OrderedDict()
        self._changed: dict[str, set[Name]] = {}

    def enter(self, name: Name, call_id: str, told: Told) -> None:
        """A call came, or is told otherwise."""
        of = self._ids.get(call_id)
        if of is None:
            self._ids[call_id] = told
            if len(self._ids) > MOST_IDS:
                self._ids.popitem(last=False)
                self._counters["across_forgotten"] += 1
            return
        if isinstance(of, Told):
            first = (of.call.trace_id, of.call.key)
            if first == name:
                self._ids[call_id] = told
                return
            of = self._ids[call_id] = _Id(first[0], {first: of})
        self._ids.move_to_end(call_id)
        if of.is_crowded:
            return
        of.tellers[name] = told
        if of.only == name[0]:
            return
        of.only = None
        self._changed.setdefault(call_id, set()).add(name)

    def leave(self, name: Name, call_id: str) -> None:
        """A call is gone."""
        of = self._ids.get(call_id)
        if isinstance(of, _Id):
            if of.tellers.pop(name, None) is not None and of.only is None:
                self._changed.setdefault(call_id, set()).add(name)
            if not of.tellers and not of.is_crowded:
                del self._ids[call_id]
        elif of is not None and name == (of.call.trace_id, of.call.key):
            del self._ids[call_id]

    def settle(self) -> _Fates:
        """What becomes of the calls, of those of which that may be something else now, and of no others."""
        fates: _Fates = {}
        if not self._changed:
            return fates
        changed, self._changed = self._changed, {}
        for call_id, names in changed.items():
            of = self._ids.get(call_id)
            if isinstance(of, _Id):
                joining = _joining(of, call_id, names)
                fates |= self._anew(of, call_id) if joining is None else joining
        return fates

    def forget(self, name: Name, call_id: str) -> None:
        """A trace is no longer in memory: its calls are only known where they stand, or have told something.

        Where it only asked for one, and another trace tells that this ran, it is that one's: else what came of it would be lost.
        """
        of = self._ids.get(call_id)
        if isinstance(of, Told):
            if name == (of.call.trace_id, of.call.key):
                self._ids[call_id] = _left(of, of.call)
        elif of is not None and name in of.tellers:
            told = of.tellers[name]
            if of.only is not None:
                of.tellers[name] = _left(told, told.call)
            elif name in of.owners:
                of.tellers[name] = _left(told, of.owners[name].left or told.call)
            elif name not in of.givers:
                del of.tellers[name]

    def _anew(self, of: _Id, call_id: str) -> _Fates:
        calls = {name: told.call for name, told in of.tellers.items()}
        if len(calls) > MOST_TELLERS:
            self._counters["across_forgotten"] += 1
            of.tellers, of.owners, of.givers, of.is_crowded = {}, {}, set(), True
            return {name: Fate(call, call) for name, call in calls.items()}
        found = retold(calls, ties(of.tellers, call_id))
        of.owners = {name: fate for name, fate in found.items() if fate.now is None}
        of.givers = {name for name, fate in found.items() if fate.gives}
        of.last = max(precedence(name, calls[name]) for name in {*of.owners, *of.givers})
        return found


def _left(told: Told, whole: ToolCall) -> Told:
    """A call whose trace is no longer in memory, by all that was told of it."""
    return structs.replace(told, is_left=whole.stage is Stage.REQUESTED)


def _joining(of: _Id, call_id: str, names: AbstractSet[Name]) -> _Fates | None:
    """What becomes of calls that tell again what stands, as histories do; None where others matter, too."""
    if of.last is None or any(name in of.owners or name in of.givers for name in names):
        return None
    found: _Fates = {}
    may_be_one = ties(of.tellers, call_id)
    for name in names & of.tellers.keys():
        call = of.tellers[name].call
        is_late = precedence(name, call) > of.last
        fate = joins(name, call, of.owners, may_be_one) if is_late else None
        if fate is None:
            return None
        found[name] = fate
    return found
