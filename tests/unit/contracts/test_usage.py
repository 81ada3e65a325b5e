"""What rules and tools of a contract calls were matched by."""

from typing import Any

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.usage import Usage
from toolscore_otel.model import CallKind, ToolCall


def usage(**keys: Any) -> Usage:
    return Usage(Contract.from_dict({"contract": "a", "language": 1, **keys}))


def unmatched(seen: Usage) -> list[str]:
    return [rule for rule, _ in seen.unmatched()]


@pytest.mark.parametrize(
    ("matched", "keys"),
    [
        (True, {"forbid": ["x"]}),
        (False, {"forbid": ["y"]}),
        (True, {"forbid": [{"tool": "x", "args": {"a": 1}}]}),  # nobody knows
        (False, {"forbid": [{"tool": "x", "kind": "agent"}]}),
        (True, {"limit": [{"tool": "x", "max": 9}]}),
        (True, {"require": [{"tool": "x", "status": "ok"}]}),
        (True, {"budget": [{"of": "call", "latency_ms": 9}]}),
        (False, {"budget": [{"of": "call", "tool": "y", "cost_usd": 9}]}),
        (True, {"budget": [{"of": "trace", "cost_usd": 9}]}),
        (True, {"allow_only": ["y"]}),
        (True, {"loop": {"same_call": 3, "only": ["y"]}}),
        (True, {"secrets": {}}),
        (True, {"order": [{"first": "y", "then": "x"}]}),
        (False, {"order": [{"first": "x", "then": "y"}]}),
        (True, {"order": [{"never": "x", "after": "y"}]}),
        (True, {"order": [{"sequence": ["y", "x"]}]}),
        (False, {"order": [{"sequence": ["y", "z"]}]}),
        (True, {"expect": [{"calls": ["y", {"tool": "x"}]}]}),
        (False, {"expect": [{"calls": ["y"]}]}),
    ],
)
def test_a_rule_is_matched_by_a_call_that_it_judges(matched, keys):
    seen = usage(**keys)
    seen.see(ToolCall(tool="x"), is_recorded=False)
    assert matched is (unmatched(seen) == [])


def test_a_rule_that_spoke_needs_no_call():
    seen = usage(forbid=["x", "y"], require=["z"])
    seen.spoke("require.1")
    seen.spoke("require.1")
    assert unmatched(seen) == ["forbid.1", "forbid.2"]


def test_calls_that_the_contract_does_not_see_do_not_count():
    seen = usage(forbid=["x"], applies_to={"service": "a"})
    seen.see(ToolCall(tool="x", service="b"), is_recorded=True)
    assert (unmatched(seen), seen.recorded) == (["forbid.1"], {})


def test_a_recorded_name_that_is_near_to_a_rules_tool_is_told():
    seen = usage(forbid=["lookup_ordr", "shell", {"tool": "*", "kind": "agent"}])
    for tool in ("lookup_order", "lookup_order", "search"):
        seen.see(ToolCall(tool=tool), is_recorded=True)
    seen.see(ToolCall(tool="shel"), is_recorded=False)
    assert list(seen.unmatched()) == [
        ("forbid.1", "lookup_order"),
        ("forbid.2", None),
        ("forbid.3", None),
    ]
    assert seen.recorded == {"lookup_order": 2, "search": 1}


def test_tools_that_nobody_called_and_calls_that_nobody_mentions_are_told():
    seen = usage(
        forbid=["shell", "search"],
        tools={"refund": {"aliases": "pay_*"}, "lookup": {}, "search": {}, "mail": {}},
    )
    for tool in ("pay_back", "lookups", "search", "shell"):
        seen.see(ToolCall(tool=tool), is_recorded=True)
    seen.see(ToolCall(tool="mail", kind=CallKind.TOOL), is_recorded=False)
    assert list(seen.uncalled()) == [("lookup", "lookups"), ("mail", None)]
    assert seen.unknown() == ["lookups"]


@pytest.mark.parametrize("kind", sorted(set(CallKind) - {CallKind.TOOL}))
def test_who_takes_over_is_no_tool_that_nobody_mentions(kind):
    seen = usage(forbid=["shell"])
    seen.see(ToolCall(tool="desk", kind=kind), is_recorded=True)
    assert (seen.unknown(), seen.recorded) == ([], {"desk": 1})


@pytest.mark.parametrize(
    "keys",
    [
        {"allow_only": ["a", "search_*"]},
        {"forbid": [{"tool": ["x", "search_*"]}]},
        {"order": [{"never": "a", "after": "b", "until": "search_orders"}]},
        {"require": [{"tool": "a", "by": {"before": "search_orders"}}]},
        {"forbid": [{"tool": "a", "unless": {"before": {"tool": "search_orders"}}}]},
        {"expect": [{"calls": ["search_orders"]}]},
        {"forbid": ["a"], "tools": {"search_orders": {}}},
        {"forbid": ["a"], "tools": {"find": {"aliases": ["search_orders"]}}},
    ],
)
def test_a_tool_that_stands_anywhere_in_a_contract_is_mentioned(keys):
    seen = usage(**keys)
    seen.see(ToolCall(tool="search_orders"), is_recorded=True)
    assert seen.unknown() == []


@pytest.mark.parametrize(
    "keys",
    [
        {"limit": [{"tool": "*", "max": 9}]},
        {"forbid": [{"tool": "a", "args": {"tool": "search_orders"}}]},
    ],
)
def test_a_rule_about_any_tool_and_an_argument_mention_none(keys):
    seen = usage(**keys)
    seen.see(ToolCall(tool="search_orders"), is_recorded=True)
    assert seen.unknown() == ["search_orders"]


@pytest.mark.parametrize(
    "keys",
    [
        {"order": [{"never": "alpha", "after": "serch_orders"}]},
        {"order": [{"never": "alpha", "after": "beta", "until": "serch_orders"}]},
        {"require": [{"tool": "alpha", "by": {"before": "serch_orders"}}]},
        {"allow_only": ["alpha", "serch_orders"]},
    ],
)
def test_a_name_that_only_stands_in_a_rule_is_told_where_a_recorded_one_is_near(keys):
    seen = usage(**keys)
    for tool in ("alpha", "search_orders"):
        seen.see(ToolCall(tool=tool), is_recorded=True)
    assert list(seen.uncalled()) == [("serch_orders", "search_orders")]


def test_a_near_name_is_told_once_and_a_far_one_not_at_all():
    seen = usage(forbid=["serch_orders", "delete_user"])
    seen.see(ToolCall(tool="search_orders"), is_recorded=True)
    assert list(seen.uncalled()) == []
    assert dict(seen.unmatched())["forbid.1"] == "search_orders"
