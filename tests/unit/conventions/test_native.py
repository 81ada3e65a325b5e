"""Conventions of one framework each."""

import json

import pytest

from toolscore_otel.conventions.reading import AgentReading, ModelReading
from toolscore_otel.model import CallKind, ContentState, Gap, Payload, Stage, Status


def test_haystack_marks_a_failure_by_an_attribute(read_call):
    attributes = {
        "haystack.tool.name": "search",
        "haystack.agent.step.tool.input": '{"q": 1}',
        "haystack.agent.step.tool.output": '{"error": "503"}',
        "haystack.tool.error": True,
    }
    call = read_call(attributes, name="haystack.agent.step.tool")
    assert (call.name, call.args.value, call.status) == ("search", {"q": 1}, Status.ERROR)
    assert call.error_message == "503"


def test_genkit_wraps_the_answer(read_call):
    call = read_call(
        {
            "genkit:metadata:subtype": "tool.v2",
            "genkit:name": "search",
            "genkit:input": '{"q":1}',
            "genkit:output": '{"output":[1]}',
        }
    )
    assert (call.name, call.args.value, call.result.value) == ("search", {"q": 1}, [1])


def test_a_model_action_of_genkit_is_a_model_call(read_span):
    reading = read_span({"genkit:metadata:subtype": "model", "genkit:name": "openai/gpt"})
    assert (reading.calls, reading.model.model) == ((), "openai/gpt")


def test_the_answer_of_a_genkit_model_tells_its_tokens(read_span):
    answer = '{"usage": {"inputTokens": 304, "outputTokens": 24}}'
    attributes = {"genkit:metadata:subtype": "model", "genkit:output": answer}
    model = read_span(attributes).model
    assert (model.input_tokens, model.output_tokens) == (304, 24)


def test_other_actions_of_genkit_are_no_calls(read_span):
    assert read_span({"genkit:metadata:subtype": "flow", "genkit:name": "ops"}) is None


def test_langfuse_marks_a_failure_by_a_level(read_call):
    call = read_call(
        {
            "langfuse.observation.type": "tool",
            "langfuse.observation.input": '{"q":1}',
            "langfuse.observation.level": "ERROR",
            "langfuse.observation.status_message": "503",
            "langfuse.observation.metadata.tool_call_id": "c1",
        },
        name="search",
    )
    assert (call.name, call.call_id, call.args.value) == ("search", "c1", {"q": 1})
    assert (call.status, call.error_message) == (Status.ERROR, "503")


def test_langfuse_agents_and_generations_are_read(read_span):
    agent = read_span({"langfuse.observation.type": "agent"}, name="travel")
    assert agent.agent == AgentReading(convention="langfuse", name="travel")
    generation = read_span(
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.model.name": "gpt-4o-mini",
            "langfuse.observation.usage_details": '{"input":101,"output":11}',
            "langfuse.observation.cost_details": '{"total":0.00012}',
        }
    )
    assert generation.model == ModelReading(
        convention="langfuse",
        model="gpt-4o-mini",
        input_tokens=101,
        output_tokens=11,
        cost_usd=0.00012,
    )
    assert read_span({"langfuse.observation.type": "span"}) is None


LOGFIRE = "logfire.openai_agents"


def test_logfire_names_a_function_in_an_attribute(read_call):
    call = read_call(
        {
            "name": "search",
            "input": '{"q": 1}',
            "output": "An error occurred.",
            "error": '{"message": "Error running tool"}',
        },
        name="Function: {name}",
        scope=LOGFIRE,
        status="error",
    )
    assert (call.name, call.args.value, call.status) == ("search", {"q": 1}, Status.ERROR)
    assert call.error_message == "Error running tool"


def test_logfire_names_agents_and_handoffs(read_span, read_call):
    agent = read_span({"name": "Ops"}, name="Agent run: {name!r}", scope=LOGFIRE)
    assert agent.agent == AgentReading(convention="logfire", name="Ops")
    call = read_call(
        {"from_agent": "Triage", "to_agent": "Billing"},
        name="Handoff: {from_agent} → {to_agent}",
        scope=LOGFIRE,
    )
    assert (call.kind, call.result.value, call.gaps) == (
        CallKind.HANDOFF,
        "Billing",
        (Gap.NAME_NOT_OBSERVED,),
    )


def test_a_span_of_that_name_from_elsewhere_says_nothing(read_span):
    assert read_span({"name": "search"}, name="Function: {name}", scope="my.app") is None


CLAUDE = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_order",
    "tool_name": "mcp__orders__get_order",
    "gen_ai.tool.call.id": "t1",
}


def test_claude_codes_tool_span_is_a_request(read_call):
    call = read_call(CLAUDE, name="claude_code.tool")
    assert (call.convention, call.name) == ("claude_code", "mcp__orders__get_order")
    assert (call.stage, call.status, call.call_id) == (Stage.REQUESTED, Status.UNKNOWN, "t1")


