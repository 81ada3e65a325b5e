"""Tokens to USD, at list prices.

Prices come from `genai-prices` (extra `cost`), a maintained table that ships inside its package: nothing is fetched. A
model that it does not know has no price; an unknown price is None, never 0.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_BEDROCK = re.compile(
    r"(?:[a-z-]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen|writer)\.[\w-]"
)
"""How Bedrock names a model, whoever tells of it: region, vendor, model."""


def price(
    model: str | None,
    provider: str | None,
    input_tokens: int | None,
    output_tokens: int | None,
    cached_tokens: int | None = None,
) -> float | None:
    """What one model call costs at list prices.

    Args:
        model: as the provider names it, dated or not.
        provider: as telemetry names it; None: found by the model's name.
        input_tokens: cached ones included.
        output_tokens: reasoning ones included.
        cached_tokens: part of the input that was read from a cache.

    Returns:
        USD; None where model or tokens are not known, or the extra is not installed.
    """
    if not model or (input_tokens is None and output_tokens is None):
        return None
    return _price(model, provider, input_tokens or 0, output_tokens or 0, cached_tokens or 0)


@lru_cache(maxsize=4096)
def _price(
    model: str, provider: str | None, input_tokens: int, output_tokens: int, cached: int
) -> float | None:
    prices: Any = _table()
    if prices is None:
        return None
    for name, known in _known_as(model, provider):
        try:
            usage = prices.Usage(
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cache_read_tokens=cached or None,
            )
            return float(prices.calc_price(usage, name, provider_id=known).total_price)
        except (LookupError, ValueError):
            continue
    return None


def _known_as(model: str, provider: str | None) -> dict[tuple[str, str | None], None]:
    """As what a table may know a model, the likeliest first.

    Before a slash stands who serves it (`openai/gpt-4o`, as LiteLLM writes), or that it is a model (`models/...`); a model that is
    served by somebody else has no price by its name alone.
    """
    server, slash, name = model.rpartition("/")
    if _BEDROCK.match(name):
        return dict.fromkeys([(model, provider), (name, "aws")])
    if not slash:
        return dict.fromkeys([(model, provider), (model, None)])
    return dict.fromkeys(
        [(model, provider), (model, None), (name, server), (name, provider or server)]
    )


@lru_cache(maxsize=1)
def _table() -> Any:
    try:
        import genai_prices  # noqa: PLC0415 - slow to import, and an extra: loaded where a price is first asked for
    except ImportError:
        return None
    return genai_prices
