import json

import pytest

from toolscore_otel.conventions.reading import AgentReading, Layer
from toolscore_otel.model import ContentState, Gap, Payload, Status

TOOL = {"traceloop.span.kind": "tool", "traceloop.entity.name": "search"}


def test_plain_arguments_and_results_are_read(read_call):
    call = read_call(
        {**TOOL, "gen_ai.tool.call.arguments": '{"q": 1}', "gen_ai.tool.call.result": "[1]"},
        status="ok",
    )
    assert (call.convention, call.name, call.args.value) == ("traceloop", "search", {"q": 1})
    assert (call.result.value, call.status) == ([1], Status.OK)


def test_a_langchain_wrapper_gives_arguments_result_and_id(read_call):
    asked = {"input_str": "{'q': 1}", "inputs": {"q": 1}, "kwargs": {"tool_call_id": "c0"}}
    message = {"content": "boom", "status": "error", "tool_call_id": "c1"}
    attributes = {
        **TOOL,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.arguments": json.dumps(asked),
        "traceloop.entity.output": json.dumps({"output": {"kwargs": message}}),
        "traceloop.association.properties.lc_agent_name": "ops",
    }
    call = read_call(attributes)
    assert (call.args.value, call.result.value, call.call_id) == ({"q": 1}, "boom", "c1")
    assert (call.status, call.error_message, call.agent) == (Status.ERROR, "boom", "ops")


def test_without_inputs_the_text_of_them_is_read(read_call):
    asked = '{"input_str": "{\'q\': 1}", "inputs": null, "kwargs": {"tool_call_id": "c0"}}'
    call = read_call({**TOOL, "traceloop.entity.input": asked})
    assert (call.args.value, call.call_id) == ({"q": 1}, "c0")


def test_a_client_of_mcp_1_is_an_mcp_client(read_call):
    call = read_call(
        {
            **TOOL,
            "traceloop.entity.input": '{"tool_name": "search", "arguments": {"q": 1}}',
            "traceloop.entity.output": '{"result": "503", "is_error": true}',
        },
        scope="opentelemetry.instrumentation.mcp.instrumentation",
        status="ok",
    )
    assert (call.layer, call.args.value, call.result.value) == (Layer.MCP_CLIENT, {"q": 1}, 503)
    assert (call.status, call.error_message) == (Status.ERROR, "503")


def test_a_decorated_function_has_its_keywords(read_call):
    wrapped = {**TOOL, "traceloop.entity.input": '{"args": [], "kwargs": {"q": 1}}'}
    assert read_call(wrapped).args.value == {"q": 1}
    recorded = '{"args": [1], "kwargs": {}}'
    assert read_call({**TOOL, "traceloop.entity.input": recorded}).args == Payload(
        ContentState.UNPARSABLE, text=recorded
    )


def test_agno_tells_a_failure_in_a_representation_only(read_call):
    attributes = {**TOOL, "traceloop.entity.output": "status='failure' result=None error='503'"}
    assert read_call(attributes, status="ok").status is Status.ERROR


def test_an_answer_that_mcp_marks_as_an_error_is_one(read_call):
    said = '{"content": [{"type": "text", "text": "no such trace"}], "isError": %s}'
    failed = read_call({**TOOL, "traceloop.entity.output": said % "true"})
    assert (failed.status, failed.error_message) == (Status.ERROR, "no such trace")
    assert read_call({**TOOL, "traceloop.entity.output": said % "false"}).status is Status.OK


def test_content_off_leaves_name_and_status(read_call):
    call = read_call({**TOOL, "gen_ai.task.status": "failure", "error.type": "UpstreamError"})
    assert (call.args, call.status, call.error_type) == (Payload(), Status.ERROR, "UpstreamError")


def test_the_span_names_the_tool_where_nothing_else_does(read_call):
    call = read_call({"traceloop.span.kind": "tool"}, name="search.tool")
    assert (call.name, call.gaps) == ("search", (Gap.NAME_FROM_SPAN,))


