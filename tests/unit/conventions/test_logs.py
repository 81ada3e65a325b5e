"""What log records say."""

import json
from typing import Any

import pytest

from toolscore_otel.conventions import is_log_of_interest, read_log
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import (
    NOT_OBSERVED,
    CallKind,
    ContentState,
    Gap,
    InstrumentationScope,
    LogRecord,
    Payload,
    Resource,
)

CLAUDE = "com.anthropic.claude_code.events"
CALL = {"id": "c1", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}


@pytest.fixture
def said():
    """The reading of a record that stands on a span, unless told otherwise."""

    def read(event=None, body=None, attributes=None, *, scope="", **fields):
        where: dict[str, Any] = {"trace_id": "a" * 32, "span_id": "b" * 16, "time_ns": 5} | fields
        return read_log(
            LogRecord(
                event_name=event,
                body=body,
                attributes=attributes or {},
                scope=InstrumentationScope(scope),
                **where,
            )
        )

    return read


@pytest.fixture
def call(said):
    """The only call of that reading."""

    def read(*args, **fields):
        (found,) = said(*args, **fields).calls
        return found

    return read


def test_other_records_say_nothing(said):
    assert said("gen_ai.evaluation.result", None, {"gen_ai.evaluation.name": "x"}) is None
    assert said(None, "gen_ai.choice") is None
    assert said("gen_ai.user.message", {"content": "Hi"}) is None
    assert said("gen_ai.system.message", {"content": "Be kind."}) is None


def test_the_attribute_names_the_event_before_the_field():
    assert is_log_of_interest("event file.rs:1", {"event.name": "codex.tool_result"})
    assert is_log_of_interest("gen_ai.choice", {})
    assert not is_log_of_interest(None, {})


@pytest.mark.parametrize(
    "body",
    [
        {"message": {"role": "assistant", "tool_calls": [CALL]}},
        {"message": {"role": "assistant", "content": ""}, "tool_calls": [CALL]},
        json.dumps({"message": {"tool_calls": [CALL]}}),
    ],
)
def test_a_choice_asks(said, body):
    reading = said("gen_ai.choice", body)
    (call,) = reading.calls
    assert (call.what, call.name, call.call_id) == ("request", "weather", "c1")
    assert reading.spoken == "now"


def test_a_message_of_the_model_in_the_input_was_spoken_before(said):
    reading = said("gen_ai.assistant.message", {"tool_calls": [CALL]})
    assert ([c.name for c in reading.calls], reading.spoken) == (["weather"], "before")
    assert said("gen_ai.assistant.message", {"content": "Hi"}).spoken == "before"


def test_a_tool_message_answers(call):
    answer = call("gen_ai.tool.message", {"id": "c1", "content": "18 C", "role": "x"})
    assert (answer.what, answer.call_id, answer.result.value) == ("response", "c1", "18 C")
    assert answer.fills


def test_a_user_message_may_hold_an_answer_or_be_the_models(said):
    part = {"function_response": {"id": "c1", "name": "weather", "response": "18 C"}}
    reading = said("gen_ai.user.message", {"content": {"role": "user", "parts": [part]}})
    assert [(c.name, c.result.value) for c in reading.calls] == [("weather", "18 C")]
    asking = {"function_call": {"id": "c1", "name": "weather", "args": {}}}
    reading = said("gen_ai.user.message", {"content": {"role": "model", "parts": [asking]}})
    assert (reading.calls[0].what, reading.spoken) == ("request", "before")


def test_details_hold_all_messages_of_a_model_call(said):
    attributes = {
        "gen_ai.input.messages": [
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "18 C"},
        ],
        "gen_ai.output.messages": [{"role": "assistant", "tool_calls": [{**CALL, "id": "c2"}]}],
        "gen_ai.conversation.id": "talk",
    }
    reading = said("gen_ai.client.inference.operation.details", None, attributes)
    assert [(c.what, c.call_id) for c in reading.calls] == [("request", "c2"), ("response", "c1")]
    assert reading.conversation_id == "talk"
    event = "gen_ai.client.inference.operation.details"
    assert said(event, None, attributes, scope="gemini-cli") is None


def test_a_message_on_no_span_of_its_trace_says_nothing(said):
    assert said("gen_ai.choice", {"tool_calls": [CALL]}, span_id=None) is None


