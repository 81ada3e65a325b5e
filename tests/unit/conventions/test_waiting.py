"""Calls that wait for an approval or an answer, and calls that were turned down."""

import json

import pytest

from toolscore_otel.model import NOT_OBSERVED, Gap, Stage, Status

TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "delete_user",
    "gen_ai.tool.call.arguments": '{"user_id": "u1"}',
}
RESULT = "gen_ai.tool.call.result"
OI_JS = "@arizeai/openinference-instrumentation-"
ADK, AG2, WEAVE = "gcp.vertex.agent", "opentelemetry.instrumentation.ag2", "weave.openai_agents"
OPENINFERENCE = {
    "openinference.span.kind": "TOOL",
    "tool.name": "delete_user",
    "input.value": '{"user_id": "u1"}',
}
WAITS = {"error": "This tool call requires confirmation, please approve or reject."}


def raised(error_type, message="stop"):
    said = {"exception.type": error_type, "exception.message": message}
    return (("exception", {name: text for name, text in said.items() if text is not None}),)


@pytest.mark.parametrize(
    ("attributes", "where"),
    [
        (TOOL, {"scope": WEAVE}),
        (TOOL, {"scope": "opentelemetry.instrumentation.genai.openai_agents"}),
        (
            {"traceloop.span.kind": "tool", **TOOL},
            {"scope": "opentelemetry.instrumentation.openai_agents", "status": "ok"},
        ),
        (OPENINFERENCE, {"scope": "openinference.instrumentation.openai_agents", "status": "ok"}),
        (
            {"name": "delete_user", "input": '{"user_id": "u1"}', "output": "null"},
            {"scope": "logfire.openai_agents", "name": "Function: {name}"},
        ),
    ],
)
def test_a_call_of_openai_agents_that_gave_nothing_may_have_waited(read_call, attributes, where):
    call = read_call(attributes, **where)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert call.result == NOT_OBSERVED
    assert Gap.MAY_HAVE_WAITED in call.gaps


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({RESULT: "deleted"}, Status.OK),
        ({RESULT: '{"cut": "of'}, Status.OK),
        ({"gen_ai.tool.call.arguments": None}, Status.OK),
        ({"error.type": "Upstream"}, Status.ERROR),
    ],
)
def test_one_that_gave_something_failed_or_was_not_recorded_did_not(read_call, changes, status):
    call = read_call(TOOL | changes, scope=WEAVE)
    assert (call.stage, call.status, call.gaps) == (Stage.EXECUTED, status, ())


def test_a_handoff_of_openai_agents_gives_nothing_and_does_not_wait(read_call):
    scope = "openinference.instrumentation.openai_agents"
    attributes = {"openinference.span.kind": "TOOL", "input.value": "support"}
    call = read_call(attributes, name="handoff to broker", scope=scope)
    assert (call.stage, call.status) == (Stage.EXECUTED, Status.OK)


@pytest.mark.parametrize(
    ("attributes", "where"),
    [
        (TOOL, {"scope": WEAVE, "status_message": "was manually rejected by user."}),
        (
            {"name": "delete_user", "error": '{"error": "c1 was manually rejected by user."}'},
            {"scope": "logfire.openai_agents", "name": "Function: {name}"},
        ),
    ],
)
def test_a_call_that_openai_agents_says_was_rejected_did_not_run(read_call, attributes, where):
    call = read_call(attributes, status="error", **where)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.ERROR)


@pytest.mark.parametrize("scope", [ADK, "openinference.instrumentation.google_adk"])
def test_a_call_of_adk_that_requires_confirmation_waits(read_call, scope):
    call = read_call(TOOL | {RESULT: json.dumps(WAITS)}, scope=scope)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert (call.result, call.error_message) == (NOT_OBSERVED, None)
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_a_call_of_adk_that_was_rejected_did_not_run(read_call):
    rejected = {RESULT: '{"error": "This tool call is rejected."}', "error.type": "TOOL_ERROR"}
    call = read_call(TOOL | rejected, scope=ADK, status="error")
    assert (call.stage, call.status, call.gaps) == (Stage.REQUESTED, Status.ERROR, ())


def test_an_error_that_a_tool_of_adk_gave_is_a_failure(read_call):
    call = read_call(TOOL | {RESULT: '{"error": "no such user"}'}, scope=ADK)
    assert (call.stage, call.status) == (Stage.EXECUTED, Status.ERROR)
    assert call.error_message == "no such user"


