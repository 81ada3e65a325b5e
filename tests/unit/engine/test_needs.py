"""Which evidence a rule needs, by its keys."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.needs import needs_of
from toolscore_otel.rules import Common, Compiled


def needs(**clauses: Any) -> set[str]:
    """Of the one rule of a contract."""
    contract = Contract.from_dict({"contract": "c", "language": 1, **clauses})
    (rule,) = contract.rules
    return set(needs_of(rule))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"tool": "x"}, {"name"}),
        ({"tool": "*"}, set()),
        ({"tool": "*", "agent": "*"}, set()),
        ({"agent": "desk"}, {"agent"}),
        ({"tool": "x", "args": {"status": "open"}}, {"name", "arguments"}),
        ({"tool": "x", "result": {"ok": True}, "status": "ok"}, {"name", "result", "status"}),
        ({"label": "egress"}, {"name"}),
        ({"mutating": True}, {"name"}),
        ({"latency_ms": {"$gt": 5}, "cost_usd": {"$gt": 1}}, {"latency", "cost"}),
        ({"tool": "x", "unless": {"args": {"a": 1}}}, {"name", "arguments"}),
        ({"tool": "x", "unless": {"before": {"tool": "y"}}}, {"name", "times"}),
        ({"tool": "x", "unless": [{"before": "y"}, {"agent": "z"}]}, {"name", "times", "agent"}),
    ],
)
def test_a_selector_needs_what_its_keys_look_at(rule, words):
    assert needs(forbid=[rule]) == words


def test_what_must_have_happened_needs_the_whole_trace():
    assert needs(require=["verify"]) == {"name", "spans"}


def test_bounds_of_scores_need_what_these_are_made_of():
    bounds = {"min": {"order": 1, "argument_f1": 1}, "max": {"error_rate": 0, "hard_fail": 0}}
    assert needs(expect=[{"calls": [], **bounds}]) == {"spans", "times", "arguments", "status"}


def test_a_loop_needs_what_it_compares():
    assert needs(loop={"same_call": 3}) == {"arguments"}
    assert needs(loop={"retry_after_error": 2}) == {"arguments", "status"}
    assert needs(loop={"same_call": 3, "only": ["x"]}) == {"arguments", "name"}


def test_secrets_need_the_places_that_are_scanned():
    assert needs(secrets={}) == {"arguments", "result"}
    assert needs(secrets={"in": ["error"], "kinds": ["jwt"]}) == {"error"}
    assert needs(secrets={"in": ["messages"]}) == {"messages"}


def test_a_budget_needs_what_it_adds_up():
    assert needs(budget=[{"of": "trace", "tokens": 5, "cost_usd": 1}]) == {"tokens", "cost"}
    assert needs(budget=[{"of": "call", "tool": "x", "latency_ms": 5}]) == {"name", "latency"}


def test_tools_that_are_allowed_need_names():
    assert needs(allow_only=["x", {"agent": "desk"}]) == {"name", "agent"}
    assert needs(allow_only=["*"]) == set()


def test_a_limit_needs_no_more_than_its_selector():
    assert needs(limit=[{"tool": "x", "max": 3, "per": "agent"}]) == {"name"}


class Windowed(Common, frozen=True, kw_only=True):
    per: str
    sequence: list[Any]
    then: Struct


class Inner(Struct, frozen=True):
    result: Any


def test_clauses_to_come_need_what_their_keys_say():
    record = Windowed(per="60s", sequence=["a", {"args": {"x": 1}}, 5], then=Inner(1))
    rule = Compiled(record=record, start=lambda _: pytest.fail("never started"))

    assert needs_of(rule) == {"times", "name", "arguments", "result"}
