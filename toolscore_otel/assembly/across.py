"""Calls that several traces tell of: each belongs to the one in which it ran (docs/pages/reading.md).

An MCP server's call is its client's (`served`). Then a call id joins across traces within one conversation, along a span link,
or where a provider made it up (`ties`), and only where tool and arguments agree (`ids`). What becomes of calls depends on all
of them that are known, never on which came first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from toolscore_otel.assembly.change import CallChange
from toolscore_otel.assembly.ids import Ids
from toolscore_otel.assembly.retold import Fate, Name
from toolscore_otel.assembly.served import Served, Side, is_of_mcp, side_of
from toolscore_otel.assembly.ties import NO_LINKS, Told
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import ToolCall

_Fates = Mapping[Name, Fate]


class Across:
    """Calls of all traces by what ties them.

    Args:
        counters: `across_forgotten` counts what went past a cap.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._ids = Ids(counters)
        self._served = Served(counters)
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
        fates = self._fates(self._learn(trace_id, changes, trace))
        if not fates and not ours:  # nearly always
            return {trace_id: list(changes)}
        stood = {c.before: c.before is not None and not _is_none(ours, c.before) for c in changes}
        for key in stood:
            ours.pop(key or "", None)
        found: dict[str, list[CallChange]] = {trace_id: []}
        fresh = {change.after.key for change in changes if change.after is not None}
        for change in changes:
            found[trace_id] += self._own(trace_id, change, fates, stood=stood[change.before])
        for (other, key), fate in fates.items():
            if other in self._known and (other != trace_id or key not in fresh):
                self._tell(other, key, fate, found)
        return found

    def forget(self, trace_id: str) -> None:
        """A trace is no longer in memory: it is told nothing, and its calls are only known where they stand."""
        for key, call_id in self._known.get(trace_id, {}).items():
            self._ids.forget((trace_id, key), call_id)
        for known in (self._known, self._ties, self._retold):
            known.pop(trace_id, None)

    def _learn(
        self, trace_id: str, changes: Sequence[CallChange], trace: TraceAssembly
    ) -> Sequence[Name]:
        """Take in what a trace tells; returns the calls of MCP of which something may be different."""
        known = self._known.setdefault(trace_id, {})
        gone = [(trace_id, change.before) for change in changes if change.before is not None]
        for name in gone:
            if (call_id := known.pop(name[1], None)) is not None:
                self._ids.leave(name, call_id)
        calls: Iterable[ToolCall] = [c.after for c in changes if c.after is not None]
        only = trace.only
        ties = (only, len(trace.links))
        if self._ties.setdefault(trace_id, ties) != ties:
            self._ties[trace_id] = ties
            calls = trace.calls.values()
        links = frozenset(trace.links) if trace.links else NO_LINKS
        come: dict[Name, Side] = {}
        for call in calls:
            name, told = (trace_id, call.key), Told(call, call.conversation_id or only, links)
            if call.call_id:
                known[call.key] = call.call_id
            if is_of_mcp(call) and (side := side_of(told, trace)) is not None:
                come[name] = side
            elif call.call_id:
                self._ids.enter(name, call.call_id, told)
        return self._serve(gone, come) if come or self._served else ()

    def _serve(self, gone: Sequence[Name], come: Mapping[Name, Side]) -> Sequence[Name]:
        """Put calls of clients and servers together; returns those of which something may be different."""
        again = self._served.take(gone, come)
        for name in again:
            whole = self._served.whole(name)
            if call_id := whole.call.call_id:
                self._ids.leave(name, call_id)
                if self._client_of(name) is None:
                    self._ids.enter(name, call_id, whole)
        return again

    def _fates(self, again: Sequence[Name]) -> _Fates:
        """What becomes of calls of which that may be something else now; what is not among them stands as it is told."""
        fates = self._ids.settle()
        if not self._served:
            return fates
        for name in dict.fromkeys((*again, *(name for name in fates if name in self._served))):
            told, fate = self._served.told(name), fates.get(name)
            client = self._client_of(name)
            if client is not None:
                fates[name] = Fate(told, None, self._served.told(client))
            elif fate is not None:
                fates[name] = structs.replace(fate, told=told)
            else:
                fates[name] = Fate(told, self._served.whole(name).call)
        return fates

    def _client_of(self, name: Name) -> Name | None:
        """The client's call that a server's is; none that is no longer in memory, unless it was told of this before."""
        client = self._served.client_of(name)
        if client is None or client[0] in self._known:
            return client
        return client if _is_none(self._retold.get(name[0], {}), name[1]) else None

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


def _is_none(retold: Mapping[str, ToolCall | None], key: str) -> bool:
    return key in retold and retold[key] is None
