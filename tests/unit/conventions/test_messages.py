"""One chat message, in the shape of every provider."""

import json
from typing import Any

import pytest

from toolscore_otel.conventions.messages import Asked, Message, calls, message
from toolscore_otel.model import NOT_OBSERVED, ContentState, Status

ARGS = {"city": "Paris"}
TEXT = json.dumps(ARGS)

ASKING: dict[str, dict[str, Any]] = {
    "openai": {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": TEXT}}],
    },
    "openai, calls as text": {
        "role": "assistant",
        "tool_calls": json.dumps(
            [{"id": "c1", "function": {"name": "weather", "arguments": TEXT}}]
        ),
    },
    "responses": {
        "type": "function_call",
        "id": "fc_9",
        "call_id": "c1",
        "name": "weather",
        "arguments": TEXT,
    },
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGS},
        ],
    },
    "gemini": {
        "role": "model",
        "parts": [{"functionCall": {"id": "c1", "name": "weather", "args": ARGS}}],
    },
    "adk": {
        "content": {
            "role": "model",
            "parts": [
                {"text": None, "function_call": {"id": "c1", "name": "weather", "args": ARGS}}
            ],
        }
    },
    "bedrock": {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "c1", "name": "weather", "input": ARGS}}],
    },
    "genai": {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": TEXT}],
    },
    "langchain": {
        "type": "ai",
        "data": {"content": "", "tool_calls": [{"id": "c1", "name": "weather", "args": ARGS}]},
    },
    "langchain, serialised": {
        "id": ["langchain", "AIMessage"],
        "kwargs": {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "name": "weather", "args": ARGS}],
        },
    },
    "ai sdk": {
        "role": "assistant",
        "content": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": ARGS}
        ],
    },
    "genkit": {
        "role": "model",
        "content": [{"toolRequest": {"name": "weather", "input": ARGS, "ref": "c1"}}],
    },
    "haystack": {
        "role": "assistant",
        "content": [{"tool_call": {"tool_name": "weather", "arguments": ARGS, "id": "c1"}}],
    },
    "openinference": {
        "message": {
            "role": "assistant",
            "tool_calls": [
                {"tool_call": {"id": "c1", "function": {"name": "weather", "arguments": TEXT}}}
            ],
        }
    },
    "openinference, as content": {
        "message": {
            "role": "assistant",
            "contents": [
                {
                    "message_content": {"type": "tool_use"},
                    "tool_call": {"id": "c1", "function": {"name": "weather", "arguments": TEXT}},
                }
            ],
        }
    },
    "a choice": {
        "index": 0,
        "message": {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": TEXT}}],
        },
    },
    "printed by Python": {
        "role": "assistant",
        "parts": [
            {
                "type": "text",
                "content": f"ResponseFunctionToolCall(arguments='{TEXT}', call_id='c1', "
                "name='weather', type='function_call')",
            }
        ],
    },
}

ANSWERING = {
    "openai": ({"role": "tool", "tool_call_id": "c1", "content": "18 C"}, "unknown"),
    "responses": ({"type": "function_call_output", "call_id": "c1", "output": "18 C"}, "unknown"),
    "anthropic, good": (
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "18 C", "is_error": False}
            ],
        },
        "ok",
    ),
    "anthropic, failed": (
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "18 C", "is_error": True}
            ],
        },
        "error",
    ),
    "anthropic, as text": (
        {
            "role": "user",
            "content": json.dumps(
                [{"type": "tool_result", "tool_use_id": "c1", "content": "18 C"}]
            ),
        },
        "unknown",
    ),
    "gemini": (
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": "18 C"}}]},
        "unknown",
    ),
    "bedrock": (
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "c1",
                        "status": "success",
                        "content": [{"text": "18 C"}],
                    }
                }
            ],
        },
        "ok",
    ),
    "genai": (
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "18 C"}]},
        "unknown",
    ),
    "pydantic-ai": (
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "18 C"}]},
        "unknown",
    ),
    "litellm": (
        {"role": "tool", "tool_call_id": "c1", "parts": [{"type": "text", "content": "18 C"}]},
        "unknown",
    ),
    "langchain": (
        {"type": "tool", "data": {"content": "18 C", "tool_call_id": "c1", "status": "error"}},
        "error",
    ),
    "ai sdk, good": (
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "output": {"type": "text", "value": "18 C"},
                }
            ],
        },
        "ok",
    ),
    "ai sdk, failed": (
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "output": {"type": "error-text", "value": "18 C"},
                }
            ],
        },
        "error",
    ),
    "genkit": (
        {"role": "tool", "content": [{"toolResponse": {"ref": "c1", "output": "18 C"}}]},
        "unknown",
    ),
    "haystack": (
        {
            "role": "tool",
            "content": [
                {"tool_call_result": {"result": "18 C", "origin": {"id": "c1"}, "error": True}}
            ],
        },
        "error",
    ),
}


@pytest.mark.parametrize("recorded", ASKING.values(), ids=ASKING)
def test_a_call_that_is_asked_for_is_read_from_every_shape(recorded):
    said = message(recorded)
    (asked,) = said.asked
    assert (asked.name, asked.args.value, asked.call_id) == ("weather", ARGS, "c1")
    assert said.answered == ()


@pytest.mark.parametrize("recorded", [m for name, m in ASKING.items() if name != "openai"])
def test_what_asks_comes_from_the_model(recorded):
    if "kwargs" not in recorded:
        assert message(recorded).from_model


