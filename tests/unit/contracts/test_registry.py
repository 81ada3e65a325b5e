"""What a registry makes of a call."""

import json

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.contracts import Contract, Registry
from toolscore_otel.contracts.registry import KNOWN_NAMES
from toolscore_otel.model import ContentState, CostSource, Gap, Stage, Status, ToolCall


def registry(**tools):
    data = {"contract": "a", "language": 1, "forbid": ["x"], "tools": tools}
    return Contract.from_dict(data).registry


def executing(seconds=2, **keys):
    return ToolCall(tool="x", start_ns=10**9, end_ns=10**9 + round(seconds * 1e9), **keys)


EXEC = {"name_from": "args.command", "mutating": True, "labels": ["shell"], "timeout_ms": 5}


def test_without_tools_a_call_is_what_it_is():
    call = ToolCall(tool="refund", recorded_name="mcp__refund")
    judged = Registry({}).judge(call)
    assert judged.call is call
    assert judged.names == ("refund", "mcp__refund")


def test_a_call_that_no_entry_knows_is_what_it_is():
    call = ToolCall(tool="search")
    judged = registry(refund={"mutating": True}).judge(call)
    assert judged.call is call
    assert (False, False, frozenset()) == (judged.mutating, judged.polling, judged.labels)


def test_an_alias_gives_the_canonical_name_and_keeps_the_recorded_one():
    judged = registry(refund={"aliases": "mcp__*__refund"}).judge(ToolCall(tool="mcp__pay__refund"))
    assert judged.names == ("refund", "mcp__pay__refund")
    assert (judged.call.tool, judged.call.recorded_name) == ("refund", "mcp__pay__refund")


def test_what_was_recorded_decides_and_not_what_somebody_made_of_it():
    tools = registry(refund={"aliases": ["pay.refund"]}, other={"aliases": ["short"]})
    judged = tools.judge(ToolCall(tool="short", recorded_name="pay.refund"))
    assert judged.call.tool == "refund"


def test_a_name_that_equals_a_tools_name_is_that_tool_whatever_aliases_say():
    tools = registry(all={"aliases": "*", "polling": True}, refund={"mutating": True})
    assert tools.judge(ToolCall(tool="refund")).call.tool == "refund"
    assert tools.judge(ToolCall(tool="refund2")).call.tool == "all"


def test_the_first_tool_in_file_order_wins():
    tools = registry(b={"aliases": ["x*"]}, a={"aliases": ["xy", "x?"]})
    assert tools.judge(ToolCall(tool="xy")).call.tool == "b"


def test_case_counts_in_aliases():
    assert registry(a={"aliases": "pay"}).judge(ToolCall(tool="PAY")).call.tool == "PAY"


def test_marks_come_from_the_entry():
    judged = registry(
        x={"mutating": True, "polling": True, "labels": ["egress", "pii"], "timeout_ms": 50}
    ).judge(ToolCall(tool="x"))
    assert (True, True, frozenset({"egress", "pii"}), 50.0) == (
        judged.mutating,
        judged.polling,
        judged.labels,
        judged.timeout_ms,
    )


def test_a_dispatchers_call_is_named_by_the_first_word():
    judged = registry(exec=EXEC).judge(ToolCall(tool="exec", args={"command": "  git push -f"}))
    assert judged.names == ("exec:git", "exec")
    assert (judged.call.tool, judged.call.recorded_name) == ("exec:git", "exec")
    assert (judged.dispatches, judged.dispatcher) == (True, None)


def test_an_aliased_dispatcher_answers_to_all_its_names():
    tools = registry(exec={**EXEC, "aliases": "mcp__*__exec"})
    judged = tools.judge(ToolCall(tool="mcp__a__exec", args={"command": "git push"}))
    assert judged.names == ("exec:git", "exec", "mcp__a__exec")


def test_an_entry_of_a_sub_command_takes_what_it_leaves_out_from_the_dispatcher():
    tools = registry(**{"exec": EXEC, "exec:git": {"mutating": False, "labels": ["vcs"]}})
    judged = tools.judge(ToolCall(tool="exec", args={"command": "git log"}))
    assert (False, frozenset({"vcs"}), 5.0) == (
        judged.mutating,
        judged.labels,
        judged.timeout_ms,
    )


def test_an_entry_of_a_sub_command_may_stand_before_its_dispatcher():
    tools = registry(**{"exec:git": {"labels": ["vcs"]}, "exec": EXEC})
    judged = tools.judge(ToolCall(tool="exec", args={"command": "git log"}))
    assert (True, frozenset({"vcs"})) == (judged.mutating, judged.labels)


def test_an_entry_of_a_sub_command_may_hold_more_colons():
    tools = registry(**{"exec": EXEC, "exec:npm:run": {"polling": True}, "a:b": {}})
    judged = tools.judge(ToolCall(tool="exec", args={"command": "npm:run test"}))
    assert (judged.mutating, judged.polling) == (True, True)


def test_a_sub_command_without_an_entry_is_as_its_dispatcher():
    judged = registry(exec=EXEC).judge(ToolCall(tool="exec", args={"command": "ls"}))
    assert (True, frozenset({"shell"})) == (judged.mutating, judged.labels)


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(tool="exec"),
        ToolCall(tool="exec", args_state=ContentState.TRUNCATED, args_text='{"command": "gi'),
        ToolCall(tool="exec", args_state=ContentState.TRUNCATED, args_text='{"cwd": "/'),
        ToolCall(tool="exec", args_state=ContentState.UNPARSABLE, args_text="git push"),
        ToolCall(tool="exec", args={"command": "[REDACTED]"}),
    ],
    ids=["not observed", "cut in the word", "cut before", "no JSON", "redacted"],
)
def test_a_sub_command_that_was_not_observed_stays_open(call):
    judged = registry(exec=EXEC).judge(call)
    assert (
        judged.dispatcher,
        judged.dispatches,
        judged.names,
        judged.call.tool,
    ) == ("exec", True, ("exec",), "exec")


