"""Names and types of arguments, as far as arguments were recorded. No value is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct, field

from toolscore_otel.diffing.difference import Difference, Kind, State
from toolscore_otel.model import ContentState, Json, Trajectory

DEEPEST = 4
"""How deep names are told apart; below it only the type is."""

MOST = 200
"""Paths of one tool that are told apart: where there are more, its keys are data and no names."""

Runs = Sequence[Trajectory]


class _Shape(Struct):
    """What the calls of one tool were given.

    Attributes:
        calls: all of them.
        seen: those whose arguments were recorded whole, as an object.
        counts: path -> in how many of these it stands.
        types: path -> its types.
    """

    calls: int = 0
    seen: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    types: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])


def arguments(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of the arguments of tools that both sides call."""
    before, after = _shapes(old), _shapes(new)
    for tool in before:
        if tool in after:
            yield from _of_tool(tool, before[tool], after[tool])


def _shapes(runs: Runs) -> Mapping[str, _Shape]:
    shapes: dict[str, _Shape] = {}
    for run in runs:
        for call in run.calls:
            if call.tool:
                shape = shapes.setdefault(call.tool, _Shape())
                shape.calls += 1
                args: Json = call.args
                if call.args_state is ContentState.OBSERVED and isinstance(args, dict):
                    _add(shape, cast("dict[str, Json]", args))
    return shapes


def _add(shape: _Shape, args: Mapping[str, Json]) -> None:
    shape.seen += 1
    found: dict[str, set[str]] = {}
    for name, value in args.items():
        _walk(name, value, found, 1)
    for path, types in found.items():
        if path in shape.counts or len(shape.counts) < MOST:
            shape.counts[path] = shape.counts.get(path, 0) + 1
            shape.types.setdefault(path, set()).update(types)


def _walk(path: str, value: Json, found: dict[str, set[str]], depth: int) -> None:
    found.setdefault(path, set()).add(_type(value))
    if depth >= DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Json]", value).items():
            _walk(f"{path}.{name}", inner, found, depth + 1)
    elif isinstance(value, list):
        for inner in cast("Iterable[Json]", value):
            _walk(f"{path}[]", inner, found, depth + 1)


def _type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {"int": "integer", "float": "number", "str": "string", "list": "array"}
    return names.get(type(value).__name__, "object")


def _of_tool(tool: str, old: _Shape, new: _Shape) -> Iterator[Difference]:
    if not (old.seen and new.seen):
        if old.seen or new.seen:
            said = ["recorded" if shape.seen else "arguments not recorded" for shape in (old, new)]
            yield Difference(kind=Kind.ARGUMENT_TYPE, state=State.NOT_OBSERVED, tool=tool, old=said[0], new=said[1])  # fmt: skip
        return
    for path in dict.fromkeys((*old.counts, *new.counts)):
        if path not in old.counts:
            yield _appeared(tool, path, old, new)
        elif path not in new.counts:
            yield _gone(tool, path, old, new)
        elif new.types[path] - old.types[path]:
            yield Difference(
                kind=Kind.ARGUMENT_TYPE,
                state=State.CHANGED,
                tool=tool,
                path=path,
                old=_words(old.types[path]),
                new=_words(new.types[path]),
            )


def _appeared(tool: str, path: str, old: _Shape, new: _Shape) -> Difference:
    whole = old.seen == old.calls and len(old.counts) < MOST
    return Difference(
        kind=Kind.ARGUMENT_APPEARED,
        state=State.CHANGED if whole else State.NOT_OBSERVED,
        tool=tool,
        path=path,
        old=_in(path, old),
        new=f"{_in(path, new)}, {_words(new.types[path])}",
    )


def _gone(tool: str, path: str, old: _Shape, new: _Shape) -> Difference:
    state = State.CHANGED
    if new.seen < new.calls or len(new.counts) >= MOST:
        state = State.NOT_OBSERVED
    elif old.counts[path] < old.seen:
        state = State.FLAPS
    return Difference(
        kind=Kind.ARGUMENT_GONE,
        state=state,
        tool=tool,
        path=path,
        old=f"{_in(path, old)}, {_words(old.types[path])}",
        new=_in(path, new),
    )


def _in(path: str, shape: _Shape) -> str:
    unseen = shape.calls - shape.seen
    rest = f", {unseen} not recorded" if unseen else ""
    return f"in {shape.counts.get(path, 0)} of {shape.seen} calls{rest}"


def _words(types: set[str]) -> str:
    return " or ".join(sorted(types))