@pytest.mark.parametrize(("recorded", "status"), ANSWERING.values(), ids=ANSWERING)
def test_an_answer_is_read_from_every_shape(recorded, status):
    (answer,) = message(recorded).answered
    assert (answer.call_id, answer.result.value, answer.status) == ("c1", "18 C", status)
    assert not message(recorded).from_model


@pytest.mark.parametrize("recorded", [ASKING["anthropic"], ANSWERING["genai"][0]])
@pytest.mark.parametrize("write", [json.dumps, lambda m: json.dumps(json.dumps(m)), repr])
def test_a_message_may_be_text_of_any_sort(recorded, write):
    assert message(write(recorded)) == message(recorded)


@pytest.mark.parametrize("recorded", [None, 7, "hello", [], {}, "{", ["x"]])
def test_what_is_no_message_says_nothing(recorded):
    assert message(recorded) == Message()


def test_words_are_kept_where_a_message_is_about_no_tool():
    parts = [{"type": "text", "content": "Hello"}, {"type": "text", "text": "there"}]
    assert message({"role": "assistant", "parts": parts}).text == "Hello\nthere"
    assert message({"role": "user", "content": "Hi"}).text == "Hi"


def test_a_call_that_one_message_has_twice_is_one_call():
    both = {**ASKING["anthropic"], **ASKING["openai"]}
    assert [asked.call_id for asked in message(both).asked] == ["c1"]


def test_calls_without_id_are_told_apart_though_they_are_equal():
    part = {"type": "tool_call", "name": "weather", "arguments": ARGS}
    assert len(message({"role": "assistant", "parts": [part, part]}).asked) == 2


def test_the_id_of_a_responses_item_is_no_call_id():
    part = {"type": "tool_call", "id": "fc_1", "name": "weather", "arguments": ARGS}
    assert message({"role": "assistant", "parts": [part]}).asked[0].call_id is None


def test_the_old_function_call_of_openai_has_no_id():
    said = message({"role": "assistant", "function_call": {"name": "weather", "arguments": TEXT}})
    assert [(asked.name, asked.call_id) for asked in said.asked] == [("weather", None)]


def test_broken_arguments_stay_text():
    call = {"id": "c1", "function": {"name": "weather", "arguments": '{"city": Paris}'}}
    (asked,) = message({"role": "assistant", "tool_calls": [call]}).asked
    assert (asked.args.state, asked.args.text) == (ContentState.UNPARSABLE, '{"city": Paris}')


@pytest.mark.parametrize("call", [None, 3, {}, {"function": {}}, {"function": {"name": 3}}])
def test_a_call_that_names_nothing_is_none(call):
    assert message({"role": "assistant", "tool_calls": [call]}).asked == ()


def test_an_object_that_prints_like_a_call_and_is_none_is_words():
    text = r"ResponseFunctionToolCall(arguments='\q', call_id='c1', name='weather', x)"
    said = message({"role": "assistant", "parts": [{"type": "text", "content": text}]})
    assert (said.asked, said.text) == ((), text)


def test_a_part_that_only_has_a_name_is_no_call():
    assert message({"role": "assistant", "parts": [{"name": "weather"}]}).asked == ()


def test_an_answer_without_content_is_not_observed():
    (answer,) = message({"role": "tool", "tool_call_id": "c1"}).answered
    assert (answer.result.state, answer.status) == (ContentState.NOT_OBSERVED, Status.UNKNOWN)


def test_an_output_of_an_unknown_type_is_the_result_itself():
    part = {"type": "tool-result", "toolCallId": "c1", "output": {"type": "x", "value": 1}}
    (answer,) = message({"role": "tool", "content": [part]}).answered
    assert (answer.result.value, answer.status) == ({"type": "x", "value": 1}, Status.UNKNOWN)


def test_a_list_of_calls_needs_no_message_around_it():
    call = {"toolCallId": "c1", "toolName": "weather", "args": TEXT}
    assert [(c.name, c.args.value) for c in calls([call, 3])] == [("weather", ARGS)]
    assert calls(None) == ()


def test_an_answer_may_come_from_the_user():
    said = message({"role": "user", "tool_call_id": "c1", "content": "18"})
    assert [(answer.call_id, answer.result.value) for answer in said.answered] == [("c1", 18)]


@pytest.mark.parametrize(
    ("reason", "arguments", "state"),
    [
        ("", {}, ContentState.NOT_OBSERVED),
        ("", ARGS, ContentState.OBSERVED),
        ("tool_call", {}, ContentState.OBSERVED),
    ],
)
def test_a_streamed_message_without_an_end_has_no_empty_arguments(reason, arguments, state):
    part = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": arguments}
    said = message({"role": "assistant", "finish_reason": reason, "parts": [part]})
    assert [(each.call_id, each.args.state) for each in said.asked] == [("c1", state)]


def test_a_placeholder_is_no_name_of_a_tool():
    hidden = {"name": "HIDDEN:non-empty", "arguments": "HIDDEN:non-empty"}
    asked = message({"role": "assistant", "tool_calls": [{"id": "c1", "function": hidden}]}).asked
    assert asked == (Asked(None, NOT_OBSERVED, "c1"),)
    told = message({"role": "tool", "tool_call_id": "c1", "name": "HIDDEN:non-empty"}).answered
    assert [(each.call_id, each.name) for each in told] == [("c1", None)]
    assert message({"role": "assistant", "tool_calls": [{"function": hidden}]}).asked == ()


def test_a_users_message_with_an_empty_place_for_an_id_is_no_answer():
    said = message({"role": "user", "content": "Go.", "tool_calls": None, "tool_call_id": None})
    assert said == Message(text="Go.")
