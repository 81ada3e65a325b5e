"""One reading out of two of the same span: the first gives, the second fills what the first did not observe."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    ModelReading,
    SpanReading,
)
from toolscore_otel.model import ContentState, Gap, Payload, Status

_FILLED = ("name", "call_id", "error_type", "error_message", "agent", "agent_id", "cost_usd")
_USAGE = (
    "model",
    "provider",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cost_usd",
    "response_id",
)
_OF_CACHE = frozenset({"cached_tokens", "cache_write_tokens"})


def merged(first: SpanReading, second: SpanReading) -> SpanReading:
    """Both readings as one; its conventions are those of the first.

    A span that tells of one call in two dialects tells of one call. A failure that only the second sees is a failure.
    """
    return SpanReading(
        calls=_calls(first.calls, second.calls),
        agent=_agent(first.agent, second.agent),
        model=filled(first.model, second.model),
        conversation_id=first.conversation_id or second.conversation_id,
        scenario=first.scenario or second.scenario,
        named=first.named or second.named,
    )


def _calls(
    first: tuple[CallReading, ...], second: tuple[CallReading, ...]
) -> tuple[CallReading, ...]:
    if len(first) == 1 and len(second) == 1:
        return (_call(first[0], second[0]),)
    return first or second


def _call(first: CallReading, second: CallReading) -> CallReading:
    changes = _missing(first, second, _FILLED)
    if _is_named(second) and not _is_named(first):
        changes["name"] = second.name
    changes["args"] = _fuller(first.args, second.args)
    changes["result"] = _fuller(first.result, second.result)
    changes["gaps"] = _gaps(first, second)
    if second.status is Status.ERROR and first.status is not Status.ERROR:
        changes["status"] = Status.ERROR
    return structs.replace(first, **changes)


def _is_named(call: CallReading) -> bool:
    """Whether an attribute names the tool, and not its span alone."""
    return call.name is not None and Gap.NAME_FROM_SPAN not in call.gaps


def _gaps(first: CallReading, second: CallReading) -> tuple[Gap, ...]:
    gaps = dict.fromkeys((*first.gaps, *second.gaps))
    if any(_is_named(call) for call in (first, second)):
        gaps.pop(Gap.NAME_FROM_SPAN, None)
    if first.name is not None or second.name is not None:
        gaps.pop(Gap.NAME_NOT_OBSERVED, None)
    return tuple(gaps)


def _fuller(first: Payload, second: Payload) -> Payload:
    """The first, unless the second was observed and the first was not, or the first is nothing at all."""
    if first.state is ContentState.OBSERVED:
        return first
    if first.state is ContentState.NOT_OBSERVED or second.state is ContentState.OBSERVED:
        return second
    return first


def _agent(first: AgentReading | None, second: AgentReading | None) -> AgentReading | None:
    if first is None or second is None:
        return first or second
    return structs.replace(first, **_missing(first, second, ("name",)))


def filled(first: ModelReading | None, second: ModelReading | None) -> ModelReading | None:
    """The first, with what it did not observe of the second: of one model call.

    Whether input tokens include those of the cache is clear where it is to the one that tells of these.
    """
    if first is None or second is None:
        return first or second
    tells = second if (first.cached_tokens, first.cache_write_tokens) == (None, None) else first
    missing = _missing(first, second, _USAGE)
    return structs.replace(first, is_unclear=tells.is_unclear, **missing)


def agreed(readings: Sequence[ModelReading]) -> ModelReading:
    """What all of several readings say alike, of which it is not known which one is meant.

    Where they differ in the tokens of the cache, these are unclear, for they are not known to be none.

    Args:
        readings: at least one.
    """
    first = readings[0]
    apart = [
        name for name in _USAGE if any(getattr(r, name) != getattr(first, name) for r in readings)
    ]
    is_unclear = any(r.is_unclear for r in readings) or not _OF_CACHE.isdisjoint(apart)
    return structs.replace(first, is_unclear=is_unclear, **dict.fromkeys(apart))


def _missing(first: object, second: object, fields: tuple[str, ...]) -> dict[str, object]:
    return {
        field: value
        for field in fields
        if getattr(first, field) is None and (value := getattr(second, field)) is not None
    }
