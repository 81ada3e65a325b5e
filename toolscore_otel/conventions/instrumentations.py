"""The instrumentations, and their switches: the one table of them. A new one is an entry here.

What stands here was seen in recorded telemetry, or run by the tests of the pages about frameworks. `never` holds only
what no recording of it, in whatever mode, ever held; what is in neither list may be there or not.

Source:
    The instrumentations' own documentation for the spelling of the settings; recorded telemetry for the rest.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolscore_otel.conventions.switches import CONTENT, Instrumentation, Switch

_CALLS = ("times", "status")
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_SPAN_ONLY = Switch(CONTENT, f"{_CAPTURE}=SPAN_ONLY", "`true` is no help")
_OI_CONTENT = Switch(
    CONTENT, "OPENINFERENCE_HIDE_INPUTS=false OPENINFERENCE_HIDE_OUTPUTS=false", "the default"
)
_OI_SESSION = Switch(("conversation",), "with using_session(ID):", "around the run")
_OI = (_OI_CONTENT, _OI_SESSION)
_CLIENT = (
    "It watches a model client, which runs no tools: a call is known from chat messages alone. "
    "Tools in a span of their own (gen_ai.operation.name=execute_tool) have times and status."
)

INSTRUMENTATIONS: tuple[Instrumentation, ...] = (
    # --- the OpenTelemetry project ------------------------------------------------------------
    Instrumentation(
        name="OpenTelemetry, OpenAI Agents",
        scopes=("opentelemetry.instrumentation.genai.openai_agents",),
        switches=(_SPAN_ONLY,),
        never=("call_id", "tokens"),
        note="Model calls have spans only where opentelemetry-instrumentation-genai-openai is installed, too.",
    ),
    Instrumentation(
        name="OpenTelemetry, LangChain",
        scopes=("opentelemetry.instrumentation.genai.langchain",),
        switches=(_SPAN_ONLY,),
    ),
    Instrumentation(
        name="OpenTelemetry, model clients",
        scopes=("opentelemetry.instrumentation.genai.*", "opentelemetry.util.genai.*"),
        switches=(Switch((*CONTENT, "call_id"), _SPAN_ONLY.turn, _SPAN_ONLY.remark),),
        never=(*_CALLS, "agent"),
        note=_CLIENT,
    ),
    Instrumentation(
        name="OpenTelemetry, OpenAI (openai-v2)",
        scopes=("opentelemetry.instrumentation.openai_v2",),
        switches=(Switch(CONTENT, f"{_CAPTURE}=true", "with a logs exporter"),),
        never=(*_CALLS, "agent", "conversation"),
        note=_CLIENT,
    ),
    Instrumentation(
        name="OpenTelemetry, OpenAI Agents (openai-agents-v2)",
        scopes=("opentelemetry.instrumentation.openai_agents",),
        version="",
        switches=(Switch(CONTENT, f"{_CAPTURE}=SPAN_ONLY", "the default"),),
        never=("conversation",),
    ),
    Instrumentation(
        name="OpenTelemetry Java agent, OpenAI",
        scopes=("io.opentelemetry.openai-java-*",),
        switches=(Switch(CONTENT, f"{_CAPTURE}=true", "with OTEL_LOGS_EXPORTER=otlp"),),
        never=(*_CALLS, "agent", "conversation"),
        note=_CLIENT,
    ),
    # --- OpenLLMetry --------------------------------------------------------------------------
    Instrumentation(
        name="OpenLLMetry, MCP",
        scopes=("opentelemetry.instrumentation.mcp.instrumentation",),
        switches=(Switch(CONTENT, "TRACELOOP_TRACE_CONTENT=true", "the default"),),
        never=("agent", "call_id", "conversation", "tokens"),
    ),
    Instrumentation(
        name="OpenLLMetry, CrewAI",
        scopes=("opentelemetry.instrumentation.crewai.instrumentation",),
        never=(*CONTENT, *_CALLS, "call_id"),
        note="It has no spans of tools: OpenInference's instrumentation of CrewAI has.",
    ),
    Instrumentation(
        name="OpenLLMetry, Haystack",
        scopes=("opentelemetry.instrumentation.haystack",),
        never=(*CONTENT, *_CALLS, "call_id", "conversation", "tokens"),
        note="It has no spans of tools: Haystack's own tracing has.",
    ),
    Instrumentation(
        name="OpenLLMetry, agents",
        scopes=(
            "opentelemetry.instrumentation.openai_agents",
            "opentelemetry.instrumentation.langchain",
            "opentelemetry.instrumentation.llamaindex*",
            "opentelemetry.instrumentation.agno*",
        ),
        switches=(
            Switch((*CONTENT, "call_id"), "TRACELOOP_TRACE_CONTENT=true", "the default"),
            Switch(("conversation",), 'Traceloop.set_association_properties({"session_id": ID})'),
        ),
    ),
    Instrumentation(
        name="OpenLLMetry, model clients",
        scopes=(
            "opentelemetry.instrumentation.openai.*",
            "opentelemetry.instrumentation.anthropic",
            "opentelemetry.instrumentation.litellm",
        ),
        switches=(Switch((*CONTENT, "call_id"), "TRACELOOP_TRACE_CONTENT=true", "the default"),),
        never=("times", "agent"),
        note=_CLIENT,
    ),
    # --- OpenInference ------------------------------------------------------------------------
    Instrumentation(
        name="OpenInference, CrewAI",
        scopes=("openinference.instrumentation.crewai*",),
        switches=(
            *_OI,
            Switch(
                (*CONTENT, *_CALLS),
                "CrewAIInstrumentor().instrument(use_event_listener=True)",
                "for agents that write their calls as text (ReAct)",
            ),
        ),
        never=("call_id",),
    ),
    Instrumentation(
        name="OpenInference, DSPy",
        scopes=("openinference.instrumentation.dspy",),
        switches=_OI,
        never=("agent", "call_id", "tokens"),
    ),
    Instrumentation(
        name="OpenInference, Haystack",
        scopes=("openinference.instrumentation.haystack",),
        switches=_OI,
        never=("agent",),
        note="It has no span for each tool; Haystack's own tracing (opentelemetry-haystack) has, from 3.4 on.",
    ),
    Instrumentation(
        name="OpenInference, model clients",
        scopes=(
            "openinference.instrumentation.openai",
            "openinference.instrumentation.anthropic",
            "openinference.instrumentation.litellm",
        ),
        switches=(Switch((*CONTENT, "call_id"), _OI_CONTENT.turn, _OI_CONTENT.remark), _OI_SESSION),
        never=(*_CALLS, "agent"),
        note=_CLIENT,
    ),
    Instrumentation(
        name="OpenInference",
        scopes=("openinference.instrumentation.*",),
        switches=(Switch((*CONTENT, "call_id"), _OI_CONTENT.turn, _OI_CONTENT.remark), _OI_SESSION),
    ),
    # --- frameworks that write spans themselves -----------------------------------------------
    Instrumentation(
        name="AgentOps",
        scopes=("agentops", "openai-agents"),
        switches=(Switch(_CALLS, "@tool(name=NAME)", "on the tool's function"),),
    ),
    Instrumentation(
        name="AgentScope for Java 2",
        scopes=("io.agentscope",),
        never=(*CONTENT, "conversation"),
    ),
    Instrumentation(
        name="AI SDK 4 to 6",
        scopes=("ai",),
        switches=(
            Switch(("arguments",), "experimental_telemetry: {recordInputs: true}", "the default"),
            Switch(("result",), "experimental_telemetry: {recordOutputs: true}", "the default"),
            Switch(("agent",), "experimental_telemetry: {functionId: NAME}"),
        ),
    ),
    Instrumentation(
        name="AI SDK 7",
        scopes=("gen_ai",),
        switches=(
            Switch(("arguments",), "telemetry: {recordInputs: true}", "the default"),
            Switch(("result",), "telemetry: {recordOutputs: true}", "the default"),
            Switch(("agent",), "telemetry: {functionId: NAME}"),
        ),
    ),
    Instrumentation(
        name="Anthropic SDK",
        scopes=("com.anthropic.sdk.python",),
        switches=(Switch(CONTENT, "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content"),),
        never=("agent", "conversation"),
        note="Its tool runner has spans of tools; a loop around messages.create has none.",
    ),
    Instrumentation(
        name="AutoGen",
        scopes=("autogen-core",),
        never=(*CONTENT, "conversation", "tokens"),
        note="openinference-instrumentation-autogen-agentchat beside it records arguments and results.",
    ),
    Instrumentation(
        name="Braintrust",
        scopes=("braintrust-*",),
        switches=(Switch(_CALLS, "BraintrustTracing", "adds what tells spans of failed calls"),),
        never=("agent", "conversation"),
    ),
    Instrumentation(
        name="Google ADK",
        scopes=("gcp.vertex.agent",),
        version="2.*",
        switches=(_SPAN_ONLY,),
    ),
    Instrumentation(
        name="Google ADK 1, ADK for Java",
        scopes=("gcp.vertex.agent",),
        switches=(Switch(CONTENT, "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true", "the default"),),
    ),
    Instrumentation(
        name="Genkit",
        scopes=("genkit-tracer",),
        never=("agent", "conversation"),
        note="It records content always.",
    ),
    Instrumentation(
        name="Haystack",
        scopes=("haystack",),
        switches=(Switch(CONTENT, "HAYSTACK_CONTENT_TRACING_ENABLED=true", "before its import"),),
        never=("conversation",),
    ),
    Instrumentation(
        name="HoneyHive",
        scopes=("honeyhive.*",),
        switches=(Switch(_CALLS, '@trace(event_type="tool", event_name=NAME)', "both of them"),),
    ),
    Instrumentation(
        name="Laminar",
        scopes=("lmnr.tracer",),
        switches=(Switch(_CALLS, '@observe(span_type="TOOL")', "on the tool's function"),),
    ),
    Instrumentation(
        name="Langfuse",
        scopes=("langfuse-sdk",),
        switches=(
            Switch(CONTENT, "startObservation(TOOL, {input, output}, {asType: 'tool'})"),
            Switch(("call_id",), "metadata: {toolCallId: ID} on the observation"),
        ),
        note="Its observations hold what the program puts there.",
    ),
    Instrumentation(
        name="LiteLLM",
        scopes=("litellm",),
        switches=(Switch((*CONTENT, "call_id"), "litellm.turn_off_message_logging=False"),),
        never=(*_CALLS, "agent", "conversation"),
        note=_CLIENT,
    ),
    Instrumentation(
        name="Logfire, MCP",
        scopes=("logfire.mcp",),
        never=("agent", "call_id", "conversation", "tokens"),
    ),
    Instrumentation(
        name="Logfire",
        scopes=("logfire.*",),
        note="Its scrubbing may put placeholders where values were.",
    ),
    Instrumentation(
        name="Mastra",
        scopes=("@mastra/*",),
        note="It replaces values under sensitive keys by a placeholder.",
    ),
    Instrumentation(
        name="MLflow",
        scopes=("mlflow.tracing.provider",),
        switches=(Switch(_CALLS, '@mlflow.trace(span_type="TOOL")', "on the tool's function"),),
    ),
    Instrumentation(
        name="MCP Python SDK",
        scopes=("mcp-python-sdk",),
        never=(*CONTENT, "agent", "call_id", "conversation", "tokens"),
        note="The framework of the agent that calls the tools may record what is missing here.",
    ),
    Instrumentation(
        name="Microsoft Agent Framework",
        scopes=("agent_framework",),
        switches=(Switch(CONTENT, "ENABLE_SENSITIVE_DATA=true"),),
    ),
    Instrumentation(
        name="Netra",
        scopes=("netra.instrumentation.*",),
        switches=(Switch(_CALLS, "@span(as_type=SpanType.TOOL)", "on the tool's function"),),
    ),
    Instrumentation(
        name="OpenLIT",
        scopes=("openlit.*",),
        switches=(Switch(CONTENT, "openlit.init(capture_message_content=True)"),),
    ),
    Instrumentation(
        name="Pydantic AI",
        scopes=("pydantic-ai",),
        switches=(Switch(CONTENT, "InstrumentationSettings(include_content=True)", "the default"),),
    ),
    Instrumentation(
        name="Quarkus LangChain4j",
        scopes=("io.quarkus.opentelemetry",),
        switches=(
            Switch(("arguments",), "quarkus.langchain4j.tracing.include-tool-arguments=true"),
            Switch(("result",), "quarkus.langchain4j.tracing.include-tool-result=true"),
        ),
        never=("agent", "conversation"),
    ),
    Instrumentation(
        name="Semantic Kernel",
        scopes=("semantic_kernel.*",),
        switches=(
            Switch(
                CONTENT, "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true"
            ),
        ),
        never=("conversation",),
    ),
    Instrumentation(
        name="Spring AI",
        scopes=("org.springframework.boot",),
        switches=(
            Switch((*CONTENT, "status"), "spring.ai.tools.observations.include-content=true"),
        ),
        never=("agent", "conversation"),
        note="A tool that failed has status OK: give `fails_when` in the contract's `tools`.",
    ),
    Instrumentation(
        name="Strands Agents",
        scopes=("strands.telemetry.tracer",),
        switches=(
            Switch(
                CONTENT,
                "OTEL_SEMCONV_STABILITY_OPT_IN",
                "without gen_ai_unredacted_attributes, the default",
            ),
        ),
    ),
    Instrumentation(name="VoltAgent", scopes=("@voltagent/core",)),
    # --- coding agents ------------------------------------------------------------------------
    Instrumentation(
        name="Claude Code, log events",
        scopes=("com.anthropic.claude_code.events",),
        switches=(
            Switch(("arguments",), "OTEL_LOG_TOOL_DETAILS=1"),
            Switch(
                ("result",),
                "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1 OTEL_LOG_TOOL_CONTENT=1",
                "with a traces exporter",
            ),
        ),
    ),
    Instrumentation(
        name="Claude Code, spans",
        scopes=("com.anthropic.claude_code.tracing",),
        switches=(
            Switch(("arguments",), "OTEL_LOG_TOOL_DETAILS=1", "with a logs exporter"),
            Switch(("result",), "OTEL_LOG_TOOL_CONTENT=1"),
        ),
    ),
    Instrumentation(
        name="Codex CLI, spans",
        scopes=("codex_exec",),
        switches=(Switch(CONTENT, "[otel] exporter in config.toml", "its log events hold both"),),
    ),
    Instrumentation(name="Codex CLI, log events", scopes=("codex_otel*",)),
    Instrumentation(
        name="Gemini CLI",
        scopes=("gemini-cli",),
        switches=(
            Switch(("arguments",), '"telemetry": {"logPrompts": true} in settings.json'),
            Switch(CONTENT, '"telemetry": {"traces": true} in settings.json'),
        ),
    ),
    Instrumentation(
        name="GitHub Copilot CLI",
        scopes=("github.copilot",),
        switches=(Switch(CONTENT, f"{_CAPTURE}=true"),),
    ),
    Instrumentation(
        name="opencode",
        scopes=("opencode",),
        switches=(Switch(CONTENT, '"experimental": {"openTelemetry": true} in opencode.json'),),
        never=("agent",),
    ),
)
"""The first that fits is it: the general ones stand behind."""


def known_instrumentation(scope: str, version: str) -> Instrumentation | None:
    """The instrumentation that writes under this scope; None where nothing is known of it."""
    for one in INSTRUMENTATIONS:
        if fnmatchcase(version, one.version) and any(
            fnmatchcase(scope, pattern) for pattern in one.scopes
        ):
            return one
    return None
