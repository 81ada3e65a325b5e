"""Findings and scores to an OTLP server, as log records or as spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.reply import OK, Reply, Signal
from toolscore_otel.server.sinks.records import log_record_of, span_of
from toolscore_otel.wire.write_proto import logs_request, traces_request

Send = Callable[[Signal, bytes], Reply]
"""Sends one export; never raises."""


class OtlpLogs:
    """Log records `gen_ai.evaluation.result`.

    Args:
        send: to the server.
        close: lets go of the connection.
    """

    name = "otlp"

    def __init__(self, send: Send, close: Callable[[], None] = lambda: None) -> None:
        self._send = send
        self.close = close

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """One export."""
        return self._send(Signal.LOGS, logs_request(map(log_record_of, deliveries)))


class OtlpSpans:
    """Spans of no duration below the spans at fault; what stands in no trace is left out.

    Args:
        send: to the server.
        close: lets go of the connection.
    """

    name = "otlp_spans"

    def __init__(self, send: Send, close: Callable[[], None] = lambda: None) -> None:
        self._send = send
        self.close = close

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """One export."""
        spans = [span for span in map(span_of, deliveries) if span is not None]
        return self._send(Signal.TRACES, traces_request(spans)) if spans else OK
