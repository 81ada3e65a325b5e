"""How a tool call ended, by what its span shows.

Evidence of failure, any of which is enough: span status, `error.type`, an exception event, a mark of the vendor
(`attributes.FAILURE_MARKS`), or what the dialect's reader found in the result (`failed`). A span that ended without any
is a success, except where its writer is known to leave failures unmarked: then nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.conventions import attributes as names
from toolscore_otel.conventions.fields import an_object, first_text, text
from toolscore_otel.model import Json, Payload, Span, SpanEvent, SpanStatus, Stage, Status

CANCELLED = "cancelled"

_ERROR, _EXECUTED = SpanStatus.ERROR, Stage.EXECUTED

_TURNED_DOWN = re.compile(
    r"""
      Unknown\ tool:\ (?P<a>.+)\Z
    | Error\ executing\ tool\ (?P<b>.+?):\ \d+\ validation\ errors?\ for\ (?P=b)Arguments\n
    | MCP\ error\ -32602:\ (?:Tool\ (?P<c>.+)\ not\ found\Z|.*?Invalid\ arguments\ for\ tool\ (?P<d>.+?):)
    """,
    re.VERBOSE,
)
"""What the servers of the MCP SDKs (Python, TypeScript) answer before any tool runs; each names the tool."""

_MASTRA_FAILED = "TOOL_EXECUTION_FAILED"
_ADK_FAILED: Json = {"status": "error", "message": "An internal error occurred."}  # for Java

_CONTROL_FLOW = frozenset(
    {
        *("ParentCommand", "GraphInterrupt", "GeneratorExit"),
        *("CallDeferred", "ApprovalRequired", "ToolInterruptError"),
    }
)
"""Raised to steer, not because something failed (langgraph, a stream that its reader closed, pydantic-ai, Genkit)."""
_PRINTED_CONTROL_FLOW = re.compile(
    r"(GraphInterrupt)\(\(Interrupt\(|(ParentCommand)\(Command\(|\[\n.*\n\](?:\n)+(GraphInterrupt): \[\n",
    re.DOTALL,
)
"""How the message of an exception begins in LangSmith, which writes no type but `Exception`, and in LangGraph.js, where there is none."""
_CANCELLATIONS = frozenset({"CancelledError", "CancellationException", "AbortError"})

_TRUE = frozenset({"true", "True"})

_MARKS = frozenset(name for name, _ in names.FAILURE_MARKS)
_TELLING = _MARKS | {names.ERROR_TYPE}

_UNMARKED_SCOPES = frozenset(
    {"openinference.instrumentation.autogen_agentchat", "io.agentscope"}  # the second: 2.0
)
"""Instrumentations that end the spans of failed calls like those of good ones."""

_QUARKUS_SCOPE, _QUARKUS_VERSION = "io.quarkus.opentelemetry", "webengine.version"
_QUARKUS_OF_MARKS = (3, 27)
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})", re.ASCII)


class Outcome(Struct, frozen=True):
    """How a call ended.

    Attributes:
        error_type: class or code as recorded; `cancelled` for every kind of cancellation.
        error_message: recorded text, never made up.
    """

    status: Status
    error_type: str | None = None
    error_message: str | None = None


UNKNOWN = Outcome(Status.UNKNOWN)
_OK = Outcome(Status.OK)

_ENDS = {"true": Status.OK, "false": Status.ERROR}


def outcome(
    span: Span, *, failed: bool = False, message: str | None = None, unmarked: bool = False
) -> Outcome:
    """How the call of a tool span ended.

    Args:
        span: the tool span.
        failed: the result or the wrapper around it says that the call failed.
        message: what it says of why, used where the span itself gives no text.
        unmarked: this kind of span does not show failures; its good end says nothing.
    """
    is_silent = span.end_ns is None or unmarked or _is_unmarked(span)
    if not (
        failed or span.status is _ERROR or span.events or not _TELLING.isdisjoint(span.attributes)
    ):  # most calls: nothing is there that may be evidence of failure
        return UNKNOWN if is_silent else _OK
    raised = _exception(span)
    error_type = _error_type(span, raised)
    carries_on = _is_one_of(error_type or _type_of(raised), _CONTROL_FLOW)
    if failed or (_is_marked(span, raised, error_type) and not carries_on):
        return _failure(span, raised, error_type, message)
    return UNKNOWN if carries_on or is_silent else _OK


def steered_by(span: Span) -> str | None:
    """What the tool of a span raised to steer the run, by its simple name; None where it raised nothing of the kind."""
    name = (_type_of(_exception(span)) or "").rpartition(".")[2]
    return name if name in _CONTROL_FLOW else None


def raised(attributes: Mapping[str, Json]) -> Outcome | None:
    """The failure that an exception tells of; None where it was raised to steer, or says nothing.

    Args:
        attributes: of the event or log record.
    """
    error_type = text(attributes, names.EXCEPTION_TYPE)
    message = text(attributes, names.EXCEPTION_MESSAGE)
    if error_type is None and message is None:
        return None
    if _is_one_of(error_type, _CONTROL_FLOW | _CANCELLATIONS):
        return None
    return Outcome(Status.ERROR, error_type, message)


def stage(span: Span, name: str | None) -> Stage:
    """Whether the tool of a span ran: some frameworks give a call that they turn down a span like any other."""
    if span.attributes.get(names.PYDANTIC_FAILURE_STAGE) == "validation":
        return Stage.REQUESTED
    if span.scope.name.startswith(names.STRANDS_SCOPE) and (
        span.status_message == f"Unknown tool: {name}"
        or span.status_message.startswith("Validation failed for input parameters:")
    ):
        return Stage.REQUESTED
    return _EXECUTED


def mcp_stage(name: str | None, result: Payload, *, failed: bool) -> Stage:
    """Whether the tool of an MCP call ran: a server that has no such tool, or not for such arguments, answers so.

    Args:
        name: of the tool.
        result: what the server answered.
        failed: it marked that as an error.
    """
    if not (failed and isinstance(result.value, str)):
        return Stage.EXECUTED
    found = _TURNED_DOWN.match(result.value)
    return Stage.REQUESTED if found and found[found.lastgroup or 0] == name else Stage.EXECUTED


def is_mcp_failure(answer: Mapping[str, Json]) -> bool:
    """Whether an answer is one of MCP, marked as an error; spans of failed calls may look like those of good ones."""
    return answer.get("isError") is True and "content" in answer


def mastra_failure(result: Payload) -> Json:
    """The error that Mastra up to 0.20 answers for a tool that raised, its only mark; None for every other result."""
    answer = an_object(result.value) or {}
    return answer if answer.get("code") == _MASTRA_FAILED and "details" in answer else None


def adk_failure(result: Payload) -> Json:
    """The error that ADK answers for a tool that raised, or a tool by ADK's own key, its only mark; None for every other result."""
    answer = an_object(result.value) or {}
    return answer if answer == _ADK_FAILED else answer.get("error") or None


