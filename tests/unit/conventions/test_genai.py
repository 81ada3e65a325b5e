import pytest

from toolscore_otel.conventions.reading import AgentReading, CallReading, Layer, ModelReading
from toolscore_otel.model import CallKind, ContentState, Gap, Payload, Stage, Status

OBSERVED = ContentState.OBSERVED
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"}
ADK = "gcp.vertex.agent"


def test_a_tool_span_tells_of_one_call(read_call):
    attributes = {
        **TOOL,
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.tool.call.arguments": '{"city": "Paris"}',
        "gen_ai.tool.call.result": "rainy",
        "gen_ai.agent.name": "travel",
    }
    assert read_call(attributes) == CallReading(
        convention="genai",
        layer=Layer.FRAMEWORK,
        name="get_weather",
        stage=Stage.EXECUTED,
        args=Payload(OBSERVED, {"city": "Paris"}),
        result=Payload(OBSERVED, "rainy"),
        call_id="call_1",
        status=Status.OK,
        agent="travel",
    )


def test_without_content_there_are_no_arguments_and_no_empty_ones(read_call):
    call = read_call(TOOL)
    assert call.args == Payload()
    assert call.result == Payload()
    assert call.gaps == ()


@pytest.mark.parametrize(
    "name",
    [
        "gen_ai.tool.call.arguments",
        "tool_arguments",
        "gcp.vertex.agent.tool_call_args",
        "spring.ai.tool.call.arguments",
        "gen_ai.tool.input",
    ],
)
def test_arguments_stand_under_the_names_of_several_vendors(read_call, name):
    assert read_call({**TOOL, name: '{"a": 1}'}).args == Payload(OBSERVED, {"a": 1})


@pytest.mark.parametrize(
    "name",
    ["gen_ai.tool.call.id", "gen_ai.tool_call.id", "spring.ai.tool.call.id"],
)
def test_call_ids_too(read_call, name):
    assert read_call({**TOOL, name: "call_1"}).call_id == "call_1"


def test_a_call_id_that_was_not_specified_is_none(read_call):
    assert read_call({**TOOL, "gen_ai.tool.call.id": "<not specified>"}).call_id is None


def test_the_id_of_an_item_of_responses_is_that_of_no_call(read_call):
    assert read_call({**TOOL, "gen_ai.tool.call.id": "fc_34de912ada80"}).call_id is None


def test_hidden_content_is_said_to_be(read_call):
    call = read_call({**TOOL, "gen_ai.tool.call.arguments": "HIDDEN:non-empty"})
    assert (call.args, call.gaps) == (Payload(), (Gap.CONTENT_HIDDEN,))


def test_a_hidden_field_is_said_to_be_and_the_rest_kept(read_call):
    call = read_call({**TOOL, "gen_ai.tool.call.arguments": '{"token":"[REDACTED]","n":1}'})
    assert call.args == Payload(OBSERVED, {"token": "[REDACTED]", "n": 1})
    assert call.gaps == (Gap.CONTENT_HIDDEN,)


def test_structured_arguments_stay_as_they_are(read_call):
    args = {"days": [1, 2], "unit": None}
    assert read_call({**TOOL, "gen_ai.tool.call.arguments": args}).args.value == args


def test_spring_ends_failed_calls_like_good_ones(read_call):
    spring = {
        "gen_ai.operation.name": "execute_tool",
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "refund",
    }
    call = read_call(spring, status="ok")
    assert (call.name, call.status) == ("refund", Status.UNKNOWN)
    assert read_call(spring, status="error").status is Status.ERROR


def test_adk_tells_a_failure_in_the_response(read_call):
    call = read_call(
        {**TOOL, f"{ADK}.tool_call_args": "{}", f"{ADK}.tool_response": '{"error": "503"}'}
    )
    assert (call.status, call.error_message) == (Status.ERROR, "503")


def test_adk_with_content_off_looks_like_no_arguments_and_is_not_taken_for_it(read_call):
    call = read_call({**TOOL, f"{ADK}.tool_call_args": "{}", f"{ADK}.tool_response": "{}"})
    assert (call.args, call.result, call.status) == (Payload(), Payload(), Status.UNKNOWN)
    assert call.gaps == (Gap.CONTENT_HIDDEN,)


def test_adk_without_arguments_but_with_a_response_has_none(read_call):
    call = read_call({**TOOL, f"{ADK}.tool_call_args": "{}", f"{ADK}.tool_response": '{"now": 1}'})
    assert (call.args, call.status) == (Payload(OBSERVED, {}), Status.OK)


def test_mastra_answers_bad_arguments_with_an_error_object(read_call):
    answer = '{"error": true, "message": "validation failed"}'
    attributes = {**TOOL, "mastra.span.type": "tool_call", "gen_ai.tool.call.result": answer}
    call = read_call(attributes, status="ok")
    assert (call.status, call.error_message) == (Status.ERROR, "validation failed")
    plain = read_call({**TOOL, "gen_ai.tool.call.result": answer}, status="ok")
    assert plain.status is Status.OK