def test_another_frameworks_tool_may_give_the_same_words(read_call):
    call = read_call(TOOL | {RESULT: json.dumps(WAITS)}, scope="shop")
    assert (call.stage, call.status) == (Stage.EXECUTED, Status.OK)


def test_a_call_of_ag2_that_a_human_denied_did_not_run(read_call):
    call = read_call(TOOL | {RESULT: "User denied the tool call request"}, scope=AG2)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)


def test_a_tool_that_strands_does_not_have_did_not_run(read_call):
    unknown = {RESULT: "Unknown tool: delete_user", "gen_ai.tool.status": "error"}
    call = read_call(TOOL | unknown, scope="strands.telemetry.tracer")
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.ERROR)


def test_what_a_tool_says_of_another_tool_says_nothing_of_itself(read_call):
    answered = {RESULT: "Unknown tool: refund", "gen_ai.tool.status": "error"}
    call = read_call(TOOL | answered, scope="strands.telemetry.tracer")
    assert call.stage is Stage.EXECUTED


@pytest.mark.parametrize(
    ("name", "stage"),
    [("ApprovalRequired", Stage.REQUESTED), ("CallDeferred", Stage.EXECUTED)],
)
def test_a_call_that_pydantic_ai_defers_waits(read_call, name, stage):
    for told in (
        read_call(TOOL | {"pydantic_ai.tool.deferral.name": name}, scope="pydantic-ai"),
        read_call(
            TOOL,
            scope="pydantic-ai",
            status="error",
            events=raised(f"pydantic_ai.exceptions.{name}"),
        ),
    ):
        assert (told.stage, told.status, told.error_type) == (stage, Status.UNKNOWN, None)
        assert told.gaps == (Gap.MAY_HAVE_WAITED,)


@pytest.mark.parametrize(
    ("error_type", "message"),
    [
        ("langgraph.errors.GraphInterrupt", "(Interrupt(value=1),)"),
        ("Exception", "GraphInterrupt((Interrupt(value=1),))Traceback"),
        (None, '[\n  {\n    "id": "e"\n  }\n]\n\nGraphInterrupt: [\n  {\n    "id": "e"'),
        ("ToolInterruptError", "waits"),  # Genkit
    ],
)
def test_a_call_that_langgraph_interrupts_waits(read_call, error_type, message):
    call = read_call(TOOL | {RESULT: "{}"}, status="error", events=raised(error_type, message))
    assert (call.stage, call.status, call.result) == (
        Stage.EXECUTED,
        Status.UNKNOWN,
        NOT_OBSERVED,
    )
    assert call.gaps == (Gap.MAY_HAVE_WAITED,)


@pytest.mark.parametrize(
    ("error_type", "message", "status"),
    [
        ("Exception", "ParentCommand(Command(graph='__parent__'))", Status.UNKNOWN),
        ("Exception", "GraphInterrupt is no good", Status.ERROR),
        (None, "a GraphInterrupt: [\n", Status.ERROR),
        ("Exception", "", Status.ERROR),
        ("KeyError", "'x'", Status.ERROR),
    ],
)
def test_what_else_is_raised_does_not_wait(read_call, error_type, message, status):
    call = read_call(TOOL, status="error", events=raised(error_type, message))
    assert (call.stage, call.status, call.gaps) == (Stage.EXECUTED, status, ())


def heard(read_span, scope, answer, name="delete_user"):
    """The answer that a model call hears."""
    parts = [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": name}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": answer}]},
    ]
    reading = read_span(
        {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(parts)}, scope=scope
    )
    (call,) = reading.calls
    assert (call.what, call.name) == ("response", name)
    return call


SAID_BY_NO_TOOL = {
    "Error: delete_user is not a valid tool, try one of [x, y].",
    "delete_user is not a valid tool, try one of [x, y].",
    'Error: Requested function "delete_user" not found.',
    "Tool delete_user not found. Please select a tool that is available.",
    "Model tried to call unavailable tool 'delete_user'. Available tools: x.",
}


