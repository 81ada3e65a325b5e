"""The registry of a contract as written -> `ToolSpec`s."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, structs

from toolscore_otel.contracts.decode import decode
from toolscore_otel.contracts.language import CostEntry, ToolEntry
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.tree import Path
from toolscore_otel.matchers import Matcher, MatcherError, Schema, parse
from toolscore_otel.matchers.path import Steps, steps_of
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

_OWN = frozenset({"aliases", "name_from"})
"""What an entry such as `exec:git` does not take over from its dispatcher."""

_NO_LABELS: frozenset[str] = frozenset()


class ToolSpec(Struct, frozen=True, kw_only=True):
    """What a contract knows of one tool.

    Attributes:
        name: canonical.
        aliases: globs of recorded names that mean this tool.
        name_from: steps of the argument whose first word is the sub-command, for a dispatcher.
        parameters: JSON Schema of its arguments.
        mutating: it changes something.
        polling: equal calls are expected.
        labels: free words.
        cost_per_call_usd: None where no cost is given.
        cost_per_second_usd: comes on top.
        fails_when: matcher of the result: how it says that it failed.
        timeout_ms: how long a call may take.
    """

    name: str
    aliases: tuple[str, ...] = ()
    name_from: Steps | None = None
    parameters: Json = None
    mutating: bool = False
    polling: bool = False
    labels: frozenset[str] = _NO_LABELS
    cost_per_call_usd: float | None = None
    cost_per_second_usd: float = 0.0
    fails_when: Matcher | None = None
    timeout_ms: float | None = None


def read_tools(data: Mapping[str, Json], path: Path, notes: Notes) -> dict[str, ToolSpec]:
    """The tools of a registry, in file order; those with a problem are noted and left out."""
    entries: dict[str, ToolEntry] = {}
    for name, written in data.items():
        if not name:
            notes.error((*path, name), "a tool of `tools` has an empty name")
        called = f"the tool `{name}`"
        entry = decode(ToolEntry, written or {}, (*path, name), notes, called=called)
        if entry is not None:
            entries[name] = entry
    specs: dict[str, ToolSpec] = {}
    for name, entry in entries.items():
        reader = _ToolReader((*path, name), notes)
        specs[name] = reader.spec(name, _filled(entry, _dispatcher_of(name, entries)))
    return specs


def _dispatcher_of(name: str, entries: Mapping[str, ToolEntry]) -> ToolEntry | None:
    parts = name.split(":")
    for end in range(len(parts) - 1, 0, -1):
        found = entries.get(":".join(parts[:end]))
        if found is not None and found.name_from is not UNSET:
            return found
    return None


def _filled(entry: ToolEntry, dispatcher: ToolEntry | None) -> ToolEntry:
    """The entry with what it leaves out taken from its dispatcher."""
    if dispatcher is None:
        return entry
    taken: dict[str, Any] = {
        key: getattr(dispatcher, key)
        for key in ToolEntry.__struct_fields__
        if key not in _OWN and getattr(entry, key) is UNSET
    }
    return structs.replace(entry, **taken)


class _ToolReader:
    """Reads one entry; what is wrong is noted at its key."""

    def __init__(self, path: Path, notes: Notes) -> None:
        self._path = path
        self._notes = notes

    def spec(self, name: str, entry: ToolEntry) -> ToolSpec:
        per_call, per_second = self._cost(entry.cost_usd)
        timeout = entry.timeout_ms if isinstance(entry.timeout_ms, float) else None
        if timeout is not None and timeout < 0:
            self._wrong("timeout_ms", "`timeout_ms` is a time, 0 or more")
        return ToolSpec(
            name=name,
            aliases=self._words("aliases", entry.aliases),
            name_from=self._steps(entry.name_from),
            parameters=self._parameters(entry.parameters),
            mutating=entry.mutating is True,
            polling=entry.polling is True,
            labels=frozenset(self._words("labels", entry.labels)),
            cost_per_call_usd=per_call,
            cost_per_second_usd=per_second,
            fails_when=self._fails_when(entry.fails_when),
            timeout_ms=timeout,
        )

    def _wrong(self, key: str, message: str) -> None:
        self._notes.error((*self._path, key), message)

    def _words(self, key: str, written: object) -> tuple[str, ...]:
        words = [written] if isinstance(written, str) else written if is_list(written) else ()
        if "" in words:
            self._wrong(key, f"`{key}` holds an empty text")
        return tuple(map(str, words))

    def _steps(self, name_from: object) -> Steps | None:
        if not isinstance(name_from, str):
            return None
        prefix, _, path = name_from.partition(".")
        steps = steps_of(path)
        if prefix != "args" or not all(steps) or "*" in steps:
            self._wrong(
                "name_from", "`name_from` is the path of one argument, such as `args.command`"
            )
            return None
        return steps

    def _parameters(self, schema: object) -> Json:
        if schema is UNSET:
            return None
        try:
            Schema(schema)
        except MatcherError as error:
            self._wrong("parameters", f"`parameters`: {error}")
            return None
        return schema

    def _cost(self, cost: object) -> tuple[float | None, float]:
        if cost == CostEntry():
            self._wrong("cost_usd", "`cost_usd` needs `per_call` or `per_second`")
        if isinstance(cost, int | float):
            cost = CostEntry(per_call=cost)
        if not isinstance(cost, CostEntry):
            return None, 0.0
        if cost.per_call < 0 or cost.per_second < 0:
            self._wrong("cost_usd", "`cost_usd` is a number of USD, 0 or more")
        return cost.per_call, cost.per_second

    def _fails_when(self, data: object) -> Matcher | None:
        if data is UNSET:
            return None
        try:
            return parse(data)
        except MatcherError as error:
            self._notes.error((*self._path, "fails_when", *error.path), f"`fails_when`: {error}")
            return None
