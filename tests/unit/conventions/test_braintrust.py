"""Braintrust: what the JSON on its spans says."""

import json

import pytest

from toolscore_otel.conventions import read
from toolscore_otel.model import ContentState, Payload, Status

TOOL = {"braintrust.span_attributes": '{"type":"tool"}'}
MODEL = {"braintrust.span_attributes": '{"type":"llm"}'}
ASKED = {"id": "c2", "type": "function", "function": {"name": "b", "arguments": "{}"}}
HISTORY = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "a"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "A"},
]
BOTH = [("request", "b", "c2"), ("response", "a", "c1")]


def told(reading):
    return [(call.what, call.name, call.call_id) for call in reading.calls]


def test_a_tool_span_has_the_tools_name(read_call):
    said = {"braintrust.input_json": '{"city": "Paris"}', "braintrust.output": "18 C"}
    call = read_call({**TOOL, **said}, name="get_weather")
    assert (call.convention, call.name, call.call_id) == ("braintrust", "get_weather", None)
    assert (call.args.value, call.result.value) == ({"city": "Paris"}, "18 C")
    assert (call.status, call.fills) == (Status.OK, False)


def test_without_content_nothing_is_known_of_arguments_and_result(read_call):
    call = read_call(TOOL, name="get_weather")
    assert (call.args, call.result) == (Payload(), Payload())


def test_cut_arguments_are_cut(read_call):
    call = read_call({**TOOL, "braintrust.input_json": '{"city": "Par'}, name="get_weather")
    assert call.args.state is ContentState.TRUNCATED


def test_a_span_without_a_name_names_no_tool(read_call):
    assert read_call(TOOL, name="").name is None


def test_a_failed_service_span_only_adds_to_a_call_that_was_asked_for(read_call):
    raised = ("exception", {"exception.type": "a.ToolExecutionException"})
    call = read_call(
        {"braintrust.parent": "project_name:shop"},
        name="fetch_url",
        scope="braintrust-langchain4j",
        status="error",
        status_message="502",
        events=(raised,),
    )
    assert (call.name, call.fills, call.status) == ("fetch_url", True, Status.ERROR)
    assert (call.error_type, call.error_message) == ("a.ToolExecutionException", "502")


@pytest.mark.parametrize(
    ("scope", "status"), [("braintrust-langchain4j", "unset"), ("my.app", "error")]
)
def test_other_spans_of_an_application_say_nothing(read_span, scope, status):
    parent = {"braintrust.parent": "project_name:shop"}
    assert read_span(parent, name="chat", scope=scope, status=status) is None


@pytest.mark.parametrize("described", ['{"type":"task"}', "{}", "tool", 7])
def test_spans_of_other_types_say_nothing(read_span, described):
    assert read_span({"braintrust.span_attributes": described}, name="x") is None


def model(read_span, metrics, provider="openai", name="gpt-x"):
    metadata = json.dumps({"provider": provider, "model": name})
    told = {"braintrust.metadata": metadata, "braintrust.metrics": json.dumps(metrics)}
    return read_span(MODEL | told).model


def test_a_model_call_has_its_tokens_in_one_object(read_span):
    used = {"prompt_tokens": 100, "completion_tokens": 10, "tokens": 110}
    found = model(read_span, used | {"completion_reasoning_tokens": 4})
    assert (found.model, found.provider) == ("gpt-x", "openai")
    assert (found.input_tokens, found.output_tokens, found.reasoning_tokens) == (100, 10, 4)
    assert read_span(MODEL).model.input_tokens is None


def test_what_anthropics_cache_served_stands_beside_the_prompt(read_span):
    used = {"prompt_tokens": 5, "completion_tokens": 1, "prompt_cached_tokens": 20}
    whole = model(read_span, used | {"prompt_cache_creation_tokens": 7}, "anthropic", "claude")
    assert (whole.input_tokens, whole.cached_tokens, whole.cache_write_tokens) == (32, 20, 7)
    kept = {"prompt_cache_creation_5m_tokens": 3, "prompt_cache_creation_1h_tokens": 4}
    assert model(read_span, used | kept, "anthropic", "claude") == whole
    one = {"prompt_cache_creation_5m_tokens": 7}
    assert model(read_span, used | one, "anthropic", "claude") == whole


@pytest.mark.parametrize(
    "said",
    [
        [{"index": 0, "message": {"role": "assistant", "tool_calls": [ASKED]}}],
        [{"type": "function_call", "call_id": "c2", "name": "b", "arguments": "{}"}],
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "b"}]},
    ],
    ids=["choices", "responses", "anthropic"],
)
def test_messages_are_read_in_the_shape_of_each_provider(make_span, said):
    span = make_span(
        MODEL
        | {
            "braintrust.input_json": json.dumps(HISTORY),
            "braintrust.output_json": json.dumps(said),
        }
    )
    assert told(read(span)) == BOTH