def test_claude_codes_output_event_proves_that_it_ran(read_call):
    events = (("tool.output", {"output": "hello"}),)
    call = read_call(CLAUDE, name="claude_code.tool", events=events)
    assert (call.stage, call.result.value) == (Stage.EXECUTED, "hello")


def test_claude_codes_execution_span_tells_how_it_ended(read_call):
    call = read_call(
        {"tool_use_id": "t1", "success": False, "error": "Shell command failed"},
        name="claude_code.tool.execution",
    )
    assert (call.name, call.call_id, call.stage) == (None, "t1", Stage.EXECUTED)
    assert (call.status, call.error_message) == (Status.ERROR, "Shell command failed")


def test_waiting_for_the_user_is_no_call(read_span):
    assert read_span({"decision": "reject"}, name="claude_code.tool.blocked_on_user") is None


@pytest.mark.parametrize(
    ("fields", "name", "status"),
    [
        ({"tool_namespace": "functions", "success": "true"}, "search", Status.OK),
        (
            {"tool_namespace": "mcp__orders", "success": "false"},
            "mcp__orders__search",
            Status.ERROR,
        ),
    ],
)
def test_codex_tells_the_result_in_an_event(read_span, fields, name, status):
    event = {
        "event.name": "codex.tool_result",
        "tool_name": "search",
        "call_id": "c1",
        "conversation.id": "conv",
        **fields,
    }
    reading = read_span(name="dispatch_tool_call_with_state", events=(("event x.rs:54", event),))
    (call,) = reading.calls
    assert (call.name, call.call_id, call.status) == (name, "c1", status)
    assert (call.args, reading.conversation_id) == (Payload(), "conv")


def test_codex_without_a_result_says_nothing(read_span):
    assert read_span(name="dispatch_tool_call_with_state") is None


def test_an_answer_of_codex_tells_its_tokens(read_span):
    attributes = {"gen_ai.usage.input_tokens": 1200, "gen_ai.usage.output_tokens": 58}
    reading = read_span(attributes, name="handle_responses")
    assert reading.model == ModelReading(convention="codex", input_tokens=1200, output_tokens=58)
    assert read_span({"tool_name": "exec"}, name="handle_responses") is None


GEMINI = {
    "gen_ai.operation.name": "tool_call",
    "gen_ai.tool.name": "run_shell",
    "gen_ai.tool.call_id": "run_shell__call_1",
    "gen_ai.agent.name": "gemini-cli",
}


def test_gemini_tells_the_end_in_its_answer(read_call):
    response = '{"responseParts": [{"functionResponse": {"response": {"output": "hi"}}}]}'
    call = read_call(
        {
            **GEMINI,
            "gen_ai.input.messages": '{"name": "run_shell", "args": {"command": "ls"}}',
            "gen_ai.output.messages": f'{{"status": "success", "response": {response}}}',
        },
        status="ok",
    )
    assert (call.name, call.call_id, call.agent) == ("run_shell", "call_1", None)
    assert (call.args.value, call.result.value) == ({"command": "ls"}, {"output": "hi"})
    assert call.status is Status.OK
    failed = read_call({**GEMINI, "gen_ai.output.messages": '{"status": "error"}'}, status="ok")
    assert failed.status is Status.ERROR


def test_gemini_without_an_answer_says_nothing_of_the_end(read_call):
    assert read_call(GEMINI, status="ok").status is Status.UNKNOWN


def test_gemini_models_and_agents_are_read(read_span):
    model = read_span(
        {
            "gen_ai.operation.name": "llm_call",
            "gen_ai.request.model": "gemini-2.5-pro",
            "gen_ai.usage.input_tokens": 7,
        }
    )
    assert model.model == ModelReading(
        convention="gemini_cli", model="gemini-2.5-pro", input_tokens=7
    )
    agent = read_span({"gen_ai.operation.name": "agent_call", "gen_ai.agent.name": "gemini-cli"})
    assert agent.agent == AgentReading(convention="gemini_cli")


def test_opencodes_own_span_has_name_id_and_end(read_call, read_span):
    attributes = {"tool.name": "bash", "tool.call_id": "c1"}
    call = read_call(attributes, name="Tool.execute", scope="opencode", status="ok")
    assert (call.convention, call.name, call.call_id) == ("opencode", "bash", "c1")
    assert (call.args, call.status) == (Payload(), Status.OK)
    assert read_span(attributes, name="Tool.execute", scope="other") is None


def test_a_call_of_gemini_without_an_id_or_with_several_parts_is_read(read_call):
    answer = '{"status": "success", "response": {"responseParts": [1, 2]}}'
    attributes = {**GEMINI, "gen_ai.output.messages": answer}
    del attributes["gen_ai.tool.call_id"]
    call = read_call(attributes)
    assert (call.call_id, call.result.value) == (None, [1, 2])