@pytest.mark.parametrize("text", ['{"command": "git pu', '{"command": "git ', '{"command": "git"'])
def test_a_word_that_a_cut_text_still_shows_whole_is_observed(text):
    call = ToolCall(tool="exec", args_state=ContentState.TRUNCATED, args_text=text)
    assert registry(exec=EXEC).judge(call).names == ("exec:git", "exec")


@pytest.mark.parametrize(
    "args", [{}, {"command": " "}, {"command": ["git"]}, {"command": 5}, {"command": None}, []]
)
def test_where_there_is_known_to_be_no_word_the_call_keeps_its_name(args):
    judged = registry(exec=EXEC).judge(ToolCall(tool="exec", args=args))
    assert (judged.names, judged.dispatches, judged.dispatcher) == (("exec",), False, None)


def test_a_dispatchers_path_may_go_deeper():
    tools = registry(exec={"name_from": "args.run.0.command"})
    judged = tools.judge(ToolCall(tool="exec", args={"run": [{"command": "git push"}]}))
    assert judged.call.tool == "exec:git"


@pytest.mark.parametrize(
    ("expected", "result", "state"),
    [
        (Status.ERROR, {"ok": False}, ContentState.OBSERVED),
        (Status.UNKNOWN, {"ok": True}, ContentState.OBSERVED),
        (Status.UNKNOWN, None, ContentState.NOT_OBSERVED),
    ],
)
def test_a_result_that_says_failure_is_an_error_and_all_else_leaves_the_status(
    expected, result, state
):
    call = ToolCall(tool="x", result=result, result_state=state)
    assert expected is registry(x={"fails_when": {"ok": False}}).judge(call).call.status


def test_a_result_that_says_failure_goes_before_a_span_that_says_ok():
    call = ToolCall(tool="x", result="Error: no", status=Status.OK)
    tools = registry(x={"fails_when": {"$regex": "^Error"}})
    assert Status.ERROR is tools.judge(call).call.status


def test_a_cut_result_may_still_show_failure():
    call = ToolCall(
        tool="x", result_state=ContentState.TRUNCATED, result_text='{"ok": false, "log": "a'
    )
    assert Status.ERROR is registry(x={"fails_when": {"ok": False}}).judge(call).call.status


@pytest.mark.parametrize(
    ("expected", "cost"),
    [
        (0.5, 0.5),
        (0.0, 0),
        (0.25, {"per_call": 0.25}),
        (0.2, {"per_second": 0.1}),
        (1.2, {"per_call": 1, "per_second": 0.1}),
    ],
)
def test_a_cost_of_the_contract_fills_what_telemetry_does_not_say(expected, cost):
    call = registry(x={"cost_usd": cost}).judge(executing()).call
    assert (pytest.approx(expected), CostSource.CONTRACT) == (call.cost_usd, call.cost_source)


@pytest.mark.parametrize(
    "call",
    [
        executing(cost_usd=3.0, cost_source=CostSource.REPORTED),
        executing(cost_usd=3.0),
        ToolCall(tool="x"),
        executing(stage=Stage.REQUESTED),
    ],
    ids=["reported", "given by hand", "no duration", "never ran"],
)
def test_a_cost_of_the_contract_stays_out_where_it_does_not_belong(call):
    judged = registry(x={"cost_usd": {"per_call": 1, "per_second": 1}}).judge(call)
    assert judged.call is call


def test_a_cost_of_the_contract_goes_before_list_prices():
    call = executing(
        cost_usd=3.0, cost_source=CostSource.PRICED, gaps=(Gap.NO_CALL_ID, Gap.COST_NOT_KNOWN)
    )
    judged = registry(x={"cost_usd": 1}).judge(call).call
    assert (
        judged.cost_usd,
        judged.cost_source,
        judged.gaps,
    ) == (1.0, CostSource.CONTRACT, (Gap.NO_CALL_ID,))


def test_judging_twice_changes_nothing_more():
    tools = registry(
        exec={**EXEC, "aliases": "run", "cost_usd": 1, "fails_when": {"$contains": "fatal"}}
    )
    once = tools.judge(ToolCall(tool="run", args={"command": "git x"}, result="fatal: x"))
    assert once.call == tools.judge(once.call).call


def test_names_without_end_do_not_fill_the_memory():
    tools = registry(a={"aliases": "x*"})
    for number in range(KNOWN_NAMES + 10):
        tools.judge(ToolCall(tool=f"x{number}"))
    assert len(tools._known) == KNOWN_NAMES
    assert tools.judge(ToolCall(tool="xyz")).call.tool == "a"


ARGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["command", "a"]), inner),
)


@given(ARGS, st.sampled_from(ContentState))
def test_no_arguments_bring_the_registry_down(args, state):
    text = json.dumps(args)[:-1]
    call = ToolCall(tool="exec", args=args, args_text=text, args_state=state)
    names = registry(exec=EXEC).judge(call).names
    assert names[-1] == "exec"
