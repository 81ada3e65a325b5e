"""Which frameworks run, under which instrumentation.

To add one: `requirements/NAME.in`, pinned by the command at the top of each `.txt`; a page `docs/pages/frameworks/NAME.md` with
a program as short as its makers' first example; an entry here; the tables, written by `write_tables`.
"""

from __future__ import annotations

from dataclasses import dataclass

NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Framework:
    """One framework under one instrumentation.

    Attributes:
        name: of its page and its requirements.
        tool_span: what the first span of a tool's run to arrive is called; every framework has its own way.
        switch: of arguments and results, where it is not just the variables of the page's second command.
    """

    name: str
    title: str
    instrumentation: str
    tool_span: str = "execute_tool {tool}"
    switch: str | None = None


FRAMEWORKS = (
    Framework(
        name="agent_framework",
        title="Microsoft Agent Framework",
        instrumentation="built in",
    ),
    Framework(
        name="anthropic",
        title="Anthropic SDK, tool runner",
        instrumentation="built in",
        tool_span="anthropic.custom_tool_use {tool}",
    ),
    Framework(
        name="autogen",
        title="AutoGen AgentChat",
        instrumentation="built in, and OpenInference",
    ),
    Framework(
        name="crewai",
        title="CrewAI",
        instrumentation="OpenInference",
        tool_span="{tool}.run",
    ),
    Framework(
        name="google_adk",
        title="Google ADK",
        instrumentation="built in",
    ),
    Framework(
        name="langgraph",
        title="LangChain and LangGraph",
        instrumentation="OpenLLMetry",
    ),
    Framework(
        name="langgraph_genai",
        title="LangChain and LangGraph",
        instrumentation="OpenTelemetry",
    ),
    Framework(
        name="mcp",
        title="MCP Python SDK, client and server",
        instrumentation="built in",
        tool_span="tools/call {tool}",
        switch=NONE,
    ),
    Framework(
        name="openai_agents",
        title="OpenAI Agents SDK",
        instrumentation="OpenInference",
        tool_span="{tool}",
    ),
    Framework(
        name="openai_agents_mcp",
        title="OpenAI Agents SDK, tools over MCP",
        instrumentation="OpenTelemetry, and MCP's own",
        tool_span="tools/call {tool}",
    ),
    Framework(
        name="pydantic_ai",
        title="Pydantic AI",
        instrumentation="built in",
        switch="`InstrumentationSettings(include_content=False)`",
    ),
    Framework(
        name="smolagents",
        title="smolagents",
        instrumentation="OpenInference",
        tool_span="SimpleTool",
    ),
    Framework(
        name="strands",
        title="Strands Agents",
        instrumentation="built in",
    ),
)
