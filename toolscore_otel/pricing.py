"""Tokens to USD, at list prices.

Prices come from `genai-prices` (extra `cost`), a maintained table that ships inside its package: nothing is fetched. A
model that it does not know has no price; an unknown price is None, never 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


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
    for known in dict.fromkeys((provider, None)):
        try:
            usage = prices.Usage(
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cache_read_tokens=cached or None,
            )
            return float(prices.calc_price(usage, model, provider_id=known).total_price)
        except (LookupError, ValueError):
            continue
    return None


@lru_cache(maxsize=1)
def _table() -> Any:
    try:
        import genai_prices  # noqa: PLC0415 - slow to import, and an extra: loaded where a price is first asked for
    except ImportError:
        return None
    return genai_prices
