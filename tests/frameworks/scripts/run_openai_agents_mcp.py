"""OpenAI Agents SDK with the tools of an MCP server, instrumented by the OpenTelemetry project and by MCP itself."""

import asyncio

from agents import Agent, Runner, set_default_openai_client, set_trace_processors
from agents.mcp import MCPServerStreamableHttp
from desk import desk
from openai import AsyncOpenAI
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION
from stub import served


async def run(model: str) -> None:
    """Ask the question, with the tools of a running server."""
    client = AsyncOpenAI(base_url=f"{model}/v1", api_key="none")
    set_default_openai_client(client, use_for_tracing=False)
    async with desk() as address, MCPServerStreamableHttp({"url": address}) as tools:
        agent = Agent(name=AGENT, instructions=INSTRUCTIONS, mcp_servers=[tools], model="gpt-4o")
        await Runner.run(agent, QUESTION)


with recorded() as provider, served() as address:
    set_trace_processors([])  # or the SDK's own would send the traces to OpenAI
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    asyncio.run(run(address))
