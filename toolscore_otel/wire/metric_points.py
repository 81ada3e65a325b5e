"""How many points an export of metrics holds. Metrics are passed on or dropped, and never read."""

from __future__ import annotations

from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.official import REQUESTS, DecodeError


def count_points(data: bytes) -> int:
    """Data points of an `ExportMetricsServiceRequest`.

    Raises:
        Unreadable: the bytes are none.
    """
    try:
        request = REQUESTS["metrics"].FromString(data)
    except DecodeError as error:
        raise Unreadable("its bytes are no protobuf message of that kind") from error
    return sum(
        len(getattr(metric, kind).data_points)
        for group in request.resource_metrics
        for part in group.scope_metrics
        for metric in part.metrics
        if (kind := metric.WhichOneof("data")) is not None
    )