@pytest.mark.parametrize(
    ("scope", "answer"),
    [
        (WEAVE, "Tool execution was not approved."),
        (OI_JS + "openai-agents", "Tool execution was not approved."),
        (OI_JS + "langchain", "delete_user is not a valid tool, try one of [x, y]."),
        (
            "openinference.instrumentation.autogen_agentchat",
            "Error: tool 'delete_user' not found in any workbench",
        ),
        ("ai", "Model tried to call unavailable tool 'delete_user'. Available tools: x."),
        ("ai", "Invalid input for tool delete_user: Type validation failed"),
        ("gen_ai", "AI_NoSuchToolError: Model tried to call unavailable tool 'delete_user'."),
        ("gen_ai", "AI_InvalidToolInputError: Invalid input for tool delete_user: JSON"),
        ("gen_ai", {"denied": True, "reason": "no"}),
        ("pydantic-ai", "The tool call was denied."),
        ("pydantic-ai", "Unknown tool name: 'delete_user'. Available tools: 'x'"),
        ("openinference.instrumentation.agno", "Function call was rejected by the user"),
        (
            "openinference.instrumentation.agno",
            "Error: The requested tool does not exist or is not available.",
        ),
        ("agent_framework", "Error: Tool call invocation was rejected by user."),
        ("agent_framework", 'Error: Requested function "delete_user" not found.'),
        (
            "opentelemetry.instrumentation.langchain",
            "User rejected the tool call for `delete_user` with reason: no",
        ),
        (
            "openinference.instrumentation.langchain",
            "Error: delete_user is not a valid tool, try one of [x, y].",
        ),
        (
            "openinference.instrumentation.llama_index",
            "Tool delete_user not found. Please select a tool that is available.",
        ),
        (AG2, "ag2.exceptions.ToolNotFoundError: Tool `delete_user` not found"),
    ],
)
def test_what_a_framework_answers_for_a_tool_that_it_does_not_run(read_span, scope, answer):
    call = heard(read_span, scope, answer)
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    elsewhere = heard(read_span, "opentelemetry.instrumentation.openai_v2", answer).stage
    assert elsewhere is (Stage.REQUESTED if str(answer) in SAID_BY_NO_TOOL else Stage.EXECUTED)


@pytest.mark.parametrize(
    ("scope", "answer"),
    [
        (WEAVE, "Tool execution was not approved. Or so they say"),
        (WEAVE, ["Tool execution was not approved."]),
        ("pydantic-ai", "Unknown tool name: 'refund'."),
        ("x", "refund is not a valid tool, try one of [x, y]."),
        ("ai", "Model tried to call unavailable tool 'refund'. Available tools: x."),
        ("ai", {"denied": True}),
        ("gen_ai", {"denied": False}),
    ],
)
def test_other_answers_tell_that_the_tool_ran(read_span, scope, answer):
    assert heard(read_span, scope, answer).stage is Stage.EXECUTED


APPROVAL = {"tool_name": "delete_user", "args": '{"user_id": "u1"}', "tool_call_id": "c1"}


def ended(read_span, result, scope="pydantic-ai"):
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}
    reading = read_span(agent | {"final_result": result}, scope=scope)
    assert reading.agent.name == "support"
    return reading.calls


def test_a_run_of_pydantic_ai_that_ends_for_approvals_names_the_calls_that_wait(read_span):
    (call,) = ended(read_span, json.dumps({"calls": [], "approvals": [APPROVAL]}))
    assert (call.what, call.stage, call.gaps) == (
        "response",
        Stage.REQUESTED,
        (Gap.MAY_HAVE_WAITED,),
    )
    assert (call.name, call.args.value, call.call_id) == ("delete_user", {"user_id": "u1"}, "c1")


@pytest.mark.parametrize(
    "result",
    [
        "Done.",
        "with approvals",
        '{"approvals": "none"}',
        '{"approvals": [7, {"tool_name": "x"}]}',
        ["approvals"],
    ],
)
def test_one_that_ends_otherwise_names_none(read_span, result):
    assert ended(read_span, result) == ()
    assert ended(read_span, json.dumps({"approvals": [APPROVAL]}), scope="shop") == ()


def test_what_a_human_denied_did_not_run(read_span):
    """AI SDK 6."""
    denied = {"type": "execution-denied", "reason": "not now"}
    said = [
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "pay", "input": {}}],
        },
        {
            "role": "tool",
            "content": [
                {"type": "tool-result", "toolCallId": "c1", "toolName": "pay", "output": denied}
            ],
        },
    ]
    attributes = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json.dumps(said),
    }
    (call,) = read_span(attributes, scope="ai").calls
    assert (call.what, call.name, call.stage) == ("response", "pay", Stage.REQUESTED)
    assert (call.status, call.result.value) == (Status.UNKNOWN, "not now")