def test_what_adk_makes_up_after_a_parallel_turn_is_no_call(read_span):
    merged = {**TOOL, "gen_ai.tool.name": "(merged tools)", "gen_ai.tool_call.id": "x"}
    assert read_span(merged, name="execute_tool (merged)") is None


def test_an_answer_that_mcp_marks_as_an_error_is_one(read_call):
    said = '{"content": [{"type": "text", "text": "no such trace"}], "isError": %s}'
    failed = read_call({**TOOL, "gen_ai.tool.call.result": said % "true"})
    assert (failed.status, failed.error_message) == (Status.ERROR, "no such trace")
    assert read_call({**TOOL, "gen_ai.tool.call.result": said % "false"}).status is Status.OK
    own = read_call({**TOOL, "gen_ai.tool.call.result": '{"isError": true}'})
    assert own.status is Status.OK


def test_the_only_text_of_a_strands_answer_is_the_result(read_call):
    answer = {**TOOL, "gen_ai.tool.call.result": '[{"text": "65.3"}]'}
    assert read_call(answer, scope="strands.telemetry.tracer").result.value == 65.3
    assert read_call(answer).result.value == [{"text": "65.3"}]


def test_what_pydantic_ai_did_not_validate_did_not_run(read_call):
    turned_down = {**TOOL, "pydantic_ai.tool.failure_stage": "validation"}
    assert read_call(turned_down, status="error").stage is Stage.REQUESTED
    assert read_call(TOOL, status="error").stage is Stage.EXECUTED


@pytest.mark.parametrize(
    ("message", "stage"),
    [
        ("Unknown tool: get_weather", Stage.REQUESTED),
        ("Validation failed for input parameters: city", Stage.REQUESTED),
        ("Unknown tool: other", Stage.EXECUTED),
        ("503", Stage.EXECUTED),
    ],
)
def test_strands_says_so_of_what_it_turns_down(read_call, message, stage):
    fields = {"status": "error", "status_message": message}
    assert read_call(TOOL, scope="strands.telemetry.tracer", **fields).stage is stage
    assert read_call(TOOL, **fields).stage is Stage.EXECUTED


@pytest.mark.parametrize(
    ("scope", "attributes", "kind"),
    [
        (ADK, {"gen_ai.tool.type": "TransferToAgentTool"}, CallKind.HANDOFF),
        (ADK, {"gen_ai.tool.type": "AgentTool"}, CallKind.AGENT),
        ("strands.telemetry.tracer", {"gen_ai.tool.name": "handoff_to_agent"}, CallKind.HANDOFF),
        (
            "autogen-core",
            {
                "gen_ai.tool.name": "transfer_to_billing",
                "gen_ai.tool.description": "Handoff to billing.",
            },
            CallKind.HANDOFF,
        ),
        (
            "autogen-core",
            {
                "gen_ai.tool.name": "transfer_to_savings_account",
                "gen_ai.tool.description": "Move money.",
            },
            CallKind.TOOL,
        ),
        ("autogen-core", {"gen_ai.tool.name": "transfer_to_billing"}, CallKind.TOOL),
        (
            "openlit.instrumentation.google_adk",
            {"gen_ai.tool.name": "transfer_to_agent"},
            CallKind.HANDOFF,
        ),
        (
            "openlit.instrumentation.smolagents",
            {"gen_ai.tool.name": "final_answer"},
            CallKind.OUTPUT,
        ),
        ("my.app", {"gen_ai.tool.name": "final_answer"}, CallKind.TOOL),
        ("my.app", {"gen_ai.tool.name": "Delegate work to coworker"}, CallKind.HANDOFF),
        ("my.app", {"gen_ai.tool.name": "transfer_to_billing"}, CallKind.TOOL),
        ("my.app", {"gen_ai.tool.type": "AgentTool"}, CallKind.TOOL),
    ],
)
def test_only_the_framework_itself_marks_a_handoff(read_call, scope, attributes, kind):
    assert read_call({**TOOL, **attributes}, scope=scope).kind is kind


def test_a_handoff_span_names_its_target_and_no_tool(read_call):
    call = read_call(
        {"gen_ai.operation.name": "agent_handoff", "gen_ai.handoff.to_agent": "Billing"}
    )
    assert (call.kind, call.name, call.result.value) == (CallKind.HANDOFF, None, "Billing")
    assert call.gaps == (Gap.NAME_NOT_OBSERVED,)


def test_an_agent_invocation_is_named_by_its_attribute(read_span):
    reading = read_span(
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"},
        name="invoke_agent gpt-4o-mini",
    )
    assert reading.agent == AgentReading(convention="genai", name="travel")


@pytest.mark.parametrize("operation", ["create_agent", "invoke_workflow", "embeddings", "plan"])
def test_other_operations_say_nothing(read_span, operation):
    assert read_span({"gen_ai.operation.name": operation, "gen_ai.agent.name": "travel"}) is None