def test_a_message_without_a_trace_says_what_has_an_id(said):
    idless = {key: value for key, value in CALL.items() if key != "id"}
    reading = said("gen_ai.choice", {"tool_calls": [CALL, idless]}, trace_id=None)
    assert [(call.call_id, call.gaps) for call in reading.calls] == [
        ("c1", (Gap.TRACE_NOT_OBSERVED,))
    ]
    assert reading.spoken is None
    assert said("gen_ai.choice", {"tool_calls": [idless]}, trace_id=None) is None


def test_an_exception_is_a_failure_of_its_span(said, call):
    attributes = {"exception.type": "ValueError", "exception.message": "no"}
    failure = call("exception", None, attributes)
    assert (failure.status, failure.error_type, failure.error_message) == (
        "error",
        "ValueError",
        "no",
    )
    assert failure.fills
    assert said("exception", None, attributes, span_id=None) is None


@pytest.mark.parametrize("error_type", [None, "asyncio.CancelledError", "ParentCommand"])
def test_what_is_raised_to_steer_is_no_failure(said, error_type):
    assert said("exception", None, {"exception.type": error_type}) is None


CLAUDE_RESULT = {
    "event.name": "tool_result",
    "session.id": "talk",
    "tool_name": "Bash",
    "tool_use_id": "c1",
    "success": "false",
    "error": "failed",
    "error_type": "ShellError",
    "duration_ms": 114,
    "tool_input": '{"command": "ls"}',
}


def test_a_result_of_claude_code_is_a_call_that_ran(said):
    reading = said(None, "claude_code.tool_result", CLAUDE_RESULT, scope=CLAUDE)
    (call,) = reading.calls
    assert (call.what, call.name, call.call_id, call.args.value) == (
        "log",
        "Bash",
        "c1",
        {"command": "ls"},
    )
    assert (call.status, call.error_type, call.error_message) == ("error", "ShellError", "failed")
    assert (reading.duration_ns, reading.conversation_id) == (114_000_000, "talk")
    assert said(None, "x", CLAUDE_RESULT, scope="my.app") is None


def test_a_decision_of_claude_code_is_a_call_that_was_asked_for(call, said):
    attributes = {**CLAUDE_RESULT, "event.name": "tool_decision", "decision": "reject"}
    asked = call(None, None, attributes, scope=CLAUDE)
    assert (asked.what, asked.stage, asked.status) == ("request", "requested", "unknown")
    assert said(None, None, attributes, scope="my.app") is None


def test_a_shell_command_of_claude_code_is_told_by_its_parameters(call):
    about = {"bash_command": "ls", "full_command": "ls -l", "description": "List"}
    attributes = {**CLAUDE_RESULT, "tool_parameters": json.dumps(about), "tool_input": None}
    args = call(None, None, attributes, scope=CLAUDE).args
    assert args.value == {"command": "ls -l", "description": "List"}
    assert args.is_mended  # more may have been given


def test_an_input_of_claude_code_is_known_up_to_the_first_text_in_it_that_was_cut(call):
    shown = '{"file_path":"/a","content":"x = 1'
    recorded = shown + '…[12500 chars]","mode":"w"}'
    attributes = {**CLAUDE_RESULT, "tool_name": "Write", "tool_input": recorded}
    args = call(None, None, attributes, scope=CLAUDE).args
    assert (args.state, args.text, args.value) == (ContentState.TRUNCATED, shown, None)
    whole = '{"content":"of …[2 chars] each"}'
    args = call(None, None, {**attributes, "tool_input": whole}, scope=CLAUDE).args
    assert args.state is ContentState.OBSERVED


def test_an_mcp_tool_of_claude_code_is_named_in_its_parameters(call):
    attributes = {**CLAUDE_RESULT, "tool_name": "mcp_tool", "success": None}
    about = {"mcp_server_name": "orders", "mcp_tool_name": "get_order"}
    named = call(None, None, {**attributes, "tool_parameters": json.dumps(about)}, scope=CLAUDE)
    assert (named.name, named.status, named.error_type) == (
        "mcp__orders__get_order",
        "unknown",
        None,
    )
    assert call(None, None, attributes, scope=CLAUDE).name is None


def test_a_sub_agent_of_claude_code_is_an_agent(call):
    attributes = {**CLAUDE_RESULT, "tool_name": "Task"}
    assert call(None, None, attributes, scope=CLAUDE).kind is CallKind.AGENT


