"""Paths -> contracts, or everything that is wrong in all of them at once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from toolscore_otel.contracts.contract import Contract, read
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.packs import PACK, no_pack, pack_file
from toolscore_otel.contracts.source import read_file, read_text
from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tree import Document
from toolscore_otel.errors import ContractError, Location, Problem
from toolscore_otel.matchers.parse import is_mapping

_NAME = re.compile(r"(?<!\.cases)\.ya?ml$|\.json$")

Warn = Callable[[Problem], None]
"""Told of what looks wrong and is no error."""


def load(
    paths: str | Path | Iterable[str | Path], *, warn: Warn | None = None
) -> tuple[Contract, ...]:
    """Load contracts.

    Args:
        paths: one or more: files, folders (searched through and through, hidden files aside), `pack:NAME`.
        warn: told of what looks wrong and is no error.

    Returns:
        The contracts, in order of the paths; in a folder by name. A file that is reached twice is loaded once.

    Raises:
        ContractError: with all problems of all files. A path without a single contract is one.
    """
    loading = _Loading()
    for path in [paths] if isinstance(paths, str | Path) else paths:
        loading.path(str(path))
    return loading.done(warn)


def load_text(
    text: str, name: str = "contract.yaml", *, folder: Path | None = None, warn: Warn | None = None
) -> tuple[Contract, ...]:
    """The contracts in a text.

    Args:
        text: YAML, or JSON where the name ends in `.json`.
        name: stands for the file in messages.
        folder: where the names of schema files begin; None: they cannot be read.
        warn: told of what looks wrong and is no error.

    Raises:
        ContractError: with everything that is wrong; a text without a contract is one thing.
    """
    documents = read_text(text, name, is_json=name.endswith(".json"))
    loading = _Loading()
    loading.documents(documents, name, folder)
    return loading.done(warn)


class _Loading:
    """Gathers contracts and what is wrong with them."""

    def __init__(self) -> None:
        self._contracts: list[Contract] = []
        self._problems: list[Problem] = []
        self._warnings: list[Problem] = []
        self._reached: set[Path] = set()
        self._ids: dict[str, Location] = {}

    def path(self, name: str) -> None:
        """A path as the user named it."""
        if name.startswith(PACK):
            self._pack(name)
        elif not name:
            self._wrong('""', "a path is empty")
        elif Path(name).is_dir():
            self._folder(Path(name))
        else:
            self._file(Path(name), name)

    def documents(self, documents: Sequence[Document], name: str, folder: Path | None) -> None:
        """The documents of one file."""
        if not documents:
            self._wrong(name, "holds no contract")
        for document in documents:
            notes = Notes(document)
            contract = read(document, notes, folder)
            self._problems += sorted(notes.problems, key=_place)
            self._warnings += sorted(notes.warnings, key=_place)
            if contract is not None:
                self._take(contract, document.where(("contract",)))

    def done(self, warn: Warn | None) -> tuple[Contract, ...]:
        """What was loaded, if nothing was wrong."""
        if warn is not None:
            for warning in dict.fromkeys(self._warnings):
                warn(warning)
        if self._problems:
            raise ContractError(list(dict.fromkeys(self._problems)))
        return tuple(self._contracts)

    def _take(self, contract: Contract, where: Location) -> None:
        if contract.id and (first := self._ids.setdefault(contract.id, where)) is not where:
            message = f"the contract id `{contract.id}` is taken by {first}"
            self._problems.append(problem(where, message))
        self._contracts.append(contract)

    def _wrong(self, name: str, message: str) -> None:
        self._problems.append(problem(Location(name), message))

    def _pack(self, name: str) -> None:
        file = pack_file(name)
        if file is None:
            self._wrong(name, no_pack(name))
        else:
            self._file(file, name)

    def _folder(self, folder: Path) -> None:
        files = [file for file in _files(folder) if file.suffix != ".json" or _is_contract(file)]
        for file in files:
            self._file(file, str(file))
        if not files:
            message = (
                "the folder holds no contract (`*.yaml`, `*.yml`, or `*.json` with `contract`)"
            )
            self._wrong(str(folder), message)

    def _file(self, file: Path, name: str) -> None:
        real = Path(os.path.realpath(file))
        if real in self._reached:
            return
        self._reached.add(real)
        try:
            documents = read_file(file, name)
        except ContractError as error:
            self._problems += error.problems
        else:
            self.documents(documents, name, file.parent)


def _place(problem: Problem) -> tuple[str, int]:
    return problem.where.path, problem.where.line or 0


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder that may be contracts, by name; nothing hidden."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if (
            _NAME.search(path.name)
            and not any(part.startswith(".") for part in parts)
            and path.is_file()
        ):
            yield path


def _is_contract(file: Path) -> bool:
    """Whether a JSON file is a contract, or is meant to be one and broken."""
    try:
        documents = read_file(file)
    except ContractError:
        with file.open("rb") as opened:
            return b'"contract"' in opened.read()
    return any(is_mapping(d.data) and "contract" in d.data for d in documents)
