"""Where each convention says which agent runs a tool."""

# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

from __future__ import annotations

import json

import pytest

from toolscore_otel.conventions import read_log
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import InstrumentationScope, LogRecord

OI = "openinference.instrumentation."
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
CLAUDE = "com.anthropic.claude_code.events"


@pytest.mark.parametrize(
    "name",
    [
        "gen_ai.agent.name",
        "agent_name",
        "langsmith.metadata.lc_agent_name",
        "traceloop.association.properties.lc_agent_name",
    ],
)
def test_a_tool_span_may_name_its_agent(read_call, name):
    assert read_call({**TOOL, name: "Clerk"}).agent == "Clerk"


@pytest.mark.parametrize(
    "scope", ["opentelemetry.instrumentation.openai_agents", "gemini-cli", "opencode"]
)
def test_a_name_that_stands_on_every_span_of_an_instrumentation_is_none(read_call, scope):
    assert read_call({**TOOL, "gen_ai.agent.name": "OpenAI Agent"}, scope=scope).agent is None


def test_the_functions_name_is_the_agents_in_the_ai_sdk_and_none_in_opencode(read_span):
    tool = {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "search",
        "ai.telemetry.functionId": "desk",
    }
    assert read_span(tool).calls[0].agent == "desk"
    assert read_span(tool, scope="opencode").calls[0].agent is None
    whole = {"ai.operationId": "ai.streamText", "ai.telemetry.functionId": "desk"}
    assert read_span(whole).agent == AgentReading(convention="vercel", name="desk")
    assert read_span(whole, scope="opencode") is None


def test_who_asks_is_the_agent_of_the_model_call_and_who_answered_is_not_known(read_span):
    heard = [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "search"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "x"}]},
    ]
    said = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c2", "name": "sell"}]}]
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.agent.name": "Clerk",
        "gen_ai.input.messages": json.dumps(heard),
        "gen_ai.output.messages": json.dumps(said),
    }
    agents = [(call.what, call.agent) for call in read_span(chat).calls]
    assert agents == [("request", "Clerk"), ("response", None)]


@pytest.mark.parametrize(
    ("framework", "tool", "argument"),
    [
        ("crewai", "Delegate work to coworker", "coworker"),
        ("crewai", "ask_question_to_coworker", "coworker"),
        ("claude_agent_sdk", "Task", "subagent_type"),
    ],
)
def test_a_tool_that_another_agent_is_names_it_in_its_arguments(
    read_span, framework, tool, argument
):
    attributes = {
        "openinference.span.kind": "TOOL",
        "tool.name": tool,
        "input.value": json.dumps({argument: "billing"}),
    }
    reading = read_span(attributes, scope=OI + framework)
    assert reading.agent == AgentReading(convention="openinference", name="billing")
    assert [call.name for call in reading.calls] == [tool]
    del attributes["input.value"]
    assert read_span(attributes, scope=OI + framework).agent.name is None
    assert read_span(attributes, scope=OI + "agno").agent is None


def test_the_span_of_claudes_sub_agent_repeats_the_tools_name(read_span):
    attributes = {"openinference.span.kind": "AGENT", "agent.name": "Task"}
    scope = OI + "claude_agent_sdk"
    assert read_span(attributes, scope=scope, name="ClaudeAgentSDK.Task") is None
    assert read_span(attributes, scope=scope, name="ClaudeAgentSDK.query").agent is not None


def llama(event):
    return {
        "openinference.span.kind": "CHAIN",
        "input.value": json.dumps({"ctx": "<Context>", "ev": event}),
    }


def test_a_step_of_llama_index_names_the_agent_whose_turn_it_is(read_span):
    scope = OI + "llama_index"
    event = "AgentSetup(input=[ChatMessage('current_agent_name=')], current_agent_name='triage')"
    step = read_span(llama(event), scope=scope, name="AgentWorkflow.run_agent_step")
    assert step.agent == AgentReading(convention="openinference", name="triage", is_step=True)
    run = read_span(llama("StartEvent()"), scope=scope, name="FunctionAgent.run")
    assert run.agent == AgentReading(convention="openinference")


@pytest.mark.parametrize(
    ("name", "event", "framework"),
    [
        ("AgentWorkflow.run_agent_step", "AgentSetup(input=[])", "llama_index"),
        ("AgentWorkflow.run_agent_step", None, "llama_index"),
        ("AgentWorkflow.call_tool", "x, current_agent_name='triage')", "llama_index"),
        ("Router.run", "StartEvent()", "llama_index"),
        ("AgentWorkflow.run", "x, current_agent_name='triage')", "langchain"),
    ],
)
def test_other_chains_are_no_agents(read_span, name, event, framework):
    assert read_span(llama(event), scope=OI + framework, name=name) is None


CLAUDE_TOOL = {"gen_ai.operation.name": "execute_tool", "tool_name": "Agent"}


def test_a_call_of_claude_code_may_be_a_sub_agents_run(read_span):
    named = read_span({**CLAUDE_TOOL, "subagent_type": "general-purpose"}, name="claude_code.tool")
    assert named.agent == AgentReading(convention="claude_code", name="general-purpose")
    assert read_span(CLAUDE_TOOL, name="claude_code.tool").agent.name is None
    assert read_span({**CLAUDE_TOOL, "tool_name": "Bash"}, name="claude_code.tool").agent is None


