"""mcp-go: names of its own, and no word of arguments or results."""

import pytest

from toolscore_otel.conventions.reading import Layer
from toolscore_otel.model import Gap, Payload, Stage, Status

CALL = {"mcp.method": "tools/call"}
NAMED = {**CALL, "mcp.tool.name": "search"}
REFUSED = "tool 'search' not found: tool not found"


def test_a_servers_span_tells_the_tool_and_how_it_ended(read_call):
    call = read_call(NAMED, name="mcp.tools/call", kind="server")
    assert (call.convention, call.layer, call.name) == ("mcp", Layer.MCP_SERVER, "search")
    assert (call.status, call.stage, call.fills) == (Status.OK, Stage.EXECUTED, False)
    assert (call.args, call.result) == (Payload(), Payload())
    failed = read_call(NAMED, kind="server", status="error", status_message="tool returned error")
    assert (failed.status, failed.error_message) == (Status.ERROR, "tool returned error")


def test_a_clients_span_names_no_tool_and_only_adds_to_what_the_server_tells(read_call):
    call = read_call(CALL, name="mcp.tools/call", kind="client")
    assert (call.layer, call.name, call.fills) == (Layer.MCP_CLIENT, None, True)
    assert (call.status, call.gaps) == (Status.UNKNOWN, (Gap.NAME_NOT_OBSERVED,))
    assert read_call(CALL, kind="client", status="error").status is Status.ERROR


def test_the_span_around_the_handler_tells_of_the_tool_by_itself(read_call):
    call = read_call({"mcp.tool.name": "search"}, name="tool.search")
    assert (call.layer, call.name, call.fills) == (Layer.FRAMEWORK, "search", False)
    assert call.status is Status.OK


@pytest.mark.parametrize(
    ("kind", "said"), [("server", REFUSED), ("client", f"invalid params: {REFUSED}")]
)
def test_a_tool_that_does_not_exist_was_only_asked_for(read_call, kind, said):
    call = read_call(CALL, kind=kind, status="error", status_message=said)
    assert (call.name, call.stage, call.fills) == ("search", Stage.REQUESTED, False)
    assert call.status is Status.ERROR


def test_what_a_tool_says_of_another_one_is_no_refusal(read_call):
    call = read_call(NAMED, kind="server", status="error", status_message=REFUSED)
    assert (call.name, call.stage) == ("search", Stage.EXECUTED)
    beside = read_call(CALL, kind="server", status="error", status_message=f"{REFUSED} here")
    assert (beside.name, beside.fills) == (None, True)


@pytest.mark.parametrize(
    ("attributes", "name", "kind"),
    [
        ({"mcp.method": "tools/list"}, "mcp.tools/list", "server"),
        (CALL, "mcp.tools/call", "internal"),
        ({"mcp.tool.name": "search"}, "authorize", "internal"),
        ({"mcp.tool.name": ""}, "tool.", "internal"),
    ],
)
def test_any_other_span_is_no_call(read_span, attributes, name, kind):
    assert read_span(attributes, name=name, kind=kind) is None
