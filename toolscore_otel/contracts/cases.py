"""Cases: short runs beside a contract, and the rules that must fail on them (`NAME.cases.yaml` beside `NAME.yaml`).

Loaded only: what runs them stands above contracts. Times are made up: a case begins at `BEGIN_NS`, each call begins 100
ms after the end of the one above and takes 100 ms, unless it says otherwise. Ids are hashes of what is written, so that
they are the same each time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from toolscore_otel.contracts.decode import decode, shown
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.packs import PACK, pack_file
from toolscore_otel.contracts.source import read_file
from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.conventions.attributes import SCENARIOS
from toolscore_otel.conventions.content import arguments
from toolscore_otel.errors import ContractError, Location
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import (
    CallKind,
    ContentState,
    CostSource,
    Json,
    Stage,
    Status,
    ToolCall,
)

BEGIN_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z: when the calls of every case begin."""

GAP_MS = 100.0
"""From the end of one call to the begin of the next, and what a call takes."""


class Case(Struct, frozen=True, kw_only=True):
    """A short run, and what must be found on it.

    Attributes:
        name: for people.
        where: it stands.
        calls: in the order in which they are written; empty with `spans`.
        spans: a recording to take instead of calls.
        parents: invocation id of an agent to that of the agent that called it.
        agents: agents that called another one, whether or not they made a call of their own: by invocation id, their trace
            id and name.
        fails: ids of exactly those rules that fail, those in shadow too.
        cannot_check: ids of exactly those rules that cannot be checked.
    """

    name: str
    where: Location
    calls: tuple[ToolCall, ...] = ()
    spans: FilePath | None = None
    parents: Mapping[str, str] = {}
    agents: Mapping[str, tuple[str, str]] = {}
    fails: tuple[str, ...] = ()
    cannot_check: tuple[str, ...] = ()


class CaseEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case as written.

    Attributes:
        case: its name.
        calls: what was called.
        spans: a recording, beside the file, instead of calls.
        fails: rule ids.
        cannot_check: rule ids.
    """

    case: str
    calls: list[Any] | UnsetType = UNSET
    spans: str | UnsetType = UNSET
    fails: list[str] = []
    cannot_check: list[str] = []


class CallEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call as written. What is left out was not observed; `status` is `ok`, or `error` where an `error` is given.

    Attributes:
        args: `{}` for no arguments.
        args_text: raw, for cut or broken JSON.
        at_ms: begin, from the begin of the case.
        took_ms: from begin to end.
        invocation: tells two invocations of one agent apart.
        parent: agent that called this agent.
        scenario: of the trace: test scenario that it is a run of.
    """

    tool: str
    args: dict[str, Any] | UnsetType = UNSET
    args_text: str | UnsetType = UNSET
    result: Any = UNSET
    status: Status | UnsetType = UNSET
    error: str | None = None
    stage: Stage = Stage.EXECUTED
    kind: CallKind = CallKind.TOOL
    at_ms: float | UnsetType = UNSET
    took_ms: float | UnsetType = UNSET
    cost_usd: float | None = None
    agent: str | None = None
    invocation: str | int | None = None
    parent: str | None = None
    conversation: str | None = None
    trace: str | int = ""
    call_id: str | None = None
    service: str | None = None
    environment: str | None = None
    scenario: str | None = None


def cases_beside(path: str | FilePath) -> FilePath | None:
    """The cases of a contract, or None where it has none.

    Args:
        path: of the contract, as in `Contract.path`; `pack:NAME` works.
    """
    name = str(path)
    file = pack_file(name) if name.startswith(PACK) else FilePath(name)
    if file is None:
        return None
    for ending in (".cases.yaml", ".cases.yml"):
        beside = file.with_suffix(ending)
        if beside.is_file():
            return beside
    return None


def load_cases(path: str | FilePath) -> tuple[Case, ...]:
    """The cases in a file.

    Raises:
        ContractError: with everything that is wrong in it, by line.
    """
    documents = read_file(FilePath(path), str(path))
    if len(documents) != 1:
        message = "a file of cases is one list of cases"
        raise ContractError([problem(Location(str(path)), message)])
    notes = Notes(documents[0])
    cases = tuple(_cases(documents[0], FilePath(path).parent, notes))
    if notes.problems:
        raise ContractError(sorted(notes.problems, key=lambda problem: problem.where.line or 0))
    return cases


def _cases(document: Document, folder: FilePath, notes: Notes) -> Iterator[Case]:
    if not is_list(document.data) or not document.data:
        what = "an empty list" if document.data == [] else shown(document.data)
        notes.error((), f"a file of cases is one list of cases, not {what}")
        return
    for number, written in enumerate(document.data):
        calls = written.get("calls") if is_mapping(written) else None
        run = _Run(str(number))
        for index, call in enumerate(calls if is_list(calls) else ()):
            run.add(call, (number, "calls", index), notes)
        entry = decode(CaseEntry, written, (number,), notes, called="a case")
        if entry is None:
            continue
        if (entry.calls is UNSET) == (entry.spans is UNSET):
            notes.error((number,), "a case has either `calls` or `spans`")
        yield Case(
            name=entry.case,
            where=document.where((number,)),
            calls=run.finished(),
            spans=folder / entry.spans if isinstance(entry.spans, str) else None,
            parents=run.parents,
            agents=run.agents,
            fails=tuple(entry.fails),
            cannot_check=tuple(entry.cannot_check),
        )


