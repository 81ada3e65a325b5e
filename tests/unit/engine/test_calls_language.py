"""Calls that are there already, held against the language's finer points."""

from collections.abc import Mapping
from typing import Any

import pytest

from toolscore_otel import Contract, Span, ToolCall, judge_calls, score
from toolscore_otel.errors import ContractError
from toolscore_otel.model import Stage


def said(contract: Mapping[str, object], *calls: ToolCall) -> list[tuple[str, str]]:
    made = Contract.from_dict({"contract": "c", "language": 1, **contract})
    return [(finding.rule, finding.label.value) for finding in judge_calls(made, calls)]


def test_a_trajectory_may_hold_no_call_at_all():
    assert said({"require": ["a"]}) == [("require.1", "fail")]
    assert said({"require": [{"tool": "a", "max": 1}], "forbid": ["b"]}) == [("require.1", "fail")]
    assert said({"forbid": ["a"]}) == []


def asked_and_run(**ran: Any) -> tuple[ToolCall, ToolCall]:
    asked = ToolCall(tool="a", args={"x": 1}, stage=Stage.REQUESTED, call_id="c1")
    return asked, ToolCall(tool="a", call_id="c1", **ran)


def test_a_request_that_was_seen_to_run_is_one_call_with_its_run():
    for args in ({"args": {"x": 1}}, {}):
        assert said({"loop": {"same_call": 2}}, *asked_and_run(**args)) == []
        assert (
            said({"limit": [{"tool": "a", "stage": "any", "max": 1}]}, *asked_and_run(**args)) == []
        )
        assert said({"require": [{"tool": "a", "min": 2}]}, *asked_and_run(**args)) == [
            ("require.1", "fail")
        ]
        assert said({"forbid": [{"tool": "a", "args": {"x": 1}}]}, *asked_and_run(**args)) == [
            ("forbid.1", "fail")
        ]


TOOLS: dict[str, Any] = {
    "exec": {"name_from": "args.command", "mutating": True, "labels": ["sh"]},
    "exec:git": {"labels": ["vcs"]},
    "exec:ls": {"mutating": False},
}


@pytest.mark.parametrize(
    "selector", [{"mutating": True}, {"mutating": False}, {"label": "sh"}, {"label": "vcs"}]
)
def test_what_hangs_on_the_command_of_a_dispatcher_is_unknown_where_that_was_not_seen(selector):
    """`git` has another label, `ls` changes nothing: without the command, either may be so."""
    contract = {"tools": TOOLS, "forbid": [selector]}
    assert said(contract, ToolCall(tool="exec")) == [("forbid.1", "cannot_check")]


def test_what_every_command_of_a_dispatcher_has_is_known_without_it():
    tools = {"exec": {"name_from": "args.command", "labels": ["sh"]}, "exec:rm": {"mutating": True}}
    contract = {"tools": tools, "forbid": [{"label": "sh"}]}
    assert said(contract, ToolCall(tool="exec")) == [("forbid.1", "fail")]
    assert said({"tools": tools, "require": [{"label": "net"}]}, ToolCall(tool="exec")) == [
        ("require.1", "fail")
    ]


def test_kinds_of_secrets_choose_among_the_patterns_of_a_contract_too():
    patterns = [{"name": "emp", "regex": "EMP-[0-9]{6}"}, {"name": "foo", "regex": "FOO-[0-9]{6}"}]
    secrets = {"in": ["arguments"], "kinds": ["emp"], "patterns": patterns}
    assert said({"secrets": secrets}, ToolCall(tool="a", args={"x": "FOO-123456"})) == []
    assert said({"secrets": secrets}, ToolCall(tool="a", args={"x": "EMP-123456"})) == [
        ("secrets", "fail")
    ]


def test_a_budget_of_calls_without_any_limit_is_refused():
    budget = [{"of": "call", "tool": "q"}]
    with pytest.raises(ContractError, match="needs `latency_ms` or `cost_usd`, or a tool"):
        said({"budget": budget})
    assert said({"budget": budget, "tools": {"q": {"timeout_ms": 5}}}) == []


def chat(*, asks: bool) -> Span:
    reason = "tool_calls" if asks else "stop"
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": [reason]}
    return Span(trace_id="a" * 32, span_id="b" * 16, start_ns=1, end_ns=2, attributes=attributes)


def test_what_a_client_only_trace_does_not_show_is_not_missing():
    """A hand-written loop around a model client has no tool spans: that nothing was called, nobody saw."""
    contract = Contract.from_dict({"contract": "c", "language": 1, "require": ["a"]})
    asked, silent = (score([chat(asks=asks)], [contract]) for asks in (True, False))
    assert [(f.rule, f.label.value) for f in asked.findings] == [
        ("coverage", "fail"),
        ("require.1", "cannot_check"),
    ]
    assert [(f.rule, f.label.value) for f in silent.findings] == [("require.1", "fail")]


def test_a_call_whose_tool_was_not_recorded_may_be_any_tool():
    nameless = ToolCall(tool="")
    assert said({"allow_only": ["a"]}, nameless) == [("allow_only", "cannot_check")]
    assert said({"forbid": ["a"], "require": ["b"]}, nameless) == [
        ("forbid.1", "cannot_check"),
        ("require.1", "cannot_check"),
    ]
    assert said({"forbid": ["*"]}, nameless) == [("forbid.1", "fail")]
    contract = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["a"]})
    (finding,) = judge_calls(contract, [nameless])
    assert "name not observed" in finding.explanation
