"""traceAI: OpenInference under names of GenAI."""

import pytest

from toolscore_otel.model import CallKind, Gap, Payload, Status

AGENTS = "traceai_openai_agents"
TOOL = {"gen_ai.span.kind": "TOOL", "gen_ai.tool.name": "search"}
MODEL = {"gen_ai.span.kind": "LLM", "gen_ai.request.model": "gpt-x"}


def test_a_decorated_tool_has_arguments_and_result(read_call):
    said = {"input.value": '{"q": 1}', "output.value": "3 hits"}
    call = read_call({**TOOL, **said, "gen_ai.tool.parameters": '{"type": "object"}'}, name="f")
    assert (call.convention, call.name, call.gaps) == ("openinference", "search", ())
    assert (call.args.value, call.result.value) == ({"q": 1}, "3 hits")
    assert call.status is Status.OK


def test_hidden_content_is_not_observed(read_call):
    hidden = {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    call = read_call({**TOOL, **hidden})
    assert (call.args, call.result, call.gaps) == (Payload(), Payload(), (Gap.CONTENT_HIDDEN,))


def test_what_openai_agents_writes_before_it_knows_the_arguments_is_none(read_call):
    ended = {**TOOL, "output.value": "[]"}
    early = read_call({**ended, "input.value": "{}"}, scope=AGENTS, status="ok")
    assert early.args == Payload()
    known = {**ended, "input.value": "{}", "input.mime_type": "application/json"}
    assert read_call(known, scope=AGENTS, status="ok").args.value == {}


def test_of_openai_agents_a_call_without_an_answer_may_be_waiting(read_call):
    asked = {**TOOL, "input.value": '{"q": 1}', "input.mime_type": "application/json"}
    assert read_call(asked, scope=AGENTS, status="ok").status is Status.UNKNOWN
    assert read_call(asked, scope=AGENTS, status="error").status is Status.ERROR
    ended = {**asked, "output.value": "x"}
    assert read_call(ended, scope=AGENTS, status="ok").status is Status.OK


def test_a_handoff_of_openai_agents_is_one(read_call):
    call = read_call({"gen_ai.span.kind": "TOOL"}, name="handoff to broker", scope=AGENTS)
    assert (call.kind, call.name) == (CallKind.HANDOFF, None)


def test_other_frameworks_tools_tell_their_name_and_failures_alone(read_call):
    said = {"input.value": '{"args": [], "tool": 1}', "output.value": '"x"'}
    call = read_call({**TOOL, **said}, scope="traceai_crewai", status="ok")
    assert (call.name, call.args, call.result) == ("search", Payload(), Payload())
    assert call.status is Status.UNKNOWN
    failed = read_call({**TOOL, **said}, scope="traceai_crewai", status="error")
    assert failed.status is Status.ERROR


@pytest.mark.parametrize(
    ("attributes", "scope", "agent"),
    [
        ({"input.mime_type": "text/plain"}, "shop.app", "support"),
        ({}, "shop.app", None),
        ({"gen_ai.agent.name": "desk"}, "shop.app", "desk"),
        ({"graph.node.id": "desk"}, AGENTS, "desk"),
        ({}, AGENTS, None),
    ],
)
def test_agents_are_named_by_their_node_or_their_function(read_span, attributes, scope, agent):
    kind = {"gen_ai.span.kind": "AGENT"}
    assert read_span(kind | attributes, name="support", scope=scope).agent.name == agent


def test_of_other_frameworks_no_agent_is_read(read_span):
    assert read_span({"gen_ai.span.kind": "AGENT"}, scope="traceai_crewai", name="x") is None


@pytest.mark.parametrize("kind", ["AGENT", "CHAIN"])
def test_spans_around_a_model_call_repeat_its_tokens_and_are_none(read_span, kind):
    used = {"gen_ai.provider.name": "openai", "gen_ai.usage.input_tokens": 7}
    reading = read_span({"gen_ai.span.kind": kind, **used}, scope=AGENTS, name="turn")
    assert reading is None or reading.model is None


def test_a_model_call_has_its_messages_flattened(read_span):
    asked = "gen_ai.output.messages.0.message."
    heard = "gen_ai.input.messages.{}.message."
    reading = read_span(
        {
            **MODEL,
            "gen_ai.usage.input_tokens": 7,
            heard.format(1) + "role": "assistant",
            heard.format(1) + "tool_calls.0.tool_call.id": "c1",
            heard.format(1) + "tool_calls.0.tool_call.function.name": "a",
            heard.format(2) + "role": "tool",
            heard.format(2) + "tool_call_id": "c1",
            heard.format(2) + "content": "A",
            asked + "role": "assistant",
            asked + "tool_calls.0.tool_call.id": "c2",
            asked + "tool_calls.0.tool_call.function.name": "b",
            asked + "tool_calls.0.tool_call.function.arguments": '{"q": 1}',
        },
        scope="traceai_openai",
    )
    assert [(call.what, call.name, call.call_id) for call in reading.calls] == [
        ("request", "b", "c2"),
        ("response", "a", "c1"),
    ]
    assert reading.calls[0].args.value == {"q": 1}
    assert (reading.model.model, reading.model.input_tokens) == ("gpt-x", 7)
    assert reading.model.asks


def test_a_streamed_model_call_is_one_without_tokens(read_span):
    assert read_span(MODEL, scope="traceai_openai").model.model == "gpt-x"
