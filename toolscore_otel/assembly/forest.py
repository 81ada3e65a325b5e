"""Who encloses whom, while spans come in any order.

A span knows its parent's id, and the parent may come later or never. `Nearest` answers for one sort of marked spans
(those that say something; agent invocations) which one stands closest above another. It points upward with path
compression, so that a question costs next to nothing however deep a trace is; what has to wait for a missing span is
listed with it, and the lists move up as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping


class Forest:
    """Ids of spans, each under its parent. A circle of parents ends above its smallest id."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._children: dict[str, list[str]] = {}
        self._cut_off: dict[str, str] = {}
        self._indexes: list[Nearest] = []
        self._tops = self.nearest()

    def nearest(self) -> Nearest:
        """An index of marked spans, with none marked yet."""
        index = Nearest(self)
        self._indexes.append(index)
        return index

    @property
    def parents(self) -> Mapping[str, str | None]:
        """All known spans with the parents under which they stand; this stays up to date."""
        return self._parents

    def recorded(self) -> Mapping[str, str | None]:
        """All spans with the parents that they name."""
        return {**self._parents, **self._cut_off} if self._cut_off else self._parents

    def named(self, node: str) -> str | None:
        """The parent that a known span names."""
        return self._cut_off.get(node, self._parents[node])

    def children(self, node: str) -> Collection[str]:
        """The known spans that name it as their parent."""
        return self._children.get(node, ())

    def add(self, node: str, parent: str | None) -> str | None:
        """Put a span that is not known yet in its place.

        Returns:
            The span that lost its parent, where this one would have closed a circle.
        """
        is_circle = (
            parent is not None
            and (parent == node or node in self._children)
            and self._tops.at_or_above(parent) == node
        )
        self._parents[node] = parent
        if parent is not None:
            self._children.setdefault(parent, []).append(node)
        return self._cut(node) if is_circle else None

    def _cut(self, node: str) -> str:
        circle = [node]
        while (up := self._parents.get(circle[-1])) is not None and up != node:
            circle.append(up)
        top = min(circle)
        self._cut_off[top] = named = self._parents[top] or ""
        self._parents[top] = None
        self._children[named].remove(top)
        for index in self._indexes:
            index.unlearn(circle)
        return top


class Nearest:
    """The marked span closest above another."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._parents = forest.parents
        self._marked: set[str] = set()
        self._jumps: dict[str, str] = {}
        self._waiting: dict[str, dict[str, None]] = {}

    def above(self, node: str) -> tuple[str | None, bool]:
        """The nearest marked span above a known one.

        Returns:
            Its id, or None; and whether that is final. Where it is not, a span above is still missing, and `came` will
            name this one when the answer is known.
        """
        top = self._parents[node]
        if top is None:
            return None, True
        if top in self._parents:
            top = self.at_or_above(top)
        if top in self._marked:
            return top, True
        if top in self._parents:
            return None, True
        self._waiting.setdefault(top, {})[node] = None
        return None, False

    def came(self, node: str, *, marked: bool) -> Iterable[str]:
        """A span was put into the forest; returns those that asked and have their answer now."""
        if marked:
            self._marked.add(node)
        waiting = self._waiting.pop(node, None) if self._waiting else None
        if not waiting:
            return ()
        top = self.at_or_above(node)
        if top in self._marked or top in self._parents:
            return waiting
        others = self._waiting.get(top)
        if others is None:
            self._waiting[top] = waiting
        else:  # the smaller list moves, or a deep trace costs its square
            small, large = sorted((waiting, others), key=len)
            large.update(small)
            self._waiting[top] = large
        return ()

    def mark(self, node: str) -> list[str]:
        """A known span turned out to be a marked one; returns all that it may be the answer of."""
        self._marked.add(node)
        return self.below(node)

    def cut(self, node: str) -> list[str]:
        """A span lost its parent; returns all whose answer that may have changed."""
        return [node] if node in self._marked else [node, *self.below(node)]

    def below(self, node: str) -> list[str]:
        """Everything under a span as far as the next marked ones, these included; no shortcut passes it by any more."""
        found: list[str] = []
        queue = [node]
        while queue:
            for child in self._forest.children(queue.pop()):
                found.append(child)
                if child not in self._marked:
                    queue.append(child)
                    self._jumps.pop(child, None)
        return found

    def at_or_above(self, node: str) -> str:
        """The first marked span from this one upward, else the root, else the missing one."""
        path: list[str] = []
        while node not in self._marked:
            up = self._jumps.get(node) or self._parents.get(node)
            if up is None:
                break
            path.append(node)
            node = up
        for passed in path[:-1]:
            self._jumps[passed] = node
        return node

    def unlearn(self, nodes: Iterable[str]) -> None:
        """Forget the shortcuts from these."""
        for node in nodes:
            self._jumps.pop(node, None)
