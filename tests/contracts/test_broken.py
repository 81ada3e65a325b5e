"""Contracts that are broken, each in one place: what is said of them, and where (`broken/*.yaml`).

An entry holds the `text` that stands below the head of an otherwise good contract, or the `whole` file. What `says` holds
is said at `line` (3 where it is left out). `schema: accepts` marks what no JSON Schema can refuse: what lies in another
place or file, what an expression means, and how two values go together.
"""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from ruamel.yaml import YAML

from toolscore_otel.contracts import json_schema, load_text
from toolscore_otel.contracts.language import LATER_CLAUSES
from toolscore_otel.contracts.source import read_text
from toolscore_otel.errors import ContractError
from toolscore_otel.matchers import OPERATORS

FOLDER = Path(__file__).parent / "broken"
HEAD = "contract: a\nlanguage: 1\n"
GOOD_RULE = "\nforbid: [x]\n"
VALIDATOR = jsonschema_rs.Draft202012Validator(json_schema())
ENTRIES: list[dict[str, Any]] = [
    entry
    for file in sorted(FOLDER.glob("*.yaml"))
    for entry in YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
]


def text_of(entry: dict[str, Any]) -> str:
    if "whole" in entry:
        return str(entry["whole"])
    text = str(entry["text"])
    return HEAD + text + ("\n" if text.startswith("forbid:") else GOOD_RULE)


def name(entry: dict[str, Any]) -> str:
    return entry.get("text") or repr(entry["whole"])


def words() -> set[str]:
    """Every key of the language, as its JSON Schema has it, and every operator."""

    def properties(schema: Any) -> set[str]:
        if isinstance(schema, list):
            return {key for entry in schema for key in properties(entry)}
        if not isinstance(schema, dict):
            return set()
        own = schema.get("properties")
        found = set(own) if isinstance(own, dict) else set()
        return found.union(*(properties(value) for value in schema.values()))

    return {*properties(json_schema()), *OPERATORS, *LATER_CLAUSES}


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_what_is_broken_is_refused_at_its_line(entry: dict[str, Any]) -> None:
    with pytest.raises(ContractError) as caught:
        load_text(text_of(entry), "c.yaml")
    said = [(problem.where.line, problem.message) for problem in caught.value.problems]
    assert [
        message
        for line, message in said
        if entry["says"] in message and line == entry.get("line", 3)
    ], said


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_the_json_schema_refuses_what_a_schema_can(entry: dict[str, Any]) -> None:
    if entry.get("schema") == "is no file":
        return
    documents = read_text(text_of(entry), "c.yaml")
    is_valid = all(VALIDATOR.is_valid(document.data) for document in documents)
    assert (entry.get("schema") == "accepts") is is_valid


def test_there_are_more_broken_contracts_than_the_language_has_words() -> None:
    assert len(ENTRIES) > len(words()) > len(OPERATORS)


def test_no_broken_contract_stands_there_twice() -> None:
    texts = [text_of(entry) for entry in ENTRIES]
    assert len(texts) == len(set(texts))


def test_the_head_and_the_rule_beside_what_is_broken_are_good() -> None:
    assert load_text(HEAD + GOOD_RULE)
