"""The pipeline that ships: applications, a real Collector, toolscore-otel, and a far end that keeps everything."""

from tests.parts.fixtures import otelcol, sink, start, telemetrygen

__all__ = ["otelcol", "sink", "start", "telemetrygen"]
