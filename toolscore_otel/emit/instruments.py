"""The metrics of `telemetry.yaml` as instruments of a meter, which reads the sums when it collects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry.metrics import Meter, Observation

from toolscore_otel.emit.context import context_of
from toolscore_otel.emit.metrics import BOUNDS, COVERAGE, DURATION, FOLDED, OF_SUMS, SCORE, Sums
from toolscore_otel.emit.points import Key
from toolscore_otel.emit.registry import Metric, telemetry

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions

Read = Callable[[], Iterable[tuple[Mapping[str, str | bool], float]]]
"""Attributes and values of a metric that is kept elsewhere."""


def observe(
    meter: Meter,
    sums: Sums,
    *,
    prepare: Callable[[], None],
    others: Mapping[str, Read],
) -> None:
    """Make every metric an instrument of a meter.

    A meter does not say which of several readers collects: of those, the first sees the 0 of a new series.

    Args:
        meter: of an SDK, or one that becomes it later.
        sums: to be read.
        prepare: called once at the begin of each collection.
        others: metric -> what reads it, for those that `sums` does not keep.

    Raises:
        KeyError: a metric that does not stand in `telemetry.yaml`.
    """
    for metric in OF_SUMS:
        before = prepare if metric == OF_SUMS[0] else _nothing
        _create(meter, metric, _reads_sums(sums, metric, before))
    durations = meter.create_histogram(
        DURATION,
        unit=_told(DURATION).unit,
        description=_told(DURATION).description,
        explicit_bucket_boundaries_advisory=BOUNDS,
    )
    sums.keeps_durations = True
    gauges = {COVERAGE: _told_by(sums.coverage), SCORE: _told_by(sums.scores)}

    def folded() -> Iterator[tuple[Mapping[str, str | bool], float]]:
        for seconds, key in sums.take_durations():
            durations.record(seconds, dict(key))
        yield from (({"name": name}, count) for name, count in sums.folded().items())

    _create(meter, FOLDED, _reads(folded))
    for metric, read in {**gauges, **others}.items():
        _create(meter, metric, _reads(read))


Callback = Callable[["CallbackOptions"], Iterable[Observation]]


def _create(meter: Meter, metric: str, callback: Callback) -> None:
    told = _told(metric)
    make: Any = (
        meter.create_observable_counter
        if told.instrument == "counter"
        else meter.create_observable_gauge
    )
    make(metric, callbacks=[callback], unit=told.unit, description=told.description)


def _reads_sums(sums: Sums, metric: str, before: Callable[[], None]) -> Callback:
    def read(_options: CallbackOptions) -> Iterator[Observation]:
        before()
        for shown in sums.collected(metric, is_last=_is_ending()):
            exemplar = context_of(shown.trace_id, shown.span_id) if shown.trace_id else None
            yield Observation(shown.value, dict(shown.key), exemplar)

    return read


def _reads(read: Read) -> Callback:
    def told(_options: CallbackOptions) -> Iterator[Observation]:
        for attributes, value in read():
            yield Observation(value, dict(attributes))

    return told


def _told_by(told: Callable[[], Iterable[tuple[Key, float]]]) -> Read:
    return lambda: ((dict(key), value) for key, value in told())


def _is_ending() -> bool:
    """Whether the interpreter ends: what is collected now is the last that anybody sees."""
    return not threading.main_thread().is_alive()


def _told(metric: str) -> Metric:
    return telemetry().metric(metric)


def _nothing() -> None:
    pass
