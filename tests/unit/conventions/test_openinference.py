import json

import pytest

from toolscore_otel.conventions.reading import AgentReading, ModelReading
from toolscore_otel.model import CallKind, ContentState, Gap, Payload, Status

OBSERVED = ContentState.OBSERVED
TOOL = {"openinference.span.kind": "TOOL", "tool.name": "search"}
SCOPE = "openinference.instrumentation."


def test_a_tool_span_tells_of_one_call(read_call):
    call = read_call(
        {**TOOL, "input.value": '{"q": "x"}', "output.value": '{"hits": 2}', "tool.call_id": "c1"},
        status="ok",
    )
    assert (call.convention, call.name, call.call_id) == ("openinference", "search", "c1")
    assert (call.args.value, call.result.value, call.status) == ({"q": "x"}, {"hits": 2}, Status.OK)


def test_an_answer_that_mcp_marks_as_an_error_is_one(read_call):
    said = '{"content": [{"type": "text", "text": "no such trace"}], "isError": %s}'
    failed = read_call({**TOOL, "output.value": said % "true"})
    assert (failed.status, failed.error_message) == (Status.ERROR, "no such trace")
    assert read_call({**TOOL, "output.value": said % "false"}).status is Status.OK


def test_a_missing_input_is_not_an_empty_one(read_call):
    assert read_call(TOOL).args == Payload()


def test_hidden_input_is_said_to_be(read_call):
    call = read_call({**TOOL, "input.value": "__REDACTED__", "output.value": "__REDACTED__"})
    assert (call.args, call.result, call.gaps) == (Payload(), Payload(), (Gap.CONTENT_HIDDEN,))


def test_parameters_are_the_arguments_where_there_is_no_input(read_call):
    assert read_call({**TOOL, "tool.parameters": '{"q": "x"}'}).args == Payload(
        OBSERVED, {"q": "x"}
    )


@pytest.mark.parametrize(
    "schema",
    [
        '{"properties": {"q": {"title": "Q"}}}',
        '{"type": "object"}',
        '{"q": {"type": "string", "description": "what"}}',
        "{}",
        "no json",
    ],
)
def test_a_schema_is_never_taken_for_arguments(read_call, schema):
    assert read_call({**TOOL, "tool.parameters": schema}).args == Payload()


@pytest.mark.parametrize("framework", ["llama_index", "dspy", "smolagents"])
def test_keyword_arguments_are_unwrapped_where_the_framework_wraps(read_call, framework):
    attributes = {**TOOL, "input.value": '{"args": [], "kwargs": {"q": "x"}}'}
    assert read_call(attributes, scope=SCOPE + framework).args == Payload(OBSERVED, {"q": "x"})


def test_a_tool_may_have_an_argument_called_kwargs(read_call):
    attributes = {**TOOL, "input.value": '{"kwargs": {"q": "x"}}'}
    assert read_call(attributes, scope=SCOPE + "langchain").args.value == {"kwargs": {"q": "x"}}
    more = {**TOOL, "input.value": '{"kwargs": {"q": "x"}, "limit": 3}'}
    assert read_call(more, scope=SCOPE + "dspy").args.value == {"kwargs": {"q": "x"}, "limit": 3}


def test_the_only_parameter_names_the_only_position(read_call):
    attributes = {
        **TOOL,
        "input.value": '{"args": ["done"], "sanitize_inputs_outputs": false, "kwargs": {}}',
        "tool.parameters": '{"answer": {"type": "any", "description": "the answer"}}',
    }
    assert read_call(attributes, scope=SCOPE + "smolagents").args.value == {"answer": "done"}


def test_positions_without_names_are_not_guessed(read_call):
    recorded = '{"args": ["a", "b"], "kwargs": {}}'
    attributes = {**TOOL, "input.value": recorded, "tool.parameters": '{"x": {"type": "any"}}'}
    call = read_call(attributes, scope=SCOPE + "smolagents")
    assert call.args == Payload(ContentState.UNPARSABLE, text=recorded)


