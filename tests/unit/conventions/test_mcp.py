import json

import pytest

from toolscore_otel.conventions.reading import Layer
from toolscore_otel.model import Gap, Payload, Status

CALL = {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
}


def test_a_server_span_tells_how_it_ended(read_call):
    call = read_call(CALL, kind="server")
    assert (call.convention, call.layer, call.status) == ("mcp", Layer.MCP_SERVER, Status.OK)
    failed = read_call({**CALL, "error.type": "tool_error"}, kind="server", status="error")
    assert (failed.status, failed.error_type) == (Status.ERROR, "tool_error")


def test_the_good_end_of_a_client_span_says_nothing(read_call):
    call = read_call(
        {"mcp.method.name": "tools/call"}, kind="client", name="MCP send tools/call search"
    )
    assert (call.layer, call.name, call.status) == (Layer.MCP_CLIENT, "search", Status.UNKNOWN)
    assert call.gaps == (Gap.NAME_FROM_SPAN,)


def test_a_failed_client_span_is_a_failure(read_call):
    call = read_call({**CALL, "error.type": "-32602"}, kind="client", status="error")
    assert (call.status, call.error_type) == (Status.ERROR, "-32602")


@pytest.mark.parametrize("kind", ["client", "server"])
@pytest.mark.parametrize(
    ("said", "stage"),
    [
        ({"error.type": "-32602"}, "requested"),
        ({"rpc.response.status_code": "-32601", "error.type": "McpError"}, "requested"),
        ({"rpc.response.status_code": -32602}, "requested"),
        ({"error.type": "-32603"}, "executed"),
        ({"error.type": "tool_error"}, "executed"),
        ({"rpc.response.status_code": [-32602]}, "executed"),
        ({"rpc.response.status_code": 10**5000}, "executed"),
    ],
)
def test_what_the_protocol_turns_down_did_not_run(read_call, kind, said, stage):
    call = read_call({**CALL, **said}, kind=kind, status="error")
    assert (call.stage, call.status) == (stage, Status.ERROR)
    ended_well = read_call({**CALL, "rpc.response.status_code": "-32602"}, kind=kind)
    assert ended_well.stage == "executed"


def test_a_frameworks_tool_span_with_mcp_attributes_is_the_frameworks(read_call):
    call = read_call({**CALL, "gen_ai.tool.call.arguments": '{"q": 1}'}, kind="internal")
    assert (call.layer, call.args.value, call.status) == (Layer.FRAMEWORK, {"q": 1}, Status.OK)


@pytest.mark.parametrize(
    "method", ["initialize", "tools/list", "server/discover", "notifications/initialized"]
)
def test_other_methods_are_no_calls(read_span, method):
    assert read_span({"mcp.method.name": method, "gen_ai.tool.name": "search"}) is None


def test_logfire_records_request_and_response(read_call):
    call = read_call(
        {
            "request": '{"method":"tools/call","params":{"name":"search","arguments":{"q":1}}}',
            "response": '{"content":[{"type":"text","text":"[1]"}],"isError":false}',
        },
        name="MCP request: tools/call search",
    )
    assert (call.layer, call.name, call.args.value, call.result.value, call.status) == (
        Layer.MCP_CLIENT,
        "search",
        {"q": 1},
        [1],
        Status.OK,
    )


def test_logfire_tells_a_failure_only_in_the_response(read_call):
    call = read_call(
        {
            "request": '{"params":{"name":"search"}}',
            "response": '{"content":[{"type":"text","text":"503"}],"isError":true}',
        },
        name="MCP server handle request: tools/call",
    )
    assert (call.layer, call.args, call.status) == (Layer.MCP_SERVER, Payload(), Status.ERROR)
    assert (
        read_call(
            {"request": '{"params":{"name":"search"}}'}, name="MCP request: tools/call search"
        ).status
        is Status.UNKNOWN
    )


def test_a_span_of_that_name_without_a_request_says_nothing(read_span):
    assert read_span({"request": "GET /"}, name="MCP request: tools/call search") is None


@pytest.mark.parametrize(
    ("answer", "tool", "stage"),
    [
        ("Unknown tool: search", "search", "requested"),
        ("Unknown tool: search", "sell", "executed"),
        (
            "Error executing tool search: 1 validation error for searchArguments\nq",
            "search",
            "requested",
        ),
        (
            "Error executing tool search: 2 validation errors for Query\nq",
            "search",
            "executed",
        ),
        ("Error executing tool search: 503", "search", "executed"),
        ("MCP error -32602: Tool search not found", "search", "requested"),
        ("MCP error -32602: Invalid arguments for tool search: []", "search", "requested"),
        (
            "MCP error -32602: Input validation error: Invalid arguments for tool search: []",
            "search",
            "requested",
        ),
        ("MCP error -32603: Internal error", "search", "executed"),
        (["Unknown tool: search"], "search", "executed"),
    ],
)
def test_what_a_server_turned_down_was_only_asked_for(read_call, answer, tool, stage):
    attributes = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": tool,
        "traceloop.entity.output": json.dumps({"result": answer, "is_error": True}),
    }
    scope = "opentelemetry.instrumentation.mcp.instrumentation"
    assert read_call(attributes, scope=scope).stage == stage
    assert read_call(attributes).stage == "executed"
    ended_well = attributes | {"traceloop.entity.output": json.dumps({"result": answer})}
    assert read_call(ended_well, scope=scope).stage == "executed"


def test_a_request_is_the_same_on_both_sides(read_call):
    said = {**CALL, "mcp.session.id": "a1b2", "jsonrpc.request.id": "7"}
    asked = read_call(said, kind="client").rpc
    assert asked is not None
    assert "a1b2" not in asked
    assert read_call(said, kind="server").rpc == asked
    older = {**CALL, "mcp.session.id": "a1b2", "rpc.jsonrpc.request_id": 7}
    assert read_call(older, kind="server").rpc == asked


@pytest.mark.parametrize(
    "other",
    [
        {"mcp.session.id": "a1b2", "jsonrpc.request.id": "8"},
        {"mcp.session.id": "c3d4", "jsonrpc.request.id": "7"},
    ],
)
def test_another_session_or_request_is_another(read_call, other):
    said = {**CALL, "mcp.session.id": "a1b2", "jsonrpc.request.id": "7"}
    assert read_call({**CALL, **other}, kind="client").rpc != read_call(said, kind="client").rpc


@pytest.mark.parametrize(
    "said",
    [
        {"jsonrpc.request.id": "7"},
        {"mcp.session.id": "a1b2"},
        {"mcp.session.id": "a1b2", "jsonrpc.request.id": ""},
        {"mcp.session.id": "a1b2", "jsonrpc.request.id": ["7"]},
    ],
)
def test_half_a_mark_of_a_request_is_none(read_call, said):
    assert read_call({**CALL, **said}, kind="client").rpc is None


@pytest.mark.parametrize(
    "request_id", [10**5_000, [1], ""], ids=["too many digits", "a list", "no text"]
)
def test_a_request_id_that_none_can_be_ties_nothing(read_call, request_id):
    call = read_call(
        {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": "search",
            "mcp.session.id": "s",
            "jsonrpc.request.id": request_id,
        }
    )
    assert (call.name, call.rpc) == ("search", None)
