"""Calls that wait for an approval or an answer, and calls that were turned down, by what their frameworks write.

No convention has words for these: a framework gives a call that waits a span like any other, and a call that a human rejected, or
whose tool does not exist, an answer like any other. Each is known by its instrumentation's scope, and by what it always writes.

Source:
    openai-agents 0.24, `_maybe_execute_tool_approval`; google-adk 2.13, `FunctionTool.run_async`; ag2 1.2, `approval_required`;
    pydantic-ai 2.68, `ToolDenied`; langchain 1.1, `HumanInTheLoopMiddleware`; langgraph 1.0, `ToolNode`; agno 3.1; agent-framework 1.23;
    llama-index-core 0.14; strands 1.20; AI SDK 5 to 7, `NoSuchToolError`, `InvalidToolInputError`; openai-agents-js 0.20; langchain.js
    1.5; Genkit 1.42, `ToolInterruptError`. All of them recorded, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import steered_by
from toolscore_otel.conventions.fields import a_list, an_object, text
from toolscore_otel.conventions.reading import CallReading, Layer
from toolscore_otel.model import NOT_OBSERVED, CallKind, Gap, Json, Span, Stage, Status

_AI_SDK_7 = "gen_ai"
OPENAI_AGENTS = (
    "@arizeai/openinference-instrumentation-openai-agents",
    "logfire.openai_agents",
    "openai-agents",  # AgentOps
    "openinference.instrumentation.openai_agents",
    "opentelemetry.instrumentation.genai.openai_agents",
    "opentelemetry.instrumentation.openai_agents",
    "traceai_openai_agents",
    "weave.openai_agents",
)
"""Instrumentations of the Agents SDK, for Python and JavaScript."""

_LANGCHAIN = (
    "@arizeai/openinference-instrumentation-langchain",
    "@traceloop/instrumentation-langchain",
    "langsmith",
    "lmnr.tracer",
    "mlflow.tracing.provider",
    "openinference.instrumentation.langchain",
    "opentelemetry.instrumentation.langchain",
)
_ADK = ("gcp.vertex.agent", "openinference.instrumentation.google_adk")

_ADK_WAITS = "This tool call requires confirmation, please approve or reject."
_ADK_REJECTED = "This tool call is rejected."
_REJECTED_BY_HAND = "was manually rejected by user."  # openai-agents, in the error of its span
_PYDANTIC = "pydantic-ai"
_PYDANTIC_DEFERRAL = "pydantic_ai.tool.deferral.name"
_PYDANTIC_RESULT, _APPROVALS = "final_result", "approvals"
_UNTIL_APPROVED = "ApprovalRequired"
_UNTIL_ANSWERED = frozenset({"CallDeferred", "GraphInterrupt", "ToolInterruptError"})

_OF_OPENAI_AGENTS = re.compile(r"Tool execution was not approved\.\Z")
_OF_LANGCHAIN = re.compile(
    r"(?:Error: )?(?P<name>.+?) is not a valid tool, try one of \["  # without it: AgentExecutor
    r"|User rejected the tool call for `(?P<rejected>.+?)` with "
)
_OF_PYDANTIC = re.compile(r"The tool call was denied\.\Z|Unknown tool name: '(?P<name>.+?)'\.")
_OF_AGNO = re.compile(
    r"Function call was rejected by the user\Z"
    r"|Error: The requested tool does not exist or is not available\.\Z"
)
_OF_AGENT_FRAMEWORK = re.compile(
    r"Error: Tool call invocation was rejected by user\.\Z"
    r'|Error: Requested function "(?P<name>.+)" not found\.\Z'
)
_OF_LLAMA_INDEX = re.compile(
    r"Tool (?P<name>.+) not found\. Please select a tool that is available\.\Z"
)
_OF_AG2 = re.compile(
    r"User denied the tool call request\Z"
    r"|ag2\.exceptions\.ToolNotFoundError: Tool `(?P<name>.+?)` not found"
)
_OF_AUTOGEN = re.compile(r"Error: tool '(?P<name>.+?)' not found in any workbench\Z")
_OF_STRANDS = re.compile(r"Unknown tool: (?P<name>.+)\Z")
_OF_AI_SDK = re.compile(
    r"Model tried to call unavailable tool '(?P<name>.+?)'\. "
    r"|Invalid input for tool (?P<unfit>.+?): "
    r"|AI_(?:NoSuchTool|InvalidToolInput)Error: "
)

_TURNED_DOWN: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(OPENAI_AGENTS, _OF_OPENAI_AGENTS),
    **dict.fromkeys(_LANGCHAIN, _OF_LANGCHAIN),
    _PYDANTIC: _OF_PYDANTIC,
    "openinference.instrumentation.agno": _OF_AGNO,
    "openinference.instrumentation.autogen_agentchat": _OF_AUTOGEN,
    "agent_framework": _OF_AGENT_FRAMEWORK,
    "openinference.instrumentation.llama_index": _OF_LLAMA_INDEX,
    "opentelemetry.instrumentation.ag2": _OF_AG2,
    "strands.telemetry.tracer": _OF_STRANDS,
    "ai": _OF_AI_SDK,
    _AI_SDK_7: _OF_AI_SDK,
}
"""What a framework answers for a tool that it did not run, by instrumentation scope; a name in it is that of the tool."""

_ANYWHERE = re.compile(
    r"(?:Error: )?(?P<langchain>[^\n]{1,128}?) is not a valid tool, try one of \["
    r"|Model tried to call unavailable tool '(?P<ai_sdk>.+?)'\. "
    r'|Error: Requested function "(?P<agent_framework>.+)" not found\.\Z'
    r"|Tool (?P<llama_index>.+) not found\. Please select a tool that is available\.\Z"
)
"""The same where another instrumentation, such as that of a model's client, hands it on: no tool says so of itself."""


