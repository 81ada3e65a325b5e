"""Messages of which an instrumentation loses a part."""

import json

import pytest

from toolscore_otel.model import ContentState, Status

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o-mini"}
TL_ANTHROPIC = "@traceloop/instrumentation-anthropic"
TL_OPENAI = "@traceloop/instrumentation-openai"
OI_ANTHROPIC = "@arizeai/openinference-instrumentation-anthropic"


def asked_with(arguments):
    part = {"type": "tool_call", "id": "c1", "name": "a", "arguments": arguments}
    return CHAT | {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [part]}])}


def heard_in(text):
    message = {"role": "user", "parts": [{"type": "text", "content": text}]}
    return CHAT | {"gen_ai.input.messages": json.dumps([message])}


@pytest.mark.parametrize(
    ("arguments", "beside", "scope", "state"),
    [
        ({}, {}, TL_ANTHROPIC, ContentState.NOT_OBSERVED),
        ({"n": 1}, {}, TL_ANTHROPIC, ContentState.OBSERVED),
        (
            {},
            {"gen_ai.response.finish_reasons": ["tool_call"]},
            TL_ANTHROPIC,
            ContentState.OBSERVED,
        ),
        ({}, {}, "other", ContentState.OBSERVED),
    ],
    ids=["lost", "told", "no stream", "another writer"],
)
def test_empty_arguments_of_a_writer_that_loses_them_in_streams_are_not_observed(
    read_span, arguments, beside, scope, state
):
    (call,) = read_span(asked_with(arguments) | beside, scope=scope).calls
    assert (call.what, call.call_id, call.args.state) == ("request", "c1", state)


def test_all_items_of_a_request_may_stand_in_the_text_of_one_message(read_span):
    items = [
        {"role": "user", "content": "Go."},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "a", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "A"},
    ]
    (call,) = read_span(heard_in(json.dumps(items)), scope=TL_OPENAI).calls
    assert (call.what, call.name, call.call_id) == ("response", "a", "c1")
    assert (call.args.value, call.result.value) == ({}, "A")
    assert read_span(heard_in(json.dumps(items)), scope="other").calls == ()


def test_a_text_without_items_is_what_the_user_said(read_span):
    assert read_span(heard_in("Go."), scope=TL_OPENAI).calls == ()


def test_several_messages_are_no_request_in_a_text(read_span):
    answer = {"role": "tool", "name": "a", "content": "A", "tool_call_id": "c1"}
    history = [{"role": "user", "content": "Go."}, answer]
    attributes = CHAT | {"gen_ai.input.messages": json.dumps(history)}
    assert [call.name for call in read_span(attributes, scope=TL_OPENAI).calls] == ["a"]


def test_answers_left_out_of_the_messages_are_found_in_the_request(read_span):
    blocks = [{"type": "tool_use", "id": f"c{n}", "name": "a", "input": {"n": n}} for n in (1, 2)]
    answers = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "A", "is_error": True},
        {"type": "tool_result", "tool_use_id": "c2", "content": "B"},
    ]
    request = {
        "messages": [
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": answers},
        ]
    }
    flat = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "claude",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.tool_call_id": "c2",
        "llm.input_messages.0.message.content": "B",
    }
    whole = flat | {"input.value": json.dumps(request)}
    calls = read_span(whole, scope=OI_ANTHROPIC).calls
    assert [(call.call_id, call.args.value, call.result.value) for call in calls] == [
        ("c1", {"n": 1}, "A"),
        ("c2", {"n": 2}, "B"),
    ]
    assert calls[0].status is Status.ERROR
    cut = flat | {"input.value": json.dumps(request)[:-30]}
    for lacking in (flat, cut):
        calls = read_span(lacking, scope=OI_ANTHROPIC).calls
        assert [(call.call_id, call.result.value) for call in calls] == [("c2", "B")]