def test_other_spans_of_logfires_scope_say_nothing(read_span):
    assert read_span({"name": "turn"}, name="Turn {turn}", scope=LOGFIRE) is None
    assert read_span({"gen_ai.system": "openai"}, name="Turn {turn}", scope=LOGFIRE) is None


def test_other_events_on_these_spans_say_nothing(read_span, read_call):
    other = (("event", {"event.name": "codex.startup_phase"}),)
    assert read_span(name="dispatch_tool_call_with_state", events=other) is None
    assert read_call(CLAUDE, name="claude_code.tool", events=other).result == Payload()


def test_langfuse_holds_the_message_of_a_langchain_tool(read_call):
    message = {"type": "tool", "content": "503", "tool_call_id": "c1", "status": "error"}
    tool = {"langfuse.observation.type": "tool", "langfuse.observation.output": json.dumps(message)}
    call = read_call(tool, name="search")
    assert (call.call_id, call.result.value, call.status) == ("c1", 503, Status.ERROR)
    quoted = {**tool, "langfuse.observation.metadata.tool_call_id": '"c2"'}
    assert read_call(quoted, name="search").call_id == "c2"


MASTRA = {
    "stream.toolCall.toolName": "search",
    "stream.toolCall.toolCallId": "c1",
    "stream.toolCall.args": '{"q": 1}',
}


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        ({"stream.toolCall.result": "[1]"}, Status.OK, None),
        (
            {
                "stream.toolCall.result": '{"message": "503", "details": {}, "code": "TOOL_EXECUTION_FAILED"}'
            },
            Status.ERROR,
            "503",
        ),
        ({}, Status.UNKNOWN, None),
    ],
)
def test_a_stream_of_mastra_tells_a_failure_in_the_answer(read_call, answer, status, message):
    call = read_call({**MASTRA, **answer}, name="mastra.stream.toolCall")
    assert (call.convention, call.name, call.call_id) == ("mastra", "search", "c1")
    assert (call.args.value, call.status, call.error_message) == ({"q": 1}, status, message)


@pytest.mark.parametrize(
    ("name", "attributes"), [("mastra.stream.toolCall", {}), ("mastra.stream.toolCalls", MASTRA)]
)
def test_other_spans_of_mastra_are_no_calls(read_span, name, attributes):
    assert read_span(attributes, name=name) is None


@pytest.mark.parametrize(
    ("attributes", "agent"),
    [
        ({"entity.type": "agent", "entity.name": "support"}, "support"),
        (
            {"entity.type": "agent", "entity.name": "support", "subagent.name": "researcher"},
            "researcher",
        ),
        ({"entity.type": "workflow", "entity.name": "nightly"}, None),
    ],
)
def test_voltagent_names_tool_and_agent(read_call, attributes, agent):
    call = read_call(
        {
            **attributes,
            "span.type": "tool",
            "tool.name": "search",
            "tool.call.id": "c1",
            "input": '{"q": 1}',
            "output": "[1]",
        },
        name="tool.execution:search",
        scope="@voltagent/core",
        status="ok",
    )
    assert (call.convention, call.name, call.call_id) == ("voltagent", "search", "c1")
    assert (call.args.value, call.result.value) == ({"q": 1}, [1])
    assert (call.status, call.agent) == (Status.OK, agent)


@pytest.mark.parametrize(("scope", "kind"), [("@voltagent/core", "llm"), ("another", "tool")])
def test_other_spans_are_none_of_voltagents_tools(read_span, scope, kind):
    assert read_span({"span.type": kind}, name="tool.execution:search", scope=scope) is None


@pytest.mark.parametrize(
    ("recorded", "state", "value"),
    [
        ('{"args": [], "kwargs": {"q": 1}}', ContentState.OBSERVED, {"q": 1}),
        ('{"args": [], "kwargs": {}}', ContentState.OBSERVED, {}),
        ('{"args": [1], "kwargs": {}}', ContentState.UNPARSABLE, None),
        ({"args": [1], "kwargs": {"r": 2}}, ContentState.UNPARSABLE, None),
        ('{"args": "-l", "kwargs": {}}', ContentState.OBSERVED, {"args": "-l", "kwargs": {}}),
        ('{"args": [], "kwargs": "x"}', ContentState.OBSERVED, {"args": [], "kwargs": "x"}),
        ('{"args": [], "q": 1}', ContentState.OBSERVED, {"args": [], "q": 1}),
    ],
)
def test_langfuse_wraps_the_arguments_of_a_function_that_it_traces(
    read_call, recorded, state, value
):
    observation = {"langfuse.observation.type": "tool", "langfuse.observation.input": recorded}
    args = read_call(observation, name="search").args
    assert (args.state, args.value) == (state, value)
    is_text = state is not ContentState.OBSERVED and isinstance(recorded, str)
    assert args.text == (recorded if is_text else None)