def test_a_chat_span_is_a_model_call_with_tokens_and_cost(read_span):
    reading = read_span(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
            "gen_ai.provider.name": "openai",
            "gen_ai.usage.input_tokens": 101,
            "gen_ai.usage.output_tokens": "11",
            "gen_ai.usage.cache_read.input_tokens": 5,
            "gen_ai.usage.reasoning.output_tokens": 0,
            "operation.cost": 5.97e-05,
            "gen_ai.response.id": "resp_1",
            "gen_ai.conversation.id": "c-1",
            "gen_ai.tool.name": "asked_for",
        }
    )
    assert reading.calls == ()
    assert reading.conversation_id == "c-1"
    assert reading.model == ModelReading(
        convention="genai",
        model="gpt-4o-mini-2024-07-18",
        provider="openai",
        input_tokens=101,
        output_tokens=11,
        cached_tokens=5,
        reasoning_tokens=0,
        cost_usd=5.97e-05,
        response_id="resp_1",
    )


def test_a_cost_of_zero_is_no_cost(read_span):
    reading = read_span({"gen_ai.operation.name": "chat", "gen_ai.usage.cost": 0})
    assert reading.model.cost_usd is None


def test_dropped_attributes_are_said_to_be(read_call):
    assert read_call(TOOL, dropped_attributes=3).gaps == (Gap.ATTRIBUTES_DROPPED,)


def test_a_call_without_a_name_is_still_a_call(read_call):
    call = read_call({"gen_ai.operation.name": "execute_tool", "error.type": "Timeout"})
    assert (call.name, call.status, call.error_type) == (None, Status.ERROR, "Timeout")


def test_an_id_that_an_instrumentation_made_up_is_none(read_call):
    made_up = {**TOOL, "gen_ai.tool.call.id": "7d3e"}
    assert read_call(made_up, scope="openlit.instrumentation.smolagents").call_id is None
    assert read_call(made_up, scope="openlit.instrumentation.agno").call_id == "7d3e"


def test_the_responses_of_an_older_traceloop_are_model_calls(read_span):
    reading = read_span({"gen_ai.operation.name": "response", "gen_ai.request.model": "gpt-4o"})
    assert reading.model.model == "gpt-4o"


@pytest.mark.parametrize("name", ["invalid_tool", "_Exception"])
def test_langchain_runs_tools_of_its_own_for_what_it_cannot_run(read_span, read_call, name):
    tool = {"openinference.span.kind": "TOOL", "tool.name": name}
    assert read_span(tool, scope="openinference.instrumentation.langchain") is None
    assert read_call(tool, scope="openinference.instrumentation.dspy").name == name


def test_the_span_names_the_tool_where_no_attribute_does(read_call):
    call = read_call({"gen_ai.operation.name": "execute_tool"}, name="execute_tool zed")
    assert (call.name, call.gaps) == ("zed", (Gap.NAME_FROM_SPAN,))
    assert read_call({"gen_ai.operation.name": "execute_tool"}, name="execute_tool ").name is None


@pytest.mark.parametrize(
    "cost",
    [
        {"gen_ai.usage.cost": 0.5},
        {"llm.cost.total": "0.5"},
        {"operation.cost": 0.5},
        {"langfuse.observation.cost_details": '{"input": 0.2, "output": 0.3}'},
    ],
    ids=str,
)
def test_the_cost_on_a_tool_span_is_that_of_the_call(read_call, cost):
    assert read_call({**TOOL, **cost}).cost_usd == 0.5


def test_the_cost_on_a_model_call_is_that_of_no_tool(read_span):
    asked = [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "a"}}]}]
    reading = read_span(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": asked,
            "gen_ai.usage.cost": 0.5,
        }
    )
    assert (reading.model.cost_usd, reading.calls[0].cost_usd) == (0.5, None)


def test_spring_1_calls_the_operation_framework(read_call):
    call = read_call(
        {
            "gen_ai.operation.name": "framework",
            "spring.ai.kind": "tool_call",
            "spring.ai.tool.definition.name": "search",
            "spring.ai.tool.call.arguments": '{"q": 1}',
            "spring.ai.tool.call.result": "503 from upstream",
        },
        status="ok",
    )
    assert (call.name, call.args.value) == ("search", {"q": 1})
    assert (call.result.value, call.status) == ("503 from upstream", Status.UNKNOWN)


def test_an_advisor_of_spring_1_is_no_call(read_span):
    attributes = {"gen_ai.operation.name": "framework", "spring.ai.kind": "advisor"}
    assert read_span(attributes) is None


@pytest.mark.parametrize(
    ("attributes", "status"),
    [({}, Status.UNKNOWN), ({"gen_ai.tool.name": "search"}, Status.OK)],
)
def test_a_tool_that_raised_leaves_its_span_empty_in_adk_for_javascript(
    read_call, attributes, status
):
    call = read_call(attributes, name="execute_tool search", scope="gcp.vertex.agent")
    assert (call.name, call.status) == ("search", status)
