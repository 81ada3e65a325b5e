"""Haystack's components: one span for all calls of a turn, and agents in pipelines."""

# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

from __future__ import annotations

import json

import pytest

from toolscore_otel.conventions.reading import AgentReading, ModelReading
from toolscore_otel.model import ContentState, Gap, Status

INVOKER = {"haystack.component.type": "ToolInvoker"}
OI = {"scope": "openinference.instrumentation.haystack", "name": "ToolInvoker.run"}


def answer(call_id, city, *, error=False, result="9"):
    origin = {"tool_name": "weather", "arguments": {"city": city}, "id": call_id}
    inner = {"tool_call_result": {"result": result, "origin": origin, "error": error}}
    return {"role": "tool", "content": [inner]}


def printed(result, arguments, call_id="'c1'", error="False"):
    origin = f"ToolCall(tool_name='weather', arguments={arguments}, id={call_id}, extra=None)"
    inner = f"ToolCallResult(result={result}, origin={origin}, error={error})"
    return f"ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[{inner}], _name=None, _meta={{}})"


def output(*messages):
    return json.dumps({"tool_messages": messages})


def test_the_run_of_an_invoker_tells_of_all_calls_of_a_turn(read_span):
    messages = output(answer("c1", "Oslo"), answer("c2", "Bonn", error=True, result="503"))
    calls = read_span({**INVOKER, "haystack.component.output": messages}).calls
    assert [(c.name, c.call_id, c.args.value, c.status) for c in calls] == [
        ("weather", "c1", {"city": "Oslo"}, Status.OK),
        ("weather", "c2", {"city": "Bonn"}, Status.ERROR),
    ]
    assert [c.result.value for c in calls] == [9, 503]
    assert [(c.position, c.gaps) for c in calls] == [
        (0, (Gap.TIMES_NOT_OBSERVED,)),
        (1, (Gap.TIMES_NOT_OBSERVED,)),
    ]


def test_the_only_call_of_a_turn_has_the_times_of_its_span(read_call):
    call = read_call(
        {**INVOKER, "haystack.component.output": output(answer("c1", "Oslo", error=None))}
    )
    assert (call.convention, call.gaps, call.status) == ("haystack", (), Status.UNKNOWN)


def test_a_failure_says_why(read_call):
    message = answer("c1", "Oslo", error=True, result="no such city")
    call = read_call({**INVOKER, "haystack.component.output": output(message)})
    assert (call.status, call.error_message) == (Status.ERROR, "no such city")


@pytest.mark.parametrize(
    "attributes",
    [
        INVOKER,
        {**INVOKER, "haystack.component.output": '{"tool_messages": []}'},
        {**INVOKER, "haystack.component.output": '{"tool_messages": ["text", {"content": [1]}]}'},
        {"haystack.component.type": "PromptBuilder", "haystack.component.output": "{}"},
    ],
)
def test_an_invoker_without_messages_says_nothing(read_span, attributes):
    assert read_span(attributes) is None


def test_printed_messages_are_read_under_openinference(read_span, read_call):
    text = printed("\"{'a': 1}\"", "{'city': 'O, id=\\'x\\'', 'deep': {'n': None}}")
    attributes = {"openinference.span.kind": "CHAIN", "output.value": output(text)}
    call = read_call(attributes, **OI)
    assert (call.call_id, call.status) == ("c1", Status.OK)
    assert call.args.value == {"city": "O, id='x'", "deep": {"n": None}}
    assert call.result.value == {"a": 1}
    assert read_span(attributes, name="ToolInvoker.run", scope="other") is None


def test_what_is_printed_as_an_object_of_a_class_is_not_observed(read_call):
    text = printed("<Blob at 0x7f>", "{}", "None", "True")
    attributes = {"openinference.span.kind": "CHAIN", "output.value": output(text)}
    call = read_call(attributes, **OI)
    assert (call.call_id, call.args.value, call.status) == (None, {}, Status.ERROR)
    assert (call.result.state, call.error_message) == (ContentState.NOT_OBSERVED, None)


def test_a_text_that_quotes_such_a_message_is_none(read_span):
    quoted = "ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text=%r)])"
    attributes = {
        "openinference.span.kind": "CHAIN",
        "output.value": output(quoted % printed("'x'", "{}")),
    }
    assert read_span(attributes, **OI) is None


def test_an_agent_is_named_as_a_component_and_its_run_is_the_same_agents(read_span):
    component = {"haystack.component.type": "Agent", "haystack.component.name": "travel_agent"}
    assert read_span(component).agent == AgentReading(convention="haystack", name="travel_agent")
    run = read_span(name="haystack.agent.run").agent
    assert run == AgentReading(convention="haystack", runs_outer=True)


REPLY = {
    "role": "assistant",
    "content": [{"tool_call": {"tool_name": "weather", "arguments": {"city": "Oslo"}, "id": "c1"}}],
    "meta": {
        "model": "gpt-4o-mini",
        "finish_reason": "tool_calls",
        "usage": {
            "prompt_tokens": 101,
            "completion_tokens": 11,
            "prompt_tokens_details": {"cached_tokens": 5},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    },
}


@pytest.mark.parametrize(
    ("name", "attributes", "key"),
    [
        ("haystack.agent.step.llm", {}, "haystack.agent.step.llm.output"),
        (
            "haystack.component.run",
            {"haystack.component.type": "OpenAIChatGenerator"},
            "haystack.component.output",
        ),
    ],
)
def test_a_reply_tells_of_calls_and_tokens(read_span, name, attributes, key):
    reading = read_span({**attributes, key: json.dumps({"replies": [REPLY]})}, name=name)
    assert reading.model == ModelReading(
        convention="haystack",
        model="gpt-4o-mini",
        input_tokens=101,
        output_tokens=11,
        cached_tokens=5,
        reasoning_tokens=0,
        asks=True,
    )
    assert [(c.what, c.name, c.call_id) for c in reading.calls] == [("request", "weather", "c1")]


def test_a_model_call_without_content_says_nothing_of_tokens(read_span):
    reading = read_span(name="haystack.agent.step.llm")
    assert reading.model == ModelReading(convention="haystack")
    assert read_span({"haystack.component.type": "OpenAIChatGenerator"}) is None