def test_an_older_langchain_input_is_a_python_literal(read_call):
    assert read_call({**TOOL, "input.value": "{'city': 'Paris'}"}).args.value == {"city": "Paris"}


@pytest.mark.parametrize("text", ["2024", "true", "null", "[1, 2]", '"x"', "open orders"])
def test_an_only_argument_of_langchain_is_a_text_whatever_it_looks_like(read_call, text):
    call = read_call({**TOOL, "input.value": text}, scope=SCOPE + "langchain")
    assert call.args == Payload(ContentState.UNPARSABLE, text=text)


def test_a_hidden_only_argument_of_langchain_is_not_observed(read_call):
    call = read_call({**TOOL, "input.value": "__REDACTED__"}, scope=SCOPE + "langchain")
    assert call.args == Payload()


def test_a_langchain_message_gives_content_id_and_status(read_call):
    message = {"content": "boom", "tool_call_id": "c1", "status": "error"}
    output = json.dumps({"type": "tool", "data": message})
    metadata = '{"lc_agent_name": "ops"}'
    call = read_call(
        {**TOOL, "output.value": output, "metadata": metadata},
        scope=SCOPE + "langchain",
        status="ok",
    )
    assert (call.result.value, call.call_id, call.agent) == ("boom", "c1", "ops")
    assert (call.status, call.error_message) == (Status.ERROR, "boom")


def test_an_adk_response_is_unwrapped(read_call):
    output = '{"id": "c1", "name": "search", "response": {"error": "503"}}'
    call = read_call({**TOOL, "output.value": output}, scope=SCOPE + "google_adk", status="ok")
    assert (call.result.value, call.call_id) == ({"error": "503"}, "c1")
    assert (call.status, call.error_message) == (Status.ERROR, "503")


@pytest.mark.parametrize("output", [None, "[REDACTED]", '{"id": "c1", "name": "search", "resp'])
def test_an_adk_call_whose_response_is_not_whole_may_have_failed(read_call, output):
    call = read_call({**TOOL, "output.value": output}, scope=SCOPE + "google_adk", status="ok")
    assert call.status is Status.UNKNOWN


def test_a_llama_index_output_gives_the_raw_one(read_call):
    output = '{"tool_name": "search", "raw_output": {"hits": 2}, "is_error": false}'
    call = read_call({**TOOL, "output.value": output}, scope=SCOPE + "llama_index", status="ok")
    assert (call.result.value, call.status) == ({"hits": 2}, Status.OK)


def test_dspy_names_the_tool_in_the_span_only(read_call):
    call = read_call(
        {"openinference.span.kind": "TOOL"}, name="search.__call__", scope=SCOPE + "dspy"
    )
    assert (call.name, call.gaps) == ("search", (Gap.NAME_FROM_SPAN,))


def test_autogen_ends_failed_calls_like_good_ones(read_call):
    scope = SCOPE + "autogen_agentchat"
    assert read_call(TOOL, scope=scope, status="ok").status is Status.UNKNOWN


def test_crewai_names_the_agent_on_the_tool_span(read_call):
    assert read_call({**TOOL, "tool.agent_role": "billing"}).agent == "billing"


def test_a_handoff_of_openai_agents_names_no_tool(read_call):
    call = read_call(
        {"openinference.span.kind": "TOOL", "input.value": "Triage", "output.value": "Billing"},
        name="handoff to Billing",
        scope=SCOPE + "openai_agents",
    )
    assert (call.kind, call.name, call.result.value) == (CallKind.HANDOFF, None, "Billing")


