"""Claude Code's own spans (beta), where a call is two of them, and its log records.

`claude_code.tool` opens when the model asks and looks the same when the user denies it: it is a request, and says nothing
of the end. Its child `claude_code.tool.execution` exists only where the tool ran, and says whether it failed; it names no
tool. Both carry the call id. What a sub-agent does stands inside the call that started it, and carries the sub-agent's id;
its name stands there too, or beside the id on model calls and in log records.

In its logs, `api_request` is a model call, with what it cost; the input tokens there are those that no cache served.
`tool_result` is a call that ran, written at its end, and `tool_decision` whether it was let to. Names of MCP tools and arguments
are there only with `OTEL_LOG_TOOL_DETAILS`.

Source:
    Telemetry of Claude Code 2.0 and 2.1, recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import structs

from toolscore_otel.conventions import coding_agents as its, content, usage, usage_names
from toolscore_otel.conventions.counts import Cached, counts, with_counts
from toolscore_otel.conventions.evidence import message_in, outcome, said_to_end
from toolscore_otel.conventions.fields import a_number, first, first_text, text
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import (
    NOT_OBSERVED,
    ContentState,
    Json,
    LogRecord,
    Payload,
    Span,
    Stage,
    Status,
)

CONVENTION = "claude_code"


def read(span: Span) -> SpanReading | None:
    """Read a request span or an execution span; None for every other one."""
    if span.name == its.CLAUDE_TOOL_SPAN:
        return SpanReading(calls=(_request(span),), agent=_sub_agent(span))
    if span.name == its.CLAUDE_EXECUTION_SPAN:
        return SpanReading(calls=(_execution(span),))
    named = _named(span.attributes) if span.name == its.CLAUDE_MODEL_SPAN else None
    return None if named is None else SpanReading(named=named)


def _sub_agent(span: Span) -> AgentReading | None:
    if first_text(span.attributes, its.CLAUDE_TOOL_NAMES) not in its.CLAUDE_AGENT_TOOLS:
        return None
    name = text(span.attributes, its.CLAUDE_SUB_AGENT)
    return AgentReading(convention=CONVENTION, name=name)


def _named(attributes: Mapping[str, Json]) -> tuple[str, str] | None:
    """A sub-agent's id, and its name."""
    agent_id = text(attributes, its.CLAUDE_AGENT_ID)
    name = first_text(attributes, its.CLAUDE_AGENT_NAMES)
    if name is None:
        source = text(attributes, its.CLAUDE_SOURCE) or ""
        _, _, name = source.partition(its.CLAUDE_BUILT_IN)
    return (agent_id, name) if agent_id and name else None


def _request(span: Span) -> CallReading:
    output = _output(span)
    return CallReading(
        convention=CONVENTION,
        name=first_text(span.attributes, its.CLAUDE_TOOL_NAMES),
        stage=Stage.REQUESTED if output is None else Stage.EXECUTED,
        result=NOT_OBSERVED if output is None else content.result(output),
        call_id=first_text(span.attributes, its.CLAUDE_CALL_IDS),
        agent_id=text(span.attributes, its.CLAUDE_AGENT_ID),
    )


