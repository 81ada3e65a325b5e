"""A configuration, from its file or with defaults, checked as a whole; everything that is wrong at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, structs

from toolscore_otel.contracts.decode import decode
from toolscore_otel.contracts.source import read_file
from toolscore_otel.contracts.tree import Document
from toolscore_otel.errors import ConfigError, ContractError, Problem
from toolscore_otel.server.config.checks import check
from toolscore_otel.server.config.keys import ServerConfig
from toolscore_otel.server.config.notes import ConfigNotes, without_file
from toolscore_otel.server.config.prepared import beside, plain, prepared

S = TypeVar("S", bound=Struct)

_FILES = ("cert_file", "key_file", "client_ca_file", "ca_file", "file", "state_dir")
"""Keys that name files or folders."""


def load_config(path: str | Path, environment: Mapping[str, str] | None = None) -> ServerConfig:
    """The configuration in a file, ready to use.

    Args:
        path: of a YAML (or `.json`) file. What it names is looked for beside it.
        environment: variables for `${env:NAME}`; left out: the process's own.

    Raises:
        ConfigError: with everything that is wrong, one line each: file, line, key, and what to do.
    """
    file = Path(path)
    document = _document(file)
    notes = ConfigNotes(document)
    data = prepared(document.data, notes, os.environ if environment is None else environment)
    notes.document.data = data
    decode(ServerConfig, data, (), notes, called="the configuration")
    notes.stop()
    config = decode(ServerConfig, plain(data), (), notes, called="the configuration")
    if config is None:
        raise AssertionError("what was decoded once is decoded again")
    check(config, notes)
    notes.stop()
    return _placed(config, file.parent)


def default_config(contracts: Sequence[str]) -> ServerConfig:
    """A mirror with default settings.

    Args:
        contracts: files, folders, `pack:NAME`.

    Raises:
        ConfigError: there are none.
    """
    config = ServerConfig(contracts=list(contracts))
    notes = without_file()
    check(config, notes)
    notes.stop()
    return config


def _document(file: Path) -> Document:
    try:
        documents = read_file(file)
    except ContractError as error:
        problems = [f"{problem}{_hint(file, problem)}" for problem in error.problems]
        raise ConfigError("\n".join(problems)) from error
    if len(documents) != 1:
        what = "is empty" if not documents else "holds more than one document (`---`)"
        raise ConfigError(f"{file}: {what}: a configuration is one mapping of keys")
    return documents[0]


def _hint(file: Path, problem: Problem) -> str:
    """What is said besides where a variable stands in braces, which looks right and is no YAML."""
    if problem.where.line is None or "is no YAML" not in problem.message:
        return ""
    line = file.read_text(errors="replace").splitlines()[problem.where.line - 1]
    return "; a `${...}` inside `{}` or `[]` needs quotes" if "${" in line else ""


def _placed(record: S, folder: Path) -> S:
    """The record with every file that it names beside the configuration."""
    changes: dict[str, object] = {}
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if isinstance(value, Struct):
            changes[name] = _placed(value, folder)
        elif name == "contracts":
            changes[name] = [beside(folder, path) for path in value]
        elif name in _FILES and value is not None:
            changes[name] = beside(folder, value)
    return structs.replace(record, **changes)
