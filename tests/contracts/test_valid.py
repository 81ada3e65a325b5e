"""Contracts that are right: every word of the language is used, and loading and the JSON Schema agree on each."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from ruamel.yaml import YAML

from toolscore_otel.contracts import json_schema, load
from toolscore_otel.contracts.source import read_file
from toolscore_otel.matchers import OPERATORS
from toolscore_otel.rules import CLAUSES

HERE = Path(__file__).parent
FILES = sorted((HERE / "valid").glob("*.yaml"))
VALIDATOR = jsonschema_rs.Draft202012Validator(json_schema())
LANGUAGE = [
    (f"{file.stem}: {entry['says']}", entry["contract"])
    for file in sorted((HERE / "language").glob("*.yaml"))
    for entry in YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    if "refused" not in entry
]


def properties(schema: Any) -> set[str]:
    """The keys that a schema names, at any depth."""
    if isinstance(schema, list):
        return {key for entry in schema for key in properties(entry)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties")
    found = set(own) if isinstance(own, dict) else set()
    return found.union(*(properties(value) for value in schema.values()))


def keys(data: Any) -> set[str]:
    """The keys of a contract, at any depth."""
    if isinstance(data, list):
        return {key for entry in data for key in keys(entry)}
    if not isinstance(data, dict):
        return set()
    return set(data).union(*(keys(value) for value in data.values()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_valid_contract_loads_without_a_warning(file: Path) -> None:
    said: list[Any] = []
    assert load([file], warn=said.append)
    assert said == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_json_schema_takes_a_valid_contract(file: Path) -> None:
    (document,) = read_file(file)
    assert [error.message for error in VALIDATOR.iter_errors(document.data)] == []


@pytest.mark.parametrize(("says", "contract"), LANGUAGE, ids=[says for says, _ in LANGUAGE])
def test_the_json_schema_takes_the_contracts_of_the_language(
    says: str, contract: dict[str, Any]
) -> None:
    data = {"contract": "a", "language": 1, **contract}
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_every_word_of_the_language_is_used() -> None:
    used = {key for file in FILES for document in read_file(file) for key in keys(document.data)}
    words = properties(json_schema()) | {*OPERATORS, *(clause.key for clause in CLAUSES)}
    assert words - used == set()
