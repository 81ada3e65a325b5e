"""Files that a contract names: JSON Schemas beside it. They are put where their names stand, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath

import msgspec

from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.pattern_files import read_pattern_file
from toolscore_otel.contracts.source import read_file
from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.errors import ContractError, clip
from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

_FREE_TEXT = frozenset({"labels"})
"""Top-level keys below which the author's own words stand, and no matcher."""


def with_files(document: Document, folder: FilePath | None, notes: Notes) -> Document:
    """The document in which every file name has become what the file holds.

    Args:
        document: with a mapping; `$schema: FILE` stands in matchers, `parameters: FILE` in tools, `pattern_files: [FILE]`
            in `secrets`.
        folder: where names begin; None where the contract stands in no file.
        notes: of what cannot be read; there, any value is valid.
    """
    data: Mapping[str, Json] = document.data
    reading = _Reading(folder, notes)
    found: dict[str, Json] = {}
    for key, value in data.items():
        if key == "tools":
            found[key] = reading.tools(value)
        elif key == "secrets":
            found[key] = reading.secrets(reading.schemas(value, (key,)))
        else:
            found[key] = value if key in _FREE_TEXT else reading.schemas(value, (key,))
    return document.with_data(found, {})


class _Reading:
    """Reads the files that one contract names, each once."""

    def __init__(self, folder: FilePath | None, notes: Notes) -> None:
        self._folder = folder
        self._notes = notes
        self._known: dict[str, Json] = {}

    def tools(self, data: Json) -> Json:
        """The registry."""
        return (
            {k: self._tool(v, ("tools", k)) for k, v in data.items()} if is_mapping(data) else data
        )

    def secrets(self, data: Json) -> Json:
        """The clause."""
        if not is_mapping(data) or not is_list(names := data.get("pattern_files")):
            return data
        files = [self._patterns(name, n) for n, name in enumerate(names)]
        return {**data, "pattern_files": files}

    def _patterns(self, name: Json, number: int) -> Json:
        if not isinstance(name, str):
            return name
        path: Path = ("secrets", "pattern_files", number)
        if self._folder is None:
            self._notes.error(path, "a file of patterns cannot be read here: use `patterns`")
            return {}
        try:
            return {name: msgspec.to_builtins(read_pattern_file(self._folder / name, name))}
        except ContractError as error:
            for problem in error.problems:
                if problem.where.line is None:
                    self._notes.error(path, f"the file of patterns {clip(problem, 300)}")
                else:
                    self._notes.problems.append(problem)
            return {}

    def schemas(self, data: Json, path: Path) -> Json:
        """A part of a contract in which matchers may stand."""
        if is_mapping(data):
            return {key: self._below(key, value, (*path, key)) for key, value in data.items()}
        if is_list(data):
            return [self.schemas(value, (*path, index)) for index, value in enumerate(data)]
        return data

    def _below(self, key: str, value: Json, path: Path) -> Json:
        if key != "$schema":
            return self.schemas(value, path)
        return self._schema(value, path) if isinstance(value, str) else value

    def _tool(self, entry: Json, path: Path) -> Json:
        if not is_mapping(entry):
            return entry
        found: dict[str, Json] = dict(entry)
        if isinstance(named := found.get("parameters"), str):
            found["parameters"] = self._schema(named, (*path, "parameters"))
        if "fails_when" in found:
            found["fails_when"] = self.schemas(found["fails_when"], (*path, "fails_when"))
        return found

    def _schema(self, name: str, path: Path) -> Json:
        if name not in self._known:
            try:
                self._known[name] = self._load(name)
            except MatcherError as error:
                self._notes.error(path, f"`{path[-1]}`: {error}")
                self._known[name] = {}
        return self._known[name]

    def _load(self, name: str) -> Json:
        if self._folder is None:
            raise MatcherError((), "a schema file cannot be read here: write the schema itself")
        try:
            documents = read_file(self._folder / name, name)
        except ContractError as error:
            raise MatcherError((), f"the schema file {clip(error.problems[0], 300)}") from error
        if len(documents) != 1 or not is_mapping(documents[0].data):
            raise MatcherError((), f"the schema file `{clip(name)}` holds no JSON Schema")
        return documents[0].data
