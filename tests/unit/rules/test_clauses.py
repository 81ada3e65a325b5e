"""What all clauses have in common."""

import msgspec
import pytest

from toolscore_otel.model import Scope
from toolscore_otel.rules import CLAUSES
from toolscore_otel.rules.allow_only import AllowOnly
from toolscore_otel.rules.arguments import Arguments
from toolscore_otel.rules.budget import Budget
from toolscore_otel.rules.expect import Expect
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.limit import Limit
from toolscore_otel.rules.loop import Loop
from toolscore_otel.rules.order import Order
from toolscore_otel.rules.require import Require
from toolscore_otel.rules.secrets import Secrets

RULES = [
    AllowOnly(tools=["x"], scope=Scope.AGENT),
    Forbid(tool="x", scope=Scope.AGENT),
    Require(tool="x", scope=Scope.AGENT),
    Order(first="x", then="y", scope=Scope.AGENT),
    Limit(tool="x", max=1, scope=Scope.AGENT),
    Loop(key="same_call", n=3, scope=Scope.AGENT),
    Budget(of="call", latency_ms=1, scope=Scope.AGENT),
    Arguments(scope=Scope.AGENT),
    Secrets(scope=Scope.AGENT),
    Expect(calls=["x"], scope=Scope.AGENT),
]


def test_every_clause_has_its_record():
    assert [clause.record for clause in CLAUSES] == [type(rule) for rule in RULES]
    assert len({clause.key for clause in CLAUSES}) == len(CLAUSES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_a_rule_keeps_its_scope_and_is_of_a_trace_without_one(rule):
    assert rule.compile().scope is Scope.AGENT
    assert msgspec.structs.replace(rule, scope=None).compile().scope is Scope.TRACE
    assert rule.compile().record == rule


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.key)
def test_an_unknown_key_is_an_error(clause):
    with pytest.raises(msgspec.ValidationError, match="unknown field `no_such_key`"):
        msgspec.convert({"no_such_key": 1}, clause.record)