def test_a_call_of_claudes_sub_agent_has_its_id(read_call):
    call = read_call(
        {**CLAUDE_TOOL, "tool_name": "Bash", "agent_id": "a1"}, name="claude_code.tool"
    )
    assert (call.agent, call.agent_id) == (None, "a1")


def test_a_model_call_of_claude_code_names_a_built_in_sub_agent(read_span):
    attributes = {
        "gen_ai.operation.name": "chat",
        "agent_id": "a1",
        "query_source_safe": "agent.builtin.general-purpose",
    }
    reading = read_span(attributes, name="claude_code.llm_request")
    assert (reading.named, reading.model.convention) == (("a1", "general-purpose"), "genai")
    assert read_span(attributes).named is None
    for source in ("sdk", "agent.custom", "agent.builtin."):
        other = read_span(
            attributes | {"query_source_safe": source}, name="claude_code.llm_request"
        )
        assert other.named is None


def log(attributes, scope=CLAUDE):
    return read_log(
        LogRecord(
            event_name=None,
            body=None,
            attributes=attributes,
            scope=InstrumentationScope(scope),
            trace_id="a" * 32,
        )
    )


@pytest.mark.parametrize(
    ("event", "name"), [("api_request", "agent.name"), ("subagent_completed", "agent_type")]
)
def test_a_record_of_claude_code_names_the_agent_of_an_id(event, name):
    attributes = {"event.name": event, "agent_id": "a1", name: "reviewer"}
    assert log(attributes) == SpanReading(named=("a1", "reviewer"))
    assert log(attributes, scope="my.app") is None
    assert log({"event.name": event, name: "reviewer"}) is None
    assert log({"event.name": event, "agent_id": "a1"}) is None


@pytest.mark.parametrize("event", ["tool_result", "tool_decision"])
def test_records_of_claude_codes_calls_have_the_agents_id(event):
    reading = log({"event.name": event, "tool_name": "Bash", "agent_id": "a1"})
    assert reading.calls[0].agent_id == "a1"


GEMINI = {"event.name": "gemini_cli.tool_call", "function_name": "read_file"}


def test_a_prompt_of_geminis_sub_agent_has_its_id():
    assert log(GEMINI | {"prompt_id": "a1#0"}).calls[0].agent_id == "a1"
    assert log(GEMINI | {"prompt_id": "talk"}).calls[0].agent_id is None
    assert log(GEMINI).calls[0].agent_id is None
    denied = GEMINI | {"prompt_id": "a1#0", "error_type": "policy_violation"}
    assert log(denied).calls[0].agent_id == "a1"


def test_gemini_names_the_sub_agent_that_starts():
    start = {"event.name": "gemini_cli.agent.start", "agent_id": "a1", "agent_name": "generalist"}
    assert log(start) == SpanReading(named=("a1", "generalist"))
    assert log(start | {"agent_name": None}) is None


@pytest.mark.parametrize("name", ["langchain.metadata", "metadata"])
def test_langchain_names_the_agent_among_what_it_tells_every_callback(read_call, name):
    assert read_call({**TOOL, name: '{"lc_agent_name": "clerk", "step": 2}'}).agent == "clerk"
    assert read_call({**TOOL, name: {"lc_agent_name": "clerk"}}).agent == "clerk"
    assert read_call({**TOOL, name: '{"step": 2}'}).agent is None
    assert read_call({**TOOL, name: '{"lc_agent_name": null}'}).agent is None


DECORATED = {
    "openinference.span.kind": "AGENT",
    "input.value": "Go.",
    "input.mime_type": "text/plain",
    "output.value": "Done.",
    "output.mime_type": "text/plain",
    "session.id": "s",
}


def test_the_function_that_openinference_traces_as_an_agent_is_named_by_its_span(read_span):
    assert read_span(DECORATED, name="support", scope="shop").agent.name == "support"


@pytest.mark.parametrize(
    ("attributes", "name", "scope"),
    [
        ({"openinference.span.kind": "AGENT", "input.value": "Go."}, "support", "shop"),
        ({**DECORATED, "search.depth": 2}, "support", "shop"),
        (DECORATED, "Agent.run", "shop"),
        (DECORATED, "", "shop"),
        (DECORATED, "Runner", OI + "other"),
    ],
)
def test_a_span_of_an_agent_that_may_be_called_anything_names_none(
    read_span, attributes, name, scope
):
    assert read_span(attributes, name=name, scope=scope).agent.name is None


def test_the_node_names_the_agent_that_langgraph_supervisor_runs(read_span):
    span = {"openinference.span.kind": "AGENT", "metadata": '{"langgraph_node": "broker"}'}
    assert read_span(span, name="call_agent", scope=OI + "langchain").agent.name == "broker"
    bare = {"openinference.span.kind": "AGENT"}
    assert read_span(bare, name="call_agent", scope=OI + "langchain").agent.name == "call_agent"