def as_it_stands(span: Span, call: CallReading) -> CallReading:
    """A call with whether it only waits, or was turned down.

    Args:
        span: that tells of it.
        call: as it is told there.
    """
    scope = span.scope.name
    if call.what != "request" and _is_turned_down(scope, call):
        status = call.status if call.status is Status.ERROR else Status.UNKNOWN
        return structs.replace(call, stage=Stage.REQUESTED, status=status)
    if call.what != "span":
        return call
    look = _SPANS.get(scope)
    if look is not None:
        call = look(span, call)
    return _steered(call, steered_by(span)) if span.events else call


def approvals(span: Span, convention: str) -> tuple[CallReading, ...]:
    """The calls for which an agent of pydantic-ai ended its run to have them approved: that is what its run gave.

    Args:
        span: of an agent invocation.
        convention: of the readings.
    """
    given = span.attributes.get(_PYDANTIC_RESULT)
    if span.scope.name != _PYDANTIC or not isinstance(given, str) or _APPROVALS not in given:
        return ()
    asked = a_list(content.fields(given).get(_APPROVALS)) or ()
    calls = [call for each in asked if (call := an_object(each)) is not None]
    return tuple(_unapproved(call, convention) for call in calls if text(call, "tool_call_id"))


def _unapproved(call: Mapping[str, Json], convention: str) -> CallReading:
    return CallReading(
        convention=convention,
        layer=Layer.MESSAGE,
        what="response",
        stage=Stage.REQUESTED,
        name=text(call, "tool_name"),
        args=content.arguments(call.get("args")),
        call_id=text(call, "tool_call_id"),
        fills=True,
        gaps=(Gap.MAY_HAVE_WAITED,),
    )


def _is_turned_down(scope: str, call: CallReading) -> bool:
    said = call.result.text or call.result.value
    if not isinstance(said, str):
        return scope == _AI_SDK_7 and (an_object(said) or {}).get("denied") is True
    found = _TURNED_DOWN.get(scope, _ANYWHERE).match(said)
    return found is not None and found[found.lastgroup or 0] in {call.name, found[0]}


def _openai_agents(span: Span, call: CallReading) -> CallReading:
    """One that ended well without a result waits for its approval, or its tool gave nothing."""
    error = text(span.attributes, names.LOGFIRE_ERROR) or span.status_message
    if _REJECTED_BY_HAND in error:
        return structs.replace(call, stage=Stage.REQUESTED)
    if call.status is not Status.OK or call.kind is not CallKind.TOOL:
        return call
    gave_nothing = call.result.value is None and call.result.text is None
    return _waiting(call, Stage.REQUESTED) if gave_nothing and call.args != NOT_OBSERVED else call


def _adk(span: Span, call: CallReading) -> CallReading:  # noqa: ARG001 - as the others
    error = (an_object(call.result.value) or {}).get("error")
    if error == _ADK_WAITS:
        return _waiting(call, Stage.REQUESTED)
    return structs.replace(call, stage=Stage.REQUESTED) if error == _ADK_REJECTED else call


def _pydantic_ai(span: Span, call: CallReading) -> CallReading:
    return _steered(call, text(span.attributes, _PYDANTIC_DEFERRAL))


_SPANS: Mapping[str, Callable[[Span, CallReading], CallReading]] = {
    **dict.fromkeys(OPENAI_AGENTS, _openai_agents),
    **dict.fromkeys(_ADK, _adk),
    _PYDANTIC: _pydantic_ai,
}
"""How the span of a call that did not run is known, by instrumentation scope."""


def _steered(call: CallReading, raised: str | None) -> CallReading:
    """A call, by what its tool raised to steer the run."""
    if raised == _UNTIL_APPROVED:
        return _waiting(call, Stage.REQUESTED)
    return _waiting(call) if raised in _UNTIL_ANSWERED else call


def _waiting(call: CallReading, stage: Stage = Stage.EXECUTED) -> CallReading:
    """A call that waits, or ends like one that does: so far it gave nothing, and neither failed nor ended well."""
    return structs.replace(
        call,
        stage=stage,
        result=NOT_OBSERVED,
        status=Status.UNKNOWN,
        error_type=None,
        error_message=None,
        gaps=(*call.gaps, Gap.MAY_HAVE_WAITED),
    )