CODEX_RESULT = {
    "event.name": "codex.tool_result",
    "tool_name": "get_order",
    "tool_namespace": "mcp__orders",
    "call_id": "c1",
    "arguments": '{"id": 1}',
    "output": "Ok",
    "success": "true",
    "duration_ms": "65",
    "conversation.id": "talk",
}


def test_a_result_of_codex_is_a_call_that_ran(said):
    reading = said("event file.rs:1", None, CODEX_RESULT)
    (call,) = reading.calls
    assert (call.name, call.call_id, call.args.value) == ("mcp__orders__get_order", "c1", {"id": 1})
    assert (call.result.value, call.status) == ("Ok", "ok")
    assert (reading.duration_ns, reading.conversation_id) == (65_000_000, "talk")


@pytest.mark.parametrize("mark", [True, "true"])
def test_codex_says_where_it_cut_an_output(call, mark):
    cut = call(None, None, {**CODEX_RESULT, "output_truncated": mark})
    assert cut.result == Payload(ContentState.TRUNCATED, text="Ok")
    hidden = call(None, None, {**CODEX_RESULT, "output": None, "output_truncated": mark})
    assert hidden.result == NOT_OBSERVED
    whole = call(None, None, {**CODEX_RESULT, "output_truncated": False})
    assert whole.result == Payload(ContentState.OBSERVED, "Ok")


@pytest.mark.parametrize(
    "event", ["user_prompt", "assistant_response", "codex.user_prompt", "gemini_cli.user_prompt"]
)
def test_a_message_of_a_coding_agent_says_whose_conversation_it_is_of(said, event):
    attributes = {"event.name": event, "prompt": "Hi", "session.id": "talk"}
    assert said(None, None, attributes) == SpanReading(conversation_id="talk")
    assert is_log_of_interest(None, attributes)


def test_a_decision_of_codex_is_a_call_that_was_asked_for(call):
    asked = call(None, None, {**CODEX_RESULT, "event.name": "codex.tool_decision"})
    assert (asked.what, asked.stage, asked.name) == (
        "request",
        "requested",
        "mcp__orders__get_order",
    )


GEMINI_CALL = {
    "event.name": "gemini_cli.tool_call",
    "function_name": "read_file",
    "function_args": '{"path": "a"}',
    "success": True,
    "duration_ms": 7,
    "session.id": "talk",
}


def test_a_call_of_gemini_cli_ran(said):
    reading = said(None, None, GEMINI_CALL)
    (call,) = reading.calls
    assert (call.what, call.name, call.args.value) == ("log", "read_file", {"path": "a"})
    assert (call.status, reading.duration_ns) == ("ok", 7_000_000)


def test_a_failed_call_of_gemini_cli_says_why(call):
    attributes = {**GEMINI_CALL, "success": False, "error": "no file", "error_type": "not_found"}
    failed = call(None, None, attributes)
    assert (failed.status, failed.error_type, failed.error_message) == (
        "error",
        "not_found",
        "no file",
    )


@pytest.mark.parametrize("why", [{"error_type": "policy_violation"}, {"decision": "reject"}])
def test_what_gemini_cli_turned_down_did_not_run(call, why):
    asked = call(None, None, {**GEMINI_CALL, "success": False, **why})
    assert (asked.what, asked.stage, asked.status) == ("request", "requested", "unknown")


def test_a_record_without_a_trace_says_so(call):
    found = call(None, None, CODEX_RESULT, trace_id=None, span_id=None)
    assert found.gaps == (Gap.TRACE_NOT_OBSERVED,)


def test_a_record_that_others_were_left_out_beside_says_so(said):
    attributes = {"tool_name": "search", "call_id": "c1", "conversation.id": "x"}
    sampled = said("codex.tool_result", None, attributes | {"sampling.threshold": "8"})
    whole = said("codex.tool_result", None, attributes)
    assert (sampled.is_sampled, sampled.calls[0].gaps) == (True, (Gap.SAMPLED_UPSTREAM,))
    assert (whole.is_sampled, whole.calls[0].gaps) == (False, ())


def test_the_conversation_of_the_resource_counts_where_the_record_names_none(said):
    resource = Resource({"session.id": "r1"})
    attributes = {key: value for key, value in GEMINI_CALL.items() if key != "session.id"}
    reading = said(None, None, attributes, resource=resource)
    assert (reading.conversation_id, reading.session) == (None, "r1")
