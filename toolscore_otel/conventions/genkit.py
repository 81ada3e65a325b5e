"""Genkit for Go: actions of subtype tool and model. No GenAI attribute, no call id, no agent.

Source:
    Genkit Go 1.4, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content, usage_names
from toolscore_otel.conventions.counts import counts, flat, with_counts
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.producers import cached_by_api
from toolscore_otel.conventions.reading import CallReading, ModelReading, SpanReading
from toolscore_otel.model import Json, Span

CONVENTION = "genkit"


def read(span: Span) -> SpanReading | None:
    """Read a tool or model action; None for every other span."""
    subtype = text(span.attributes, names.GENKIT_SUBTYPE)
    if subtype == names.GENKIT_MODEL:
        return SpanReading(model=_model(span))
    if subtype not in names.GENKIT_TOOLS:
        return None
    end = outcome(span)
    call = CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.GENKIT_NAME),
        args=content.arguments(span.attributes.get(names.GENKIT_INPUT)),
        result=content.result(_answer(span.attributes.get(names.GENKIT_OUTPUT))),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))


def _model(span: Span) -> ModelReading:
    used = content.fields(content.fields(span.attributes.get(names.GENKIT_OUTPUT)).get("usage"))
    model = text(span.attributes, names.GENKIT_NAME)
    call = ModelReading(convention=CONVENTION, model=model)
    found = counts(flat(used), usage_names.PROVIDERS_OWN)
    # Its plugins write what the API counted (genkit #5412).
    return with_counts(call, found, cached_by_api(None, model))


def _answer(output: Json) -> Json:
    """What the tool answered: the second version of tools wraps it in `{"output": ...}`."""
    wrapper = content.fields(output)
    return wrapper["output"] if list(wrapper) == ["output"] else output
