"""How many points an export of metrics holds. Metrics are passed on or dropped, and never read."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from toolscore_otel.wire.fields import Unreadable


def count_points(data: bytes) -> int:
    """Data points of an `ExportMetricsServiceRequest`.

    Raises:
        Unreadable: the bytes are none.
    """
    try:
        request = ExportMetricsServiceRequest.FromString(data)
    except DecodeError as error:
        raise Unreadable("its bytes are no protobuf message of that kind") from error
    return sum(
        len(getattr(metric, kind).data_points)
        for group in request.resource_metrics
        for part in group.scope_metrics
        for metric in part.metrics
        if (kind := metric.WhichOneof("data")) is not None
    )