def _execution(span: Span) -> CallReading:
    error = span.attributes.get(its.CLAUDE_ERROR)
    failed = span.attributes.get(its.CLAUDE_SUCCESS) in (False, "false")
    end = outcome(span, failed=failed, message=message_in(error))
    return CallReading(
        convention=CONVENTION,
        call_id=first_text(span.attributes, its.CLAUDE_CALL_IDS),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _output(span: Span) -> Json:
    for event in span.events:
        if event.name == its.CLAUDE_OUTPUT_EVENT:
            return first(event.attributes, its.CLAUDE_OUTPUTS)
    return None


_MCP = "mcp_tool"
_RENAMED = {"full_command": "command"}
_DERIVED = frozenset({"bash_command"})
_SHELL = "Bash"
_CUT = re.compile(r'…\[\d{1,12} chars\](?=")')
"""What stands behind about a hundred characters of a longer text in a logged input."""


def read_result(record: LogRecord) -> SpanReading | None:
    """Read a record of a call that ran; None for an event of that name from elsewhere."""
    if not record.scope.name.startswith(its.CLAUDE_LOG_SCOPE):
        return None
    attributes = record.attributes
    status = said_to_end(attributes.get(its.CLAUDE_SUCCESS))
    failed = status is Status.ERROR
    call = CallReading(
        convention=CONVENTION,
        what="log",
        name=_logged_name(record),
        args=_logged_arguments(record),
        call_id=first_text(attributes, its.CLAUDE_LOG_IDS),
        status=status,
        error_type=text(attributes, its.CLAUDE_ERROR_TYPE) if failed else None,
        error_message=text(attributes, its.CLAUDE_ERROR) if failed else None,
        agent_id=text(attributes, its.CLAUDE_AGENT_ID),
    )
    return SpanReading(calls=(call,), duration_ns=a_number(attributes, its.DURATION_MS, 10**6))


def read_decision(record: LogRecord) -> SpanReading | None:
    """Read a record of a call that was let to run, or was not: either way it was asked for."""
    if not record.scope.name.startswith(its.CLAUDE_LOG_SCOPE):
        return None
    call = CallReading(
        convention=CONVENTION,
        what="request",
        stage=Stage.REQUESTED,
        name=_logged_name(record),
        args=_logged_arguments(record),
        call_id=first_text(record.attributes, its.CLAUDE_LOG_IDS),
        agent_id=text(record.attributes, its.CLAUDE_AGENT_ID),
    )
    return SpanReading(calls=(call,))


def read_model_call(record: LogRecord) -> SpanReading | None:
    """Read a record of a model call, with the cost that Claude Code itself reckons; None for such an event from elsewhere."""
    attributes = record.attributes
    found = counts(attributes, usage_names.CLAUDE_LOG)
    named = read_name(record)
    if found.input is None or not record.scope.name.startswith(its.CLAUDE_LOG_SCOPE):
        return named
    call = ModelReading(
        convention=CONVENTION,
        model=text(attributes, its.MODEL),
        provider=its.CLAUDE_PROVIDERS.get(text(attributes, its.CLAUDE_PROVIDER) or ""),
        cost_usd=usage.cost(attributes),
    )
    return SpanReading(
        model=with_counts(call, found, Cached.BESIDE),
        named=None if named is None else named.named,
        duration_ns=a_number(attributes, its.DURATION_MS, 10**6),
    )


def read_name(record: LogRecord) -> SpanReading | None:
    """Read a record that names the sub-agent of which it has the id; None for every other."""
    if not record.scope.name.startswith(its.CLAUDE_LOG_SCOPE):
        return None
    named = _named(record.attributes)
    return None if named is None else SpanReading(named=named)


def _logged_name(record: LogRecord) -> str | None:
    name = text(record.attributes, "tool_name")
    if name != _MCP:
        return name
    about = content.fields(record.attributes.get(its.CLAUDE_PARAMETERS))
    server, tool = text(about, "mcp_server_name"), text(about, "mcp_tool_name")
    return f"mcp__{server}__{tool}" if server and tool else None


def _logged_arguments(record: LogRecord) -> Payload:
    """The input as it was, up to the first text in it that was cut.

    Of a shell command, else, what the record tells about it under names of its own, which is not all of it.
    """
    recorded = record.attributes.get(its.CLAUDE_INPUT)
    about = content.fields(record.attributes.get(its.CLAUDE_PARAMETERS))
    if (
        recorded is None
        and record.attributes.get("tool_name") == _SHELL
        and "full_command" in about
    ):
        told = {_RENAMED.get(k, k): v for k, v in about.items() if k not in _DERIVED}
        return structs.replace(content.observed(told), is_mended=True)
    if isinstance(recorded, str) and (cut := _CUT.search(recorded)):
        return Payload(ContentState.TRUNCATED, text=recorded[: cut.start()])
    return content.arguments(recorded)
