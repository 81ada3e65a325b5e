"""Where the messages of a model call stand on its span."""

import json
from typing import Any

import pytest

from toolscore_otel.conventions import read

Events = tuple[tuple[str, dict[str, Any]], ...]

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o-mini"}
ASKED_CALL = {"id": "c2", "function": {"name": "b"}}
ASKED = {"role": "assistant", "tool_calls": [ASKED_CALL]}
CALLED = [{"id": "c1", "function": {"name": "a"}}]
HISTORY = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "tool_calls": CALLED},
    {"role": "tool", "tool_call_id": "c1", "content": "A"},
]
INPUT, OUTPUT = json.dumps(HISTORY), json.dumps([ASKED])
BOTH = [("request", "b", "c2"), ("response", "a", "c1")]


def flat(prefix, messages, middle=""):
    found = {}
    for number, said in enumerate(messages):
        at = f"{prefix}.{number}.{middle}"
        for place, call in enumerate(said.get("tool_calls", ())):
            found[f"{at}tool_calls.{place}.id"] = call["id"]
            found[f"{at}tool_calls.{place}.name"] = call["function"]["name"]
        found |= {f"{at}{key}": value for key, value in said.items() if key != "tool_calls"}
    return found


PLACES = {
    "attributes": CHAT | {"gen_ai.input.messages": INPUT, "gen_ai.output.messages": OUTPUT},
    "structured attributes": CHAT
    | {"gen_ai.input.messages": HISTORY, "gen_ai.output.messages": [ASKED]},
    "traceloop": CHAT | flat("gen_ai.prompt", HISTORY) | flat("gen_ai.completion", [ASKED]),
    "openinference": {"openinference.span.kind": "LLM"}
    | flat("llm.input_messages", HISTORY, "message.")
    | flat("llm.output_messages", [ASKED], "message."),
    "ai sdk": {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": INPUT,
        "ai.response.toolCalls": json.dumps([{"toolCallId": "c2", "toolName": "b"}]),
    },
    "event list": CHAT
    | {"events": json.dumps([*HISTORY, {"event.name": "gen_ai.choice", "message": ASKED}])},
    "genkit": {
        "genkit:metadata:subtype": "model",
        "genkit:input": json.dumps({"messages": HISTORY}),
        "genkit:output": json.dumps({"message": ASKED}),
    },
}


def told(reading):
    return [(call.what, call.name, call.call_id) for call in reading.calls]


@pytest.mark.parametrize("attributes", PLACES.values(), ids=PLACES)
def test_messages_are_found_wherever_they_stand(read_span, attributes):
    assert told(read_span(attributes)) == BOTH


def test_messages_may_stand_in_one_event(read_span):
    details = {"gen_ai.input.messages": INPUT, "gen_ai.output.messages": OUTPUT}
    events: Events = (("other", {}), ("gen_ai.client.inference.operation.details", details))
    assert told(read_span(CHAT, events=events)) == BOTH


def test_messages_may_stand_in_events_of_their_own(read_span):
    asked = json.dumps([{"toolUse": {"toolUseId": "c1", "name": "a", "input": {}}}])
    asks = json.dumps([{"toolUse": {"toolUseId": "c2", "name": "b", "input": {}}}])
    answer = json.dumps([{"toolResult": {"toolUseId": "c1", "content": [{"text": "A"}]}}])
    events: Events = (
        ("gen_ai.user.message", {"content": '[{"text": "Go."}]'}),
        ("First Token Stream Event", {}),
        ("gen_ai.assistant.message", {"content": asked}),
        ("gen_ai.tool.message", {"content": answer}),
        ("gen_ai.choice", {"message": asks}),
    )
    assert told(read_span(CHAT, events=events)) == BOTH


def test_haystack_shows_what_is_asked_for(read_span):
    reply = {"role": "assistant", "content": [{"tool_call": {"tool_name": "b", "id": "c2"}}]}
    attributes = {"haystack.agent.step.llm.output": json.dumps({"replies": [reply]})}
    assert told(read_span(attributes, name="haystack.agent.step.llm")) == [("request", "b", "c2")]


def test_input_and_output_may_stand_in_two_places(read_span):
    attributes = CHAT | {
        "gen_ai.input.messages": INPUT,
        "gen_ai.output.messages": '[{"role": "assistant", "parts": []}]',
    }
    flattened = {f"gen_ai.completion.0.function_call.{key}": "b" for key in ("name", "arguments")}
    assert told(read_span(attributes | flattened)) == [
        ("request", "b", None),
        ("response", "a", "c1"),
    ]


def test_calls_that_the_output_leaves_out_are_found_beside_it(read_span):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "I look."}]}]',
        "gen_ai.response.finish_reasons": '["tool_calls"]',
        "gen_ai.completion.0.function_call.name": "get_weather",
        "gen_ai.completion.0.function_call.arguments": '{"city": "Paris"}',
    }
    (asked,) = read_span(attributes).calls
    assert (asked.name, asked.args.value) == ("get_weather", {"city": "Paris"})
    assert read_span(attributes | {"gen_ai.response.finish_reasons": '["stop"]'}).calls == ()


def test_spans_that_are_no_model_call_only_repeat_what_others_say(read_span):
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": INPUT}
    assert read_span(agent).calls == ()


def test_a_model_call_apart_from_its_tools_is_not_asked(read_span):
    attributes = {"gen_ai.operation.name": "llm_call", "gen_ai.input.messages": INPUT}
    assert read_span(attributes, scope="gemini-cli").calls == ()


def test_an_event_list_may_hold_what_the_model_says_and_nothing_else(read_span):
    assert told(read_span(CHAT | {"events": json.dumps([ASKED])})) == [("request", "b", "c2")]


