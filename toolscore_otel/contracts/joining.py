"""One contract on top of another, as data: what stands in both, and where each part of the outcome stands.

- Lists of rules, and the list of `allow_only`, follow on theirs: inherited rules keep their numbers, own ones count on.
- In clauses that are mappings (`loop`, `secrets`, `arguments`) own keys win.
- Tools are joined by name, and key by key; own ones come first, so that their aliases win.
- Every other top-level value that stands here wins, whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES

_OWN = frozenset({"contract", "language", "extends", "override", "waive"})
"""Keys that nobody inherits."""

_CLAUSE_KEYS = frozenset(clause.key for clause in CLAUSES)
_Placed = tuple[Document, Path]


def on_top(theirs: Document, own: Document) -> Document:
    """Both as one document.

    Args:
        theirs: what is extended; a mapping.
        own: what extends it; a mapping.
    """
    return _Joining(theirs, own).joined()


def follow_on(theirs: Document, key: str) -> int:
    """How many rules of a clause own ones follow on."""
    value = theirs.data.get(key)
    return len(value) if is_list(value) else 0


class _Joining:
    def __init__(self, theirs: Document, own: Document) -> None:
        self._theirs = theirs
        self._own = own
        self._parts: dict[Path, _Placed] = {}

    def joined(self) -> Document:
        theirs = {key: value for key, value in self._theirs.data.items() if key not in _OWN}
        own: Mapping[str, Json] = self._own.data
        found: dict[str, Json] = {}
        for key in {**theirs, **own}:
            if key not in own:
                found[key] = self._inherited((key,), theirs[key])
            elif key not in theirs:
                found[key] = own[key]
            else:
                found[key] = self._both(key, theirs[key], own[key])
        return self._own.with_data(found, self._parts)

    def _both(self, key: str, theirs: Json, own: Json) -> Json:
        if key == "allow_only":
            return self._allowed(theirs, own)
        if key == "tools" and is_mapping(theirs) and is_mapping(own):
            return self._tools(theirs, own)
        if key in _CLAUSE_KEYS:
            if is_list(theirs) and is_list(own):
                return self._lists((key,), (theirs, (key,)), (own, (key,)))
            if is_mapping(theirs) and is_mapping(own):
                return self._mappings((key,), theirs, own)
        return own

    def _inherited(self, path: Path, value: Json) -> Json:
        self._parts[path] = (self._theirs, path)
        return value

    def _lists(self, path: Path, theirs: tuple[Json, Path], own: tuple[Json, Path]) -> Json:
        """Theirs and own ones after them; each comes with its path where it stands now."""
        found: list[Json] = []
        for document, (entries, above) in ((self._theirs, theirs), (self._own, own)):
            for index, entry in enumerate(entries):
                self._parts[(*path, len(found))] = (document, (*above, index))
                found.append(entry)
        return found

    def _mappings(
        self, path: Path, theirs: Mapping[str, Json], own: Mapping[str, Json]
    ) -> dict[str, Json]:
        more = {k: self._inherited((*path, k), v) for k, v in theirs.items() if k not in own}
        return {**more, **own}

    def _allowed(self, theirs: Json, own: Json) -> Json:
        """Both in the long form."""
        path: Path = ("allow_only",)
        long, own_long = _long(theirs), _long(own)
        if long is None or own_long is None:
            return own
        found = self._mappings(path, long, own_long)
        tools, more = long.get("tools"), own_long.get("tools", [])
        if is_list(tools) and is_list(more):
            theirs_at = path if is_list(theirs) else (*path, "tools")
            own_at = path if is_list(own) else (*path, "tools")
            found["tools"] = self._lists((*path, "tools"), (tools, theirs_at), (more, own_at))
        return found

    def _tools(self, theirs: Mapping[str, Json], own: Mapping[str, Json]) -> Json:
        found: dict[str, Json] = {}
        for name, entry in own.items():
            other = theirs.get(name)
            if is_mapping(other) and (entry is None or is_mapping(entry)):
                found[name] = self._mappings(("tools", name), other, entry or {})
            else:
                found[name] = entry
        more = {n: self._inherited(("tools", n), e) for n, e in theirs.items() if n not in own}
        return {**found, **more}


def _long(allowed: Json) -> Mapping[str, Json] | None:
    """The long form of `allow_only`; None where it has none of its forms."""
    if is_list(allowed):
        return {"tools": allowed}
    return allowed if is_mapping(allowed) else None