class _Run:
    """Puts the calls of one case one after the other."""

    def __init__(self, name: str) -> None:
        """Nothing was called yet.

        Args:
            name: tells the ids of this case from those of others.
        """
        self.parents: dict[str, str] = {}
        self.agents: dict[str, tuple[str, str]] = {}
        self._name = name
        self._calls: list[ToolCall] = []
        self._next_ms = 0.0

    def add(self, written: Json, path: Path, notes: Notes) -> None:
        """The next call as written: a name, `{NAME: ARGUMENTS}`, or a mapping with `tool`."""
        keys = _keys(written)
        if keys is None:
            notes.error(
                path,
                f"a call is a tool's name, `TOOL: ARGUMENTS`, or a mapping with `tool`, not {shown(written)}",
            )
            return
        if keys is not written and is_mapping(written) and keys["args"] is None:
            notes.error(
                path,
                "arguments are a mapping: `{}` for none, the bare name for what was not observed",
            )
            return
        entry = decode(CallEntry, keys, path, notes, called="a call")
        if entry is not None:
            self._place(entry, path, notes)

    def finished(self) -> tuple[ToolCall, ...]:
        """The calls, each with the key that findings name it by: its call id, `#n` by start where several share it."""
        shared = Counter((call.trace_id, call.call_id) for call in self._calls)
        seen: Counter[tuple[str, str | None]] = Counter()
        keys: dict[str | None, str] = {}
        for call in sorted(self._calls, key=lambda call: call.start_ns or 0):
            which = (call.trace_id, call.call_id)
            seen[which] += 1
            several = f"{call.call_id}#{seen[which]}" if shared[which] > 1 else call.call_id
            keys[call.span_id] = (several if call.call_id else call.span_id) or ""
        return tuple(structs.replace(call, key=keys[call.span_id]) for call in self._calls)

    def _place(self, entry: CallEntry, path: Path, notes: Notes) -> None:
        begin = entry.at_ms if isinstance(entry.at_ms, float) else self._next_ms
        took = entry.took_ms if isinstance(entry.took_ms, float) else GAP_MS
        for key, value in (("at_ms", begin), ("took_ms", took)):
            if value < 0:
                notes.error((*path, key), f"`{key}` is a time, 0 or more")
        if entry.args is not UNSET and entry.args_text is not UNSET:
            notes.error((*path, "args_text"), "a call has either `args` or `args_text`")
        self._next_ms = begin + took + GAP_MS
        self._calls.append(self._call(entry, _ns(begin), _ns(begin + took)))

    def _call(self, entry: CallEntry, start_ns: int, end_ns: int) -> ToolCall:
        invocation = self._invocation(entry, entry.agent, entry.invocation)
        if invocation and entry.parent:
            parent = self._invocation(entry, entry.parent, None) or ""
            self.parents[invocation] = parent
            self.agents[parent] = (self._id(32, "trace", entry.trace), entry.parent)
        return ToolCall(
            tool=entry.tool,
            kind=entry.kind,
            stage=entry.stage,
            **_payloads(entry),
            status=_status(entry),
            error_message=entry.error,
            call_id=entry.call_id,
            trace_id=self._id(32, "trace", entry.trace),
            span_id=self._id(16, "span", len(self._calls)),
            parent_span_id=invocation,
            agent=entry.agent,
            invocation_id=invocation,
            conversation_id=entry.conversation,
            service=entry.service,
            environment=entry.environment,
            attributes={} if entry.scenario is None else {SCENARIOS[0]: entry.scenario},
            start_ns=start_ns,
            end_ns=end_ns if entry.stage is Stage.EXECUTED else start_ns,
            cost_usd=entry.cost_usd,
            cost_source=None if entry.cost_usd is None else CostSource.REPORTED,
            position=len(self._calls),
        )

    def _invocation(
        self, entry: CallEntry, agent: str | None, which: str | int | None
    ) -> str | None:
        return None if agent is None else self._id(16, "agent", entry.trace, agent, which)

    def _id(self, digits: int, *parts: object) -> str:
        text = "\0".join(map(str, (self._name, *parts)))
        return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _keys(written: Json) -> Mapping[str, Json] | None:
    if isinstance(written, str):
        return {"tool": written}
    if not is_mapping(written):
        return None
    if "tool" in written:
        return written
    if len(written) != 1:
        return None
    ((tool, args),) = written.items()
    return {"tool": tool, "args": args}


def _payloads(entry: CallEntry) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if entry.args is not UNSET:
        found |= {"args": entry.args, "args_state": ContentState.OBSERVED}
    if isinstance(entry.args_text, str):
        payload = arguments(entry.args_text)
        found |= {"args": payload.value, "args_text": payload.text, "args_state": payload.state}
    if entry.result is not UNSET:
        found |= {"result": entry.result, "result_state": ContentState.OBSERVED}
    return found


def _status(entry: CallEntry) -> Status:
    if isinstance(entry.status, Status):
        return entry.status
    if entry.stage is Stage.REQUESTED:
        return Status.UNKNOWN
    return Status.OK if entry.error is None else Status.ERROR


def _ns(ms: float) -> int:
    return BEGIN_NS + round(ms * 1e6)
