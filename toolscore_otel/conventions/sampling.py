"""What a span or a log record says of sampling upstream: that others like it were left out on the way.

Source:
    OpenTelemetry "TraceState: Probability Sampling" (`ot=th:`) and the Collector's probabilistic sampler for log records;
    Azure Monitor's and Honeycomb's samplers; Jaeger's clients.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from toolscore_otel.model import Json, LogRecord, Span

_DIGITS = 14
"""Hexadecimal digits of a whole threshold; what is left out at its end is zeros."""

_ALL = 1 << 4 * _DIGITS


class Sampled(Struct, frozen=True):
    """That something was left out.

    Attributes:
        by: what says so: `ot=th`, or an attribute.
        kept: share of what there was that was kept, 0..1; None where that is not said.
    """

    by: str
    kept: float | None = None


def sampled(item: Span | LogRecord) -> Sampled | None:
    """What one span or log record says; None where it says nothing, or that all was kept."""
    if NAMES.isdisjoint(item.attributes) and not (isinstance(item, Span) and item.trace_state):
        return None  # nearly every one
    if isinstance(item, Span) and (kept := _by_threshold(item.trace_state)) is not None:
        return Sampled("ot=th", kept)
    for name, share_of in _ATTRIBUTES.items():
        value = item.attributes.get(name)
        share = None if value is None else share_of(value)
        if share is not None and 0 <= share < 1:
            return Sampled(name, share)
    if any(name in item.attributes for name in _KEPT_BY_RULE):
        return Sampled(next(name for name in _KEPT_BY_RULE if name in item.attributes))
    return None


def _by_threshold(trace_state: str) -> float | None:
    """The share that was kept, where it is less than all."""
    for member in trace_state.split(","):
        key, _, value = member.strip().partition("=")
        for field in value.split(";") if key == "ot" else ():
            name, _, threshold = field.partition(":")
            if name == "th" and (share := _of_threshold(threshold)) is not None:
                return share if share < 1 else None
    return None


def _of_threshold(value: Json) -> float | None:
    if not isinstance(value, str) or not 0 < len(value) <= _DIGITS:
        return None
    try:
        return (_ALL - int(value.ljust(_DIGITS, "0"), 16)) / _ALL
    except ValueError:
        return None


def _of_percentage(value: Json) -> float | None:
    number = _number(value)
    return None if number is None else number / 100


def _of_one_in(value: Json) -> float | None:
    number = _number(value)
    return None if number is None or number < 1 else 1 / number


def _number(value: Json) -> float | None:
    """A number, also where it was recorded as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


_ATTRIBUTES: dict[str, Callable[[Json], float | None]] = {
    "sampling.threshold": _of_threshold,  # the Collector, on log records
    "sampling.probability": _number,
    "microsoft.sample_rate": _of_percentage,  # Azure Monitor
    "SampleRate": _of_one_in,  # Honeycomb
}
_KEPT_BY_RULE = ("meta.refinery.reason", "tailsampling.policy")
"""Honeycomb's Refinery and the Collector's tail sampling: why this trace was kept, and not how many were."""

NAMES = frozenset({*_ATTRIBUTES, *_KEPT_BY_RULE})
"""Attributes that say something of sampling."""
