"""Netra's decorated functions, and the messages of its model clients."""

import json

import pytest

from toolscore_otel.model import Payload, Status

TOOL = {"netra.span.type": "TOOL", "netra.entity.type": "span"}
CHAT = {"gen_ai.request.model": "gpt-4o", "gen_ai.usage.prompt_tokens": 9}
CLIENT = "netra.instrumentation.openai"


def test_a_tool_is_named_by_its_span(read_call):
    call = read_call(TOOL | {"input": '{"q": "a"}', "output": "found"}, name="search")
    assert (call.convention, call.name, call.call_id) == ("netra", "search", None)
    assert (call.args.value, call.result.value, call.status) == ({"q": "a"}, "found", Status.OK)


@pytest.mark.parametrize("value", ["5", "1.5", "None", "True", '{"a": 1}', 7])
def test_arguments_are_known_where_all_of_them_were_texts(read_call, value):
    asked = {"input": json.dumps({"q": "a", "n": value})}
    assert read_call(TOOL | asked, name="search").args == Payload()


@pytest.mark.parametrize("nothing", ["", "None"])
def test_what_stands_there_for_nothing_is_nothing(read_call, nothing):
    call = read_call(TOOL | {"input": "", "output": nothing}, name="search")
    assert (call.args, call.result) == (Payload(), Payload())


def test_a_failed_call_is_told_by_an_attribute(read_call):
    call = read_call(TOOL | {"output": "", "netra.entity.error": "503"}, name="search")
    assert (call.status, call.error_message, call.result) == (Status.ERROR, "503", Payload())


@pytest.mark.parametrize(("name", "agent"), [("desk", "desk"), ("", None)])
def test_an_agent_is_named_by_its_span(read_span, name, agent):
    decorated = {"netra.span.type": "AGENT", "netra.entity.type": "agent"}
    assert read_span(decorated, name=name).agent.name == agent


@pytest.mark.parametrize(
    ("kind", "decorator"),
    [("TOOL", "task"), ("SPAN", "span"), ("AGENT", "workflow"), ("TOOL", None)],
)
def test_other_steps_say_nothing(read_span, kind, decorator):
    step = {"netra.span.type": kind, "netra.entity.type": decorator}
    assert read_span(step, name="search") is None


def test_what_was_asked_for_is_the_text_of_a_message(read_span):
    call = '{"name": "search", "arguments": "{\\"q\\": 1}"}'
    asked = {"role": "assistant", "content": call, "tool_call_id": "c1"}
    answered = {"role": "tool", "content": "found", "tool_call_id": "c1"}
    again = asked | {"tool_call_id": "c2"}
    attributes = {
        f"gen_ai.{place}.{key}": value
        for place, message in (("prompt.0", asked), ("prompt.1", answered), ("completion.0", again))
        for key, value in message.items()
    }
    request, response = read_span(CHAT | attributes, scope=CLIENT).calls
    assert (request.what, request.name, request.call_id, request.args.value) == (
        "request", "search", "c2", {"q": 1},
    )  # fmt: skip
    assert (response.what, response.name, response.call_id, response.result.value) == (
        "response", "search", "c1", "found",
    )  # fmt: skip


def test_what_a_model_says_in_words_asks_for_nothing(read_span):
    words = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Done."}
    assert read_span(CHAT | words, scope=CLIENT).calls == ()


def test_messages_of_the_conventions_stay_as_they_are(read_span):
    part = {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": 1}}
    said = json.dumps([{"role": "assistant", "parts": [part]}])
    heard = json.dumps([{"role": "user", "parts": []}])
    messages = {"gen_ai.input.messages": heard, "gen_ai.output.messages": said}
    (call,) = read_span(CHAT | messages, scope=CLIENT).calls
    assert (call.name, call.call_id, call.args.value) == ("search", "c1", {"q": 1})
