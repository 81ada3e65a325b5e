"""What a model call cost: tokens, money, model, provider, response id, by the names of one convention."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from toolscore_otel.conventions import attributes as names, content, usage_names as its
from toolscore_otel.conventions.counts import Cached, Counts, counts, filled, flat, with_counts
from toolscore_otel.conventions.fields import first, first_text, text, usd
from toolscore_otel.conventions.producers import cached_by
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.model import Json, LogRecord, Span


class UsageNames(Struct, frozen=True, kw_only=True):
    """Under which names a convention writes each value, the preferred one first."""

    models: tuple[str, ...]
    providers: tuple[str, ...]
    counts: its.CountNames
    response_ids: tuple[str, ...] = ()


GENAI = UsageNames(
    models=names.MODELS,
    providers=names.PROVIDERS,
    counts=its.GENAI,
    response_ids=names.RESPONSE_IDS,
)
OPENINFERENCE = UsageNames(
    models=names.OI_MODELS, providers=names.OI_PROVIDERS, counts=its.OPENINFERENCE
)
VERCEL = UsageNames(
    models=names.AI_MODELS,
    providers=names.AI_PROVIDERS,
    counts=its.VERCEL,
    response_ids=names.AI_RESPONSE_IDS,
)


def model_call(
    convention: str, item: Span | LogRecord, of: UsageNames, cached: Cached | None = None
) -> ModelReading:
    """The model call that a span or log record with these attributes is.

    Whether it is one, and not the sum of several, the caller has decided.

    Args:
        convention: of the reading.
        item: whose attributes are read.
        of: their names.
        cached: how cached tokens stand to those of the input; None: by who wrote them (`producers`).
    """
    attributes = item.attributes
    model, provider = first_text(attributes, of.models), first_text(attributes, of.providers)
    call = ModelReading(
        convention=convention,
        model=model,
        provider=provider,
        cost_usd=cost(attributes),
        response_id=first_text(attributes, of.response_ids),
        asks=asks(attributes),
    )
    found = counts(attributes, of.counts)
    if found.input is not None and (found.cached is None or found.cache_write is None):
        found = filled(found, _raw(attributes))
    if cached is None and found.of_cache:
        cached = cached_by(item.scope, provider, model)
    counted = with_counts(call, found, cached or Cached.WITHIN)
    return (
        structs.replace(counted, is_unclear=True) if _is_broken(attributes, found, of) else counted
    )


def _is_broken(attributes: Mapping[str, Json], found: Counts, of: UsageNames) -> bool:
    """Whether a count is written that no count can be (-5, 1.5): then the rest has no price either."""
    return (found.input is None and first(attributes, of.counts.input) is not None) or (
        found.output is None and first(attributes, of.counts.output) is not None
    )


def _raw(attributes: Mapping[str, Json]) -> Counts:
    """Counts in an object as the provider gave it."""
    for name, path in its.RAW_OBJECTS:
        if name in attributes:
            found = content.fields(attributes[name])
            for key in path:
                found = content.fields(found.get(key))
            return counts(flat(found), its.PROVIDERS_OWN)
    return Counts()


def cost(attributes: Mapping[str, Json]) -> float | None:
    """The cost that a span or log record reports, in USD; None for one in another currency."""
    if its.COST_NAMES.isdisjoint(attributes):
        return None
    currency = text(attributes, its.CURRENCY)
    if currency is not None and currency.upper() != "USD":
        return None
    whole = usd(attributes, its.COSTS)
    if whole is not None:
        return whole
    for one, other in its.COST_PARTS:
        if (asked := usd(attributes, (one,))) and (answered := usd(attributes, (other,))):
            return asked + answered
    return _in_details(content.fields(attributes.get(its.COST_DETAILS)))


def _in_details(details: Mapping[str, Json]) -> float | None:
    """The total, else the sum of the parts."""
    if names.LANGFUSE_TOTAL in details:
        return usd(details, (names.LANGFUSE_TOTAL,))
    parts = [part for key in details if (part := usd(details, (key,))) is not None]
    return sum(parts) if parts else None


def asks(attributes: Mapping[str, Json]) -> bool:
    """Whether the attributes of a model call show that it asked for tools.

    Most conventions say so in the finish reason, whatever else they record; the spelling differs (`tool_calls`, `tool_use`,
    `TOOL_EXECUTION`, `function_call`). Flattened answers name the calls in their keys.
    """
    reasons = (str(attributes[name]).lower() for name in names.FINISH_REASONS if name in attributes)
    if any("tool" in reason or "function" in reason for reason in reasons):
        return True
    return any(name.startswith(names.ASKED_CALLS) and "tool" in name.lower() for name in attributes)
