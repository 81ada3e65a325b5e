"""Where messages stand, piece by piece."""

import json
from typing import Any

import pytest

from toolscore_otel.conventions.prompts import (
    is_cut,
    is_instruction,
    may_be_cut,
    of_log,
    of_span,
    says_something,
)
from toolscore_otel.model import LogRecord

SAID = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}, {"role": "system"}]


@pytest.fixture
def pieces(make_span):
    """The pieces of a span with these attributes."""
    return lambda attributes, **fields: dict(of_span(make_span(attributes, **fields)))


def of_record(event: str | None, body: Any, **attributes: Any) -> dict[str, str]:
    return dict(of_log(LogRecord(event_name=event, body=body, attributes=attributes)))


def test_a_list_comes_message_by_message(pieces):
    found = pieces({"gen_ai.input.messages": json.dumps(SAID), "gen_ai.request.model": "m"})
    first, second = map(json.dumps, SAID)
    assert {"gen_ai.input.messages.0": first, "gen_ai.input.messages.1": second} == found


def test_a_value_of_its_own_sort_comes_in_the_same_pieces(pieces):
    found = pieces({"gen_ai.output.messages": [{"role": "user"}, "Hi", ["x"], 5]})
    path = "gen_ai.output.messages"
    assert {f"{path}.0": '{"role":"user"}', f"{path}.1": "Hi", f"{path}.2.0": "x"} == found


def test_a_request_comes_with_its_conversation_taken_apart(pieces):
    request = {"model": "m", "messages": [{"a": 1}, "b"], "config": {"x": [1]}}
    found = pieces({"input.value": json.dumps(request)})
    assert found == {
        "input.value.messages.0": '{"a": 1}',
        "input.value.messages.1": '"b"',
        "input.value": '{"model":"m","config":{"x": [1]}}',
    }


def test_a_request_that_is_nothing_but_its_conversation_leaves_no_rest(pieces):
    assert list(pieces({"genkit:input": '{"messages": [1]}'})) == ["genkit:input.messages.0"]


def test_what_is_no_json_is_one_piece(pieces):
    for text in ("Hi", "[Hi", "{Hi", "{'a': 1}", '{"a": "\ud800"}'):
        assert pieces({"ai.prompt": text}) == {"ai.prompt": text}


def test_flattened_messages_come_value_by_value(pieces):
    found = pieces(
        {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "Hi",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"a": 1}',
            "llm.token_count.prompt": 5,
        }
    )
    assert found == {
        "llm.input_messages.0.message.content": "Hi",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"a": 1}',
    }


def test_events_of_a_span_hold_messages(pieces):
    events = (
        ("gen_ai.choice", {"message": "Hi", "finish_reason": "stop"}),
        ("gen_ai.tool.message", {"gen_ai.event.content": "A"}),
        ("exception", {"exception.message": "no"}),
    )
    assert pieces({}, events=events) == {
        "gen_ai.choice.message": "Hi",
        "gen_ai.tool.message.gen_ai.event.content": "A",
    }


def test_a_record_holds_them_in_its_body_or_its_attributes():
    body = {"content": "Hi"}
    assert of_record("gen_ai.system.message", body) == {"gen_ai.system.message": '{"content":"Hi"}'}
    event = "gen_ai.client.inference.operation.details"
    found = of_record(event, "for people", **{"gen_ai.system_instructions": "Be good"})
    assert {f"{event}.gen_ai.system_instructions": "Be good"} == found
    assert of_record("gen_ai.evaluation.result", body) == {}
    assert of_record(None, body) == {}
    assert of_record(event, None, **{"gen_ai.request.model": "m", "finish_reason": "stop"}) == {}


def test_what_json_cannot_carry_is_looked_at_all_the_same():
    body = {"t": "\ud800"}
    assert of_record("gen_ai.choice", body) == {"gen_ai.choice": json.dumps(body)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Hi", True),
        (" ", False),
        ("__REDACTED__", False),
        ('"__REDACTED__"', False),
        (json.dumps({"role": "user", "content": "Hi"}), True),
        (json.dumps({"role": "user", "content": "__REDACTED__"}), False),
        (json.dumps({"role": "user", "parts": [{"type": "text"}], "index": 0}), False),
        (json.dumps({"parts": ["", "Hi"]}), True),
        (json.dumps({"parts": [None, 5]}), False),
        ("{'role': 'user'}", True),
    ],
)
def test_whether_anything_was_said(text, says):
    assert says_something(text) is says


def test_what_a_model_is_always_told_is_no_message():
    assert is_instruction("gen_ai.system_instructions.0")
    assert is_instruction("gen_ai.client.inference.operation.details.gen_ai.system_instructions")
    assert is_instruction("gen_ai.system.message.content")
    assert not is_instruction("gen_ai.input.messages.0")


def test_arguments_alone_may_be_broken_and_not_cut():
    assert may_be_cut("gen_ai.input.messages")
    assert not may_be_cut("gen_ai.completion.0.tool_calls.0.arguments")


@pytest.mark.parametrize(
    ("text", "cut"),
    [('[{"role": "us', True), ('[{"a": 1}]', False), ("[Hi", False), ("Hi {", False)],
)
def test_whether_it_was_cut(text, cut):
    assert is_cut(text) is cut


@pytest.mark.parametrize("event", ["user_prompt", "codex.user_prompt", "gemini_cli.user_prompt"])
def test_what_a_coding_agent_logs_of_its_user_is_a_message(event):
    found = of_record(event, f"{event}: 2", prompt="Hi", prompt_length="2", model="m")
    assert found == {f"{event}.prompt": "Hi"}


def test_what_a_coding_agent_logs_of_its_model_is_a_message():
    assert of_record("assistant_response", "said", response="Done.") == {
        "assistant_response.response": "Done."
    }
