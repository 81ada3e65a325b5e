"""Names and types of arguments, as far as arguments were recorded. No value is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct, field

from toolscore_otel.diffing.difference import Difference, Kind, State
from toolscore_otel.diffing.noise import Has, of_shares
from toolscore_otel.model import ContentState, Json, Trajectory

DEEPEST = 4
"""How deep names are told apart; below it only the type is."""

MOST = 200
"""Paths of one tool that are told apart: where there are more, its keys are data and no names."""

Runs = Sequence[Trajectory]


class _Given(Struct):
    """What the calls of one tool were given in one run.

    Attributes:
        seen: calls whose arguments were recorded whole, as an object.
        paths: path -> in how many of these it stands.
        types: path -> its types -> likewise.
    """

    seen: int = 0
    paths: Counter[str] = field(default_factory=Counter[str])
    types: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])


class _Shape(Struct):
    """What the calls of one tool were given on one side.

    Attributes:
        calls: all of them.
        runs: those in which some call was recorded.
        around: path -> the one that it stands inside of; None for a whole argument.
    """

    calls: int = 0
    runs: list[_Given] = field(default_factory=list[_Given])
    around: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    @property
    def seen(self) -> int:
        """Calls whose arguments were recorded."""
        return sum(run.seen for run in self.runs)

    @property
    def is_whole(self) -> bool:
        """Whether a path that it does not have was given by no call."""
        return self.seen == self.calls and len(self.around) < MOST

    def names(self, path: str) -> list[Has]:
        """How many calls give a path, by run."""
        return [Has.of(run.paths[path], run.seen) for run in self.runs]

    def types(self, path: str) -> Counter[str]:
        """In how many calls a path is of a type."""
        found = Counter[str]()
        for run in self.runs:
            found.update(run.types.get(path, {}))
        return found

    def of_type(self, path: str, of: str) -> list[Has]:
        """How many of the calls that give a path give it this type, by run that has one."""
        return [Has.of(run.types[path][of], n) for run in self.runs if (n := run.paths[path])]


def arguments(old: Runs, new: Runs) -> Iterator[Difference]:
    """Differences of the arguments of tools that both sides call."""
    before, after = _shapes(old), _shapes(new)
    for tool in before:
        if tool in after:
            yield from _of_tool(tool, before[tool], after[tool])


def _shapes(runs: Runs) -> Mapping[str, _Shape]:
    shapes: dict[str, _Shape] = {}
    for run in runs:
        given: dict[str, _Given] = {}
        for call in run.calls:
            if call.tool:
                shape = shapes.setdefault(call.tool, _Shape())
                shape.calls += 1
                args: Json = call.args
                if call.args_state is ContentState.OBSERVED and isinstance(args, dict):
                    into = given.setdefault(call.tool, _Given())
                    _add(shape, into, cast("dict[str, Json]", args))
        for tool, told in given.items():
            shapes[tool].runs.append(told)
    return shapes


def _add(shape: _Shape, given: _Given, args: Mapping[str, Json]) -> None:
    given.seen += 1
    paths: set[str] = set()
    types: set[tuple[str, str]] = set()
    for path, of, around in _walk(args):
        if path in shape.around or len(shape.around) < MOST:
            shape.around[path] = around
            paths.add(path)
            types.add((path, of))
    given.paths.update(paths)
    for path, of in types:
        given.types.setdefault(path, Counter())[of] += 1


def _walk(args: Mapping[str, Json]) -> Iterator[tuple[str, str, str | None]]:
    """Each path with its type, and the path that it stands inside of, outer ones first."""
    waiting: list[tuple[str, Json, str | None, int]]
    waiting = [(name, value, None, 1) for name, value in args.items()]
    for path, value, around, depth in waiting:
        yield path, _type(value), around
        if depth < DEEPEST:
            waiting += [(inner, leaf, path, depth + 1) for inner, leaf in _inside(path, value)]


def _inside(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, leaf in cast("dict[str, Json]", value).items():
            yield f"{path}.{name}", leaf
    elif isinstance(value, list):
        for leaf in cast("Iterable[Json]", value):
            yield f"{path}[]", leaf


def _type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {"int": "integer", "float": "number", "str": "string", "list": "array"}
    return names.get(type(value).__name__, "object")


def _of_tool(tool: str, old: _Shape, new: _Shape) -> Iterator[Difference]:
    if not (old.runs and new.runs):
        if old.runs or new.runs:
            said = ["recorded" if shape.runs else "arguments not recorded" for shape in (old, new)]
            yield Difference(kind=Kind.ARGUMENT_TYPE, state=State.NOT_OBSERVED, tool=tool, old=said[0], new=said[1])  # fmt: skip
        return
    told: set[str] = set()
    around = old.around | new.around
    for path, outer in around.items():
        if outer in told:  # what is said of it covers what stands inside
            told.add(path)
            continue
        found = _of_path(tool, path, old, new)
        if found is not None:
            told.add(path)
            yield found


def _of_path(tool: str, path: str, old: _Shape, new: _Shape) -> Difference | None:
    """What is different about one argument: whether it is given at all, else its type, else how often it is given."""
    given = of_shares(old.names(path), new.names(path))
    said = [f"{_in(path, shape)}{_of(path, shape)}" for shape in (old, new)]
    if path in old.around and path in new.around:
        if (state := _of_types(path, old, new)) is not None:
            types = [_words(path, shape) for shape in (old, new)]
            return Difference(kind=Kind.ARGUMENT_TYPE, state=state, tool=tool, path=path, old=types[0], new=types[1])  # fmt: skip
        kind, state = Kind.ARGUMENT_GIVEN, given
    elif path in new.around:
        kind, state = Kind.ARGUMENT_APPEARED, given if old.is_whole else State.NOT_OBSERVED
    else:
        kind, state = Kind.ARGUMENT_GONE, given if new.is_whole else State.NOT_OBSERVED
    if state is None:
        return None
    return Difference(kind=kind, state=state, tool=tool, path=path, old=said[0], new=said[1])


def _of_types(path: str, old: _Shape, new: _Shape) -> State | None:
    """What is known of the types of an argument that both sides give."""
    types = old.types(path) | new.types(path)
    states = {of_shares(old.of_type(path, of), new.of_type(path, of)) for of in types}
    return next((state for state in (State.CHANGED, State.FLAPS) if state in states), None)


def _in(path: str, shape: _Shape) -> str:
    unseen = shape.calls - shape.seen
    rest = f", {unseen} not recorded" if unseen else ""
    return f"in {sum(run.paths[path] for run in shape.runs)} of {shape.seen} calls{rest}"


def _of(path: str, shape: _Shape) -> str:
    types = " or ".join(sorted(shape.types(path)))
    return f", {types}" if types else ""


def _words(path: str, shape: _Shape) -> str:
    """Its types; where there are several, with the number of calls."""
    types = sorted(shape.types(path).items())
    if len(types) == 1:
        return types[0][0]
    calls = sum(run.paths[path] for run in shape.runs)
    return f"{', '.join(f'{of} in {n}' for of, n in types)} of {calls} calls"
