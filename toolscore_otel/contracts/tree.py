"""Parsing events -> plain data, and the line of every part of it.

One builder serves YAML and JSON. It works without recursion, refuses what nests too deeply, and counts what an alias
repeats as often as it is repeated: a file of a few lines cannot stand for millions of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolscore_otel.contracts.telling import problem
from toolscore_otel.errors import Location, Problem, clip
from toolscore_otel.model import Json

MAX_DEPTH = 64
"""Levels of mappings and lists in each other."""

MAX_VALUES = 200_000
"""Values in one document, those behind aliases counted each time."""

Path = tuple[str | int, ...]
"""Keys and indices from the top of a document."""


class UnreadableError(Exception):
    """The text cannot be read on from here.

    Attributes:
        line: counted from 1.
    """

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(message)


class _Node:
    """Where a value stands, and how large it is."""

    __slots__ = ("children", "height", "line", "size")

    def __init__(self, line: int) -> None:
        self.line = line
        self.size = 1
        self.height = 0
        self.children: dict[str | int, tuple[int, _Node]] = {}


class Document:
    """One document of a file, or several put together.

    Attributes:
        data: plain JSON values.
        path: the file as the user named it.
    """

    def __init__(self, data: Json, path: str, root: _Node | None = None) -> None:
        self.data = data
        self.path = path
        self._root = root
        self._parts: Mapping[Path, tuple[Document, Path]] = {}

    def with_data(self, data: Json, parts: Mapping[Path, tuple[Document, Path]]) -> Document:
        """The same file with other data.

        Args:
            data: takes the place of its own.
            parts: where that stands which stands elsewhere: path in the data -> document, and path in it. What lies
                below a path is looked for below it there.
        """
        changed = Document(data, self.path, self._root)
        changed._parts = {**self._parts, **parts}
        return changed

    def where(self, path: Sequence[str | int] = ()) -> Location:
        """The place of the value at a path; of the nearest one above it where nothing stands there.

        Data that comes from no file has no lines: the path itself is named.
        """
        for cut in range(len(path), 0, -1) if self._parts else ():
            if (part := self._parts.get(tuple(path[:cut]))) is not None:
                document, above = part
                return document.where((*above, *path[cut:]))
        node = self._root
        if node is None:
            at = ".".join(map(str, path))
            return Location(f"{self.path} at {at}" if at else self.path)
        line = node.line
        for step in path:
            if step not in node.children:
                break
            line, node = node.children[step]
        return Location(self.path, line)


class _Frame:
    """A mapping or list that is still open."""

    __slots__ = ("anchor", "data", "key", "key_line", "node")

    def __init__(self, data: dict[str, Json] | list[Json], node: _Node, anchor: str | None) -> None:
        self.data = data
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_line = 0

    @property
    def wants_key(self) -> bool:
        return isinstance(self.data, dict) and self.key is None


class Builder:
    """Puts one document together. What can be read on from is gathered in `problems`, the rest is a `UnreadableError`."""

    def __init__(self, path: str) -> None:
        self.problems: list[Problem] = []
        self.document = Document(None, path)
        self._path = path
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Json, _Node]] = {}

    def begin(
        self, data: dict[str, Json] | list[Json], line: int, anchor: str | None = None
    ) -> None:
        """A mapping or a list begins.

        Raises:
            UnreadableError: it is a key, or too deep.
        """
        self._no_key(line)
        if len(self._open) >= MAX_DEPTH:
            raise UnreadableError(
                line,
                f"mappings and lists stand more than {MAX_DEPTH} levels deep in each other here",
            )
        self._open.append(_Frame(data, _Node(line), anchor))

    def end(self) -> None:
        """The innermost mapping or list is over.

        Raises:
            UnreadableError: too much in all.
        """
        frame = self._open.pop()
        self._add(frame.data, frame.node, frame.node.line, frame.anchor)

    def scalar(self, value: Json, text: str, line: int, anchor: str | None = None) -> None:
        """A value that is no mapping and no list, or the key before one.

        Args:
            value: what it stands for.
            text: as written; this is what counts where it is a key.
            line: it begins on.
            anchor: names it for aliases.
        """
        frame = self._open[-1] if self._open else None
        if frame is not None and frame.wants_key:
            self._key(frame, text, line)
        else:
            self._add(value, _Node(line), line, anchor)

    def alias(self, name: str, line: int) -> None:
        """What an anchor named, again.

        Raises:
            UnreadableError: no such anchor, or one that stands in itself.
        """
        self._no_key(line)
        if any(frame.anchor == name for frame in self._open):
            raise UnreadableError(line, f"the alias `*{clip(name)}` stands inside what it names")
        if name not in self._anchors:
            raise UnreadableError(
                line, f"the alias `*{clip(name)}` has no anchor `&{clip(name)}` before it"
            )
        data, node = self._anchors[name]
        self._add(data, node, line, None)

    def _no_key(self, line: int) -> None:
        if self._open and self._open[-1].wants_key:
            raise UnreadableError(
                line, "a key must be a text: a mapping, a list or an alias stands there"
            )

    def _key(self, frame: _Frame, text: str, line: int) -> None:
        if text in frame.node.children:
            first, _ = frame.node.children[text]
            message = f"the key `{clip(text)}` stands twice in one mapping (first on line {first})"
            self.problems.append(problem(Location(self._path, line), message))
        frame.key, frame.key_line = text, line

    def _add(self, value: Json, node: _Node, line: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, node)
        if not self._open:
            self.document = Document(value, self._path, node)
            return
        frame = self._open[-1]
        if isinstance(frame.data, dict):
            step: str | int = frame.key or ""
            frame.data[frame.key or ""] = value
            line, frame.key = frame.key_line, None
        else:
            step = len(frame.data)
            frame.data.append(value)
        frame.node.children[step] = (line, node)
        frame.node.size += node.size
        frame.node.height = max(frame.node.height, node.height + 1)
        if frame.node.size > MAX_VALUES:
            raise UnreadableError(
                line, f"more than {MAX_VALUES} values in one document (aliases count each time)"
            )
        if len(self._open) + node.height > MAX_DEPTH:
            raise UnreadableError(
                line,
                f"mappings and lists stand more than {MAX_DEPTH} levels deep in each other here",
            )
