// A program with one agent and two calls, instrumented by hand with the OpenTelemetry SDK for JavaScript.
import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { detectResources, envDetector } from "@opentelemetry/resources";

const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const tracer = trace.getTracer("agent");

const agent = tracer.startSpan("invoke_agent desk", {
  attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk" },
});
const inside = trace.setSpan(context.active(), agent);
for (const tool of ["search", "delete_user"]) {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.call.arguments": JSON.stringify({ id: 7 }),
  };
  tracer.startSpan(`execute_tool ${tool}`, { attributes }, inside).end();
}
agent.end();
await provider.shutdown();
console.log("the program's own output");