def test_a_task_of_llama_index_tells_of_a_tool(read_call):
    output = {"tool_output": {"raw_output": "503", "is_error": True}, "tool_id": "c1"}
    call = read_call(
        {
            "traceloop.span.kind": "task",
            "tool.name": "search",
            "tool.arguments": '{"q": 1}',
            "traceloop.entity.output": json.dumps(output),
        }
    )
    assert (call.name, call.args.value, call.call_id) == ("search", {"q": 1}, "c1")
    assert (call.status, call.error_message) == (Status.ERROR, "503")


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.agent.name": "ops"},
        {"crewai.agent.role": "ops"},
        {"traceloop.entity.name": "ops"},
        {},
    ],
)
def test_an_agent_span_names_its_agent(read_span, attributes):
    reading = read_span({"traceloop.span.kind": "agent", **attributes}, name="ops.agent")
    assert reading.agent == AgentReading(convention="traceloop", name="ops")


def test_a_workflow_is_no_agent_though_its_operation_says_so(read_span):
    attributes = {
        "traceloop.span.kind": "workflow",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "LangGraph",
    }
    assert read_span(attributes) is None


def test_an_older_openai_agents_tells_a_failure_in_words_only(read_call):
    said = "An error occurred while running the tool. Please try again. Error: 502 from upstream"
    call = read_call({**TOOL, "traceloop.entity.output": said}, status="ok")
    assert (call.status, call.error_message) == (Status.ERROR, "502 from upstream")
    assert call.result.value == said


def test_an_older_task_of_llama_index_tells_all_in_its_output(read_call, read_span):
    task = {"traceloop.span.kind": "task", "traceloop.entity.name": "call_tool.task"}
    output = {
        "tool_name": "search",
        "tool_kwargs": {"q": 1},
        "tool_id": "c1",
        "tool_output": {"raw_output": "none", "is_error": False},
    }
    call = read_call({**task, "traceloop.entity.output": json.dumps(json.dumps(output))})
    assert (call.name, call.args.value, call.call_id) == ("search", {"q": 1}, "c1")
    assert (call.result.value, call.status) == ("none", Status.OK)
    assert read_span({**task, "traceloop.entity.output": '"{}"'}) is None
    assert read_span({**task, "traceloop.entity.name": "aggregate_tool_results.task"}) is None


def test_a_client_of_mcp_for_javascript_is_an_mcp_client(read_call):
    asked = '{"tool_name": "search", "arguments": {"q": 1}}'
    call = read_call(
        {**TOOL, "traceloop.entity.input": asked}, scope="@traceloop/instrumentation-mcp"
    )
    assert (call.layer, call.args.value) == (Layer.MCP_CLIENT, {"q": 1})


LANGCHAIN_JS = {
    "gen_ai.operation.name": "execute_tool",
    "traceloop.span.kind": "task",
    "traceloop.entity.name": "DynamicStructuredTool",
    "traceloop.entity.input": json.dumps({"args": ['{"q": 1}']}),
}


def test_langchain_for_javascript_names_the_tool_in_its_answer_only(read_call):
    message = {"content": "sunny", "status": "success", "tool_call_id": "c1", "name": "search"}
    call = read_call(
        {**LANGCHAIN_JS, "traceloop.entity.output": json.dumps({"lc": 1, "kwargs": message})},
        name="execute_tool DynamicStructuredTool",
        scope="@traceloop/instrumentation-langchain",
    )
    assert (call.name, call.call_id, call.args.value) == ("search", "c1", {"q": 1})
    assert (call.result.value, call.status) == ("sunny", Status.OK)


def test_without_an_answer_of_langchain_for_javascript_the_tool_has_no_name(read_call):
    call = read_call(
        LANGCHAIN_JS,
        name="execute_tool DynamicStructuredTool",
        scope="@traceloop/instrumentation-langchain",
        status="error",
    )
    assert (call.name, call.args.value, call.status) == (None, {"q": 1}, Status.ERROR)
    assert Gap.NAME_NOT_OBSERVED in call.gaps


def test_other_tasks_of_langchain_for_javascript_are_no_calls(read_span):
    attributes = {"gen_ai.operation.name": "task", "traceloop.span.kind": "task"}
    assert read_span(attributes, scope="@traceloop/instrumentation-langchain") is None


def test_without_arguments_of_langchain_for_javascript_there_are_none(read_call):
    attributes = {**LANGCHAIN_JS, "traceloop.entity.input": '{"args": []}'}
    call = read_call(attributes, scope="@traceloop/instrumentation-langchain")
    assert call.args == Payload()
