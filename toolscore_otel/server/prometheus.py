"""`/metrics` for a Prometheus to scrape, as plain text or OpenMetrics, whichever it asks for.

Names follow the specification: dots become underscores, the unit and `_total` are appended. Exemplars carry the trace id
where the format has them (OpenMetrics).

Source:
    OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate

from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolscore_otel.emit.metrics import BOUNDS
from toolscore_otel.emit.points import Shown
from toolscore_otel.emit.registry import Metric
from toolscore_otel.server.readings import Reading, Readings

_UNITS = {"s": "seconds", "By": "bytes"}
_RATIO = "ratio"
_NAME_LENGTH = 200


def metrics_app(readings: Readings, resource: Mapping[str, str]) -> Starlette:
    """What answers `GET /metrics`.

    Args:
        readings: what is told.
        resource: of this server, as `target_info`.
    """

    def metrics(request: Request) -> Response:
        scrape = _Scrape(readings, resource, _reader(request))
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(scrape), headers={"content-type": content_type})

    return Starlette(
        routes=[Route("/metrics", metrics)],
        middleware=[Middleware(GZipMiddleware, minimum_size=1024)],
    )


def name_of(name: str, told: Metric) -> str:
    """The name of a metric's family, without `_total`.

    Args:
        name: as in `emit/telemetry.yaml`.
        told: what stands there.
    """
    family = name.replace(".", "_")
    unit = _unit(told)
    return family if not unit or family.endswith(f"_{unit}") else f"{family}_{unit}"


def label_of(name: str) -> str:
    """The name of a label: what must not stand in one becomes `_`.

    Args:
        name: of an attribute, or of a contract's label.
    """
    plain = re.sub(r"[^a-zA-Z0-9_]", "_", name)
    if plain[:1].isdigit():
        return f"key_{plain}"
    return f"key{plain}" if plain.startswith("__") else plain


class _Scrape(Collector):
    """All families, as one reader is shown them."""

    def __init__(self, readings: Readings, resource: Mapping[str, str], reader: str) -> None:
        self._readings = readings
        self._resource = resource
        self._reader = reader

    def collect(self) -> Iterator[Family]:
        """Families in the order of `emit/telemetry.yaml`, and the resource before them."""
        target = Family("target", "The server itself", "info")
        target.add_sample(
            "target_info", {label_of(key): value for key, value in self._resource.items()}, 1
        )
        yield target
        for reading in self._readings.read(self._reader):
            yield _family(reading)


def _reader(request: Request) -> str:
    """Who asks: several Prometheus servers may, and now and then a person."""
    host = request.client.host if request.client else ""
    agent = request.headers.get("user-agent", "")[:_NAME_LENGTH]
    return f"prometheus {host} {agent}"


def _unit(told: Metric) -> str:
    is_ratio = told.unit == "1" and told.instrument == "gauge"
    return _RATIO if is_ratio else _UNITS.get(told.unit, "")


def _family(reading: Reading) -> Family:
    told = reading.told
    name = name_of(reading.name, told)
    family = Family(name, told.description, told.instrument, _unit(told))
    for shown in reading.series:
        labels = _labels(shown)
        if told.instrument == "histogram":
            _add_buckets(family, labels, shown)
        elif told.instrument == "counter":
            family.add_sample(f"{name}_total", labels, shown.value, exemplar=_exemplar(shown))
        else:
            family.add_sample(name, labels, shown.value)
    return family


def _add_buckets(family: Family, labels: dict[str, str], shown: Shown) -> None:
    bounds = (*BOUNDS, float("inf"))
    for bound, below, count in zip(
        bounds, (float("-inf"), *BOUNDS), accumulate(shown.buckets), strict=True
    ):
        exemplar = _exemplar(shown) if below < shown.amount <= bound else None
        le = {"le": "+Inf" if bound == bounds[-1] else str(bound)}
        family.add_sample(f"{family.name}_bucket", {**labels, **le}, count, exemplar=exemplar)
    family.add_sample(f"{family.name}_count", labels, sum(shown.buckets))
    family.add_sample(f"{family.name}_sum", labels, shown.value)


def _labels(shown: Shown) -> dict[str, str]:
    """Labels of a series; where two names become one, both values stand there."""
    labels: dict[str, str] = {}
    for attribute, value in shown.key:
        name = label_of(attribute)
        text = str(value).lower() if isinstance(value, bool) else value
        labels[name] = f"{labels[name]};{text}" if name in labels else text
    return labels


def _exemplar(shown: Shown) -> Exemplar | None:
    if not shown.trace_id:
        return None
    span = {"span_id": shown.span_id} if shown.span_id else {}
    return Exemplar({"trace_id": shown.trace_id, **span}, shown.amount)
