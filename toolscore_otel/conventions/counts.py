"""Token counts as they are written, and what they mean: which of them are parts of which.

All of a model's input is the tokens that it was asked with, those read from a cache and written to one included; all of its
output includes those of its reasoning. Some count the parts apart from the rest, and so do some APIs.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, structs

from toolscore_otel.conventions.fields import an_object, count
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.conventions.usage_names import CountNames
from toolscore_otel.model import Json


class Cached(StrEnum):
    """How the tokens of a cache stand to those of the input."""

    WITHIN = "within"
    BESIDE = "beside"
    BY_TOTAL = "by_total"
    """Within where input and output make the total, beside where these and the cached ones do."""
    UNKNOWN = "unknown"


class Counts(Struct, frozen=True, kw_only=True):
    """Token counts of one model call, as written.

    Attributes:
        apart: whether those of reasoning are known not to be among those of the output.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    apart: bool = False
    total: int | None = None

    @property
    def of_cache(self) -> int:
        """Those read from it and those written to it."""
        return (self.cached or 0) + (self.cache_write or 0)


def counts(found: Mapping[str, Json], of: CountNames) -> Counts:
    """The counts that stand in an object, or among attributes."""
    reasoning = count(found, of.reasoning)
    apart = count(found, of.apart)
    return Counts(
        input=count(found, of.input),
        output=count(found, of.output),
        cached=count(found, of.cached),
        cache_write=count(found, of.cache_write),
        reasoning=apart if reasoning is None else reasoning,
        apart=reasoning is None and apart is not None,
        total=count(found, of.total),
    )


def filled(first: Counts, second: Counts) -> Counts:
    """The first, and of the second those of cache and reasoning that the first lacks: parts of the same whole."""
    if first.cached is None:
        first = structs.replace(first, cached=second.cached)
    if first.cache_write is None:
        first = structs.replace(first, cache_write=second.cache_write)
    if first.reasoning is None:
        first = structs.replace(first, reasoning=second.reasoning, apart=second.apart)
    return first


def flat(found: Mapping[str, Json], levels: int = 2) -> dict[str, Json]:
    """An object with its inner ones taken apart, so many levels deep: their keys are dotted."""
    entries: dict[str, Json] = {}
    for key, value in found.items():
        inner = an_object(value) if levels else None
        if inner is None:
            entries[key] = value
        else:
            entries |= {f"{key}.{name}": part for name, part in flat(inner, levels - 1).items()}
    return entries


def with_counts(call: ModelReading, found: Counts, cached: Cached) -> ModelReading:
    """A model call with what it used.

    Args:
        call: without any counts.
        found: as written.
        cached: what is known of whoever wrote them; what the counts themselves prove goes first.
    """
    asked, answered = found.input, found.output
    if asked == 0 and not answered:
        asked = answered = None  # streamed: no model is asked with nothing
    how = _proven(found, cached) if asked is not None and found.of_cache else Cached.WITHIN
    if asked is not None and how is Cached.BESIDE:
        asked += found.of_cache
    if asked is not None and answered is not None and found.reasoning:
        answered += found.reasoning if _is_apart(found, asked, answered) else 0
    return structs.replace(
        call,
        input_tokens=asked,
        output_tokens=answered,
        cached_tokens=found.cached,
        cache_write_tokens=found.cache_write,
        reasoning_tokens=found.reasoning,
        is_unclear=how is Cached.UNKNOWN,
    )


def _proven(found: Counts, cached: Cached) -> Cached:
    """Within or beside; unknown where nothing is known of who wrote them, and they prove nothing."""
    asked, apart = found.input or 0, found.of_cache
    if max(found.cached or 0, found.cache_write or 0) > asked:
        return Cached.BESIDE  # a part is no greater than its whole
    if cached is Cached.BESIDE:
        return cached
    if apart > asked:
        return Cached.UNKNOWN  # one of them may be within
    if cached is Cached.WITHIN:
        return cached
    known = asked + (found.output or 0)
    if found.total == known + apart:
        return Cached.BESIDE
    if cached is Cached.BY_TOTAL and found.total == known:
        return Cached.WITHIN
    return Cached.UNKNOWN


def _is_apart(found: Counts, asked: int, answered: int) -> bool:
    """Whether tokens of reasoning stand beside those of the answer (Gemini's API) or among them (conventions)."""
    reasoning = found.reasoning or 0
    return found.apart or reasoning > answered or found.total == asked + answered + reasoning
