"""Evidence -> a contract that says what always held, each line with what it rests on.

Nothing is learned from what was not observed, and no value of an argument or result is ever repeated. Limits and budgets
leave room: `HEADROOM` times the most that was seen.
"""

from __future__ import annotations

import glob
import math
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from toolscore_otel.learning.evidence import Evidence, Pair, ToolEvidence
from toolscore_otel.learning.schema import MaySay, schema_of
from toolscore_otel.matchers.globs import is_glob
from toolscore_otel.model import Json, Trajectory

HEADROOM = 2
"""How much more than the most that was seen a limit or a budget allows."""

_AT_LEAST = 2
"""By how many calls a limit is above the most that was seen."""

_LOOPS = {"same_call": 5, "no_progress": 5, "retry_after_error": 3, "cycle": 3}
"""Rules about repetition, with numbers at which nobody doubts that an agent gets nowhere."""


class Tool(Struct, frozen=True):
    """One tool of the registry.

    Attributes:
        name: as recorded.
        parameters: schema of its arguments; None where they show none.
        evidence: what is known of it, for people.
    """

    name: str
    parameters: Json
    evidence: str


class Rule(Struct, frozen=True):
    """One rule, and what it rests on.

    Attributes:
        clause: its key in a contract.
        data: an entry of that clause, or the value of its key or of the whole clause.
        evidence: for people.
        key: where the clause is a mapping.
    """

    clause: str
    data: Json
    evidence: str
    key: str | None = None


class Proposal(Struct, frozen=True, kw_only=True):
    """A contract, before it is held against what it comes from.

    Attributes:
        name: id of the contract.
        traces: it comes from.
        calls: in them.
        service: the only one there is; None where it is not known to be the only one.
        notes: what is left out, and why.
    """

    name: str
    traces: int
    calls: int
    service: str | None = None
    tools: tuple[Tool, ...] = ()
    rules: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()


def propose(
    trajectories: Sequence[Trajectory],
    seen: Evidence,
    *,
    name: str,
    min_traces: int,
    may_say: MaySay,
) -> Proposal:
    """What always held.

    Args:
        trajectories: whole traces.
        seen: their evidence.
        name: id of the contract.
        min_traces: in how many traces something must have been so before it is taken for a habit (`order`, `require`).
        may_say: whether a name may be repeated; a tool whose name may not is left out.
    """
    tools = {tool: seen.tools[tool] for tool in sorted(seen.tools) if may_say(tool)}
    unsaid = len(seen.tools) - len(tools)
    registry = tuple(_tool(tool, of, may_say) for tool, of in tools.items())
    rules = [
        *(_allow_only(tools) if tools and not unsaid else ()),
        *_require(seen, tools, min_traces),
        *_order(seen, tools, min_traces),
        *_limits(tools),
        *_loops(seen),
        *_budgets(trajectories),
        *_arguments(registry),
    ]
    note = f"{_count(unsaid, 'tool')} whose name looks like a secret, and with it `allow_only`"
    return Proposal(
        name=name,
        traces=seen.traces,
        calls=seen.calls,
        service=_only_service(seen, may_say),
        tools=registry,
        rules=tuple(rules),
        notes=(note,) if unsaid else (),
    )


def _only_service(seen: Evidence, may_say: MaySay) -> str | None:
    """The service of everything that was seen, as a glob; an SDK that was not told a name makes one up."""
    names = list(seen.services)
    service = names[0] if len(names) == 1 else None
    if not service or service.startswith("unknown_service") or not may_say(service):
        return None
    return _literal(service)


def _tool(name: str, seen: ToolEvidence, may_say: MaySay) -> Tool:
    said = [f"{_count(seen.calls, 'call')} in {_count(seen.traces, 'trace')}"]
    parameters = None
    if seen.no_object:
        said.append(f"arguments are no JSON object in {seen.no_object}: no schema")
    elif not seen.args:
        said.append("arguments not observed: no schema")
    else:
        parameters = {**schema_of(seen.args, may_say), "type": "object"}
        said.append(f"arguments observed in {len(seen.args)}")
    if not seen.executed:
        said.append("never seen to run: is there such a tool?")
    elif seen.failed == seen.executed:
        said.append("every call failed")
    return Tool(name, parameters, "; ".join(said))