@pytest.mark.parametrize(
    ("framework", "attributes", "span_name", "expected"),
    [
        ("openai_agents", {"agent.name": "Ops", "graph.node.id": "n"}, "Ops", "Ops"),
        ("crewai", {"graph.node.id": "billing"}, "billing.task._execute_core", "billing"),
        ("smolagents", {}, "billing.run", "billing"),
        ("langchain", {}, "ops_agent", "ops_agent"),
        ("langchain", {"metadata": '{"lc_agent_name": "ops"}'}, "agent", "ops"),
        ("agno", {"graph.node.id": "84f30910038639b3"}, "x.run", None),
        ("vercel", {"ai.telemetry.functionId": "travel"}, "ai.generateText", "travel"),
    ],
)
def test_agents_are_named_as_their_framework_does(
    read_span, framework, attributes, span_name, expected
):
    reading = read_span(
        {"openinference.span.kind": "AGENT", **attributes}, name=span_name, scope=SCOPE + framework
    )
    assert reading.agent == AgentReading(convention="openinference", name=expected)


def test_a_model_span_gives_tokens(read_span):
    reading = read_span(
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "gpt-4o-mini",
            "llm.provider": "openai",
            "llm.token_count.prompt": 101,
            "llm.token_count.completion": 11,
            "llm.token_count.prompt_details.cache_read": 5,
            "llm.cost.total": 0.01,
            "session.id": "s1",
        }
    )
    assert reading.conversation_id == "s1"
    assert reading.model == ModelReading(
        convention="openinference",
        model="gpt-4o-mini",
        provider="openai",
        input_tokens=101,
        output_tokens=11,
        cached_tokens=5,
        cost_usd=0.01,
    )


@pytest.mark.parametrize(
    "attributes",
    [
        {"openinference.span.kind": "CHAIN", "tool.name": "search"},
        {"openinference.span.kind": "LLM", "mastra.span.type": "model_chunk"},
        {"openinference.span.kind": ["TOOL"]},
    ],
)
def test_other_kinds_say_nothing(read_span, attributes):
    assert read_span(attributes) is None


@pytest.mark.parametrize(
    ("name", "framework", "is_model"),
    [
        ("OpenAI._prepare_chat_with_tools", "llama_index", False),
        ("OpenAI.astream_chat", "llama_index", True),
        ("my._prepare_chat", "langchain", True),
    ],
)
def test_what_builds_a_request_is_no_model_call(read_span, name, framework, is_model):
    told = {"openinference.span.kind": "LLM", "llm.model_name": "gpt-4o-mini"}
    reading = read_span(told, name=name, scope=SCOPE + framework)
    assert (reading is not None and reading.model is not None) is is_model


def test_a_span_called_like_a_handoff_elsewhere_is_a_tool(read_call):
    call = read_call({"openinference.span.kind": "TOOL"}, name="handoff to Billing", scope="my.app")
    assert (call.kind, call.name) == (CallKind.TOOL, "handoff to Billing")


def test_keywords_that_are_no_object_are_not_unwrapped(read_call):
    attributes = {**TOOL, "input.value": '{"kwargs": [1]}'}
    assert read_call(attributes, scope=SCOPE + "dspy").args.value == {"kwargs": [1]}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("tool_name='search' arguments={'q': 'it\\'s'}", Payload(OBSERVED, {"q": "it's"})),
        ("tool_name='search' arguments=None", Payload()),
        ("something else", Payload()),
        (None, Payload()),
    ],
)
def test_an_older_crewai_prints_the_call(read_call, printed, expected):
    recorded = json.dumps({"tool_string": "Action: search", "tool": "Tool()", "calling": printed})
    call = read_call({**TOOL, "input.value": recorded}, scope=SCOPE + "crewai")
    assert call.args == expected


def test_an_older_crewai_tells_a_failure_in_words_only(read_call):
    said = "I encountered an error while trying to use the tool. This was the error: 502.\n Tool x"
    call = read_call({**TOOL, "output.value": "\n" + said}, scope=SCOPE + "crewai", status="ok")
    assert (call.status, call.error_message) == (Status.ERROR, "502")
    good = read_call({**TOOL, "output.value": "502"}, scope=SCOPE + "crewai", status="ok")
    assert (good.status, good.result.value) == (Status.OK, 502)


