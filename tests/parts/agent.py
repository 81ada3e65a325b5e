"""An application with an agent: spans of the real SDK, sent by its OTLP exporter."""

from __future__ import annotations

import json
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult


class Agent:
    """Makes tool calls, and remembers the spans that tell of them."""

    def __init__(self, address: str | None, service: str = "support-desk") -> None:
        """An agent.

        Args:
            address: `host:port` its spans go to, over gRPC; none: nowhere.
            service: its name.
        """
        self._spans: list[ReadableSpan] = []
        resource = Resource({"service.name": service, "deployment.environment.name": "prod"})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_Memory(self._spans)))
        if address is not None:
            exporter = OTLPSpanExporter(endpoint=address, insecure=True)
            self._provider.add_span_processor(
                BatchSpanProcessor(exporter, schedule_delay_millis=50)
            )

    def run(self, tool: str = "lookup_order", times: int = 1, **arguments: object) -> None:
        """Run the agent: one trace each time, with one call of one tool in it and spans that are none of ours."""
        tracer = self._provider.get_tracer("desk", "1.0")
        for number in range(times):
            with (
                tracer.start_as_current_span("POST /chat", attributes={"http.route": "/chat"}),
                tracer.start_as_current_span(
                    "invoke_agent desk",
                    attributes={
                        "gen_ai.operation.name": "invoke_agent",
                        "gen_ai.agent.name": "desk",
                    },
                ),
                tracer.start_as_current_span(
                    f"execute_tool {tool}",
                    attributes={
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": tool,
                        "gen_ai.tool.call.id": f"call_{number}",
                        "gen_ai.tool.call.arguments": json.dumps({"number": number, **arguments}),
                        "gen_ai.tool.call.result": "done",
                    },
                ) as span,
            ):
                span.add_event("asked", {"attempt": 1, "scores": [0.5, 1.0], "final": True})
                with tracer.start_as_current_span("SELECT", attributes={"db.system": "sqlite"}):
                    pass

    def flush(self) -> None:
        """Send what was not sent yet."""
        assert self._provider.force_flush()

    def sent(self) -> dict[bytes, Span]:
        """All its spans until now as they go over the wire, by span id; they have left."""
        return {
            span.span_id: span
            for resource in self.request().resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }

    def request(self) -> ExportTraceServiceRequest:
        """The same as one request."""
        self.flush()
        return encode_spans(self._spans)

    def close(self) -> None:
        """Send what is left, and end."""
        self._provider.shutdown()


class _Memory(SpanExporter):
    def __init__(self, spans: list[ReadableSpan]) -> None:
        self._spans = spans

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._spans.extend(spans)
        return SpanExportResult.SUCCESS
