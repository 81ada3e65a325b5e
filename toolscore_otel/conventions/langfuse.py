"""Langfuse observations of type tool, agent and generation. The span's name is the tool's; OTel's status stays UNSET.

Source:
    Langfuse JS SDK 5, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import count, text, usd
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import Span

CONVENTION = "langfuse"


def read(span: Span) -> SpanReading | None:
    """Read an observation by its type; None for plain spans and events."""
    kind = text(span.attributes, names.LANGFUSE_TYPE)
    if kind == "tool":
        return SpanReading(calls=(_call(span),))
    if kind == "agent":
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=span.name or None))
    if kind == "generation":
        return SpanReading(model=_model(span))
    return None


def _call(span: Span) -> CallReading:
    end = outcome(span)
    return CallReading(
        convention=CONVENTION,
        name=span.name or None,
        args=content.arguments(span.attributes.get(names.LANGFUSE_INPUT)),
        result=content.result(span.attributes.get(names.LANGFUSE_OUTPUT)),
        call_id=text(span.attributes, *names.LANGFUSE_CALL_IDS),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _model(span: Span) -> ModelReading:
    used = content.fields(span.attributes.get(names.LANGFUSE_USAGE))
    cost = content.fields(span.attributes.get(names.LANGFUSE_COST))
    return ModelReading(
        convention=CONVENTION,
        model=text(span.attributes, *names.LANGFUSE_MODELS),
        input_tokens=count(used, ("input",)),
        output_tokens=count(used, ("output",)),
        cost_usd=usd(cost, ("total",)),
    )
