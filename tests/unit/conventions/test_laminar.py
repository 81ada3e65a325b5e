"""Laminar's spans."""

import json

import pytest

from toolscore_otel.conventions.reading import AgentReading
from toolscore_otel.model import Gap, Payload, Stage, Status

SCOPE = "lmnr.tracer"
TOOL = {"lmnr.span.type": "TOOL"}
ASKED = {"lmnr.span.input": '{"q":1}'}
ANSWERED = {"lmnr.span.output": '"found"'}


def test_a_tool_is_named_by_its_span(read_call):
    call = read_call(TOOL | ASKED | ANSWERED, name="search", scope=SCOPE)
    assert (call.convention, call.name, call.call_id) == ("laminar", "search", None)
    assert (call.args.value, call.result.value, call.status) == ({"q": 1}, "found", Status.OK)


def test_openai_agents_write_arguments_as_text_in_text(read_call):
    asked = {"lmnr.span.input": json.dumps('{"q": 1}')}
    call = read_call(TOOL | asked, name="search", scope=SCOPE, status="error", status_message="503")
    assert (call.args.value, call.status, call.error_message) == ({"q": 1}, Status.ERROR, "503")


def test_an_agents_call_that_waits_for_approval_ends_well_without_an_answer(read_call):
    asked = {"lmnr.span.input": json.dumps('{"q": 1}')}
    call = read_call(TOOL | asked, name="search", scope=SCOPE)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert call.gaps == (Gap.MAY_HAVE_WAITED,)


def test_a_decorated_function_that_gave_nothing_ran(read_call):
    call = read_call(TOOL | ASKED, name="search", scope=SCOPE)
    assert (call.stage, call.status, call.result) == (Stage.EXECUTED, Status.OK, Payload())


def test_arguments_that_are_no_text_are_not_printed_to_be_looked_at(read_call):
    call = read_call(TOOL | {"lmnr.span.input": [10**5_000]}, name="search", scope=SCOPE)
    assert (call.stage, call.status) == (Stage.EXECUTED, Status.OK)


def test_langchain_answers_with_a_message(read_call):
    answer = {"type": "tool", "content": "503", "tool_call_id": "c1", "status": "error"}
    call = read_call(
        TOOL | ASKED | {"lmnr.span.output": json.dumps(answer)}, name="search", scope=SCOPE
    )
    assert (call.call_id, call.result.value, call.status) == ("c1", 503, Status.ERROR)


def test_the_genai_conventions_on_the_span_go_first(read_call):
    named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    call = read_call(TOOL | ASKED | ANSWERED | named, name="execute_tool search", scope=SCOPE)
    assert (call.convention, call.name, call.args.value) == ("genai", "search", {"q": 1})


@pytest.mark.parametrize("name", ["Computer.click_mouse", "agents.handoff", ""])
def test_methods_and_other_steps_are_no_tools(read_span, name):
    assert read_span(TOOL, name=name, scope=SCOPE) is None


def test_a_turn_names_its_agent(read_span):
    turn = {"lmnr.span.type": "DEFAULT", "openai.agents.turn.agent_name": "desk"}
    agent = read_span(turn, name="agents.turn", scope=SCOPE).agent
    assert agent == AgentReading(convention="laminar", name="desk", is_step=True)


@pytest.mark.parametrize(
    ("others", "scope"), [({"lmnr.span.type": "DEFAULT"}, SCOPE), ({}, "another")]
)
def test_other_spans_say_nothing(read_span, others, scope):
    assert read_span(TOOL | others, name="search", scope=scope) is None


def test_the_client_of_mcp_is_read_by_another_reader(read_call):
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    call = read_call(TOOL | ASKED | mcp, name="search.tool", kind="client", scope=SCOPE)
    assert (call.convention, call.args) == ("mcp", Payload())
