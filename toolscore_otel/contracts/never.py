"""Rules that can never say anything, or always do: certainly mistakes, so each is warned of.

Only what is certain is said. What may be so, as a tool that no recording has, is asked where recordings are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolscore_otel.contracts.notes import Notes, nearest
from toolscore_otel.contracts.tools import ToolSpec
from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import clip
from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.globs import is_glob
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES, Item

_ASIDE = frozenset({"id", "severity", "reason", "shadow"})
"""Keys of a rule that do not change what it says something of."""

_NEEDED = {"same_call": 0, "no_progress": 0, "retry_after_error": 1}
"""Rules of `loop` that look back no further than `window` -> calls that they need beyond n."""

_NOT_YET = ("status", "latency_ms", "cost_usd")
"""What nobody knows of a call that was only asked for."""


def warn_of_the_impossible(data: Mapping[str, Json], notes: Notes) -> None:
    """Warn of rules that cannot mean what they say.

    Args:
        data: a contract; clauses that cannot be read say nothing.
        notes: of it.
    """
    for key in (clause.key for clause in CLAUSES):
        items = list(_items_of(data, key))
        _warn_of_twins(key, items, notes)
        for item in items:
            for said in _of_rule(key, item.data):
                notes.warn((key, *item.path), f"`{clip(_id(item))}` {said}")
    forbidden = {name for item in _items_of(data, "forbid") if (name := _only_tool(item.data))}
    for index, entry in _allowed(data):
        if isinstance(name := entry, str) and name in forbidden:
            notes.warn(index, f"`allow_only` allows `{clip(name)}`, and `forbid` always forbids it")


def selector_says(selector: Mapping[str, Any], tools: Mapping[str, ToolSpec]) -> Iterator[str]:
    """Why no call can match a selector, where that is certain.

    Args:
        selector: its keys; other keys of a rule do not matter.
        tools: the registry.
    """
    known = frozenset[str]().union(*(spec.labels for spec in tools.values()))
    wanted = _words(selector.get("label"))
    if wanted and known.isdisjoint(wanted):
        near = nearest(wanted[0], known)
        hint = f"; did you mean `{near}`?" if near else ""
        yield f"no tool of `tools` has the label `{clip(wanted[0])}`{hint}"
    if selector.get("mutating") is True and not any(spec.mutating for spec in tools.values()):
        yield "no tool of `tools` is `mutating`"
    if selector.get("stage") == "requested":
        for key in _NOT_YET:
            if key in selector and "unknown" not in _words(selector[key]):
                yield f"`{key}` of a call that was only asked for is never known"


def _items_of(data: Mapping[str, Json], key: str) -> Iterator[Item]:
    clause = next(clause for clause in CLAUSES if clause.key == key)
    try:
        yield from clause.items(data[key]) if key in data else ()
    except MatcherError:
        return  # is said where the clause is read


def _warn_of_twins(key: str, items: Sequence[Item], notes: Notes) -> None:
    """A rule that says what an earlier one says: each violation is found twice."""
    seen: list[tuple[dict[str, object], str]] = []
    for item in items:
        what = {name: value for name, value in item.data.items() if name not in _ASIDE}
        earlier = next((rule for said, rule in seen if said == what), None)
        if earlier is not None:
            notes.warn((key, *item.path), f"`{clip(_id(item))}` says what `{clip(earlier)}` says")
        seen.append((what, _id(item)))


def _id(item: Item) -> str:
    return str(item.data.get("id", item.id))


def _of_rule(key: str, rule: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with one rule, as in "`ID` can never fail"."""
    if key == "require" and rule.get("min") == 0 and rule.get("max") is None:
        yield "can never fail: it requires 0 calls"
    is_order = key == "order" and "then" in rule and "unless" not in rule
    if is_order and rule.get("first") == rule["then"]:
        yield "fails on the first such call: nothing can stand before it"
    if key == "loop":
        yield from _of_loop(rule)
    if _excuses_itself(rule):
        yield "can never fail: its `unless` excuses every call that it is about"


def _of_loop(rule: Mapping[str, Any]) -> Iterator[str]:
    more, n, window = _NEEDED.get(rule["key"]), rule.get("n"), rule.get("window")
    if more is not None and isinstance(n, int) and isinstance(window, int) and n + more > window:
        yield f"can never fail: it needs {n + more} calls, and looks at the last {window}"


def _excuses_itself(rule: Mapping[str, Any]) -> bool:
    """Whether all that `unless` asks for is what the rule asks for, too."""
    for entry in entries if is_list(entries := rule.get("unless")) else [entries]:
        selector: Any = {"tool": entry} if isinstance(entry, str) else entry
        if not is_mapping(selector) or not selector or "before" in selector:
            continue
        same_kind = selector.get("kind") == rule.get("kind")
        if same_kind and all(key in rule and rule[key] == selector[key] for key in selector):
            return True
    return False


def _only_tool(rule: Mapping[str, Any]) -> str | None:
    """The tool of a rule that is about all of its calls and no others."""
    name = rule.get("tool")
    is_whole = rule.keys() <= {"tool", *_ASIDE}
    return name if is_whole and isinstance(name, str) and not is_glob(name) else None


def _allowed(data: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    written = data.get("allow_only")
    path: Path = ("allow_only",)
    if is_mapping(written):
        written, path = written.get("tools"), (*path, "tools")
    for number, entry in enumerate(written if is_list(written) else ()):
        yield (*path, number), entry


def _words(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if is_list(value) else []