def _allow_only(tools: Iterable[str]) -> Iterator[Rule]:
    names = [_literal(tool) for tool in tools]
    yield Rule("allow_only", names, f"{_count(len(names), 'tool')}, all that were called")


def _require(seen: Evidence, tools: Iterable[str], enough: int) -> Iterator[Rule]:
    for tool in tools:
        if seen.always[tool] == seen.complete >= enough:
            data = {"tool": _literal(tool)}
            yield Rule("require", data, f"ran in {seen.complete} of {seen.complete} traces")


def _order(seen: Evidence, tools: Iterable[str], enough: int) -> Iterator[Rule]:
    said = set(tools)
    pairs = {
        (first, then)
        for (first, then), traces in seen.after.items()
        if {first, then} <= said and traces == seen.called[then] >= enough
    }
    for first, then in sorted(_without_detours(pairs)):
        traces = seen.called[then]
        data = {"first": _literal(first), "then": _literal(then)}
        yield Rule("order", data, f"so in {traces} of {traces} traces with the second")


def _without_detours(pairs: set[Pair]) -> set[Pair]:
    """The pairs that do not follow from others: A before C is no news where A is before B and B before C."""
    later: dict[str, set[str]] = {}
    for first, then in pairs:
        later.setdefault(first, set()).add(then)
    none = set[str]()
    return {
        (first, then)
        for first, then in pairs
        if not any(then in later.get(between, none) for between in later[first])
    }


def _limits(tools: dict[str, ToolEvidence]) -> Iterator[Rule]:
    for tool, seen in tools.items():
        if seen.most:
            most = max(seen.most * HEADROOM, seen.most + _AT_LEAST)
            data = {"tool": _literal(tool), "max": most}
            yield Rule("limit", data, f"at most {seen.most} in one trace")


def _loops(seen: Evidence) -> Iterator[Rule]:
    said = f"never in {_count(seen.traces, 'trace')} of at most {_count(seen.longest, 'call')}"
    for key, number in _LOOPS.items() if seen.calls else ():
        yield Rule("loop", number, said, key)


def _budgets(trajectories: Sequence[Trajectory]) -> Iterator[Rule]:
    sums: dict[str, list[float | None]] = {
        "latency_ms": [_ms(one.latency_s) for one in trajectories],
        "tokens": [one.tokens.total for one in trajectories],
        "cost_usd": [one.cost_usd for one in trajectories],
    }
    for key, values in sums.items():
        known = [value for value in values if value]
        if known:
            data = {"of": "trace", key: rounded_up(max(known) * HEADROOM)}
            of = f"known of {len(known)} of {_count(len(values), 'trace')}"
            yield Rule("budget", data, f"at most {rounded_up(max(known))}; {of}")


def _arguments(tools: Sequence[Tool]) -> Iterator[Rule]:
    known = [tool.name for tool in tools if tool.parameters is not None]
    if known:
        data: dict[str, Json] = {"check": "schema"}
        if len(known) < len(tools):
            data["tools"] = [_literal(tool) for tool in known]
        yield Rule("arguments", data, f"schemas of {_count(len(known), 'tool')}, from their calls")


def rounded_up(value: float) -> float:
    """The next number of two digits and zeros.

    Args:
        value: above 0.
    """
    digits = math.floor(math.log10(value)) - 1
    up = round(math.ceil(value / 10**digits) * 10**digits, max(0, -digits))
    return int(up) if up == int(up) else up


def _literal(tool: str) -> str:
    """The glob of this name and no other."""
    return glob.escape(tool) if is_glob(tool) else tool


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