@pytest.mark.parametrize(
    ("other", "of_a_model"),
    [
        (
            {"genkit:metadata:subtype": "flow", "genkit:input": json.dumps({"messages": HISTORY})},
            {"genkit:metadata:subtype": "model"},
        ),
        (
            {"langfuse.observation.type": "chain", "langfuse.observation.input": INPUT},
            {"langfuse.observation.type": "generation"},
        ),
    ],
)
def test_what_stands_on_spans_of_another_type_is_no_message(read_span, other, of_a_model):
    assert read_span(CHAT | other).calls == ()
    assert told(read_span(CHAT | other | of_a_model)) == BOTH[1:]


def test_content_that_is_off_says_nothing(make_span):
    reading = read(make_span(CHAT | {"gen_ai.response.finish_reasons": ["tool_calls"]}))
    assert reading is not None
    assert reading.model is not None
    assert (reading.calls, reading.model.asks) == ((), True)


def test_the_messages_of_several_model_calls_on_one_span_say_nothing(read_span):
    agent = {"openinference.span.kind": "LLM"} | flat("llm.output_messages", [ASKED], "message.")
    assert read_span(agent, name="invoke_agent support").calls == ()
    assert [call.name for call in read_span(agent, name="chat").calls] == ["b"]


@pytest.mark.parametrize("wrap", [list, lambda messages: {"tools": [], "messages": messages}])
def test_a_langfuse_generation_has_the_offered_tools_among_its_messages(read_span, wrap):
    offered = {"role": "tool", "content": {"type": "function", "function": {"name": "a"}}}
    reading = read_span(
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": json.dumps(wrap([*HISTORY, offered])),
            "langfuse.observation.output": json.dumps(ASKED),
        }
    )
    assert [(call.what, call.name, call.call_id) for call in reading.calls] == BOTH


ASKS = [{"id": "c2", "type": "function", "function": {"name": "b", "arguments": '{"x": 1}'}}]
OLD_CHOICES: dict[str, dict[str, Any]] = {
    "text": {"index": 0, "message": json.dumps({"role": "assistant", "tool_calls": ASKS})},
    "kvlist": {"message": {"role": "assistant", "tool_calls": ASKS}},
    "without a role": {"message": {"tool_calls": json.dumps(ASKS)}},
    "calls beside": {"message": "I look.", "tool_calls": json.dumps(ASKS)},
    "calls alone": {"tool_calls": ASKS},
    "azure": {
        "gen_ai.system": "az.ai.inference",
        "gen_ai.event.content": json.dumps({"message": {"tool_calls": ASKS}, "index": 0}),
    },
}
OLD_HISTORIES: dict[str, Events] = {
    "attributes": (
        ("gen_ai.assistant.message", {"tool_calls": json.dumps(CALLED)}),
        ("gen_ai.tool.message", {"id": "c1", "content": "A"}),
    ),
    "azure": (
        ("gen_ai.user.message", {"gen_ai.event.content": '{"role": "user", "content": "Go."}'}),
        ("gen_ai.assistant.message", {"gen_ai.event.content": json.dumps(HISTORY[1])}),
        ("gen_ai.tool.message", {"gen_ai.event.content": json.dumps(HISTORY[2])}),
    ),
}


@pytest.mark.parametrize("choice", OLD_CHOICES.values(), ids=OLD_CHOICES)
def test_a_choice_may_be_an_event_in_any_form(read_span, choice):
    (asked,) = read_span(CHAT, events=(("gen_ai.choice", choice),)).calls
    assert (asked.name, asked.call_id, asked.args.value) == ("b", "c2", {"x": 1})


@pytest.mark.parametrize("history", OLD_HISTORIES.values(), ids=OLD_HISTORIES)
def test_a_history_may_be_events_in_any_form(read_span, history):
    (answered,) = read_span(CHAT, events=history).calls
    assert (answered.what, answered.name, answered.call_id) == ("response", "a", "c1")
    assert answered.result.value == "A"


def test_an_event_of_a_tool_that_names_no_call_is_no_answer(read_span):
    events: Events = (("gen_ai.tool.message", {"content": "A"}), ("gen_ai.choice", {}))
    assert read_span(CHAT, events=events).calls == ()


def test_langtrace_has_each_side_in_one_event_and_its_calls_among_the_content(make_span):
    blanks = [{"id": "", "type": ""}]  # what it writes where the model asked for a tool
    events = (
        ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([blanks, HISTORY[2]])}),
        (
            "gen_ai.content.completion",
            {
                "gen_ai.completion": json.dumps(
                    [{"role": "assistant", "content": [{"type": "function", **ASKED_CALL}]}]
                )
            },
        ),
    )
    assert told(read(make_span(CHAT, events=events))) == [
        ("request", "b", "c2"),
        ("response", None, "c1"),
    ]


def test_content_events_in_words_say_nothing_of_tools(make_span):
    events = (("gen_ai.content.prompt", {"gen_ai.prompt": "user: Go."}),)
    assert told(read(make_span(CHAT, events=events))) == []


def test_openai_agents_answers_a_call_that_waited_for_approval_last(read_span):
    history = [
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "a"}}, {"function": {"name": "b"}}],
        },
        {"role": "tool", "tool_call_id": "2", "content": "B"},
        {"role": "tool", "tool_call_id": "1", "content": "A"},
    ]
    attributes = CHAT | {"gen_ai.input.messages": json.dumps(history)}
    for scope in ("opentelemetry", "openinference"):
        told = read_span(attributes, scope=f"{scope}.instrumentation.openai_agents").calls
        assert [(call.name, call.call_id) for call in told] == [(None, "2"), (None, "1")]
