"""What the server counts about itself: how many spans came in, what was refused, what waits to be delivered.

Any thread may count; it takes about a microsecond. These numbers begin at 0 with the process. Findings and calls are
summed elsewhere (`emit.metrics.Sums`), since they outlive it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from toolscore_otel.emit.points import Key, Point, Readers, Shown, gauge, key_of, show_all
from toolscore_otel.emit.registry import telemetry

Series = Iterable[tuple[Mapping[str, str | bool], float]]
"""Attributes and value of each series of a metric."""


class Counting:
    """Counters and gauges of a running server; every name stands in `emit/telemetry.yaml`.

    A series is there once somebody named it: whoever counts declares its counters at its start with `count(name, 0)`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._points: dict[str, dict[Key, Point]] = {}
        self._readers = Readers()

    def count(self, metric: str, n: float = 1, **attributes: str) -> None:
        """Add to a counter.

        Args:
            metric: its name.
            n: how much; 0 makes the series stand at 0 from now on, so that the first count is not missed.
            attributes: of the series.

        Raises:
            KeyError: the metric, or an attribute of it, does not stand in `telemetry.yaml`.
        """
        key = key_of(attributes)
        with self._lock:
            point = self._point(metric, key)
            point.value += n
            point.is_shown = point.is_shown or n == 0

    def follow(self, metric: str, value: float, **attributes: str) -> None:
        """Say what a counter stands at that is kept elsewhere; where it begins anew there, it goes on here.

        Raises:
            KeyError: as for `count`.
        """
        key = key_of(attributes)
        with self._lock:
            point = self._point(metric, key)
            point.value += value - point.amount if value >= point.amount else value
            point.amount = value

    def set(self, metric: str, value: float, **attributes: str) -> None:
        """Say what a gauge stands at.

        Raises:
            KeyError: as for `count`.
        """
        key = key_of(attributes)
        with self._lock:
            self._point(metric, key).value = value

    def replace(self, metric: str, series: Series) -> None:
        """Say all series of a gauge; those it had before are gone.

        Raises:
            KeyError: as for `count`.
        """
        with self._lock:
            self._points.pop(metric, None)
            for attributes, value in series:
                self._point(metric, key_of(attributes)).value = value

    def begin(self) -> None:
        """From now on, what is new is new: what is there by now was there before, and stands for every reader."""
        with self._lock:
            for points in self._points.values():
                show_all(points)

    def collected(self, metric: str, *, reader: str = "", is_last: bool = False) -> list[Shown]:
        """The series of a metric, as `Readers.show`; a gauge as it stands."""
        with self._lock:
            points = self._points.get(metric, {})
            if telemetry().metric(metric).instrument == "gauge":
                return list(gauge(points))
            return self._readers.show(metric, points, reader=reader, is_last=is_last)

    def _point(self, metric: str, key: Key) -> Point:
        points = self._points.get(metric)
        if points is not None and (point := points.get(key)) is not None:
            return point
        known = telemetry().metric(metric).attributes
        if odd := [name for name, _ in key if name not in known]:
            raise KeyError(f"the metric `{metric}` has no attribute `{odd[0]}` in telemetry.yaml")
        return self._points.setdefault(metric, {}).setdefault(key, Point())
