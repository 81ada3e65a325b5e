"""`extends`: a contract and all that it builds on, as one document (docs/pages/clauses/building.md).

What is extended is read as strictly as if it were loaded itself, and what is wrong with it is said at its own place.
A contract may extend several, the later on top of the earlier, but none twice, also through others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path as FilePath

from msgspec import Struct, structs

from toolscore_otel.contracts.changes import Changes, Changing, is_replaced, rules_of, shifted
from toolscore_otel.contracts.decode import decode
from toolscore_otel.contracts.files import with_files
from toolscore_otel.contracts.head import is_readable, read_head
from toolscore_otel.contracts.joining import follow_on, on_top
from toolscore_otel.contracts.language import Building
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.packs import PACK, no_pack, pack_file
from toolscore_otel.contracts.source import read_file
from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.errors import ContractError, clip
from toolscore_otel.model import Json
from toolscore_otel.secrets.messages import hidden


class Whole(Struct, frozen=True):
    """A contract with all that it builds on.

    Attributes:
        document: everything, as one contract.
        changes: of its rules.
        content: what all its files hold, its own last.
        lacks: whether something that it extends could not be read.
    """

    document: Document
    changes: Changes
    content: tuple[Json, ...]
    lacks: bool = False


def whole(document: Document, folder: FilePath | None, notes: Notes) -> Whole:
    """The contract in a document, with all that it builds on.

    Args:
        document: holds a mapping.
        folder: where the names of files begin; None where the contract stands in no file.
        notes: of this document; what is wrong with what is extended comes to them, too.
    """
    return _Extending().whole(document, folder, notes, ())


class _Extending:
    """Reads what one contract extends."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def whole(
        self, document: Document, folder: FilePath | None, notes: Notes, above: tuple[str, ...]
    ) -> Whole:
        read = with_files(document, folder, notes)
        own = Whole(read, Changes(), (read.data,))
        building = _building(own.document, notes)
        inherited: Whole | None = None
        lacks = False
        for at, name in _names(building):
            base = self._base(name, at, folder, notes, above)
            if base is not None:
                inherited = base if inherited is None else _stacked(inherited, base)
            lacks = lacks or base is None or base.lacks
        found = own if inherited is None else _stacked(inherited, own)
        changes = found.changes
        if not lacks:
            theirs = None if inherited is None else _kept(inherited.document, own.document)
            changing = Changing(theirs, rules_of(found.document), notes)
            changes = changes.followed_by(changing.overrides(building.override))
            changes = changes.followed_by(changing.waivers(building.waive, changes))
        return structs.replace(found, changes=changes, lacks=lacks)

    def _base(
        self, name: str, at: Path, folder: FilePath | None, notes: Notes, above: tuple[str, ...]
    ) -> Whole | None:
        """A contract that is extended; None where it cannot be."""
        file, shown = _place(name, folder)
        if file is None:
            no_file = "`extends` names a file, and no file can be read here"
            notes.error(at, no_pack(name) if name.startswith(PACK) else no_file)
            return None
        real = os.path.realpath(file)
        if real in above:
            notes.error(at, f"`extends` goes in a circle: `{clip(name)}` extends this contract")
            return None
        if real in self._taken:
            notes.error(at, f"`{clip(name)}` is extended twice, here and through another")
            return None
        self._taken.add(real)
        document = _only(file, shown, at, notes)
        if document is None:
            return None
        inner = Notes(document)
        found: Whole | None = None
        if is_readable(document.data, inner):
            read_head(document.data, inner)
            found = self.whole(document, file.parent, inner, (*above, real))
        notes.take(inner)
        return found


def _building(document: Document, notes: Notes) -> Building:
    given = {key: document.data[key] for key in Building.__struct_fields__ if key in document.data}
    building = decode(Building, given, (), notes, called="a contract")
    for key in given if building is not None else ():
        if not getattr(building, key):
            notes.error((key,), f"`{key}` is empty: leave it out")
    return building or Building()


def _names(building: Building) -> Iterator[tuple[Path, str]]:
    if not isinstance(building.extends, str):
        yield from ((("extends", number), name) for number, name in enumerate(building.extends))
    elif building.extends:
        yield ("extends",), building.extends


def _place(name: str, folder: FilePath | None) -> tuple[FilePath | None, str]:
    """The file that a name means, and how it is called in messages."""
    if name.startswith(PACK):
        return pack_file(name), name
    if folder is None:
        return None, name
    return folder / name, str(folder / hidden(name))


def _only(file: FilePath, shown: str, at: Path, notes: Notes) -> Document | None:
    """The one document of a file; whatever else it holds is noted."""
    try:
        documents = read_file(file, shown)
    except ContractError as error:
        for problem in error.problems:
            if problem.where.line is None:
                notes.error(at, f"`extends`: {problem}")
            else:
                notes.problems.append(problem)
        return None
    if len(documents) != 1:
        many = f"{len(documents)} contracts: one that is extended stands alone in its file"
        notes.error(at, f"`{clip(shown)}` holds {many if documents else 'no contract'}")
        return None
    return documents[0]


def _stacked(theirs: Whole, own: Whole) -> Whole:
    """One on top of another. What had been changed of a rule that is written anew is gone."""
    kept = Changes(
        {r: e for r, e in theirs.changes.overrides.items() if not is_replaced(r, own.document)},
        {r: e for r, e in theirs.changes.waivers.items() if not is_replaced(r, own.document)},
    )
    offset = {key: follow_on(theirs.document, key) for key in theirs.document.data}
    return Whole(
        on_top(theirs.document, own.document),
        kept.followed_by(shifted(own.changes, offset)),
        (*theirs.content, *own.content),
    )


def _kept(theirs: Document, own: Document) -> dict[str, Path]:
    """The inherited rules by id, without those that are written anew."""
    return {i: rule for i, rule in rules_of(theirs).items() if not is_replaced(rule, own)}
