"""Braintrust: spans of type tool and llm, with what went in and out as JSON. A tool span's name is the tool's.

LangChain4j's AI services have spans that say nothing but that a method failed, and so do calls of tools that failed, in the same
scope and by the same exception. Such a span is the call of a tool where a model asked for one of its name.

Source:
    Braintrust's SDK for Java 0.3.6, its code and recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content, usage_names
from toolscore_otel.conventions.counts import Counts, counts, with_counts
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import count, first, text
from toolscore_otel.conventions.producers import cached_by_api
from toolscore_otel.conventions.reading import CallReading, ModelReading, SpanReading
from toolscore_otel.conventions.turns import Recorded, listed
from toolscore_otel.model import Json, Span, SpanStatus

CONVENTION = "braintrust"

_SERVICES = "braintrust-langchain4j"
_METRICS = "braintrust.metrics"
_METADATA = "braintrust.metadata"


def read(span: Span) -> SpanReading | None:
    """Read a tool or model span; None for every other span."""
    described = span.attributes.get(names.BRAINTRUST_SPAN)
    if described is None:
        return _failed(span)
    kind = content.fields(described).get("type")
    if kind == "tool":
        return SpanReading(calls=(_call(span),))
    return SpanReading(model=_model(span)) if kind == "llm" else None


def turn(span: Span) -> tuple[Sequence[Recorded], Sequence[Recorded]]:
    """What a model hears and says: messages, items of OpenAI's Responses, or (said) choices."""
    said = first(span.attributes, names.BRAINTRUST_OUTPUTS)
    return listed(first(span.attributes, names.BRAINTRUST_INPUTS)), listed(said)


def _call(span: Span) -> CallReading:
    end = outcome(span)
    return CallReading(
        convention=CONVENTION,
        name=span.name or None,
        args=content.arguments(first(span.attributes, names.BRAINTRUST_INPUTS)),
        result=content.result(first(span.attributes, names.BRAINTRUST_OUTPUTS)),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _failed(span: Span) -> SpanReading | None:
    if span.scope.name != _SERVICES or span.status is not SpanStatus.ERROR:
        return None
    return SpanReading(calls=(structs.replace(_call(span), fills=True),))


def _model(span: Span) -> ModelReading:
    metadata = content.fields(span.attributes.get(_METADATA))
    model, provider = text(metadata, "model"), text(metadata, "provider")
    call = ModelReading(convention=CONVENTION, model=model, provider=provider)
    used = _counts(content.fields(span.attributes.get(_METRICS)))
    return with_counts(call, used, cached_by_api(provider, model))


def _counts(metrics: dict[str, Json]) -> Counts:
    found = counts(metrics, usage_names.BRAINTRUST)
    kept = [count(metrics, (name,)) for name in usage_names.BRAINTRUST_WRITES]
    if found.cache_write is not None or kept == [None] * len(kept):
        return found
    return structs.replace(found, cache_write=sum(filter(None, kept)))
