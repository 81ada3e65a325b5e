"""Gemini CLI: spans with operations of its own, one request object and one answer object as text; log records.

The status is always OK; only the answer says whether the call failed. `gen_ai.agent.name` is the program's on every span.
A log record says whether it ran at all: what the program turned down itself was only asked for. A sub-agent's calls
belong to a prompt `AGENT_ID#TURN`; one record gives that id and the name.

Source:
    Telemetry of Gemini CLI 0.61, recorded.
"""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.conventions import (
    attributes as names,
    coding_agents as its,
    content,
    usage,
    usage_names,
)
from toolscore_otel.conventions.counts import Cached, counts, with_counts
from toolscore_otel.conventions.evidence import message_in, outcome, said_to_end
from toolscore_otel.conventions.fields import a_list, a_number, count, text
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import Json, LogRecord, Span, Stage, Status

CONVENTION = "gemini_cli"

_ID_SEPARATOR = "__"
_ENDED_BADLY = frozenset({"error", "cancelled"})


def read(span: Span) -> SpanReading | None:
    """Read a span by Gemini CLI's operation; None for any other."""
    operation = text(span.attributes, names.OPERATION)
    if operation == its.GEMINI_TOOL_OPERATION:
        return SpanReading(calls=(_call(span),))
    if operation == its.GEMINI_MODEL_OPERATION:
        return SpanReading(model=usage.model_call(CONVENTION, span, usage.GENAI))
    if operation == its.GEMINI_AGENT_OPERATION:
        return SpanReading(agent=AgentReading(convention=CONVENTION))
    return None


def _call(span: Span) -> CallReading:
    name = text(span.attributes, names.TOOL_NAME)
    request = content.fields(span.attributes.get(its.GEMINI_REQUEST))
    answer = content.fields(span.attributes.get(its.GEMINI_ANSWER))
    response = content.fields(answer.get("response"))
    failed = text(answer, "status") in _ENDED_BADLY
    message = message_in(content.fields(response.get("error")))
    end = outcome(span, failed=failed, message=message, unmarked="status" not in answer)
    return CallReading(
        convention=CONVENTION,
        name=name,
        args=content.arguments(request.get("args")),
        result=content.result(_result(response)),
        call_id=_call_id(span, name),
        status=end.status,
        error_type=end.error_type or text(response, "errorType"),
        error_message=end.error_message,
    )


def _call_id(span: Span, name: str | None) -> str | None:
    """The model's id: Gemini CLI writes `TOOL__ID`."""
    call_id = text(span.attributes, its.GEMINI_CALL_ID)
    if call_id is None or name is None:
        return call_id
    return call_id.removeprefix(name + _ID_SEPARATOR)


def _result(response: dict[str, Json]) -> Json:
    parts = a_list(response.get("responseParts"))
    if parts is None or len(parts) != 1:
        return parts
    answered = content.fields(content.fields(parts[0]).get("functionResponse"))
    return answered.get("response", parts)


def read_name(record: LogRecord) -> SpanReading | None:
    """Read the record of a sub-agent that starts: its id, and its name; None where one is missing."""
    agent_id = text(record.attributes, its.GEMINI_AGENT_ID)
    name = text(record.attributes, its.GEMINI_AGENT_NAME)
    return SpanReading(named=(agent_id, name)) if agent_id and name else None


def _agent_id(record: LogRecord) -> str | None:
    agent_id, of_agent, _ = (text(record.attributes, its.GEMINI_PROMPT) or "").partition("#")
    return agent_id if of_agent else None


_TURNED_DOWN = frozenset({"policy_violation", "tool_not_registered", "invalid_tool_params"})


def read_log(record: LogRecord) -> SpanReading:
    """Read the record of a call that ran, or that was turned down before."""
    attributes = record.attributes
    error_type = text(attributes, its.GEMINI_ERROR_TYPE)
    name = text(attributes, its.GEMINI_NAME)
    args = content.arguments(attributes.get(its.GEMINI_ARGUMENTS))
    if error_type in _TURNED_DOWN or attributes.get(its.GEMINI_DECISION) == "reject":
        asked = CallReading(
            convention=CONVENTION,
            what="request",
            stage=Stage.REQUESTED,
            name=name,
            args=args,
            agent_id=_agent_id(record),
        )
        return SpanReading(calls=(asked,))
    status = said_to_end(attributes.get(its.GEMINI_SUCCESS))
    failed = status is Status.ERROR
    ran = CallReading(
        convention=CONVENTION,
        what="log",
        name=name,
        args=args,
        status=status,
        error_type=error_type if failed else None,
        error_message=text(attributes, its.GEMINI_ERROR) if failed else None,
        agent_id=_agent_id(record),
    )
    return SpanReading(calls=(ran,), duration_ns=a_number(attributes, its.DURATION_MS, 10**6))


def read_model_call(record: LogRecord) -> SpanReading:
    """Read the record of a model's answer; what its API's own tools gave it was asked with, too."""
    attributes = record.attributes
    found = counts(attributes, usage_names.GEMINI_LOG)
    of_tools = count(attributes, (usage_names.GEMINI_TOOL_TOKENS,))
    if found.input is not None and of_tools:
        found = structs.replace(found, input=found.input + of_tools)
    call = ModelReading(convention=CONVENTION, model=text(attributes, its.MODEL))
    return SpanReading(
        model=with_counts(call, found, Cached.WITHIN),
        duration_ns=a_number(attributes, its.DURATION_MS, 10**6),
    )
