"""AgentOps: decorated tools and agents, and what it tells of openai-agents. `tool.status` is "succeeded" for failed calls, too.

The spans `tool_call.NAME` of its model clients tell what a model asked for, and none of them ran: their kind is another text.

Source:
    agentops 0.4.21, recorded, and its code.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content, usage
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import an_object, first, first_text
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import ContentState, Json, Payload, Span

CONVENTION = "agentops"

_AGENTS = "openai-agents"
_SCOPES = frozenset({"agentops", _AGENTS})
_DECORATED = "operation.name"
_DECORATED_INPUT = "agentops.tool.input"


def read(span: Span) -> SpanReading | None:
    """Read a span of kind tool or agent, and a model call of openai-agents; None for every other span."""
    if span.scope.name not in _SCOPES:
        return None
    kind = span.attributes.get(names.AGENTOPS_KIND)
    if kind == "tool":
        return SpanReading(calls=(_call(span),))
    if kind == "agent":
        name = first_text(span.attributes, ("agent.name", _DECORATED))
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    if kind == "llm" and span.scope.name == _AGENTS:
        return SpanReading(model=usage.model_call(CONVENTION, span, usage.GENAI))
    return None


def _call(span: Span) -> CallReading:
    attributes = span.attributes
    asked = attributes.get("tool.parameters")
    answer = first(attributes, ("tool.result", "agentops.tool.output"))
    end = outcome(span)
    wrapped = attributes.get(_DECORATED_INPUT)
    return CallReading(
        convention=CONVENTION,
        name=first_text(attributes, ("tool.name", _DECORATED)),
        args=content.arguments(asked) if wrapped is None else _unwrapped(wrapped),
        result=content.result(answer),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _unwrapped(recorded: Json) -> Payload:
    """The arguments that a decorated function was called with; those given by position have no names."""
    wrapper = content.fields(recorded)
    named = an_object(wrapper.get("kwargs"))
    if named is not None and not wrapper.get("args"):
        return content.observed(named)
    return Payload(ContentState.UNPARSABLE, text=recorded if isinstance(recorded, str) else None)
