"""The JSON Schema of contracts, held against contracts that load and contracts that do not."""

from pathlib import Path

import jsonschema_rs
import pytest

from toolscore_otel import contracts
from toolscore_otel.contracts import json_schema, load, load_text
from toolscore_otel.contracts.language import LATER_CLAUSES
from toolscore_otel.contracts.source import read_file, read_text
from toolscore_otel.errors import ContractError
from toolscore_otel.rules import CLAUSES, loop

SCHEMA = json_schema()
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
PACKAGE = Path(contracts.__file__).parent.parent
SHIPPED = [
    path
    for path in PACKAGE.rglob("*.yaml")
    if not path.name.endswith(".cases.yaml") and "\ncontract: " in f"\n{path.read_text()}"
]

GOOD = [
    "forbid: [x, 'y*', {tool: [x, y], label: z, mutating: true, status: [ok, error]}]",
    "forbid: [{tool: x, args: {}, result: null, stage: any, kind: tool, agent: '*'}]",
    "forbid: [{tool: x, args: {a: {$or: [{$regex: x}, {$not: 3}]}, b: [1, {}, {c: {$any: true}}]}}]",
    "forbid: [{tool: x, args: {a: {$schema: {$ref: '#/$defs/a', $defs: {a: {}}}}}}]",
    "forbid: [{tool: x, latency_ms: {$gt: 3}, cost_usd: {$between: [1, 2]}}]",
    "forbid: [{tool: x, unless: y}, {tool: x, unless: {before: y}}, {tool: x, unless: [y, {agent: z}]}]",
    "forbid: [{tool: x, id: a, severity: info, reason: b, shadow: true, scope: agent}]",
    "allow_only: [x, {tool: y}]",
    "allow_only: {tools: [x], severity: warning}",
    "require: [x, {tool: y, min: 2, max: 3}]",
    "require: [{tool: x, by: {before: y}}, {tool: x, by: {within_ms: 2.5}, if: {tool: y}}]",
    "limit: [{tool: x, max: 3, per: trace, unless: {agent: y}}]",
    "limit: [{tool: x, max: 3, per: 60s}, {tool: x, max: 0.5, sum: a.b}, {tool: x, max: 3, distinct: a, per: session}]",
    "loop: {same_call: 3, retry_after_error: {n: 2, severity: info}, window: 5, only: [x], ignore: [y]}",
    "budget: [{of: call, tool: x, latency_ms: 3}, {of: trace, cost_usd: 0.5, tokens: 3, calls: 2}]",
    "secrets: {}",
    "secrets: {in: [error], action: drop, patterns: [{name: x, regex: y}], allow: [{tool: x, path: y}]}",
    "forbid: [x]\ntools: {a: {}, b: , c: {aliases: [x], labels: [y], cost_usd: {per_second: 1}}}",
    "forbid: [x]\ntools: {a: {parameters: {type: object}, fails_when: {ok: false}, name_from: args.x}}",
    "forbid: [x]\nseverity: info\nscope: agent\nshadow: true\nlabels: {a: b}\nversion: '3'",
    "forbid: [x]\napplies_to: {service: a, agent: [b, c]}",
]

BAD = [
    "severity: info",
    "forbidd: [x]",
    "forbid: []",
    "forbid: x",
    "forbid: [{tol: x}]",
    "forbid: [{tool: x, args: {a: {$regx: y}}}]",
    "forbid: [{tool: x, args: {a: [{b: {$regx: y}}]}}]",
    "forbid: [{tool: x, args: {a: {$not: {$regx: y}}}}]",
    "forbid: [{tool: x, args: {$regex: y, b: 1}}]",
    "forbid: [{tool: x, severity: eror}]",
    "forbid: [{tool: x, status: failed}]",
    "forbid: [{tool: x, unless: {beforex: y}}]",
    "allow_only: []",
    "allow_only: [{tol: x}]",
    "require: [{tool: x, unless: y}]",
    "limit: [{tool: x}]",
    "loop: {}",
    "loop: {window: 3}",
    "loop: {same_cal: 3}",
    "loop: {same_call: {severity: info}}",
    "loop: {cycle: 1}",
    "require: [{tool: x, by: {}}]",
    "require: [{tool: x, by: {before: y, within_ms: 1}}]",
    "require: [{tool: x, by: {within_ms: -1}}]",
    "require: [{tool: x, if: 3}]",
    "limit: [{tool: x, max: 3, per: 60}]",
    "limit: [{tool: x, max: 3, per: day}]",
    "limit: [{tool: x, max: -1}]",
    "limit: [{tool: x, max: 3, sum: a, distinct: b}]",
    "budget: [{latency_ms: 3}]",
    "secrets: {in: [argments]}",
    "secrets: {patterns: [{name: x}]}",
    "forbid: [x]\ntools: {a: {alias: x}}",
    "forbid: [x]\nlabels: {a: 3}",
    "forbid: [x]\nversion: 3",
    "forbid: [x]\nlanguage: 2",
    "forbid: [x]\napplies_to: {servce: x}",
]


def parsed(text):
    (document,) = read_text(text, "c.yaml")
    return document.data


def test_the_schema_is_a_schema():
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_contract_is_valid(path):
    assert load([path])
    assert [VALIDATOR.is_valid(document.data) for document in read_file(path)] == [True]


@pytest.mark.parametrize("text", GOOD)
def test_what_loads_is_valid(text):
    text = f"contract: a\n{text}\n"
    assert load_text(text)
    assert [error.message for error in VALIDATOR.iter_errors(parsed(text))] == []


@pytest.mark.parametrize("text", BAD)
def test_what_is_misspelt_does_not_load_and_is_not_valid(text):
    text = f"contract: a\n{text}\n"
    with pytest.raises(ContractError):
        load_text(text)
    assert not VALIDATOR.is_valid(parsed(text))


def test_every_clause_stands_in_the_schema_with_a_description():
    keys = SCHEMA["properties"]
    assert {clause.key for clause in CLAUSES} <= keys.keys()
    assert all(keys[clause.key]["description"] for clause in CLAUSES)
    assert not (LATER_CLAUSES - {clause.key for clause in CLAUSES}) & keys.keys()


def test_the_keys_of_a_loop_are_those_that_loading_knows():
    clause = SCHEMA["properties"]["loop"]
    rules = [key for (key,) in (option["required"] for option in clause["anyOf"])]
    assert rules == [item.path[0] for item in loop.items(dict.fromkeys(rules, 3))]
    for key in clause["properties"]:
        assert list(loop.items({"same_call": 3, key: 3}))


def test_keys_are_described_from_their_classes():
    forbid = SCHEMA["$defs"]["Forbid"]["properties"]
    assert forbid["tool"]["description"] == "a name, a glob, or a list of these."
    assert forbid["shadow"]["description"] == "fails nothing."
    assert SCHEMA["properties"]["language"]["description"] == "version of the contract language."


def test_asking_twice_gives_the_same():
    assert json_schema() == SCHEMA
