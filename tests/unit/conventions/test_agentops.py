"""AgentOps: what its decorators write, and what it writes of openai-agents."""

import pytest

from toolscore_otel.model import ContentState, Gap, Payload, Stage, Status

AGENTS = "openai-agents"
TOOL = {"agentops.span.kind": "tool"}
NAMED = TOOL | {"tool.name": "search", "tool.parameters": '{"q": 1}'}
DECORATED = TOOL | {"operation.name": "search"}


def test_a_tool_of_openai_agents(read_call):
    call = read_call(NAMED | {"tool.result": "found"}, scope=AGENTS, status="ok")
    assert (call.convention, call.name, call.call_id) == ("agentops", "search", None)
    assert (call.args.value, call.result.value, call.status) == ({"q": 1}, "found", Status.OK)


def test_a_failed_call_is_told_by_its_error_although_it_is_said_to_have_succeeded(read_call):
    failed = {"tool.result": "503", "tool.status": "succeeded", "error.type": "AgentError"}
    call = read_call(NAMED | failed, scope=AGENTS, status="ok")
    assert (call.status, call.error_type) == (Status.ERROR, "AgentError")


def test_an_agents_call_that_waits_for_approval_looks_like_one_that_answered_nothing(read_call):
    call = read_call(NAMED, scope=AGENTS, status="ok")
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert call.gaps == (Gap.MAY_HAVE_WAITED,)


def test_a_decorated_function_is_named_by_its_operation(read_call):
    asked = {"agentops.tool.input": '{"args": [], "kwargs": {"q": 1}}'}
    call = read_call(DECORATED | asked | {"agentops.tool.output": '["a"]'}, scope="agentops")
    assert (call.name, call.args.value, call.result.value) == ("search", {"q": 1}, ["a"])
    assert call.status is Status.OK


@pytest.mark.parametrize("asked", ['{"args": [1], "kwargs": {}}', '{"args": [], "kwargs": 1}'])
def test_arguments_given_by_position_have_no_names(read_call, asked):
    call = read_call(DECORATED | {"agentops.tool.input": asked}, scope="agentops")
    assert call.args == Payload(ContentState.UNPARSABLE, text=asked)


def test_arguments_that_are_no_text_are_none(read_call):
    call = read_call(DECORATED | {"agentops.tool.input": 7}, scope="agentops")
    assert call.args == Payload(ContentState.UNPARSABLE)


@pytest.mark.parametrize("name", ["agent.name", "operation.name"])
def test_an_agent_is_named(read_span, name):
    agent = read_span({"agentops.span.kind": "agent", name: "desk"}, scope=AGENTS).agent
    assert (agent.convention, agent.name) == ("agentops", "desk")


def test_a_model_call_of_openai_agents_asks_for_tools(read_span):
    asks = {
        "agentops.span.kind": "llm",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.prompt_tokens": 9,
        "gen_ai.completion.0.tool_calls.0.id": "fc_1",
        "gen_ai.completion.0.tool_calls.0.name": "search",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"q": 1}',
    }
    reading = read_span(asks, scope=AGENTS)
    assert (reading.model.model, reading.model.input_tokens) == ("gpt-4o", 9)
    (call,) = reading.calls
    assert (call.what, call.name, call.call_id, call.args.value) == (
        "request", "search", None, {"q": 1},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        ("AgentOpsSpanKindValues.TOOL", "agentops.instrumentation.providers.openai.wrappers.chat"),
        ("workflow", "agentops"),
        ("llm", "agentops"),
        ("tool", "another"),
    ],
)
def test_other_spans_say_nothing(read_span, kind, scope):
    named = {"tool.name": "search", "tool.call.id": "c1"}
    assert read_span(named | {"agentops.span.kind": kind}, scope=scope) is None
