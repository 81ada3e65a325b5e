from pathlib import Path

import pytest

from toolscore_otel.contracts import Contract, load
from toolscore_otel.gate.expectations import fingerprint_of, whole_fingerprint_of
from toolscore_otel.matchers import parse

TEXT = """
contract: desk
language: 1
version: "1"
severity: error
tools:
  lookup: {aliases: [find], mutating: true, labels: [a, b], fails_when: {$regex: '^Error'}}
  exec: {name_from: args.command}
applies_to: {service: shop, attributes: {tier: {$one_of: [a, b]}}}
expect:
  - {id: first, when: {scenario: refund}, calls: [{tool: lookup, args: {id: {$regex: 'O-'}}}], order: strict}
require: [{tool: lookup, reason: always, by: {before: exec}}]
forbid: [shell]
"""


@pytest.fixture
def read(tmp_path: Path):
    def fingerprint(text, scenario="refund"):
        file = tmp_path / "desk.yaml"
        file.write_text(text)
        (contract,) = load([str(file)])
        return fingerprint_of(contract, scenario)

    return fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("contract: desk", "# who we are\ncontract: desk"),
        ("severity: error", "severity: warning"),
        ('version: "1"', 'version: "2"'),
        ("reason: always", "reason: it is the law"),
        ("id: first", "id: other"),
        ("forbid: [shell]", "forbid: [shell, rm]"),
        ("labels: [a, b]", "labels: [b, a]"),
        ("mutating: true", "mutating: true, cost_usd: 0.5, timeout_ms: 9"),
        ("order: strict", "order: strict, min: {order: 0.5}, max: {edit_distance: 0.5}"),
        (
            "applies_to: {service: shop, attributes: {tier: {$one_of: [a, b]}}}",
            "applies_to:\n  attributes:\n    tier:\n      $one_of: [a, b]\n  service: shop",
        ),
    ],
)
def test_what_no_score_hangs_on_is_no_difference(read, old, new):
    assert TEXT.count(old) == 1
    assert read(TEXT.replace(old, new)) == read(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("O-", "P-"),
        ("$regex: 'O-'", "$contains: 'O-'"),
        ("fails_when: {$regex: '^Error'}", "fails_when: {$fullmatch: '^Error'}"),
        ("order: strict", "order: in_order"),
        ("scenario: refund", "scenario: refunds"),
        ("aliases: [find]", "aliases: [search]"),
        ("mutating: true", "mutating: false"),
        ("labels: [a, b]", "labels: [a]"),
        ("service: shop", "service: bank"),
        ("[a, b]}}", "[a, c]}}"),
        ("before: exec", "within_ms: 5"),
        ("id: first", "scope: session"),
        ("id: first", "shadow: true"),
        ("severity: error", "scope: session"),
    ],
)
def test_what_a_score_hangs_on_is_one(read, old, new):
    assert TEXT.count(old) == 1
    assert read(TEXT.replace(old, new)) != read(TEXT)


def test_matchers_of_python_count_by_what_they_match():
    def made(text):
        return Contract.from_dict(
            {"contract": "x", "language": 1, "expect": [{"calls": [{"tool": "a", "args": {"q": parse({"$regex": text})}}]}]}
        )  # fmt: skip

    assert fingerprint_of(made("a"), None) == fingerprint_of(made("a"), None)
    assert fingerprint_of(made("a"), None) != fingerprint_of(made("b"), None)
    assert whole_fingerprint_of(made("a")) != whole_fingerprint_of(made("b"))


FOR_FRESH = "  - {when: {scenario: fresh}, calls: [{tool: lookup}]}\n"
FOR_ALL = "  - {when: {scenario: '*'}, calls: [{tool: exec}]}\n"


def with_rule(rule, *, first=False):
    place = "expect:\n" if first else "require:"
    return TEXT.replace(place, f"{place}{rule}" if first else f"{rule}{place}")


def test_a_rule_for_another_scenario_is_a_difference_to_that_one_alone(read):
    assert read(with_rule(FOR_FRESH)) == read(TEXT)
    assert read(with_rule(FOR_FRESH), "fresh") != read(TEXT, "fresh")
    assert read(with_rule(FOR_FRESH), None) == read(TEXT, None)


def test_a_rule_for_all_scenarios_is_a_difference_to_each(read):
    for scenario in ("refund", "fresh", None):
        assert read(with_rule(FOR_ALL), scenario) != read(TEXT, scenario)
    plain = FOR_ALL.replace("when: {scenario: '*'}, ", "")
    assert read(with_rule(plain)) == read(with_rule(FOR_ALL))


def test_the_order_of_rules_is_no_difference(read):
    assert read(with_rule(FOR_ALL)) == read(with_rule(FOR_ALL, first=True))


def test_a_rule_for_runs_with_an_attribute_is_one_for_every_scenario(read):
    rule = "  - {when: {attributes: {tier: a}}, calls: [{tool: exec}]}\n"
    assert read(with_rule(rule)) != read(TEXT)


def test_prices_of_tools_that_were_not_named_before_are_no_difference(read):
    priced = "tools:\n  search: {cost_usd: 0.1}\n"
    assert read(TEXT.replace("tools:\n", priced)) == read(TEXT)
    assert read(TEXT.replace("tools:\n", "tools:\n  search: {mutating: true}\n")) != read(TEXT)


def test_the_fingerprint_that_stores_of_before_have_stays_what_it_was():
    contract = Contract.from_dict(
        {"contract": "desk", "language": 1, "expect": [{"calls": [{"tool": "lookup"}]}]}
    )
    assert whole_fingerprint_of(contract) == "8f0954720958db54"
