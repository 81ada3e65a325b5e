"""What a model call cost: tokens, money, model, provider, response id, by the names of one convention."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.conventions import attributes as names
from toolscore_otel.conventions.fields import count, text, usd
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.model import Json


class UsageNames(Struct, frozen=True, kw_only=True):
    """Under which names a convention writes each value, the preferred one first."""

    models: tuple[str, ...]
    providers: tuple[str, ...]
    input_tokens: tuple[str, ...]
    output_tokens: tuple[str, ...]
    cached_tokens: tuple[str, ...]
    reasoning_tokens: tuple[str, ...]
    response_ids: tuple[str, ...] = ()


GENAI = UsageNames(
    models=names.MODELS,
    providers=names.PROVIDERS,
    input_tokens=names.INPUT_TOKENS,
    output_tokens=names.OUTPUT_TOKENS,
    cached_tokens=names.CACHED_TOKENS,
    reasoning_tokens=names.REASONING_TOKENS,
    response_ids=names.RESPONSE_IDS,
)
OPENINFERENCE = UsageNames(
    models=names.OI_MODELS,
    providers=names.OI_PROVIDERS,
    input_tokens=names.OI_INPUT_TOKENS,
    output_tokens=names.OI_OUTPUT_TOKENS,
    cached_tokens=names.OI_CACHED_TOKENS,
    reasoning_tokens=names.OI_REASONING_TOKENS,
)
VERCEL = UsageNames(
    models=names.AI_MODELS,
    providers=names.AI_PROVIDERS,
    input_tokens=names.AI_INPUT_TOKENS,
    output_tokens=names.AI_OUTPUT_TOKENS,
    cached_tokens=names.AI_CACHED_TOKENS,
    reasoning_tokens=names.AI_REASONING_TOKENS,
    response_ids=names.AI_RESPONSE_IDS,
)

_TOTALS = (
    "gen_ai.usage.total_tokens",
    "llm.usage.total_tokens",
    "llm.token_count.total",
    "ai.usage.totalTokens",
)
"""They tell whether tokens of thought stand beside those of the answer (Gemini's API) or among them (conventions)."""


def model_call(convention: str, attributes: Mapping[str, Json], of: UsageNames) -> ModelReading:
    """The model call that a span with these attributes is.

    Whether it is one, and not the sum of several, the caller has decided.
    """
    cached = count(attributes, of.cached_tokens)
    reasoning = count(attributes, of.reasoning_tokens)
    asked, answered = counted(
        count(attributes, of.input_tokens), count(attributes, of.output_tokens)
    )
    if asked is not None and answered is not None and reasoning:
        is_beside = count(attributes, _TOTALS) == asked + answered + reasoning
        answered += reasoning if is_beside else 0
    return ModelReading(
        convention=convention,
        model=text(attributes, *of.models),
        provider=text(attributes, *of.providers),
        input_tokens=with_cached(asked, cached),
        output_tokens=answered,
        cached_tokens=cached,
        reasoning_tokens=reasoning,
        cost_usd=usd(attributes, names.COSTS),
        response_id=text(attributes, *of.response_ids),
        asks=asks(attributes),
    )


def counted(asked: int | None, answered: int | None) -> tuple[int | None, int | None]:
    """Input and output tokens; none of both were not counted, since no model is asked with nothing (streamed answers)."""
    return (None, None) if asked == 0 and not answered else (asked, answered)


def with_cached(input_tokens: int | None, cached: int | None) -> int | None:
    """Input tokens, cached ones included.

    Conventions include them and Anthropic's and Bedrock's APIs do not; what some instrumentations pass on from these shows where
    more is cached than there is.
    """
    if input_tokens is None or cached is None or cached <= input_tokens:
        return input_tokens
    return input_tokens + cached


def asks(attributes: Mapping[str, Json]) -> bool:
    """Whether the attributes of a model call show that it asked for tools.

    Most conventions say so in the finish reason, whatever else they record; the spelling differs (`tool_calls`, `tool_use`,
    `TOOL_EXECUTION`, `function_call`). Flattened answers name the calls in their keys.
    """
    reasons = (str(attributes[name]).lower() for name in names.FINISH_REASONS if name in attributes)
    if any("tool" in reason or "function" in reason for reason in reasons):
        return True
    return any(name.startswith(names.ASKED_CALLS) and "tool" in name.lower() for name in attributes)
