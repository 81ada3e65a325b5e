"""Metrics as OTLP, pushed at an interval. Sums are cumulative, so a push that fails loses nothing.

A series that is new is shown at 0 once; if that push fails, the other side has not seen the 0. So what could not be
sent is kept, and sent before anything newer is read.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    InstrumentationScope,
    KeyValue,
)
from opentelemetry.proto.metrics.v1 import metrics_pb2 as pb
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from toolscore_otel.emit.metrics import BOUNDS
from toolscore_otel.emit.points import Shown
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.own_resource import SCOPE
from toolscore_otel.server.readings import Reading, Readings
from toolscore_otel.server.reply import Outcome, Reply

LOG = logging.getLogger("toolscore_otel.server")

READER = "otlp"
"""Name of this reader of the metrics."""

_CUMULATIVE = pb.AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE


class MetricsPusher:
    """Pushes all metrics at an interval, from a thread of its own.

    Args:
        readings: what is told.
        send: takes one `ExportMetricsServiceRequest` as bytes, and never raises.
        counting: pushes that failed count as `toolscore.emit.errors`.
        resource: of this server.
        interval_s: from one push to the next.
        clock: nanoseconds since the epoch.
    """

    def __init__(
        self,
        readings: Readings,
        send: Callable[[bytes], Reply],
        counting: Counting,
        *,
        resource: Mapping[str, str],
        interval_s: float,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._readings = readings
        self._send = send
        self._counting = counting
        self._resource = resource
        self._interval_s = interval_s
        self._clock = clock
        self._over = threading.Event()
        self._unsent: bytes | None = None
        self._is_failing = False
        self._thread = threading.Thread(target=self._run, name="toolscore-metrics", daemon=True)
        counting.count("toolscore.emit.errors", 0, output="metrics")

    def start(self) -> None:
        """Begin; the first push comes after one interval."""
        self._thread.start()

    def stop(self, grace_s: float) -> None:
        """Push a last time with nothing held back, and return once that is done or the time is over."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join(grace_s)

    def push(self, *, is_last: bool = False) -> None:
        """Push now: first what could not be sent, then how things stand.

        Args:
            is_last: no push will follow.
        """
        if self._unsent is not None and not self._is_done(self._unsent):
            return
        self._unsent = None
        readings = self._readings.read(READER, is_last=is_last)
        data = encoded(readings, self._resource, self._clock())
        if not self._is_done(data):
            self._unsent = data

    def _run(self) -> None:
        while not self._over.wait(self._interval_s):
            self._push_safely()
        self._push_safely(is_last=True)

    def _push_safely(self, *, is_last: bool = False) -> None:
        try:
            self.push(is_last=is_last)
        except Exception as error:  # noqa: BLE001 - the next push may work, and the server goes on
            self._note(f"{type(error).__name__} while they were read")

    def _is_done(self, data: bytes) -> bool:
        """Whether these bytes were sent, or will never be taken."""
        reply = self._send(data)
        self._note(None if reply.outcome is Outcome.OK else reply.message or reply.outcome.value)
        return reply.outcome is not Outcome.RETRY

    def _note(self, why: str | None) -> None:
        """Count a failure, and say it when it begins and when it is over."""
        if why is not None:
            self._counting.count("toolscore.emit.errors", output="metrics")
        if why is not None and not self._is_failing:
            LOG.warning("metrics cannot be pushed: %s", why)
        elif why is None and self._is_failing:
            LOG.info("metrics are pushed again")
        self._is_failing = why is not None


def encoded(readings: Sequence[Reading], resource: Mapping[str, str], now_ns: int) -> bytes:
    """An `ExportMetricsServiceRequest`.

    Args:
        readings: all metrics.
        resource: of this server.
        now_ns: when they were read.
    """
    scope = InstrumentationScope(name=SCOPE, version=resource.get("service.version", ""))
    metrics = [_metric(reading, now_ns) for reading in readings]
    of_scope = pb.ScopeMetrics(scope=scope, metrics=metrics)
    return ExportMetricsServiceRequest(
        resource_metrics=[
            pb.ResourceMetrics(
                resource=Resource(attributes=_attributes(tuple(resource.items()))),
                scope_metrics=[of_scope],
            )
        ]
    ).SerializeToString()


def _metric(reading: Reading, now_ns: int) -> pb.Metric:
    told = reading.told
    metric = pb.Metric(name=reading.name, unit=told.unit, description=told.description)
    if told.instrument == "histogram":
        metric.histogram.aggregation_temporality = _CUMULATIVE
        metric.histogram.data_points.extend(
            _histogram(shown, reading.start_ns, now_ns) for shown in reading.series
        )
    elif told.instrument == "counter":
        metric.sum.aggregation_temporality = _CUMULATIVE
        metric.sum.is_monotonic = True
        metric.sum.data_points.extend(
            _number(shown, reading.start_ns, now_ns) for shown in reading.series
        )
    else:
        metric.gauge.data_points.extend(_number(shown, 0, now_ns) for shown in reading.series)
    return metric


def _number(shown: Shown, start_ns: int, now_ns: int) -> pb.NumberDataPoint:
    return pb.NumberDataPoint(
        attributes=_attributes(shown.key),
        start_time_unix_nano=start_ns,
        time_unix_nano=now_ns,
        as_double=shown.value,
        exemplars=_exemplars(shown, now_ns),
    )


def _histogram(shown: Shown, start_ns: int, now_ns: int) -> pb.HistogramDataPoint:
    return pb.HistogramDataPoint(
        attributes=_attributes(shown.key),
        start_time_unix_nano=start_ns,
        time_unix_nano=now_ns,
        count=sum(shown.buckets),
        sum=shown.value,
        bucket_counts=shown.buckets,
        explicit_bounds=BOUNDS,
        exemplars=_exemplars(shown, now_ns),
    )


def _exemplars(shown: Shown, now_ns: int) -> list[pb.Exemplar]:
    """The last of what was counted, at the time of the collection as in any asynchronous instrument."""
    if not shown.trace_id:
        return []
    return [
        pb.Exemplar(
            time_unix_nano=now_ns,
            trace_id=bytes.fromhex(shown.trace_id),
            span_id=bytes.fromhex(shown.span_id or ""),
            as_double=shown.amount,
        )
    ]


def _attributes(pairs: Sequence[tuple[str, str | bool]]) -> list[KeyValue]:
    return [
        KeyValue(
            key=key,
            value=AnyValue(bool_value=value)
            if isinstance(value, bool)
            else AnyValue(string_value=value),
        )
        for key, value in pairs
    ]
