import json

import pytest

from toolscore_otel.conventions.evidence import CANCELLED
from toolscore_otel.model import NOT_OBSERVED, Stage, Status

OK, ERROR, UNKNOWN = Status.OK, Status.ERROR, Status.UNKNOWN
RAN, ASKED = Stage.EXECUTED, Stage.REQUESTED

NOT_FOUND = "ToolNotFoundError: The tool named 'get_weather' doesn't exist."
INACTIVE = "ToolGroupInactiveError: The tool 'get_weather' in group 'x' is inactive."


@pytest.fixture
def rig_call(read_call):
    """The call of a tool span of rig's."""

    def call(*, module="rig::agent::prompt_request", **attributes):
        return read_call(
            {
                "target": module,
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "get_weather",
                **{f"gen_ai.tool.{name.replace('_', '.')}": v for name, v in attributes.items()},
            },
            name="execute_tool",
            scope="app",
        )

    return call


@pytest.mark.parametrize(
    ("answer", "stage", "status"),
    [
        ('"18 C"', RAN, OK),
        ('"Toolset error: quoted, so the tool itself says it"', RAN, OK),
        ("Toolset error: ToolCallError: ToolCallError: 502 from upstream", RAN, ERROR),
        ("Toolset error: ToolCallError: JsonError: missing field `city`", RAN, ERROR),
        ("Toolset error: ToolCallError: ToolNotFoundError: get_weather", ASKED, ERROR),
        ("Toolset error: ToolCallError: ToolNotFoundError: get_wether", RAN, ERROR),
    ],
)
def test_rig_before_its_outcomes_tells_a_failure_by_the_answer(rig_call, answer, stage, status):
    call = rig_call(call_result=answer)
    assert (call.stage, call.status) == (stage, status)
    assert call.error_message == (answer if status is ERROR else None)


def test_a_call_of_rig_without_an_answer_may_have_been_cancelled_or_refused(rig_call):
    assert rig_call().status is UNKNOWN


@pytest.mark.parametrize(
    ("outcome", "kind", "answer", "end"),
    [
        ("success", None, '{"error": "of the tool"}', (RAN, OK)),
        ("error", "other", "the tool failed", (RAN, ERROR)),
        ("error", "invalid_args", "city is no city", (RAN, ERROR)),
        ("error", "invalid_args", "failed to parse tool arguments: no `city`", (ASKED, ERROR)),
        ("denied", "permission_denied", "not for you", (RAN, ERROR)),
        ("skipped", None, "not now", (ASKED, UNKNOWN)),
        ("something new", None, "18 C", (RAN, UNKNOWN)),
    ],
)
def test_rig_names_the_outcome(rig_call, outcome, kind, answer, end):
    found = {"call_outcome": outcome, "call_result": answer}
    if kind is not None:
        found["error_type"] = kind
    call = rig_call(module="rig_agent::agent::telemetry", **found)
    assert ((call.stage, call.status), call.error_type) == (end, kind)


def test_a_failure_of_rig_is_told_without_content_too(rig_call):
    call = rig_call(call_outcome="error", error_type="timeout")
    assert (call.status, call.error_type, call.error_message) == (ERROR, "timeout", None)


def test_a_nameless_span_of_rig_is_no_call(read_span):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function"}
    rig = {"target": "rig_agent::agent::telemetry", **attributes}
    assert read_span(rig, name="execute_tool") is None
    assert len(read_span(attributes, name="execute_tool").calls) == 1
    finished = {**rig, "gen_ai.tool.call.outcome": "error"}
    assert len(read_span(finished, name="execute_tool").calls) == 1


@pytest.mark.parametrize("module", ["app::rig", 7])
def test_an_answer_that_reads_like_rigs_is_the_tools_elsewhere(rig_call, module):
    call = rig_call(module=module, call_result="Toolset error: none of it")
    assert (call.status, call.result.value) == (OK, "Toolset error: none of it")


def _agentscope(answer, **more):
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        **({} if answer is None else {"gen_ai.tool.call.result": json.dumps(answer)}),
        **more,
    }


@pytest.mark.parametrize(
    ("said", "stage", "status", "result"),
    [
        ('"18 C"', RAN, OK, "18 C"),
        ('"Error: the tool said so"', RAN, OK, "Error: the tool said so"),
        ('{"price": 42.1}', RAN, OK, {"price": 42.1}),
        ("Error: Tool execution failed: 502", RAN, ERROR, "Error: Tool execution failed: 502"),
        ("Error: Tool not found: get_weather", ASKED, ERROR, "Error: Tool not found: get_weather"),
        (
            "Error: Parameter validation failed for tool 'get_weather': no 'city'",
            ASKED,
            ERROR,
            "Error: Parameter validation failed for tool 'get_weather': no 'city'",
        ),
    ],
)
def test_agentscope_for_java_tells_a_failure_by_an_unquoted_text(
    read_call, said, stage, status, result
):
    attributes = _agentscope([{"text": said}], **{"agentscope.function.name": "Toolkit.callTool"})
    call = read_call(attributes, scope="agentscope")
    assert (call.stage, call.status, call.result.value) == (stage, status, result)


def test_a_call_of_agentscope_for_java_without_an_answer_was_cancelled_perhaps(read_call):
    attributes = _agentscope(None, **{"agentscope.function.name": "Toolkit.callTool"})
    call = read_call(attributes, scope="agentscope")
    assert (call.status, call.result) == (UNKNOWN, NOT_OBSERVED)


@pytest.mark.parametrize(
    ("state", "said", "end", "error_type"),
    [
        ("success", "18 C", (RAN, OK), None),
        ("success", NOT_FOUND, (RAN, OK), None),
        ("running", "18", (RAN, UNKNOWN), None),
        ("error", "502 from upstream", (RAN, ERROR), None),
        ("error", NOT_FOUND, (ASKED, ERROR), None),
        ("error", INACTIVE, (ASKED, ERROR), None),
        ("denied", "not for you", (RAN, ERROR), None),
        ("interrupted", "interrupted by the user", (RAN, ERROR), CANCELLED),
    ],
)
def test_agentscope_names_the_state(read_call, state, said, end, error_type):
    answer = {"content": [{"type": "text", "text": said, "id": "1"}], "state": state, "id": "c1"}
    call = read_call(_agentscope(answer), scope="agentscope", status="ok")
    assert ((call.stage, call.status), call.error_type) == (end, error_type)
    assert call.error_message == (said if end[1] is ERROR else None)
    assert str(call.result.value) == said


def test_an_answer_of_agentscope_with_more_blocks_stays_blocks(read_call):
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "url": "x"}]
    answer = {"content": blocks, "state": "error"}
    call = read_call(_agentscope(answer), scope="agentscope")
    assert (call.status, call.error_message, call.result.value) == (ERROR, None, blocks)


def test_an_answer_of_agentscope_in_another_form_is_as_it_is(read_call):
    call = read_call(_agentscope({"state": "error"}), scope="agentscope")
    assert (call.status, call.result.value) == (OK, {"state": "error"})


def test_a_call_of_agentscope_without_an_answer_may_have_failed(read_call):
    call = read_call(_agentscope(None), scope="agentscope", status="ok")
    assert (call.status, call.stage, call.result) == (UNKNOWN, RAN, NOT_OBSERVED)
