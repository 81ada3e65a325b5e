"""Which frameworks run, under which instrumentation, and what makes it record arguments and results.

To add one: `requirements/NAME.in`, pinned by the command at the top of each `.txt`; `scripts/run_NAME.py`, as short as its
makers' first example; an entry here; the rows that the test of the page then asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

GENAI = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
HIDDEN = {"OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true"}
HIDE = "`OPENINFERENCE_HIDE_INPUTS` and `..._HIDE_OUTPUTS` leave them out"


@dataclass(frozen=True, kw_only=True)
class Framework:
    """One framework under one instrumentation.

    Attributes:
        name: of its script (`run_NAME.py`) and its requirements.
        packages: the framework's and the instrumentation's, as pinned.
        tool_span: what the first span of a tool's run to arrive is called; every framework has its own way.
        switch: in words, for the page.
        on: variables with which arguments and results are recorded.
        off: variables without; None where nothing changes it.
    """

    name: str
    title: str
    instrumentation: str
    packages: tuple[str, ...]
    tool_span: str = "execute_tool {tool}"
    switch: str
    on: Mapping[str, str] = field(default_factory=dict)
    off: Mapping[str, str] | None = field(default_factory=dict)

    @property
    def variants(self) -> dict[str, Mapping[str, str]]:
        """How it is run: the word for it, and the variables; as it comes first."""
        if self.off is None:
            return {"default": {}}
        if self.on:
            return {"off (default)": self.off, "on": self.on}
        return {"on (default)": self.on, "off": self.off}


FRAMEWORKS = (
    Framework(
        name="agent_framework",
        title="Microsoft Agent Framework",
        instrumentation="built in",
        packages=("agent-framework-core",),
        switch="`ENABLE_SENSITIVE_DATA=true`",
        on={"ENABLE_SENSITIVE_DATA": "true"},
    ),
    Framework(
        name="anthropic",
        title="Anthropic SDK, tool runner",
        instrumentation="built in",
        packages=("anthropic",),
        tool_span="anthropic.custom_tool_use {tool}",
        switch="`ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content`",
        on={"ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content"},
    ),
    Framework(
        name="autogen",
        title="AutoGen AgentChat",
        instrumentation="built in, and OpenInference",
        packages=("autogen-agentchat", "openinference-instrumentation-autogen-agentchat"),
        switch=f"{HIDE}; the built-in spans never hold any",
        off=HIDDEN,
    ),
    Framework(
        name="crewai",
        title="CrewAI",
        instrumentation="OpenInference",
        packages=("crewai", "openinference-instrumentation-crewai"),
        tool_span="{tool}.run",
        switch=HIDE,
        off=HIDDEN,
    ),
    Framework(
        name="google_adk",
        title="Google ADK",
        instrumentation="built in",
        packages=("google-adk",),
        switch=f"`{GENAI}=SPAN_ONLY`",
        on={GENAI: "SPAN_ONLY"},
    ),
    Framework(
        name="langgraph",
        title="LangChain on LangGraph",
        instrumentation="OpenLLMetry",
        packages=("langchain", "langgraph", "opentelemetry-instrumentation-langchain"),
        switch="`TRACELOOP_TRACE_CONTENT=false` leaves them out",
        off={"TRACELOOP_TRACE_CONTENT": "false"},
    ),
    Framework(
        name="langgraph_genai",
        title="LangChain on LangGraph",
        instrumentation="OpenTelemetry",
        packages=("langchain", "langgraph", "opentelemetry-instrumentation-genai-langchain"),
        switch=f"`{GENAI}=SPAN_ONLY`",
        on={GENAI: "SPAN_ONLY"},
    ),
    Framework(
        name="mcp",
        title="MCP Python SDK, client and server",
        instrumentation="built in",
        packages=("mcp",),
        tool_span="tools/call {tool}",
        switch="none: its spans never hold any",
        off=None,
    ),
    Framework(
        name="openai_agents",
        title="OpenAI Agents SDK",
        instrumentation="OpenInference",
        packages=("openai-agents", "openinference-instrumentation-openai-agents"),
        tool_span="{tool}",
        switch=HIDE,
        off=HIDDEN,
    ),
    Framework(
        name="openai_agents_mcp",
        title="OpenAI Agents SDK, tools over MCP",
        instrumentation="OpenTelemetry, and MCP's own",
        packages=("openai-agents", "mcp", "opentelemetry-instrumentation-genai-openai-agents"),
        tool_span="tools/call {tool}",
        switch=f"`{GENAI}=SPAN_ONLY`",
        on={GENAI: "SPAN_ONLY"},
    ),
    Framework(
        name="pydantic_ai",
        title="Pydantic AI",
        instrumentation="built in",
        packages=("pydantic-ai-slim",),
        switch="`InstrumentationSettings(include_content=False)` leaves them out",
        off={"CONTENT": "off"},
    ),
    Framework(
        name="smolagents",
        title="smolagents",
        instrumentation="OpenInference",
        packages=("smolagents", "openinference-instrumentation-smolagents"),
        tool_span="SimpleTool",
        switch=HIDE,
        off=HIDDEN,
    ),
    Framework(
        name="strands",
        title="Strands Agents",
        instrumentation="built in",
        packages=("strands-agents",),
        switch="`OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_unredacted_attributes=` redacts them",
        off={"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_unredacted_attributes="},
    ),
)
