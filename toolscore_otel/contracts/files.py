"""Files that a contract names: JSON Schemas beside it."""

from __future__ import annotations

from pathlib import Path as FilePath

from toolscore_otel.contracts.source import read_file
from toolscore_otel.errors import ContractError, clip
from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json


class SchemaFiles:
    """Reads the schema files that one contract names, each once.

    Attributes:
        read: what was read, by name; part of what the contract's hash stands for.
    """

    def __init__(self, folder: FilePath | None) -> None:
        """Nothing is read yet.

        Args:
            folder: where names begin; None where the contract stands in no file.
        """
        self.read: dict[str, Json] = {}
        self._folder = folder

    def __call__(self, name: str) -> Json:
        """The schema in a file.

        Raises:
            MatcherError: there is no folder to look in, or the file cannot be read or holds no schema.
        """
        if name not in self.read:
            self.read[name] = self._load(name)
        return self.read[name]

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


def with_schemas(data: Json, files: SchemaFiles) -> Json:
    """A clause in which every `$schema: FILE` has become the schema itself.

    Raises:
        MatcherError: a file that cannot be read, with its path in the clause.
    """
    if is_mapping(data):
        return {key: _with_schema(key, value, files) for key, value in data.items()}
    if is_list(data):
        return [_below(index, value, files) for index, value in enumerate(data)]
    return data


def _with_schema(key: str, value: Json, files: SchemaFiles) -> Json:
    if key != "$schema":
        return _below(key, value, files)
    if not isinstance(value, str):
        return value
    try:
        return files(value)
    except MatcherError as error:
        raise error.below(key) from error


def _below(step: str | int, value: Json, files: SchemaFiles) -> Json:
    try:
        return with_schemas(value, files)
    except MatcherError as error:
        raise error.below(step) from error
