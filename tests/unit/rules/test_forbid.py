import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import ContentState, FindingKind
from toolscore_otel.rules.forbid import Forbid, items


def test_a_matching_call_fails_at_once(made, watch):
    (verdict,) = watch(Forbid(tool="delete_user", reason="never"), made("delete_user")).fails
    assert FindingKind.FORBIDDEN_CALL is verdict.kind
    assert verdict.explanation == "`delete_user` was called, which is forbidden: never"


def test_every_matching_call_is_a_finding_of_its_own(made, watch):
    assert watch(Forbid(tool="rm"), made("rm"), made("ls"), made("rm")).failing == ["c1", "c3"]


def test_a_call_that_was_only_asked_for_fails_too(made, watch):
    (verdict,) = watch(Forbid(tool="rm"), made("rm", stage="requested", agent="desk")).fails
    assert verdict.explanation == "agent `desk` asked for `rm`, which is forbidden"
    assert verdict.call.stage == "requested"


def test_a_stage_can_be_asked_for(made, watch):
    rule = Forbid(tool="rm", stage="executed")
    assert watch(rule, made("rm", stage="requested"), made("rm")).failing == ["c2"]


@pytest.mark.parametrize("kind", ["handoff", "agent", "output"])
def test_only_calls_of_kind_tool_are_meant_unless_said(kind, made, watch):
    assert watch(Forbid(tool="*"), made(kind=kind)).silent
    assert watch(Forbid(tool="*", kind=kind), made(kind=kind)).failing == ["c2"]


@pytest.mark.parametrize(
    ("selector", "fields", "lacks"),
    [
        ({"args": {"path": "/"}}, {}, "arguments"),
        (
            {"args": {"path": "/"}},
            {"args_state": ContentState.TRUNCATED, "args_text": "{"},
            "arguments",
        ),
        (
            {"args": {"path": "/"}},
            {"args_state": ContentState.UNPARSABLE, "args_text": "{]"},
            "arguments",
        ),
        ({"result": "gone"}, {}, "result"),
        ({"status": "error"}, {"status": "unknown"}, "status"),
        ({"status": "error"}, {"stage": "requested"}, "status"),
        ({"agent": "desk"}, {}, "agent"),
        ({"latency_ms": {"$gt": 1}}, {"took": None}, "latency"),
        ({"latency_ms": {"$gt": 1}}, {"stage": "requested"}, "latency"),
        ({"cost_usd": {"$gt": 1}}, {}, "cost"),
    ],
)
def test_what_was_not_observed_cannot_be_checked(selector, fields, lacks, made, watch):
    watched = watch(Forbid(tool="rm", **selector), made("rm", **fields))
    assert {lacks} == watched.lacks
    assert not watched.fails


def test_what_was_not_observed_does_not_matter_where_the_rest_says_no(made, watch):
    assert watch(Forbid(tool="rm", args={"path": "/"}), made("ls")).silent


def test_a_finding_goes_when_its_call_turns_out_to_be_another(made, watch):
    call = made("rm", {"path": "/"})
    watched = watch(Forbid(tool="rm", args={"path": "/"}), call)
    assert watched.failing == ["c1"]
    assert watched.replace(call, args={"path": "/tmp"}).silent  # noqa: S108 - a made-up argument
    assert watched.put(made("rm", {"path": "/"})).drop("c2").silent
    assert watched.drop("c2", "unknown").silent


@pytest.mark.parametrize(
    ("fields", "stands"),
    [({"agent": "janitor"}, "silent"), ({"agent": "desk"}, "fails"), ({}, "unsure")],
)
def test_unless_excuses_a_call(fields, stands, made, watch):
    rule = Forbid(tool="rm", unless={"agent": "janitor"})
    assert getattr(watch(rule, made("rm", **fields)), stands)


def test_unless_may_be_several(made, watch):
    rule = Forbid(tool="rm", unless=[{"agent": "janitor"}, {"args": {"dry": True}}])
    assert watch(rule, made("rm", {"dry": True}, agent="desk")).silent
    assert {"agent", "arguments"} == watch(rule, made("rm")).lacks


def test_unless_looks_at_requested_calls_too(made, watch):
    rule = Forbid(tool="rm", unless={"args": {"dry": True}})
    assert watch(rule, made("rm", {"dry": True}, stage="requested")).silent


def test_a_rule_says_what_it_is_about():
    assert frozenset({"rm"}) == Forbid(tool="rm").compile().tools
    assert Forbid(tool="rm*").compile().tools is None
    assert Forbid(tool="rm", unless={"before": "ask"}).compile().tools is None
    assert Forbid(tool="rm", agent="x").compile().uses_agent
    assert Forbid(tool="rm", unless={"agent": "x"}).compile().uses_agent
    assert not Forbid(tool="rm").compile().uses_agent
    assert Forbid(tool="rm").compile().per_call
    assert Forbid(tool="rm", unless={"before": "ask"}).compile().deferred


def test_a_late_agent_decides_what_was_open(made, watch):
    rule = Forbid(tool="rm", agent="desk")
    named = JudgedCall(made("rm"), agents_named=True)
    assert watch(rule, named).silent


def test_items_are_named_by_their_place():
    found = list(items(["rm", {"tool": "ls", "id": "own"}]))
    assert [item.id for item in found] == ["forbid.1", "forbid.2"]
    assert [item.data for item in found] == [{"tool": "rm"}, {"tool": "ls", "id": "own"}]


@pytest.mark.parametrize("data", [{}, "rm", [], [3], None])
def test_a_clause_that_is_no_list_of_rules_is_an_error(data):
    with pytest.raises(MatcherError, match="forbid"):
        list(items(data))


def test_a_rule_without_a_key_of_a_selector_is_an_error():
    with pytest.raises(MatcherError, match="at least one key"):
        Forbid(reason="x").compile()