def said_to_end(success: Json) -> Status:
    """How a call ended by a `success` of true or false, also as text; unknown by anything else."""
    return _ENDS.get(str(success).lower(), Status.UNKNOWN)


def message_in(value: Json) -> str | None:
    """Recorded text about a failure: the value itself, or what an error object says under its usual keys."""
    if (error := an_object(value)) is not None:
        value = error.get("message", error.get("error"))
    return value if isinstance(value, str) and value else None


def _failure(
    span: Span, raised: SpanEvent | None, error_type: str | None, message: str | None
) -> Outcome:
    recorded = text(raised.attributes, names.EXCEPTION_MESSAGE) if raised else None
    recorded = recorded or span.status_message or first_text(span.attributes, names.ERROR_MESSAGES)
    if error_type is not None and " " in error_type.strip():
        # Some writers put the whole text here, which is no type.
        recorded, error_type = recorded or error_type, None
    if _is_one_of(error_type, _CANCELLATIONS):
        error_type = CANCELLED
    return Outcome(Status.ERROR, error_type, recorded or message)


def _exception(span: Span) -> SpanEvent | None:
    for event in span.events:
        if event.name in names.EXCEPTION_EVENTS and not _is_handled(span, event):
            return event
    return None


def _is_handled(span: Span, raised: SpanEvent) -> bool:
    """Whether an exception is said not to have left the span, which ended well.

    The text "False" says nothing: Python's SDK writes it for every exception, also for one that did leave (ADK).
    """
    if span.status is not SpanStatus.OK or _is_one_of(_type_of(raised), _CONTROL_FLOW):
        return False
    return raised.attributes.get(names.EXCEPTION_ESCAPED) is False


def _type_of(raised: SpanEvent | None) -> str | None:
    if raised is None:
        return None
    recorded = text(raised.attributes, names.EXCEPTION_TYPE)
    if recorded not in {"Exception", None}:
        return recorded
    message = text(raised.attributes, names.EXCEPTION_MESSAGE) or ""
    found = _PRINTED_CONTROL_FLOW.match(message)
    return found[found.lastindex or 0] if found else recorded


def _error_type(span: Span, raised: SpanEvent | None) -> str | None:
    recorded = text(span.attributes, names.ERROR_TYPE)
    return recorded if recorded not in {None, "_OTHER"} else _type_of(raised) or recorded


def _is_marked(span: Span, raised: SpanEvent | None, error_type: str | None) -> bool:
    if span.status is _ERROR:
        return True
    if raised is not None and not _is_one_of(_type_of(raised), _CANCELLATIONS):
        return True
    if text(span.attributes, names.ERROR_TYPE) is not None and error_type is not None:
        return True
    if _MARKS.isdisjoint(span.attributes):
        return False
    return any(_equals(span.attributes.get(name), mark) for name, mark in names.FAILURE_MARKS)


def _is_unmarked(span: Span) -> bool:
    """Whether failed calls of its sort end like good ones, as those of Spring AI do, too."""
    if span.scope.name in _UNMARKED_SCOPES or _is_old_quarkus(span):
        return True
    return span.attributes.get(names.SPRING_KIND) == "tool_call"


def _is_old_quarkus(span: Span) -> bool:
    """Whether LangChain4j's extension of Quarkus is one that answers with the message of what a tool raised: nothing else tells.

    By that of Quarkus itself, for the extension writes no version: 1.4 is built for 3.20, and 1.7, which records the exception,
    for 3.27.
    """
    if span.scope.name != _QUARKUS_SCOPE:
        return False
    version = _VERSION.match(text(span.resource.attributes, _QUARKUS_VERSION) or "")
    return version is not None and (int(version[1]), int(version[2])) < _QUARKUS_OF_MARKS


def _equals(value: Json, mark: object) -> bool:
    """Whether it is the mark; stores that know nothing but text write `true` for what is true."""
    if mark is True and isinstance(value, str):
        return value in _TRUE
    return type(value) is type(mark) and value == mark


def _is_one_of(error_type: str | None, simple_names: frozenset[str]) -> bool:
    return error_type is not None and error_type.rpartition(".")[2] in simple_names
