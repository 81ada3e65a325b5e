"""The registry, and what a rule is about (docs/pages/clauses/selectors.md, registry.md)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tests.contracts.naive.logic import Answer, both, some
from tests.contracts.naive.values import UNKNOWN, answer, answer_args, look_up, read_cut
from toolscore_otel.model import ContentState, Stage, ToolCall

MS = 1_000_000


@dataclass
class Seen:
    """A call, with what the registry says of it.

    Attributes:
        names: its canonical name, and the recorded one; the canonical name is None for a dispatcher whose command was not observed.
        entries: what may stand in the registry for it: more than one where its command was not observed.
        at: its place among all calls.
        names_agents: whether its trace names any agent.
        session: its conversation and service, or its trace.
    """

    call: ToolCall
    names: tuple[str | None, str]
    entries: list[dict[str, Any]]
    at: int
    names_agents: bool = False
    args: Any = UNKNOWN
    result: Any = UNKNOWN
    status: str = "unknown"
    cost: float | None = None
    session: tuple[str, str | None] = ("", None)

    @property
    def subject(self) -> str:
        return self.call.call_id or self.call.span_id or f"?{self.at}"

    @property
    def ran(self) -> bool:
        return self.call.stage is Stage.EXECUTED

    @property
    def duration_ms(self) -> float | None:
        start, end = self.call.start_ns, self.call.end_ns
        return None if not self.ran or start is None or end is None else (end - start) / MS


def see(call: ToolCall, at: int, registry: dict[str, Any]) -> Seen:
    """A call under the registry of a contract."""
    recorded = call.recorded_name or call.tool
    args = _observed(call.args_state, call.args, call.args_text)
    result = _observed(call.result_state, call.result, None)
    tool = _canonical(recorded, registry)
    entry = registry.get(tool) or {}
    names: tuple[str | None, str] = (tool, recorded)
    entries = [entry]
    if "name_from" in entry:
        value = next(look_up(args, entry["name_from"].removeprefix("args.")))
        under = {name: inner for name, inner in registry.items() if name.startswith(f"{tool}:")}
        if value is UNKNOWN:
            names = (None, recorded)
            entries += [{**entry, **(inner or {})} for inner in under.values()]
        elif isinstance(value, str) and value.split():
            called = f"{tool}:{value.split()[0]}"
            names = (called, recorded)
            entries = [{**entry, **(under.get(called) or {})}]
    seen = Seen(call, names, entries, at, args=args, result=result, status=str(call.status))
    if "fails_when" in entries[0] and answer(entries[0]["fails_when"], result):
        seen.status = "error"
    seen.cost = call.cost_usd if call.cost_usd is not None else _price(entries[0], seen)
    return seen


def _observed(state: ContentState, value: Any, text: str | None) -> Any:
    if state is ContentState.TRUNCATED and text is not None:
        return read_cut(text)
    return value if state is ContentState.OBSERVED else UNKNOWN


def _canonical(recorded: str, registry: dict[str, Any]) -> str:
    if recorded in registry:
        return recorded
    for name, entry in registry.items():
        if _any_glob((entry or {}).get("aliases", []), recorded):
            return name
    return recorded


def _any_glob(globs: str | list[str], name: str) -> bool:
    return any(fnmatchcase(name, g) for g in ([globs] if isinstance(globs, str) else globs))


def _price(entry: dict[str, Any], seen: Seen) -> float | None:
    price = entry.get("cost_usd")
    if not isinstance(price, dict):
        return price
    if not price.get("per_second"):
        return price.get("per_call", 0.0)
    took = seen.duration_ms
    return None if took is None else price.get("per_call", 0.0) + price["per_second"] * took / 1000


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


KEYS = "tool label mutating args result status stage agent kind latency_ms cost_usd".split()


def selector_of(item: str | dict[str, Any]) -> dict[str, Any]:
    """The selector of a rule: a text is short for a tool."""
    if isinstance(item, str):
        return {"tool": item}
    return {key: item[key] for key in KEYS if key in item}


def matches(
    selector: dict[str, Any], seen: Seen, *, stage: str, strict_name: bool = False
) -> Answer:
    """Whether a call is one that a selector is about.

    Args:
        stage: where the selector gives none.
        strict_name: for `allow_only`: a dispatcher's bare name is not enough once the called name is known, or may be.
    """
    tests = {
        "tool": lambda wanted: _name(wanted, seen, strict=strict_name),
        "label": lambda wanted: _of_entries(
            seen, lambda e: bool(set(as_list(wanted)) & set(e.get("labels", [])))
        ),
        "mutating": lambda wanted: _of_entries(seen, lambda e: e.get("mutating", False) is wanted),
        "args": lambda wanted: answer_args(wanted, seen.args),
        "result": lambda wanted: answer(wanted, seen.result),
        "status": lambda wanted: _status(as_list(wanted), seen),
        "agent": lambda wanted: _agent(wanted, seen),
        "latency_ms": lambda wanted: _number(wanted, seen.duration_ms),
        "cost_usd": lambda wanted: _number(wanted, seen.cost),
    }
    wanted_stage = selector.get("stage", stage)
    answers: list[Answer] = [
        wanted_stage in ("any", str(seen.call.stage)),
        str(seen.call.kind) in as_list(selector.get("kind", "tool")),
    ]
    answers += [tests[key](selector[key]) for key in tests if key in selector]
    return both(answers)


def _name(wanted: str | list[str], seen: Seen, *, strict: bool) -> Answer:
    called, recorded = seen.names
    if called is None:
        bare = _any_glob(wanted, recorded)
        may = some(_under(each, recorded) for each in as_list(wanted))
        if strict:
            return some((None if bare else False, may))
        return True if bare else may
    if strict and called != recorded and called.startswith(f"{recorded}:"):
        return _any_glob(wanted, called)
    return _any_glob(wanted, called) or _any_glob(wanted, recorded)


def _under(pattern: str, dispatcher: str) -> Answer:
    """Whether a pattern matches the called name of a dispatcher, which may be any below it."""
    if pattern in ("*", f"{dispatcher}:*"):
        return True if pattern == "*" else None
    return None if pattern.startswith(f"{dispatcher}:") or "*" in pattern else False


def _of_entries(seen: Seen, test: Any) -> Answer:
    found = {test(entry) for entry in seen.entries}
    return found.pop() if len(found) == 1 else None


def _status(wanted: list[str], seen: Seen) -> Answer:
    if seen.status in wanted:
        return True
    return None if seen.status == "unknown" else False


def _agent(wanted: str, seen: Seen) -> Answer:
    if wanted == "*":
        return True
    if seen.call.agent is not None:
        return fnmatchcase(seen.call.agent, wanted)
    return False if seen.names_agents else None


def _number(wanted: Any, value: float | None) -> Answer:
    return None if value is None else answer(wanted, value)


def before(first: Seen, second: Seen) -> Answer:
    """Whether a call ended no later than another began. Two at one and the same instant overlap."""
    if first is second:
        return False
    (a, b), (c, d) = ((s.call.start_ns, s.call.end_ns) for s in (first, second))
    if a is None or c is None:
        return None
    if b is None:
        return False if a > c or (a == c == d) else None
    if a == b == c and d in (c, None):
        return None if d is None else False
    return b <= c


def in_order(calls: Iterable[Seen]) -> list[Seen]:
    return sorted(calls, key=lambda s: (s.call.start_ns or 0, s.at))