def test_an_older_agno_ends_failed_calls_like_those_that_answer_none(read_call):
    nothing = {**TOOL, "output.value": "None"}
    assert read_call(nothing, scope=SCOPE + "agno", status="ok").status is Status.UNKNOWN
    assert read_call(nothing, scope=SCOPE + "dspy", status="ok").status is Status.OK


@pytest.mark.parametrize("name", ["AgentExecutor", "ToolCallingAgent"])
def test_a_class_is_no_name_of_an_agent(read_span, name):
    reading = read_span(
        {"openinference.span.kind": "AGENT"}, name=f"{name}.run", scope=SCOPE + "smolagents"
    )
    assert reading.agent == AgentReading(convention="openinference", name=None)


def test_the_node_that_calls_the_model_is_no_agent(read_span):
    node = {"openinference.span.kind": "AGENT", "metadata": '{"langgraph_node": "agent"}'}
    reading = read_span(node, name="agent", scope=SCOPE + "langchain")
    assert reading.agent == AgentReading(convention="openinference", is_step=True)
    other = {**node, "metadata": '{"langgraph_node": "billing"}'}
    reading = read_span(other, name="billing", scope=SCOPE + "langchain")
    assert reading.agent.name == "billing"


def test_an_older_adk_names_the_agent_in_its_span(read_span):
    adk = {"openinference.span.kind": "AGENT"}
    reading = read_span(adk, name="agent_run [support]", scope=SCOPE + "google_adk")
    assert reading.agent.name == "support"
    assert read_span(adk, name="agent_run", scope=SCOPE + "google_adk").agent.name is None


def test_langchain_for_javascript_wraps_its_answer_twice(read_call):
    message = {"content": "503", "status": "error", "tool_call_id": "c1", "name": "search"}
    call = read_call(
        {**TOOL, "output.value": json.dumps({"output": {"lc": 1, "kwargs": message}})},
        scope="@arizeai/openinference-instrumentation-langchain",
        status="ok",
    )
    assert (call.call_id, call.result.value, call.status) == ("c1", 503, Status.ERROR)


def test_another_answer_of_langchain_for_javascript_is_the_result(read_call):
    call = read_call(
        {**TOOL, "output.value": '{"output": "sunny"}'},
        scope="@arizeai/openinference-instrumentation-langchain",
    )
    assert (call.call_id, call.result.value) == (None, {"output": "sunny"})


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("handoff_to_broker", CallKind.HANDOFF),
        (None, CallKind.HANDOFF),
        ("handoff to broker", CallKind.TOOL),
    ],
)
def test_a_handoff_for_javascript_has_a_name_made_up_from_its_span(read_call, tool, kind):
    call = read_call(
        {
            "openinference.span.kind": "TOOL",
            "output.value": '{"to_agent": "broker"}',
            **({"tool.name": tool} if tool else {}),
        },
        name="handoff to broker",
        scope="@arizeai/openinference-instrumentation-openai-agents",
    )
    assert (call.kind, call.name) == (kind, None if kind is CallKind.HANDOFF else tool)


def test_an_agent_for_javascript_is_named_by_its_node(read_span):
    reading = read_span(
        {"openinference.span.kind": "AGENT", "graph.node.id": "support"},
        scope="@arizeai/openinference-instrumentation-openai-agents",
    )
    assert reading.agent == AgentReading(convention="openinference", name="support")


def test_beeai_wraps_the_arguments(read_call):
    call = read_call(
        {**TOOL, "input.value": '{"input": {"q": 1}, "options": null}'}, scope=f"{SCOPE}beeai"
    )
    assert call.args.value == {"q": 1}


def test_an_error_inside_a_tool_of_beeai_is_no_call(read_span):
    attributes = {"openinference.span.kind": "TOOL", "output.value": "ToolError: 503"}
    assert read_span(attributes, name="error", scope=f"{SCOPE}beeai", status="error") is None
