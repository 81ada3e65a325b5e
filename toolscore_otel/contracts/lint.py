"""What looks wrong in a contract that can be read: names that its registry does not know, rules that mean nothing.

They are warnings and no errors, since telemetry may hold more than a registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from toolscore_otel.contracts.never import selector_says, warn_of_the_impossible
from toolscore_otel.contracts.notes import Notes, nearest
from toolscore_otel.contracts.tools import ToolSpec
from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import clip
from toolscore_otel.matchers.globs import is_glob
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.path import Steps, steps_of
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES

_SELECTORS = frozenset(
    {"unless", "before", "if", "ignore", "only", "allow", "by", "first", "then", "never", "after"}
    | {"until", "sequence", "among", "calls"}
)
"""Keys of a rule under which selectors stand."""

_BARE = frozenset({"forbid", "require", "limit", "budget", "allow_only"})
"""Clauses in which a text that stands for a rule is a tool's name."""

_LISTS_TOOLS = (("allow_only",), ("arguments",))
"""Clauses with a key `tools` of selectors."""

_NUMBERS = ("sum", "distinct")
"""Keys of a `limit` that are paths of arguments."""

_LIMITS = {"latency_ms", "cost_usd"}


def lint(data: Mapping[str, Json], tools: Mapping[str, ToolSpec], notes: Notes) -> None:
    """Warn of what looks wrong; refuse budgets without a limit.

    Args:
        data: a contract.
        tools: its registry; where there is none, no name is missed in it.
        notes: of it.
    """
    _check_budgets(data.get("budget"), tools, notes)
    warn_of_the_impossible(data, notes)
    for spec in tools.values():
        if spec.name_from is not None:
            _check_path((("tools", spec.name, "name_from"), spec.name_from), [spec], notes)
    for path, selector in _all_selectors(data):
        for said in selector_says(selector, tools):
            notes.warn(path, said)
        if tools:
            _check(path, selector, tools, notes)


def _all_selectors(data: Mapping[str, Json]) -> Iterator[tuple[Path, Mapping[str, Json]]]:
    for key in (clause.key for clause in CLAUSES):
        if key in data:
            yield from _selectors((key,), data[key], bare=key in _BARE)
    waivers = data.get("waive")
    for number, waiver in enumerate(waivers if is_list(waivers) else ()):
        if is_mapping(waiver):
            yield ("waive", number), waiver
    overrides = data.get("override")
    for rule, change in overrides.items() if is_mapping(overrides) else ():
        yield from _selectors(("override", rule), change, bare=False)


def _check_budgets(data: Json, tools: Mapping[str, ToolSpec], notes: Notes) -> None:
    """A budget of single calls without a limit of its own takes the tools' `timeout_ms`; without any it says nothing."""
    if any(spec.timeout_ms is not None for spec in tools.values()):
        return
    for index, rule in enumerate(data if is_list(data) else ()):
        if is_mapping(rule) and rule.get("of") == "call" and not _LIMITS & rule.keys():
            message = "needs `latency_ms` or `cost_usd`, or a tool with `timeout_ms` in `tools`"
            notes.error(("budget", index), f"a budget of calls {message}")


def _selectors(path: Path, data: Json, *, bare: bool) -> Iterator[tuple[Path, dict[str, Json]]]:
    """All selectors below a clause or a key, a text as `{tool: TEXT}`."""
    if is_list(data):
        for index, entry in enumerate(data):
            yield from _selectors((*path, index), entry, bare=bare)
    elif isinstance(data, str) and bare:
        yield path, {"tool": data}
    elif is_mapping(data):
        yield path, dict(data)
        for key, value in data.items():
            lists_tools = key == "tools" and path in _LISTS_TOOLS
            names_tools = key in _SELECTORS or lists_tools
            if names_tools or path == ("loop",):
                yield from _selectors((*path, key), value, bare=names_tools)


def _check(
    path: Path, selector: Mapping[str, Any], tools: Mapping[str, ToolSpec], notes: Notes
) -> None:
    written = selector.get("tool")
    names: list[str] = (
        written if is_list(written) else [written] if isinstance(written, str) else []
    )
    specs: list[ToolSpec] = []
    for name in names:
        if is_glob(name):
            return
        spec = _known(name, tools)
        if spec is None:
            near = nearest(name, tools)
            hint = f"; did you mean `{near}`?" if near else ""
            notes.warn(
                (*path, "tool"),
                f"the tool `{clip(name)}` does not stand in `tools`{hint}",
            )
            return
        specs.append(spec)
    for argument in _paths_in((*path, "args"), (), selector.get("args")):
        _check_path(argument, specs, notes)
    for key in _NUMBERS:
        if isinstance(written := selector.get(key), str):
            steps = steps_of(written.removeprefix("args."))
            _check_path(((*path, key), steps), specs, notes)


def _known(name: str, tools: Mapping[str, ToolSpec]) -> ToolSpec | None:
    if name in tools:
        return tools[name]
    for spec in tools.values():
        if spec.name_from is not None and name.startswith(f"{spec.name}:"):
            return spec
        if any(fnmatchcase(name, alias) for alias in spec.aliases):
            return spec
    return None


def _paths_in(path: Path, above: Steps, data: Json) -> Iterator[tuple[Path, Steps]]:
    """The argument paths that a matcher names, and where."""
    if not is_mapping(data):
        return
    for key, value in data.items():
        if not key.startswith("$"):
            steps = (*above, *steps_of(key))
            yield (*path, key), steps
            yield from _paths_in((*path, key), steps, value)


def _check_path(argument: tuple[Path, Steps], specs: Sequence[ToolSpec], notes: Notes) -> None:
    """Warn where no schema of these tools has the argument."""
    path, steps = argument
    found = [_missing(spec.parameters, steps) for spec in specs]
    if not found or None in found:
        return
    depth, known = found[0] or (0, [])
    near = nearest(steps[depth], known)
    hint = f"; did you mean `{'.'.join((*steps[:depth], near))}`?" if near else ""
    name = clip(".".join(steps[: depth + 1]))
    notes.warn(path, f"`{specs[0].name}` has no argument `{name}` in its `parameters`{hint}")


def _missing(schema: Json, steps: Steps) -> tuple[int, list[str]] | None:
    """Which step is the first that a schema does not have, and what it has there; None where it may have them all."""
    for depth, step in enumerate(steps):
        if not is_mapping(schema) or not _is_plain(schema):
            return None
        properties: Mapping[str, Json] = schema["properties"]
        if step not in properties:
            return depth, list(properties)
        schema = properties[step]
    return None


def _is_plain(schema: Mapping[str, Json]) -> bool:
    """Whether `properties` says all there is to know of an object's keys."""
    opens = {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties"}
    more = schema.get("additionalProperties")
    return (
        is_mapping(schema.get("properties"))
        and opens.isdisjoint(schema)
        and not is_mapping(more)
        and more is not True
    )
