"""Tokens to USD, at list prices.

Prices come from `genai-prices` (extra `cost`), a maintained table that ships inside its package: nothing is fetched. A
model that it does not know has no price; an unknown price is None, never 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from toolscore_otel.pricing.names import candidates


def price(
    model: str | None,
    provider: str | None,
    input_tokens: int | None,
    output_tokens: int | None,
    cached_tokens: int | None = None,
    *,
    cache_write_tokens: int | None = None,
) -> float | None:
    """What one model call costs at list prices.

    Args:
        model: as the provider names it, dated or not.
        provider: as telemetry names it; None: found by the model's name.
        input_tokens: cached ones and those written to a cache included.
        output_tokens: reasoning ones included.
        cached_tokens: part of the input that was read from a cache.
        cache_write_tokens: part of the input that was written to a cache; at the price of its shortest life.

    Returns:
        USD; None where model or tokens are not known, or the extra is not installed.
    """
    if not model or (input_tokens is None and output_tokens is None):
        return None
    tokens = (input_tokens, output_tokens, cached_tokens, cache_write_tokens)
    return _price(model, provider, tokens)


@lru_cache(maxsize=4096)
def _price(
    model: str, provider: str | None, tokens: tuple[int | None, int | None, int | None, int | None]
) -> float | None:
    prices: Any = _table()
    if prices is None:
        return None
    asked, answered, cached, written = tokens
    for name, known in candidates(model, provider):
        try:
            usage = prices.Usage(
                input_tokens=asked or 0,
                output_tokens=answered or 0,
                cache_read_tokens=cached or None,
                cache_write_tokens=written or None,
            )
            found = prices.calc_price(usage, name, provider_id=known)
        except (LookupError, ValueError):
            continue
        # 0 stands in the table for what is paid in another way (GitHub Copilot's seats).
        return float(found.total_price) or None
    return None


@lru_cache(maxsize=1)
def _table() -> Any:
    try:
        import genai_prices  # noqa: PLC0415 - slow to import, and an extra: loaded where a price is first asked for
    except ImportError:
        return None
    return genai_prices
