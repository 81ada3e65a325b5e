from typing import Any

import msgspec
import pytest

from toolscore_otel.matchers import (
    UNKNOWN,
    Answer,
    Gt,
    JudgedCall,
    MatcherError,
    Regex,
    Selector,
    SelectorFields,
)
from toolscore_otel.model import CallKind, ContentState, Stage, Status, ToolCall

YES, NO, UNSURE = Answer.YES, Answer.NO, Answer.UNKNOWN


def _ask(source: Any, call: ToolCall | None = None, stage: str = "any", **seen: Any) -> Answer:
    judged = JudgedCall(call or ToolCall(tool="refund"), **seen)
    return Selector.of(source, default_stage=stage).match(judged)


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("refund", YES),
        ("Refund", NO),
        ("mcp__pay__refund", YES),
        ("ref*", YES),
        ("mcp__*__refund", YES),
        ("*", YES),
        ("x*", NO),
        (["search", "refund"], YES),
        (["search", "x*"], NO),
        ("weird[1]", NO),
    ],
)
def test_a_tool_is_known_by_its_canonical_and_its_recorded_name(tool, answer):
    assert answer is _ask({"tool": tool}, ToolCall(tool="refund", recorded_name="mcp__pay__refund"))


def test_a_text_is_short_for_the_tool():
    assert YES is _ask("refund")
    assert NO is _ask("search")


def test_a_name_that_looks_like_a_glob_matches_itself():
    assert YES is _ask("weird[1]", ToolCall(tool="weird[1]"))


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("exec", YES),
        ("exec:git", UNSURE),
        ("exec:*", UNSURE),
        ("*:git", UNSURE),
        ("e*", YES),
        ("exec:", NO),
        ("other:git", NO),
        ("executor", NO),
        (["search", "exec:git"], UNSURE),
    ],
)
def test_a_dispatcher_whose_sub_command_was_not_observed_leaves_sub_commands_open(tool, answer):
    assert answer is _ask({"tool": tool}, ToolCall(tool="exec"), dispatcher="exec")


def test_names_may_be_given_by_the_registry():
    assert YES is _ask("exec:git", ToolCall(tool="exec"), names=("exec:git", "exec"))


def test_a_narrowed_call_no_longer_answers_to_its_bare_name():
    ran_git = JudgedCall(ToolCall(tool="exec"), names=("exec:git", "exec")).narrowed()
    unseen = JudgedCall(ToolCall(tool="exec"), dispatcher="exec").narrowed()
    exec_, git = Selector.of("exec"), Selector.of("exec:git")
    assert [exec_.match(ran_git), git.match(ran_git)] == [NO, YES]
    assert [exec_.match(unseen), git.match(unseen)] == [NO, UNSURE]


def test_labels_and_marks_come_from_the_registry():
    assert YES is _ask({"label": "egress"}, labels=frozenset({"egress", "x"}))
    assert YES is _ask({"label": ["a", "x"]}, labels=frozenset({"egress", "x"}))
    assert NO is _ask({"label": "egress"})
    assert [_ask({"mutating": mark}, mutating=True) for mark in (True, False)] == [YES, NO]
    assert YES is _ask({"mutating": False})


@pytest.mark.parametrize(
    ("status", "of_ok", "of_error", "of_unknown"),
    [
        ("ok", YES, NO, UNSURE),
        ("error", NO, YES, UNSURE),
        ("unknown", NO, NO, YES),
        (["ok", "error"], YES, YES, UNSURE),
        (["error", "unknown"], NO, YES, YES),
    ],
)
def test_a_call_of_unknown_status_is_unknown_to_the_other_two(status, of_ok, of_error, of_unknown):
    answers = [_ask({"status": status}, ToolCall(tool="t", status=one)) for one in Status]
    assert [of_ok, of_error, of_unknown] == answers


def test_a_call_that_was_only_requested_has_unknown_status_and_latency():
    call = ToolCall(tool="t", stage=Stage.REQUESTED, status=Status.OK, start_ns=0, end_ns=0)
    assert UNSURE is _ask({"status": "ok"}, call)
    assert YES is _ask({"status": "unknown"}, call)
    assert UNSURE is _ask({"latency_ms": {"$lt": 5}}, call)


@pytest.mark.parametrize(
    ("source", "default", "of_executed", "of_requested"),
    [
        ({"tool": "t"}, "any", YES, YES),
        ({"tool": "t"}, "executed", YES, NO),
        ({"tool": "t"}, "requested", NO, YES),
        ({"stage": "any"}, "executed", YES, YES),
        ({"stage": "requested"}, "executed", NO, YES),
        ({"stage": "executed"}, "any", YES, NO),
    ],
)
def test_the_stage_is_the_rules_default_unless_given(source, default, of_executed, of_requested):
    answers = [
        _ask(source, ToolCall(tool="t", stage=stage), default)
        for stage in (Stage.EXECUTED, Stage.REQUESTED)
    ]
    assert [of_executed, of_requested] == answers


