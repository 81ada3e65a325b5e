"""logfire's spans of openai-agents: names are templates, values stand in attributes of one word.

Source:
    logfire 5.4, `instrument_openai_agents`, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, CallKind, Gap, Span

CONVENTION = "logfire"


def read(span: Span) -> SpanReading | None:
    """Read a function, agent or handoff span; None for traces, tasks, turns and what is not logfire's."""
    if span.scope.name != names.LOGFIRE_AGENTS_SCOPE:
        return None
    if span.name == names.LOGFIRE_FUNCTION_SPAN:
        return SpanReading(calls=(_call(span),))
    if span.name == names.LOGFIRE_AGENT_SPAN:
        name = text(span.attributes, names.LOGFIRE_NAME)
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    if span.name == names.LOGFIRE_HANDOFF_SPAN:
        return SpanReading(calls=(_handoff(span),))
    return None


def _call(span: Span) -> CallReading:
    error = content.fields(span.attributes.get(names.LOGFIRE_ERROR))
    end = outcome(span, failed=bool(error), message=message_in(error))
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.LOGFIRE_NAME),
        args=content.arguments(span.attributes.get(names.LOGFIRE_INPUT)),
        result=content.result(span.attributes.get(names.LOGFIRE_OUTPUT)),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _handoff(span: Span) -> CallReading:
    target = text(span.attributes, names.LOGFIRE_TARGET)
    end = outcome(span)
    return CallReading(
        convention=CONVENTION,
        kind=CallKind.HANDOFF,
        result=content.observed(target) if target else NOT_OBSERVED,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        gaps=(Gap.NAME_NOT_OBSERVED,),
    )
