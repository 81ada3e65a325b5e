"""Older and partial forms of the GenAI conventions, and content that stands in span events.

- v1.31 to 1.36 know no operation on a tool span: its name begins with `execute_tool `, or `gen_ai.tool.name` stands
  alone. Chat spans of some writers also name the tool that was asked for; those have an operation or token counts.
- Strands writes arguments and result as the events `gen_ai.tool.message` and `gen_ai.choice` of the tool span.
- AutoGen before 0.6 has names of its own in the scope `base_tool`, and Semantic Kernel for Java everywhere.
- LangSmith uses the generic `gen_ai.prompt` and `gen_ai.completion` on tool spans.
- ADK before it followed them has two spans a call (`adk_legacy`); ADK for Rust follows them in names of spans only
  (`adk_rust`).
- Traceloop before 0.5x, Quarkus and litellm write token counts without an operation; of a streamed answer Traceloop writes
  the kind of request and the answer, and no counts.

Source:
    OpenTelemetry GenAI semantic conventions v1.26 to v1.36.
"""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.conventions import (
    adk_legacy,
    adk_rust,
    attributes as names,
    content,
    usage,
    usage_names,
)
from toolscore_otel.conventions.fields import first, first_text, text
from toolscore_otel.conventions.genai import adk_agent, named, tool_call
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import Gap, Json, Span, SpanStatus, Status

CONVENTION = "genai_legacy"

_AUTOGEN_SCOPE = "base_tool"
_AUTOGEN_NAME, _AUTOGEN_ARGUMENTS = "tool_name", "tool_args"

_OTHERS_TOTALS = (names.AI_OPERATION, names.ADK_MODEL_REQUEST, names.OI_KIND, names.TL_KIND)
"""On spans that repeat the tokens of their children, or that another reader knows better."""
_AROUND_MODEL_CALLS = frozenset({"AGENT", "CHAIN"})  # traceAI's, which repeat those of the last one


def read(span: Span) -> SpanReading | None:
    """Read a span without an operation, or the events and generic attributes of a tool span with one."""
    operation = text(span.attributes, names.OPERATION)
    if operation is None:
        return _without_operation(span)
    if operation not in names.TOOL_OPERATIONS:
        return None
    older = _older_content(span)
    if older == (None, None):
        return None
    return SpanReading(calls=(_with_content(tool_call(span, CONVENTION), *older),))


def _without_operation(span: Span) -> SpanReading | None:
    if _is_model_call(span):
        return SpanReading(model=usage.model_call(CONVENTION, span, usage.GENAI))
    if span.scope.name == _AUTOGEN_SCOPE:
        return _of_autogen(span)
    if names.SK_FUNCTION in span.attributes:
        return _of_semantic_kernel(span)
    if (found := adk_rust.read(span, CONVENTION)) is not None:
        return found
    if _is_tool_span(span):
        call = named(tool_call(span, CONVENTION), span)
        return SpanReading(calls=(_with_content(call, *_older_content(span)),))
    if span.name == names.PYDANTIC_AGENT_SPAN or span.name.startswith(names.AGENT_SPAN_PREFIX):
        name = first_text(span.attributes, names.AGENT_NAMES)
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    return _of_adk(span) if span.scope.name == names.ADK_SCOPE else None


def _of_adk(span: Span) -> SpanReading | None:
    if (name := adk_agent(span)) is not None:
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    return adk_legacy.read(span, CONVENTION)


def _of_autogen(span: Span) -> SpanReading | None:
    """Its result is not recorded."""
    name = text(span.attributes, _AUTOGEN_NAME)
    if name is None:
        return None
    args = content.arguments(span.attributes.get(_AUTOGEN_ARGUMENTS))
    return SpanReading(calls=(structs.replace(tool_call(span, CONVENTION), name=name, args=args),))


def _of_semantic_kernel(span: Span) -> SpanReading | None:
    """Its functions, under the names by which models ask for them; without a plugin one is none of these.

    No arguments, no result. Spans that were given up after a while have no status.
    """
    name, plugin = text(span.attributes, names.SK_FUNCTION), text(span.attributes, names.SK_PLUGIN)
    if name is None or plugin is None:
        return None
    call = structs.replace(tool_call(span, CONVENTION), name=f"{plugin}-{name}")
    if span.status is SpanStatus.UNSET and call.status is Status.OK:
        call = structs.replace(call, status=Status.UNKNOWN)
    return SpanReading(calls=(call,))


def _is_model_call(span: Span) -> bool:
    attributes = span.attributes
    if any(name in attributes for name in _OTHERS_TOTALS):
        return False
    if text(attributes, names.TRACEAI_KIND) in _AROUND_MODEL_CALLS:
        return False
    if first_text(attributes, (*names.MODELS, *names.PROVIDERS)) is None:
        return False
    if first(attributes, usage_names.INPUT_TOKENS) is not None:
        return True
    if attributes.get(names.TL_REQUEST_TYPE) in names.TL_MODEL_REQUESTS:  # streamed: no counts
        return True
    return any(name.startswith(names.TL_ANSWER) for name in attributes)


def _is_tool_span(span: Span) -> bool:
    if span.name.startswith(names.TOOL_SPAN_PREFIX) or span.name == names.PYDANTIC_TOOL_SPAN:
        return True
    attributes = span.attributes
    if text(attributes, names.TOOL_NAME) is None or names.MCP_METHOD in attributes:
        return False
    return (
        names.TL_KIND not in attributes
        and names.OI_KIND not in attributes
        and attributes.get(names.TRACEAI_KIND) != "TOOL"
    )


def _older_content(span: Span) -> tuple[Json, Json]:
    """Arguments and result as they stand in events or generic attributes; None where they do not."""
    if names.LANGSMITH_KIND in span.attributes:
        return (
            span.attributes.get(names.LANGSMITH_INPUT),
            span.attributes.get(names.LANGSMITH_OUTPUT),
        )
    if not span.events:  # nearly every call
        return None, None
    return (
        _of_event(span, names.TOOL_MESSAGE_EVENT, "content"),
        _of_event(span, names.CHOICE_EVENT, "message"),
    )


def _with_content(call: CallReading, arguments: Json, answer: Json) -> CallReading:
    if arguments is None and answer is None:
        return call
    hidden = content.has_placeholder(arguments) or content.has_placeholder(answer)
    return structs.replace(
        call,
        args=content.arguments(arguments),
        result=content.result(content.lone_text(answer)),
        gaps=(*call.gaps, Gap.CONTENT_HIDDEN) if hidden else call.gaps,
    )


def _of_event(span: Span, event_name: str, field: str) -> Json:
    for event in span.events:
        if event.name == event_name:
            return event.attributes.get(field)
    return None