def test_only_tools_are_meant_unless_a_kind_is_given():
    handoff = ToolCall(tool="t", kind=CallKind.HANDOFF)
    assert NO is _ask("t", handoff)
    assert YES is _ask({"kind": "handoff"}, handoff)
    assert YES is _ask({"tool": "t", "kind": ["tool", "handoff"]}, handoff)
    assert NO is _ask({"kind": "output"}, handoff)


@pytest.mark.parametrize(
    ("agent", "of_desk", "of_none_where_named", "of_none_where_not_named"),
    [
        ("*", YES, YES, YES),
        ("desk", YES, NO, UNSURE),
        ("d*", YES, NO, UNSURE),
        ("janitor", NO, NO, UNSURE),
    ],
)
def test_an_agent_is_unknown_only_where_the_trace_names_none(
    agent, of_desk, of_none_where_named, of_none_where_not_named
):
    none = ToolCall(tool="t")
    assert of_desk is _ask({"agent": agent}, ToolCall(tool="t", agent="desk"))
    assert of_none_where_named is _ask({"agent": agent}, none, agents_named=True)
    assert of_none_where_not_named is _ask({"agent": agent}, none, agents_named=False)
    assert of_none_where_not_named is _ask({"agent": agent}, none)


def test_latency_and_cost_are_compared_and_unknown_where_not_observed():
    call = ToolCall(tool="t", start_ns=1_000_000, end_ns=3_500_000, cost_usd=0.02)
    assert [_ask({"latency_ms": {"$gt": limit}}, call) for limit in (2, 2.5)] == [YES, NO]
    assert [_ask({"cost_usd": Gt(limit)}, call) for limit in (0.01, 0.02)] == [YES, NO]
    assert UNSURE is _ask({"latency_ms": {"$gt": 2}}, ToolCall(tool="t", start_ns=1))
    assert UNSURE is _ask({"cost_usd": {"$gt": 0}}, ToolCall(tool="t"))


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (ToolCall(tool="t", args={}), YES),
        (ToolCall(tool="t", args_state=ContentState.OBSERVED), YES),
        (ToolCall(tool="t", args={"a": 1}), NO),
        (ToolCall(tool="t", args=[]), NO),
        (ToolCall(tool="t", args="[REDACTED]"), UNSURE),
        (ToolCall(tool="t"), UNSURE),
        (ToolCall(tool="t", args_state=ContentState.UNPARSABLE, args_text="{"), UNSURE),
        (ToolCall(tool="t", args_state=ContentState.TRUNCATED, args_text="{"), UNSURE),
        (ToolCall(tool="t", args_state=ContentState.TRUNCATED, args_text='{"'), NO),
        (ToolCall(tool="t", args_state=ContentState.TRUNCATED, args_text='{"a": 1'), NO),
        (ToolCall(tool="t", args_state=ContentState.TRUNCATED, args_text="["), NO),
    ],
)
def test_empty_args_mean_no_arguments(call, answer):
    assert answer is _ask({"args": {}}, call)


def test_args_left_out_mean_whatever_arguments():
    for call in (ToolCall(tool="t"), ToolCall(tool="t", args={"a": 1})):
        assert YES is _ask("t", call)


def test_args_and_result_are_matched_as_values():
    call = ToolCall(tool="t", args={"id": 7}, result={"ok": True, "n": [1]})
    assert YES is _ask({"args": {"id": 7}, "result": {"n": [1]}}, call)
    assert NO is _ask({"args": {"id": 7}, "result": {"ok": False}}, call)
    assert YES is _ask({"result": {}}, call)
    assert YES is _ask({"args": Regex("x")}, ToolCall(tool="t", args="xy"))
    assert YES is _ask({"result": None}, ToolCall(tool="t", result_state=ContentState.OBSERVED))
    assert UNSURE is _ask({"result": None}, ToolCall(tool="t"))


def test_no_goes_before_unknown_whatever_the_order_of_keys():
    assert NO is _ask({"args": {"a": 1}, "result": {"b": 2}}, ToolCall(tool="t", result={}))
    assert NO is _ask({"agent": "desk", "args": {"a": 1}}, ToolCall(tool="t", args={}))


def test_arguments_are_not_read_where_the_name_does_not_match():
    judged = JudgedCall(ToolCall(tool="t", args_state=ContentState.TRUNCATED, args_text='{"a'))
    assert NO is Selector.of({"tool": "x", "args": {"a": 1}}).match(judged)
    assert judged._args is msgspec.UNSET
    assert judged.args is judged.args


def test_a_judged_call_reads_what_was_observed():
    judged = JudgedCall(ToolCall(tool="t", args={"a": 1}))
    assert (judged.args, judged.result, judged.names) == ({"a": 1}, UNKNOWN, ("t",))
    assert judged.result is UNKNOWN


