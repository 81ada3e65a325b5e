"""The GenAI conventions, as they are now: what `gen_ai.operation.name` says, with the names of vendors who follow them.

A tool's name comes from its attribute. The span's name, which is for people and has changed between versions, is asked only
where no attribute gives one, and that is said.

Source:
    OpenTelemetry GenAI semantic conventions: "Execute tool span", "Invoke agent span", "Inference span".
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content, usage
from toolscore_otel.conventions.answers import told
from toolscore_otel.conventions.batches import split
from toolscore_otel.conventions.evidence import (
    adk_failure,
    is_mcp_failure,
    message_in,
    outcome,
    stage,
)
from toolscore_otel.conventions.fields import an_object, first, first_text, text
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, CallKind, Gap, Json, Payload, Span, SpanStatus, Stage

CONVENTION = "genai"

_ERROR = SpanStatus.ERROR

_SCOPES_OF_MADE_UP_IDS = ("openlit.instrumentation.smolagents",)
"""Instrumentations that write an id of their own on tool spans, where the framework tells them none."""
_ADK_NOTHING = frozenset({"{}", '{"result": "<not specified>"}', '{"result":"<not specified>"}'})


def read(span: Span) -> SpanReading | None:
    """Read a span by its operation.

    Returns:
        The tool call, agent invocation, handoff or model call that it is, or None for any other operation.
    """
    operation = text(span.attributes, names.OPERATION)
    # Spring AI 1: the operation is `framework`.
    if operation in names.TOOL_OPERATIONS or span.attributes.get(names.SPRING_KIND) == "tool_call":
        return SpanReading(calls=split(span, named(tool_call(span, CONVENTION), span)))
    if operation in names.AGENT_OPERATIONS:
        return _agent(span)
    if operation in names.HANDOFF_OPERATIONS:
        return SpanReading(calls=(_handoff(span),))
    if operation in names.MODEL_OPERATIONS:
        return SpanReading(model=usage.model_call(CONVENTION, span, usage.GENAI))
    return None


def tool_call(span: Span, convention: str) -> CallReading:
    """The call that a tool span tells of, under the present names and those of vendors."""
    attributes = span.attributes
    arguments, answer = first(attributes, names.ARGUMENTS), first(attributes, names.RESULTS)
    hidden = content.has_placeholder(arguments) or content.has_placeholder(answer)
    if _is_adk_without_content(attributes):
        arguments, answer, hidden = None, None, True
    if span.scope.name.startswith(names.STRANDS_SCOPE):
        answer = content.lone_text(answer)
    name = first_text(attributes, names.TOOL_NAMES)
    own = told(span, name, answer)
    result = content.result(answer if own is None else own.answer)
    failed, message = _failure_in(span, result) if own is None else (own.failed, own.message)
    # ADK 1.x and ADK for Java tell a failure by the result alone; a tool that raised in ADK for JavaScript leaves its span empty.
    is_adk = names.ADK_ARGUMENTS in attributes
    is_silent = is_adk and (hidden or an_object(result.value) is None)  # it answers with objects
    is_silent = is_silent or (span.scope.name == names.ADK_SCOPE and not attributes)
    is_silent = is_silent or (own is not None and own.is_silent)
    end = outcome(span, failed=failed, message=message, unmarked=is_silent)
    return CallReading(
        convention=convention,
        name=name,
        stage=stage(span, name) if own is None or own.ran else Stage.REQUESTED,
        args=content.arguments(arguments),
        result=result,
        call_id=_call_id(span),
        status=end.status,
        error_type=end.error_type or (own.error_type if own is not None else None),
        error_message=end.error_message,
        agent=own_agent(span),
        gaps=(Gap.CONTENT_HIDDEN,) if hidden else (),
    )


def named(call: CallReading, span: Span) -> CallReading:
    """The call, with the name of its span where no attribute names the tool."""
    if call.name is not None or not span.name.startswith(names.TOOL_SPAN_PREFIX):
        return call
    if span.scope.name == names.TL_LANGCHAIN_JS_SCOPE:  # names the tool's class
        return call
    name = span.name.removeprefix(names.TOOL_SPAN_PREFIX).strip()
    if not name:
        return call
    return structs.replace(call, name=name, gaps=(*call.gaps, Gap.NAME_FROM_SPAN))


def _call_id(span: Span) -> str | None:
    if span.scope.name in _SCOPES_OF_MADE_UP_IDS:
        return None
    found = first_text(span.attributes, names.CALL_IDS)
    return None if found is not None and found.startswith(names.ITEM_ID) else found  # rig 0.31


def own_agent(span: Span, further: str | None = None) -> str | None:
    """The agent that runs a tool or asks a model, where the very span names it.

    Args:
        span: of the tool or model call.
        further: a name of a vendor's own under which it may stand.
    """
    if span.scope.name.startswith(names.SCOPES_OF_CONSTANT_AGENTS):
        return None
    found = first_text(span.attributes, names.OWN_AGENT_NAMES)
    if found is None and further:
        found = text(span.attributes, further)
    return found or langchain_agent(span.attributes)


def langchain_agent(attributes: Mapping[str, Json]) -> str | None:
    """The agent that LangChain names in what it tells every callback."""
    told = first(attributes, names.LANGCHAIN_METADATA)
    if told is None or (isinstance(told, str) and names.LANGCHAIN_AGENT not in told):
        return None
    return text(content.fields(told), names.LANGCHAIN_AGENT)


def adk_agent(span: Span) -> str | None:
    """The agent that ADK before 1.16 names in the span of its run, and nowhere else."""
    if not (span.name.startswith(names.ADK_AGENT_SPAN) and span.name.endswith("]")):
        return None
    return span.name[len(names.ADK_AGENT_SPAN) : -1] or None


def _agent(span: Span) -> SpanReading | None:
    if span.attributes.get(names.TL_KIND) == "workflow":
        return None
    name = first_text(span.attributes, names.AGENT_NAMES)
    return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))


def _handoff(span: Span) -> CallReading:
    target = text(span.attributes, names.HANDOFF_TARGET)
    end = outcome(span)
    return CallReading(
        convention=CONVENTION,
        kind=CallKind.HANDOFF,
        result=content.observed(target) if target else NOT_OBSERVED,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        fills=target
        is None,  # neither tool nor target: nothing that could be held against anything
        gaps=(Gap.NAME_NOT_OBSERVED,),
    )


def _is_adk_without_content(attributes: Mapping[str, Json]) -> bool:
    """Whether ADK wrote `{}` for arguments and result alike, as it does with content capture off; a result may have gone since.

    A call without arguments whose result is an empty object looks the same: then an observation is lost, and nothing
    wrong is said.
    """
    if attributes.get(names.ADK_ARGUMENTS) != "{}":
        return False
    result = attributes.get(names.ADK_RESULT)
    return result is None or text(attributes, names.ADK_RESULT) in _ADK_NOTHING


def _failure_in(span: Span, result: Payload) -> tuple[bool, str | None]:
    """Whether the result is an error object of a framework that marks failed calls by nothing else."""
    answer = an_object(result.value)
    if span.status is _ERROR or answer is None:
        return False, None
    error = answer.get("error")
    is_adk = names.ADK_RESULT in span.attributes or span.scope.name == names.ADK_SCOPE
    if is_adk and (adk_error := adk_failure(result)):
        return True, message_in(adk_error)
    if span.attributes.get(names.MASTRA_KIND) == "tool_call" and error is True:
        return True, message_in(answer)
    if is_mcp_failure(answer):
        return True, message_in(content.result(answer["content"]).value)
    return False, None
