import pytest

from toolscore_otel.conventions.reading import AgentReading, ModelReading
from toolscore_otel.model import ContentState, Gap, Payload, Status

OBSERVED = ContentState.OBSERVED


@pytest.mark.parametrize("name", ["execute_tool get_weather", "running tool", "anything"])
def test_a_tool_span_needs_no_operation(read_call, name):
    call = read_call({"gen_ai.tool.name": "get_weather", "tool_arguments": "{}"}, name=name)
    assert (call.convention, call.name, call.status) == ("genai_legacy", "get_weather", Status.OK)
    assert call.args == Payload(OBSERVED, {})
    assert call.gaps == ()


def test_the_span_names_the_tool_where_nothing_else_does(read_call):
    call = read_call({"error.type": "UpstreamError"}, name="execute_tool flaky", status="error")
    assert (call.name, call.status, call.gaps) == ("flaky", Status.ERROR, (Gap.NAME_FROM_SPAN,))


def test_a_chat_span_that_names_the_tool_asked_for_is_no_call(read_span):
    reading = read_span(
        {
            "gen_ai.tool.name": "get_weather",
            "gen_ai.system": "openai",
            "gen_ai.usage.prompt_tokens": 7,
            "gen_ai.usage.completion_tokens": 3,
        }
    )
    assert reading.calls == ()
    assert reading.model == ModelReading(
        convention="genai_legacy", provider="openai", input_tokens=7, output_tokens=3
    )


def test_strands_content_stands_in_events(read_call):
    call = read_call(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
        events=(
            ("gen_ai.tool.message", {"role": "tool", "content": '{"q": "x"}'}),
            ("gen_ai.choice", {"message": '[{"text": "{\\"hits\\": 2}"}]'}),
        ),
    )
    assert call.convention == "genai"
    assert call.args == Payload(OBSERVED, {"q": "x"})
    assert call.result == Payload(OBSERVED, {"hits": 2})


def test_strands_answers_with_more_blocks_stay_blocks(read_call):
    call = read_call(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
        events=(("gen_ai.choice", {"message": '[{"text": "a"}, {"text": "b"}]'}),),
    )
    assert call.result.value == [{"text": "a"}, {"text": "b"}]


def test_an_attribute_goes_before_an_event(read_call):
    call = read_call(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.arguments": '{"q": "attribute"}',
        },
        events=(("gen_ai.tool.message", {"content": '{"q": "event"}'}),),
    )
    assert call.args.value == {"q": "attribute"}


def test_langsmith_uses_the_generic_attributes(read_call):
    call = read_call(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "langsmith.span.kind": "tool",
            "gen_ai.prompt": '{"q": "x"}',
            "gen_ai.completion": "found",
            "langsmith.metadata.lc_agent_name": "ops",
        }
    )
    assert (call.args.value, call.result.value, call.agent) == ({"q": "x"}, "found", "ops")


def test_the_generic_attributes_are_content_of_nothing_else(read_call):
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.prompt": '{"q": "x"}'}
    assert read_call(tool).args == Payload()


@pytest.mark.parametrize("name", ["agent run", "invoke_agent ops"])
def test_an_agent_span_needs_no_operation(read_span, name):
    reading = read_span({"agent_name": "ops"}, name=name)
    assert reading.agent == AgentReading(convention="genai_legacy", name="ops")


@pytest.mark.parametrize(
    "total", ["ai.operationId", "gcp.vertex.agent.llm_request", "traceloop.span.kind"]
)
def test_spans_that_repeat_the_tokens_of_others_are_no_model_calls(read_span, total):
    attributes = {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 7, total: "x"}
    assert read_span(attributes) is None


def test_an_older_adk_names_the_agent_in_its_span(read_span):
    reading = read_span(name="agent_run [support]", scope="gcp.vertex.agent")
    assert reading.agent == AgentReading(convention="genai_legacy", name="support")
    assert read_span(name="agent_run []", scope="gcp.vertex.agent") is None
    assert read_span(name="agent_run [support]", scope="my.app") is None


def test_an_older_autogen_has_names_of_its_own(read_call, read_span):
    tool = {"tool_name": "search", "tool_args": '{"q": 1}'}
    call = read_call(tool, name="search", scope="base_tool")
    assert (call.name, call.args.value, call.status) == ("search", {"q": 1}, Status.OK)
    assert read_span({"tool_args": "{}"}, scope="base_tool") is None
    assert read_span(tool, scope="my.app") is None


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.system": "openai", "llm.request.type": "chat"},
        {"gen_ai.request.model": "gpt-4o", "llm.request.type": "completion"},
        {"gen_ai.system": "openai"},
    ],
    ids=str,
)
def test_a_streamed_answer_needs_no_token_counts(read_span, attributes):
    call = {"id": "c1", "name": "get", "arguments": '{"a": 1}'}
    flat = {f"gen_ai.completion.0.tool_calls.0.{key}": value for key, value in call.items()}
    (asked,) = read_span(attributes | flat).calls
    assert (asked.what, asked.name, asked.call_id, asked.args.value) == (
        "request",
        "get",
        "c1",
        {"a": 1},
    )


@pytest.mark.parametrize("kind", ["embedding", "rerank", ["chat"]])
def test_other_requests_without_counts_are_no_model_calls(read_span, kind):
    assert read_span({"gen_ai.system": "openai", "llm.request.type": str(kind)}) is None


SEMANTIC_KERNEL = {
    "semantic_kernel.function.invocation.name": "get_weather",
    "semantic_kernel.function.invocation.plugin_name": "shop",
}


def test_semantic_kernel_for_java_names_a_function_as_the_model_does(read_call):
    call = read_call(SEMANTIC_KERNEL, scope="SemanticKernel", status="ok")
    assert (call.convention, call.name, call.status) == (
        "genai_legacy",
        "shop-get_weather",
        Status.OK,
    )
    assert (call.args, call.result) == (Payload(), Payload())


def test_a_span_that_semantic_kernel_gave_up_does_not_say_how_it_ended(read_call):
    assert read_call(SEMANTIC_KERNEL).status is Status.UNKNOWN
    assert read_call(SEMANTIC_KERNEL, status="error").status is Status.ERROR


@pytest.mark.parametrize("missing", list(SEMANTIC_KERNEL))
def test_a_function_of_no_plugin_is_none_that_a_model_asks_for(read_span, missing):
    assert read_span({**SEMANTIC_KERNEL, missing: ""}, status="ok") is None


def test_semantic_kernel_for_java_has_an_operation_and_token_counts_of_its_own(read_span):
    model = read_span(
        {
            "gen_ai.operation.name": "chat.completions",
            "gen_ai.request.model": "gpt-x",
            "gen_ai.response.prompt_tokens": 100,
            "gen_ai.response.completion_tokens": 10,
        }
    ).model
    assert (model.model, model.input_tokens, model.output_tokens) == ("gpt-x", 100, 10)
