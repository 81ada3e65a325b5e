"""OpenAI Agents SDK over the Responses API, instrumented by OpenInference."""

from agents import (
    Agent,
    Runner,
    function_tool,
    set_default_openai_client,
)
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    # Takes the place of the SDK's own processor, which would send the traces to OpenAI.
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    client = AsyncOpenAI(base_url=f"{address}/v1", api_key="none")
    set_default_openai_client(client, use_for_tracing=False)
    tools = [function_tool(tool) for tool in (lookup_order, delete_user, send_receipt)]
    agent = Agent(name=AGENT, instructions=INSTRUCTIONS, tools=tools, model="gpt-4o")
    Runner.run_sync(agent, QUESTION)
