"""ADK before it followed the GenAI conventions, and ADK for Rust."""

import json
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.conventions import read
from toolscore_otel.conventions.reading import AgentReading, Layer
from toolscore_otel.model import NOT_OBSERVED, Stage, Status

ADK = "gcp.vertex.agent"
RAISED = {"status": "error", "message": "An internal error occurred."}


def _event(response: Any, *, key: str = "functionResponse") -> dict[str, Any]:
    part = {key: {"id": "c1", "name": "get_weather", "response": response}}
    event = {"id": "e", "author": "helper", "content": {"parts": [part], "role": "user"}}
    return {"gen_ai.system": ADK, "gcp.vertex.agent.tool_response": json.dumps(event)}


def test_the_span_of_a_call_has_the_arguments_and_no_end(read_call):
    attributes = {"gen_ai.system": ADK, "gcp.vertex.agent.tool_call_args": '{"city": "Paris"}'}
    call = read_call(attributes, name="tool_call [get_weather]", scope=ADK)
    assert (call.name, call.stage, call.status) == ("get_weather", Stage.EXECUTED, Status.UNKNOWN)
    assert (call.args.value, call.what) == ({"city": "Paris"}, "span")


def test_an_exception_that_leaves_the_span_of_a_call_is_a_failure(read_call):
    call = read_call(
        {"gen_ai.system": ADK},
        name="tool_call [get_weather]",
        scope=ADK,
        status="error",
        events=(("exception", {"exception.type": "Upstream", "exception.message": "502"}),),
    )
    assert (call.status, call.error_type, call.error_message) == (Status.ERROR, "Upstream", "502")


@pytest.mark.parametrize(
    ("response", "status", "message"),
    [
        ({"result": "18 C"}, Status.OK, None),
        (RAISED, Status.ERROR, "An internal error occurred."),
        ({"error": "no such city"}, Status.ERROR, "no such city"),
        ({}, Status.UNKNOWN, None),
    ],
)
@pytest.mark.parametrize("key", ["functionResponse", "function_response"])
def test_the_span_of_an_answer_has_id_result_and_end(make_span, response, status, message, key):
    span = make_span(_event(response, key=key), name="tool_response [get_weather]", scope=ADK)
    reading = read(structs.replace(span, parent_span_id="c" * 16))
    assert reading is not None
    (call,) = reading.calls
    assert (call.what, call.layer, call.fills) == ("response", Layer.MESSAGE, False)
    assert (call.name, call.call_id, call.result.value) == ("get_weather", "c1", response)
    assert (call.status, call.error_message) == (status, message)


def test_an_answer_in_a_trace_of_its_own_is_no_second_call(read_call):
    call = read_call(_event({"result": 1}), name="tool_response [get_weather]", scope=ADK)
    assert call.fills


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("tool_response", ADK),
        ("tool_response [get_weather]", "app"),
        ("tool_other [get_weather]", ADK),
    ],
)
def test_other_spans_are_none_of_adks_two(read_span, name, scope):
    assert read_span(_event({"result": 1}), name=name, scope=scope) is None


def test_an_answer_without_a_message_says_nothing(read_span):
    attributes = {"gen_ai.system": ADK, "gcp.vertex.agent.tool_response": "{}"}
    assert read_span(attributes, name="tool_response [get_weather]", scope=ADK) is None


def test_adk_for_java_answers_a_constant_for_a_tool_that_raised(read_call):
    call = read_call(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "get_weather",
            "gcp.vertex.agent.tool_response": json.dumps(RAISED),
        },
        scope=ADK,
    )
    assert (call.status, call.error_message) == (Status.ERROR, "An internal error occurred.")


JAVA = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_weather",
    "gcp.vertex.agent.tool_call_args": '{"city": "Paris"}',
}


@pytest.mark.parametrize("answer", [None, "[REDACTED]", '{"result": "18'])
def test_a_tool_span_of_adk_whose_response_is_not_whole_may_be_of_a_failed_call(read_call, answer):
    attributes = {**JAVA, "gcp.vertex.agent.tool_response": answer}
    assert read_call(attributes, scope=ADK).status is Status.UNKNOWN
    attributes["gcp.vertex.agent.tool_response"] = '{"result": "18 C"}'
    assert read_call(attributes, scope=ADK).status is Status.OK


def test_no_arguments_of_adk_are_none_where_the_response_was_taken_out(read_call):
    call = read_call({**JAVA, "gcp.vertex.agent.tool_call_args": "{}"}, scope=ADK)
    assert (call.args, call.status) == (NOT_OBSERVED, Status.UNKNOWN)


RUST = {"gcp.vertex.agent.event_id": "inv_x", "gen_ai.conversation.id": "s1"}


def test_a_tool_span_of_adk_for_rust_shows_no_good_end(read_call):
    attributes = {**RUST, "tool.name": "get_weather"}
    call = read_call(attributes, name="execute_tool get_weather", scope="adk-telemetry")
    assert (call.name, call.status, call.gaps) == ("get_weather", Status.UNKNOWN, ())


def test_what_runs_in_a_tool_span_of_adk_for_rust_adds_the_id(read_span):
    inner = {"function_call.id": "c1", "tool.name": "get_weather"}
    reading = read_span(inner, name="execute", scope="adk-telemetry")
    assert reading.agent is None
    (call,) = reading.calls
    assert (call.call_id, call.name, call.fills) == ("c1", None, True)
    assert read_span(inner, name="other", scope="adk-telemetry") is None


def test_adk_for_rust_names_its_agents(read_span):
    outer = read_span({**RUST, "agent.name": "helper"}, name="agent.execute")
    assert outer.agent == AgentReading(convention="genai_legacy", name="helper")
    inner = read_span({"function_call.id": "c1", "agent_tool.name": "research"}, name="execute")
    assert inner.agent == AgentReading(convention="genai_legacy", name="research")


def test_the_span_around_a_model_call_of_adk_for_rust_tells_what_was_asked_for(read_span):
    parts = [
        {"text": "Let me see."},
        {"name": "get_weather", "args": {"city": "Paris"}, "id": "c1"},
        {"name": "list_users", "args": None},
    ]
    answer = json.dumps({"role": "model", "parts": parts})
    attributes = {**RUST, "gcp.vertex.agent.llm_response": answer}
    weather, users = read_span(attributes, name="call_llm").calls
    assert (weather.name, weather.args.value, weather.call_id) == (
        "get_weather",
        {"city": "Paris"},
        "c1",
    )
    assert (weather.stage, weather.what, weather.position) == (Stage.REQUESTED, "request", 0)
    assert (users.name, users.args, users.call_id, users.position) == (
        "list_users",
        NOT_OBSERVED,
        None,
        1,
    )


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("call_llm", {}),
        ("run", {"tool.name": "get_weather"}),
        ("execute_more", {"tool.name": "get_weather"}),
    ],
)
def test_other_spans_of_adk_for_rust_are_no_calls(read_span, name, more):
    reading = read_span({**RUST, **more}, name=name)
    assert (reading.calls, reading.agent) == ((), None)


def test_a_tool_span_that_openinference_marks_is_left_to_it(read_call):
    attributes = {**RUST, "tool.name": "get_weather", "openinference.span.kind": "TOOL"}
    assert read_call(attributes, name="execute_tool get_weather").status is Status.OK
