"""Who encloses whom: the nearest marked ancestor of a node, while nodes come in any order.

A node knows its parent's id, and the parent may come later or never. Unmarked nodes point upward, with path compression,
so that a question costs next to nothing however deep a trace is; a node that has to wait for a missing one is listed
with it. A circle of parents ends where it would close.
"""

from __future__ import annotations


class Forest:
    """Ids with parents, some of them marked."""

    def __init__(self) -> None:
        self._up: dict[str, str | None] = {}
        self._marked: set[str] = set()
        self._waiting: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self._up)

    def __contains__(self, node: str) -> bool:
        return node in self._up

    def add(self, node: str, parent: str | None, *, marked: bool) -> list[str]:
        """Put a node in its place; a node that is known stays as it is.

        Returns:
            Nodes that were asked for with `enclosing` and whose answer may have changed.
        """
        if node in self._up:
            return []
        if parent is not None and (parent == node or self._top(parent) == node):
            parent = None  # a circle
        self._up[node] = parent
        if marked:
            self._marked.add(node)
        freed = self._waiting.pop(node, [])
        if not marked and parent is not None:
            top = self._top(parent)
            if not self._is_settled(top):
                self._waiting.setdefault(top, []).extend(freed)
        return freed

    def enclosing(self, node: str) -> tuple[str | None, bool]:
        """The nearest marked ancestor of a known node.

        Returns:
            Its id, or None; and whether that is final. Where it is not, an ancestor is still missing, and `add` will
            name this node when that one comes.
        """
        parent = self._up[node]
        if parent is None:
            return None, True
        top = self._top(parent)
        if top in self._marked:
            return top, True
        if top in self._up:
            return None, True
        self._waiting.setdefault(top, []).append(node)
        return None, False

    def missing(self) -> int:
        """How many parents have not been seen that some node waits for."""
        return len(self._waiting)

    def _is_settled(self, top: str) -> bool:
        return top in self._up

    def _top(self, node: str) -> str:
        """The first marked node at or above this one, else the root, else the missing one."""
        path: list[str] = []
        while node not in self._marked:
            up = self._up.get(node)
            if up is None:
                break
            path.append(node)
            node = up
        for passed in path:
            self._up[passed] = node
        return node
