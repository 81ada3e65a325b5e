import pytest

from toolscore_otel.conventions.reading import AgentReading, ModelReading
from toolscore_otel.model import Payload, Status

CALL = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.id": "c1"}


def test_a_tool_span_tells_of_one_call(read_call):
    call = read_call(
        {
            **CALL,
            "ai.telemetry.functionId": "travel",
            "ai.toolCall.args": '{"q":1}',
            "ai.toolCall.result": '"done"',
        }
    )
    assert (call.convention, call.name, call.call_id) == ("vercel", "search", "c1")
    assert (call.args.value, call.result.value) == ({"q": 1}, "done")
    assert (call.agent, call.status) == ("travel", Status.OK)


def test_with_inputs_off_there_are_no_arguments(read_call):
    assert read_call(CALL).args == Payload()


def test_the_first_of_two_exceptions_is_the_tools(read_call):
    events = (
        ("exception", {"exception.type": "UpstreamError", "exception.message": "503"}),
        ("exception", {"exception.type": "AI_ToolExecutionError", "exception.message": "..."}),
    )
    call = read_call(CALL, status="error", events=events)
    assert (call.status, call.error_type, call.error_message) == (
        Status.ERROR,
        "UpstreamError",
        "503",
    )


def test_openinference_on_the_same_span_fills_and_does_not_double(read_call):
    call = read_call(
        {
            **CALL,
            "openinference.span.kind": "TOOL",
            "tool.name": "search",
            "input.value": '{"q":1}',
            "tool_call.id": "c1",
        },
        status="ok",
    )
    assert (call.convention, call.args.value) == ("vercel", {"q": 1})


def test_a_run_with_a_function_id_is_an_agent(read_span):
    run = {"ai.operationId": "ai.generateText", "ai.usage.promptTokens": 306}
    reading = read_span({**run, "ai.telemetry.functionId": "travel"})
    assert (reading.agent, reading.model) == (
        AgentReading(convention="vercel", name="travel"),
        None,
    )
    assert read_span(run) is None


@pytest.mark.parametrize(
    "tokens",
    [
        {"gen_ai.usage.input_tokens": 101, "gen_ai.usage.output_tokens": 11},
        {"ai.usage.promptTokens": 101, "ai.usage.completionTokens": 11},
        {"ai.usage.inputTokens": 101, "ai.usage.outputTokens": 11},
    ],
)
@pytest.mark.parametrize("operation", ["ai.generateText.doGenerate", "ai.streamText.doStream"])
def test_only_the_spans_that_do_the_work_are_model_calls(read_span, operation, tokens):
    reading = read_span(
        {
            "ai.operationId": operation,
            "ai.model.id": "gpt-4o-mini",
            "ai.model.provider": "openai.chat",
            "ai.response.id": "r1",
            **tokens,
        }
    )
    assert reading.model == ModelReading(
        convention="vercel",
        model="gpt-4o-mini",
        provider="openai.chat",
        input_tokens=101,
        output_tokens=11,
        response_id="r1",
    )


@pytest.mark.parametrize("operation", ["ai.embed.doEmbed", "ai.embed", "other", 7])
def test_other_operations_say_nothing(read_span, operation):
    assert read_span({"ai.operationId": operation, "ai.telemetry.functionId": "travel"}) is None


def test_an_answer_outweighs_a_status_that_was_carried_over(read_call):
    attributes = {
        **CALL,
        "ai.toolCall.result": '{"price": 42}',
        "openinference.span.kind": "TOOL",
        "tool.name": "search",
    }
    call = read_call(attributes, status="error", status_message="503 of another call")
    assert (call.status, call.error_message) == (Status.OK, None)


def test_an_end_without_an_answer_is_not_known_to_be_good(read_call):
    attributes = {name: value for name, value in CALL.items() if name != "ai.toolCall.result"}
    assert read_call({**attributes, "ai.toolCall.args": '{"q": 1}'}).status is Status.UNKNOWN


def test_a_failure_of_mastra_is_an_answer(read_call):
    answer = '{"message": "503", "details": {}, "code": "TOOL_EXECUTION_FAILED"}'
    call = read_call({**CALL, "ai.toolCall.result": answer})
    assert (call.status, call.error_message) == (Status.ERROR, "503")
