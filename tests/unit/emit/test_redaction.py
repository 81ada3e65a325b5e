"""Which contracts want secrets taken out of which spans."""

from typing import Any

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.redaction import Redaction
from toolscore_otel.model import Resource
from toolscore_otel.secrets.samples import make_sample

SECRET = make_sample("aws_access_key_id", 1)
SHOP = Resource({"service.name": "shop", "deployment.environment.name": "prod"})


def contract(name: str = "c", **fields: Any) -> Contract:
    return Contract.from_dict({"contract": name, "language": 1, "secrets": {}} | fields)


def redaction(*contracts: Contract) -> Redaction:
    return Redaction(contracts, b"key")


@pytest.mark.parametrize(
    ("applies_to", "is_about"),
    [
        ({}, True),
        ({"service": "shop"}, True),
        ({"service": "bank"}, False),
        ({"environment": "prod"}, True),
        ({"environment": "test"}, False),
        ({"agent": "desk"}, True),
        ({"agent": "ops"}, False),
    ],
    ids=str,
)
def test_a_contract_is_about_the_spans_it_applies_to(applies_to, is_about):
    found = redaction(contract(applies_to=applies_to)).cleaner(SHOP, "desk")
    assert (found is not None) is is_about


@pytest.mark.parametrize("agent", [None, 7, ["desk"]])
def test_an_agent_that_is_not_known_may_be_any(agent):
    wanted = redaction(contract(applies_to={"agent": "ops"}))
    assert wanted.cleaner(SHOP, agent) is not None


@pytest.mark.parametrize("clause", [{"action": "flag"}, {"shadow": True}])
def test_a_clause_that_changes_nothing_wants_nothing(clause):
    wanted = redaction(contract(secrets=clause))
    assert not wanted
    assert wanted.cleaner(SHOP, "desk") is None


def test_all_contracts_that_apply_have_their_say():
    one = contract("a", secrets={"kinds": ["npm_token"]})
    two = contract("b", secrets={"kinds": ["aws_access_key_id"], "action": "drop"})
    found = redaction(one, two).cleaner(SHOP, None)
    assert found is not None
    token = make_sample("npm_token", 1)
    assert found.value("k", token) == "[REDACTED:npm_token]"
    assert found.value("k", SECRET) is None


def test_the_same_spans_share_a_cleaner_and_many_agents_are_not_remembered():
    wanted = redaction(contract())
    first = wanted.cleaner(SHOP, "a0")
    assert wanted.cleaner(SHOP, "a0") is first
    for number in range(2_000):
        assert wanted.cleaner(SHOP, f"a{number}") is not None
    assert wanted.cleaner(SHOP, "a0") is not first


def test_hashes_are_those_of_the_contracts():
    one = contract()
    assert redaction(one).hashes == {"c": one.hash}
