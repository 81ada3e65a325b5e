"""MCP client and server spans of `tools/call`. Other methods (`initialize`, `tools/list`, ...) are no calls.

Client spans of the MCP SDKs stay UNSET when the tool fails (`isError` is a result to them), so their good end says
nothing; the server's says what happened. logfire records request and response of MCP 1.x as JSON-RPC.

The id of a JSON-RPC request counts from 1 in every session, so it names a request only beside the session's.

mcp-go has names of its own, and records neither arguments nor results. A call is up to three spans: the client's, which does not
name the tool and so only adds to what the server tells; the server's; in it one around the tool's handler, the only one to name the
tool where a middleware has a span of its own between both.

Source:
    OpenTelemetry MCP semantic conventions (v1.39 on); JSON-RPC 2.0, "Error object"; MCP, "Tools: Error Handling"; logfire's `instrument_mcp`; mcp-go 1.2, its code and recorded.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import mcp_stage, message_in, outcome
from toolscore_otel.conventions.fields import first, text
from toolscore_otel.conventions.genai import tool_call
from toolscore_otel.conventions.reading import CallReading, Layer, SpanReading
from toolscore_otel.model import Gap, Json, Payload, Span, SpanKind, Stage, Status

CONVENTION = "mcp"

_LAYERS = {SpanKind.CLIENT: Layer.MCP_CLIENT, SpanKind.SERVER: Layer.MCP_SERVER}
_GO_HANDLER = "tool."
_GO_NO_SUCH_TOOL = re.compile(
    r"(?:invalid params: )?tool '(.+)' not found: tool not found", re.DOTALL
)
"""What mcp-go answers before any tool runs, and its client repeats."""
_NOT_RUN = frozenset({-32700, -32600, -32601, -32602, "-32700", "-32600", "-32601", "-32602"})
"""JSON-RPC's codes of requests that are none, or that nobody serves so; MCP's for tools that are not there or not called so."""


def read(span: Span) -> SpanReading | None:
    """Read the call that an MCP span tells of, or None for any other span or method."""
    if span.attributes.get(names.MCP_METHOD) == names.MCP_CALL:
        return SpanReading(calls=(_call(span),))
    if span.name.startswith(names.LOGFIRE_MCP_CLIENT_SPAN):
        return _logfire(span, Layer.MCP_CLIENT)
    if span.name.startswith(names.LOGFIRE_MCP_SERVER_SPAN):
        return _logfire(span, Layer.MCP_SERVER)
    return _go(span)


def _call(span: Span) -> CallReading:
    # A tool span of a framework may carry MCP's attributes too: then it is the framework's.
    layer = _LAYERS.get(span.kind, Layer.FRAMEWORK)
    call = structs.replace(tool_call(span, CONVENTION), layer=layer, rpc=_request(span))
    if layer is Layer.MCP_CLIENT and call.status is Status.OK:
        call = structs.replace(call, status=Status.UNKNOWN)
    if call.status is Status.ERROR and layer is not Layer.FRAMEWORK and _is_refused(span):
        call = structs.replace(call, stage=Stage.REQUESTED)
    if call.name is None:
        name = span.name.partition(f"{names.MCP_CALL} ")[2].strip() or None
        call = structs.replace(call, name=name, gaps=(*call.gaps, Gap.NAME_FROM_SPAN))
    return call


def _is_refused(span: Span) -> bool:
    """Whether the server answered with an error of the protocol before any tool ran."""
    said = first(span.attributes, names.RPC_STATUSES)
    return isinstance(said, str | int) and said in _NOT_RUN


def _go(span: Span) -> SpanReading | None:
    name = text(span.attributes, names.MCP_GO_TOOL)
    if span.attributes.get(names.MCP_GO_METHOD) == names.MCP_CALL:
        layer = _LAYERS.get(span.kind)
    else:
        layer = Layer.FRAMEWORK if name and span.name == _GO_HANDLER + name else None
    if layer is None:
        return None
    call = structs.replace(tool_call(span, CONVENTION), layer=layer, name=name)
    if layer is Layer.MCP_CLIENT and call.status is Status.OK:
        call = structs.replace(call, status=Status.UNKNOWN)
    refused = _GO_NO_SUCH_TOOL.fullmatch(span.status_message)
    if name is None and refused is not None:
        call = structs.replace(call, name=refused[1], stage=Stage.REQUESTED)
    elif name is None:
        call = structs.replace(call, fills=True, gaps=(*call.gaps, Gap.NAME_NOT_OBSERVED))
    return SpanReading(calls=(call,))


def _request(span: Span) -> str | None:
    """What one request has on both of its sides; a digest, since whoever knows a session's id may speak in it."""
    session = text(span.attributes, names.MCP_SESSION)
    request = first(span.attributes, names.MCP_REQUESTS)
    if session is None or not isinstance(request, str | int) or request == "":
        return None
    try:
        said = repr((session, str(request)))
    except ValueError:  # more digits than Python writes
        return None
    return blake2b(said.encode(errors="replace"), digest_size=16).hexdigest()


def _logfire(span: Span, layer: Layer) -> SpanReading | None:
    request = content.fields(span.attributes.get(names.LOGFIRE_MCP_REQUEST))
    if not request:
        return None
    asked = content.fields(request.get("params"))
    answer = content.fields(span.attributes.get(names.LOGFIRE_MCP_RESPONSE))
    result = content.result(answer.get("content"))
    failed = answer.get("isError") is True
    end = outcome(span, failed=failed, message=message_in(_text(result)), unmarked=not answer)
    call = CallReading(
        convention=CONVENTION,
        layer=layer,
        name=text(asked, "name"),
        stage=mcp_stage(text(asked, "name"), result, failed=failed),
        args=content.arguments(asked.get("arguments")),
        result=result,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))


def _text(result: Payload) -> Json:
    return result.value if isinstance(result.value, str) else None