def test_a_selector_tells_what_it_looks_at():
    selector = Selector.of(
        {
            "tool": ["a", "b"],
            "args": {"x": 1},
            "status": "ok",
            "agent": "d*",
            "latency_ms": {"$gt": 1},
        }
    )
    assert frozenset({"a", "b"}) == selector.tools
    assert frozenset({"args", "status", "agent", "latency"}) == selector.needs
    assert selector.uses_agent
    assert selector.describe() == "tool a or b, status ok, agent d*, latency in ms > 1, args x is 1"


@pytest.mark.parametrize("source", ["a*", {"tool": ["a", "b?"]}, {"label": "x"}])
def test_a_selector_with_a_glob_or_without_a_tool_has_no_list_of_names(source):
    assert Selector.of(source).tools is None


def test_any_agent_needs_no_agent():
    selector = Selector.of({"agent": "*"})
    assert not selector.uses_agent
    assert frozenset() == selector.needs


def test_what_was_missing_is_named():
    source = {
        "tool": "exec:git",
        "args": {"x": 1},
        "result": {"y": 1},
        "status": "ok",
        "agent": "desk",
        "latency_ms": {"$gt": 1},
        "cost_usd": {"$gt": 1},
    }
    judged = JudgedCall(ToolCall(tool="exec"), dispatcher="exec")
    selector = Selector.of(source)
    assert UNSURE is selector.match(judged)
    expected = ("arguments", "status", "agent", "latency", "cost", "result")
    assert expected == selector.missing(judged)
    assert Selector.of("exec").missing(judged) == ()


def _problem(source: Any, stage: str = "any") -> str:
    with pytest.raises(MatcherError) as caught:
        Selector.of(source, default_stage=stage)
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, 'a selector needs at least one key; `tool: "*"` is every tool'),
        (SelectorFields(), 'a selector needs at least one key; `tool: "*"` is every tool'),
        (5, "a selector must be a tool's name, or a mapping of its keys"),
        ("", "`tool`: must be a text, or a list of texts with something in it"),
        ({"tols": "x"}, "`tols`: unknown key `tols`; did you mean `tool`?"),
        ({"tool": []}, "`tool`: must be a text, or a list of texts with something in it"),
        ({"tool": None}, "`tool`: must be a text, or a list of texts with something in it"),
        ({"label": [5]}, "`label`: must be a text, or a list of texts with something in it"),
        ({"mutating": "yes"}, "`mutating`: must be true or false"),
        ({"status": "okay"}, "`status`: unknown status `okay`; did you mean `ok`?"),
        ({"stage": "request"}, "`stage`: unknown stage `request`; did you mean `requested`?"),
        ({"stage": ["any"]}, "`stage`: must be one of executed, requested, any"),
        ({"kind": "tools"}, "`kind`: unknown kind `tools`; did you mean `tool`?"),
        ({"agent": 5}, "`agent`: must be a text"),
        ({"latency_ms": 5}, "`latency_ms`: must be a mapping of operators, such as {$gt: 100}"),
        ({"cost_usd": {"a": 5}}, "`cost_usd`: must be a mapping of operators, such as {$gt: 100}"),
        ({"cost_usd": {}}, "`cost_usd`: must be a mapping of operators, such as {$gt: 100}"),
        ({"args": None}, "`args`: is null: leave it out for whatever arguments, `{}` for none"),
        (
            {"args": {"a": {"$regx": "x"}}},
            "`args.a.$regx`: unknown operator `$regx`; did you mean `$regex`?",
        ),
        (
            {"result": {"$len": "x"}},
            "`result.$len`: must be a whole number from 0, or a mapping of operators",
        ),
    ],
)
def test_what_makes_no_sense_is_an_error_with_its_path(source, message):
    assert message == _problem(source)


class Forbid(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: str | None = None


def test_a_rule_item_inherits_the_keys_of_a_selector():
    item = msgspec.convert({"tool": ["shell"], "args": {}, "reason": "no shell"}, Forbid)
    judged = JudgedCall(ToolCall(tool="shell", args={}))
    assert YES is Selector.of(item, default_stage="any").match(judged)
    assert item.reason == "no shell"


def test_the_json_schema_of_a_selector_lists_its_words():
    properties = msgspec.json.schema(SelectorFields)["$defs"]["SelectorFields"]["properties"]
    assert properties["stage"]["enum"] == ["executed", "requested", "any"]
    assert {"tool", "handoff", "agent", "output"} == set(properties["kind"]["anyOf"][0]["enum"])


def test_running_out_of_stack_is_unknown():
    class Bottomless:
        def match(self, value: object) -> Answer:
            return self.match(value)

        def describe(self) -> str:
            return "never ends"

    assert UNSURE is _ask({"args": Bottomless()}, ToolCall(tool="t", args={}))
