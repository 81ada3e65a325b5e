"""A program with one agent and two calls, instrumented by hand; ends with the code it is given."""

import sys
from importlib import import_module

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

exporters = import_module(f"opentelemetry.exporter.otlp.proto.{sys.argv[1]}.trace_exporter")
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporters.OTLPSpanExporter()))
tracer = provider.get_tracer("agent")
agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
with tracer.start_as_current_span("invoke_agent desk", attributes=agent):
    for tool in sys.argv[3:]:
        call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        with tracer.start_as_current_span("execute_tool", attributes=call):
            pass
provider.shutdown()
sys.stdout.write("the program's own output\n")
sys.exit(int(sys.argv[2]))
